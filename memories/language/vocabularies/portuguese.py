"""Portuguese."""

from memories.language.vocabularies.vocabulary import QuestionWords, TimeWords, Vocabulary

PORTUGUESE = Vocabulary(
    code="pt",
    name="Portuguese",
    function_words="""
    o a os as um uma uns umas de do da dos das no na nos nas ao à aos em e ou mas não é são era eram
    foi foram será ser está estão estava tem têm tinha tenho temos há eu tu ele ela nós eles elas
    você
    vocês me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa este esta
    isto esse essa isso aquele aquela que quem qual quais quando onde como porque quanto por pelo
    pela
    para com sem sobre entre desde até muito mais também já sempre nunca tudo todos todas agora aqui
    sou somos estou deve devo pode disse fez obrigado obrigada olá alguém ninguém depois antes
    """,
    times=TimeWords(
        months=(
            "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto",
            "setembro", "outubro", "novembro", "dezembro",
        ),
        short_months="jan fev mar abr mai jun jul ago set out nov dez",
        weekdays=(
            "segunda_-_feira", "terça_-_feira", "quarta_-_feira", "quinta_-_feira",
            "sexta_-_feira", "sábado sabado", "domingo",
        ),
        units={
            "minute": "minuto | minutos", "hour": "hora | horas", "day": "dia | dias",
            "week": "semana | semanas",
            "weekend": "fim_de_semana fim_-_de_-_semana | fins_de_semana",
            "month": "mês | meses", "quarter": "trimestre | trimestres", "year": "ano | anos",
        },
        numbers={
            1: "um uma", 2: "dois duas", 3: "três", 4: "quatro", 5: "cinco", 6: "seis", 7: "sete",
            8: "oito", 9: "nove", 10: "dez", 11: "onze", 12: "doze", 15: "quinze", 20: "vinte",
            30: "trinta",
        },
        day_parts={
            "morning": "de_manhã pela_manhã", "afternoon": "à_tarde de_tarde",
            "night": "à_noite de_noite", "evening": "ao_anoitecer",
        },
        times=(
            ("anteontem", "day -2"), ("antes de ontem", "day -2"), ("ontem", "day -1"),
            ("hoje", "day 0"), ("amanhã", "day 1"), ("depois de amanhã", "day 2"),
            ("esta/essa manhã", "day 0 morning"), ("esta/essa tarde", "day 0 afternoon"),
            ("esta/essa noite", "day 0 night"),
            ("na/no? WEEKDAY passado/passada", "WEEKDAY -1"),
            ("na/no? última/último WEEKDAY", "WEEKDAY -1"),
            ("na/no? próxima/próximo WEEKDAY", "WEEKDAY 1"),
            ("na/no WEEKDAY que vem", "WEEKDAY 1"), ("nesta/neste/esta/este WEEKDAY", "WEEKDAY 0"),
            ("na/no/a/o? UNIT passado/passada", "UNIT -1"),
            ("na/no/a/o última/último UNIT", "UNIT -1"),
            ("na/no/a/o? próxima/próximo UNIT", "UNIT 1"), ("na/no/a/o UNIT que vem", "UNIT 1"),
            ("nesta/neste/esta/este/nessa/nesse UNIT", "UNIT 0"),
            ("há COUNT UNITS", "AGO"), ("COUNT UNITS atrás", "AGO"),
            ("há COUNT UNITS atrás", "AGO"),
            ("daqui a COUNT UNITS", "AHEAD"), ("dentro de COUNT UNITS", "AHEAD"),
            ("nos/nas/os/as últimos/últimas COUNT UNITS", "LASTING"),
            ("em/no/a/o? dia? DAY º? de MON .? de YEAR", "DATE"),
            ("em/no/a/o? dia? DAY º? de MON", "DATE"),
            ("em? DAY / MM / YEAR", "DATE"), ("em? DAY . MM . YEAR", "DATE"),
            ("em? MONTH passado", "MONTH -1"), ("em? próximo MONTH", "MONTH 1"),
            ("em? MONTH de YEAR", "DATE"), ("em? MONTH YEAR", "DATE"), ("em MONTH", "DATE"),
            ("em YEAR", "DATE"), ("no ano de? YEAR", "DATE"), ("na/no WEEKDAY", "WEEKDAY"),
            ("segunda/terça/quarta/quinta/sexta - feira", "WEEKDAY"),
        ),
        bare_times=(("MONTH", "DATE"), ("YEAR", "DATE"), ("a/o? WEEKDAY", "WEEKDAY")),
        bounds={
            "since": ("desde a/o?", "a partir de/da/do a/o?"), "before": ("antes de/da/do",),
            "after": ("depois de/da/do", "após a/o?"), "until": ("até a/o/à/ao?",),
            "due": ("para a/o?", "o mais tardar em?"),
        },
        ranges=(("entre a/o?", "e a/o?", ""), ("de/da/do", "a/à/ao/até a/o?", "")),
        written={
            "day": "em {}", "week": "na semana de {}", "weekend": "no fim de semana de {}",
            "month": "em {}", "year": "em {}",
        },
        more_words="""
        breve recentemente tarde cedo desde manhã noite verão inverno primavera outono natal páscoa
        aniversário
        """,
    ),
    questions=QuestionWords(
        when=(
            "quando", "desde quando", "até quando", "a que horas", "que dia/horas/data",
            "em que data/ano/mês/dia", "qual dia/data/mês/ano", "quanto tempo", "há quanto tempo",
            "qual é a data", "por quanto tempo", "a partir de quando",
        ),
        first_person="eu me mim meu minha meus minhas comigo",
    ),
)  # fmt: skip
