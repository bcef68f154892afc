"""Portuguese."""

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

PORTUGUESE = Vocabulary(
    code="pt",
    name="Portuguese",
    function_words="""
    talvez o a os as um uma uns umas de do da dos das no na nos nas ao à aos às em e ou mas não é
    são era
    eram
    foi foram será ser está estão estava tem têm tinha tenho temos há eu tu ele ela nós eles elas
    você
    vocês me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa este esta
    isto esse essa isso aquele aquela que quem qual quais quando onde como porque quanto por pelo
    pela
    para com sem sobre entre desde até muito mais também já sempre nunca tudo todos todas agora aqui
    sou somos estou deve devo pode disse fez obrigado obrigada olá alguém ninguém depois antes
    """,
    spelling=r"[a-záéíóúâêôç]{0,20}[ãõ][a-z]{0,20}",
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
            ("WEEKDAY", "WEEKDAY"),
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
    comparison=ComparisonWords(
        negation="""
        não nem nunca jamais ninguém nada nenhum nenhuma sem tampouco
        """,
        opposites=(
            "mais maior superior / menos menor inferior", "antes / depois",
            "aberto aberta abre / fechado fechada fecha",
            "ativado ligado / desativado desligado", "permitido / proibido",
            "sempre / nunca jamais",
            "ama adora / odeia evita", "verdadeiro sim / falso não", "manhã / tarde noite",
            "alguém todos / ninguém", "aceito aprovado / recusado rejeitado",
        ),
        stem="amos|emos|imos|ando|endo|ados?|adas?|avam?|os|as|es|am|em|ar|er|ir|a|o|e|s",
        be="é são sou era está estão chama",
        have="tem têm tenho",
        object_verbs="usa usamos usam utiliza utilizamos prefere leva quer guarda",
        verbs="""
        mora moro moramos vive vivo trabalha trabalho trabalhamos começa termina abre fecha custa
        fica
        reside dirige gere conduz paga entrega reúne sai chega pertence dorme estaciona
        """,
        attributes="""
        cor nome código senha estado tamanho fornecedor fornecedora contato contacto endereço morada
        número preço formato idioma língua chefe diretor diretora responsável médico médica dentista
        marca modelo título tema objetivo moeda lugar versão sala andar orçamento limite favorito
        """,
        possessives="meu minha nosso nossa",
        named="chama chamado chamada",
        place_words="em no na sobre sob atrás perto",
        fillers="""
        um uma uns umas o a os as do da de dos das ao meu minha nosso nossa nossos teu seu sua este
        esta
        esse essa muito também eu ele ela nós eles você me se nos olá pois
        """,
        now="agora desde atualmente já",
        we="nós nosso nossa",
        change=(
            "já não|não [^.,;]{0,40}?mais|agora|a partir de agora|em vez de"
            "|no lugar de|mudei|mudou|mudamos"
            "|mudado|mudaram|trocamos|troquei|trocou|substituído|substitui"
            "|renomeado|virou|tornou-se"
            "|cancelado|cancelada|adiado|adiada|deixou|deixei|parou|demitiu|vendeu|vendido|vendida"
            "|aumentou|diminuiu|reduziu|prolongado|divorciado|divorciada|migramos|abandonou"
        ),
        uncertain=(
            "talvez|provavelmente|possivelmente|poderia|gostaria|queria|espera"
            "|espero|planeja|pretende|se"
            "|parece|segundo|diz que|disse|deveria|vai|vou|vamos|quer|quero"
            "|tenho que|tem que|preciso"
        ),
        opinion="obrigado|obrigada|ótimo|legal|acha|acho|gosta|gosto|adora|odeia|ama|prefere",
        history="ontem|hoje|amanhã|antigamente|na semana passada|no (?:mês|ano) passado",
        scope=(
            "exceto|salvo|durante|só|somente|apenas|às (?:segundas|terças|quartas|quintas"
            "|sextas)"
        ),
        states=(
            "aberto aberta fechado fechada", "pago paga pendente",
            "solteiro solteira casado casada divorciado divorciada",
            "aprovado rejeitado recusado", "livre ocupado ocupada", "cheio vazio", "ativo inativo",
            "público privado", "permitido proibido", "doente saudável", "quebrado consertado",
        ),
    ),
    duties=DutyWords(
        own=("tenho que/de", "eu tenho que/de", "preciso", "eu preciso", "devo", "eu devo"),
        named=("tem que/de", "precisa", "deve", "terá que/de"),
        shared=("temos que/de", "precisamos", "devemos", "é preciso"),
        not_after="não nunca ter",
    ),
)  # fmt: skip
