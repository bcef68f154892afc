"""Italian."""

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

ITALIAN = Vocabulary(
    code="it",
    name="Italian",
    function_words="""
    forse il lo la i gli le un uno una di del dello della dei degli delle al allo alla ai agli alle
    da dal
    dalla dai nel nella nei nelle sul sulla con per tra fra e ed o ma non è sono era erano sarà
    stato
    stata ho hai ha abbiamo hanno aveva io tu lui lei noi voi loro mi ti si ci vi ne mio mia miei
    tuo
    tua suo sua nostro nostra nostri questo questa questi queste quello quella che chi cosa quale
    quali quando dove come perché quanto anche ancora già sempre mai più molto tutto tutti tutte se
    qui lì adesso ora siamo deve devo può posso fatto detto l dell nell all dall grazie ciao sì
    """,
    times=TimeWords(
        months=(
            "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto",
            "settembre", "ottobre", "novembre", "dicembre",
        ),
        short_months="gen feb mar apr mag giu lug ago set ott nov dic",
        weekdays=(
            "lunedì lunedi", "martedì martedi", "mercoledì mercoledi", "giovedì giovedi",
            "venerdì venerdi", "sabato", "domenica",
        ),
        units={
            "minute": "minuto | minuti", "hour": "ora | ore", "day": "giorno | giorni",
            "week": "settimana | settimane", "weekend": "fine_settimana weekend",
            "month": "mese | mesi", "quarter": "trimestre | trimestri", "year": "anno | anni",
        },
        numbers={
            1: "un uno una", 2: "due", 3: "tre", 4: "quattro", 5: "cinque", 6: "sei", 7: "sette",
            8: "otto", 9: "nove", 10: "dieci", 11: "undici", 12: "dodici", 15: "quindici",
            20: "venti", 30: "trenta",
        },
        day_parts={
            "morning": "mattina", "afternoon": "pomeriggio", "evening": "sera", "night": "notte",
        },
        times=(
            ("l ' altro ieri", "day -2"), ("altro/avant ' ieri", "day -2"),
            ("altroieri/avantieri", "day -2"), ("ieri", "day -1"), ("oggi", "day 0"),
            ("domani", "day 1"), ("dopodomani", "day 2"), ("dopo domani", "day 2"),
            ("stamattina/stamani", "day 0 morning"), ("stasera", "day 0 evening"),
            ("stanotte", "day 0 night"), ("questa mattina", "day 0 morning"),
            ("questa sera", "day 0 evening"), ("questo pomeriggio", "day 0 afternoon"),
            ("la? WEEKDAY scorso/scorsa/passato/passata", "WEEKDAY -1"),
            ("lo/la scorso/scorsa WEEKDAY", "WEEKDAY -1"),
            ("la? WEEKDAY prossimo/prossima", "WEEKDAY 1"),
            ("il/la? prossimo/prossima WEEKDAY", "WEEKDAY 1"),
            ("questo/questa WEEKDAY", "WEEKDAY 0"),
            ("il/la/lo? UNIT scorso/scorsa/passato/passata", "UNIT -1"),
            ("l ' anno scorso/passato", "year -1"), ("lo/la scorso/scorsa UNIT", "UNIT -1"),
            ("il/la? UNIT prossimo/prossima", "UNIT 1"), ("l ' anno prossimo", "year 1"),
            ("il/la? prossimo/prossima UNIT", "UNIT 1"), ("questo/questa UNIT", "UNIT 0"),
            ("quest ' anno", "year 0"),
            ("COUNT UNITS fa", "AGO"), ("tra/fra COUNT UNITS", "AHEAD"),
            ("negli/nelle/gli/le ultimi/ultime COUNT UNITS", "LASTING"),
            ("il? DAY º? MON .? YEAR", "DATE"), ("il? DAY º? MON", "DATE"),
            ("l ' DAY MON YEAR", "DATE"), ("l ' DAY MON", "DATE"),
            ("il? DAY / MM / YEAR", "DATE"), ("il? DAY . MM . YEAR", "DATE"),
            ("a/nel? MONTH scorso", "MONTH -1"), ("a/nel? MONTH prossimo", "MONTH 1"),
            ("a/in/nel? MONTH YEAR", "DATE"), ("a/in MONTH", "DATE"), ("nel YEAR", "DATE"),
            ("WEEKDAY", "WEEKDAY"),
        ),
        bare_times=(("MONTH", "DATE"), ("YEAR", "DATE")),
        bounds={
            "since": ("da", "dal/dalla", "a partire da/dal/dalla"),
            "before": ("prima di/del/della/dell '?",), "after": ("dopo il/la?", "dopo l '",),
            "until": ("fino a/al/alla/all '?",),
            "due": ("entro il/la?", "entro l '", "per il/la?", "al più tardi il?"),
        },
        ranges=(("tra/fra il/la?", "e il/la?", ""), ("da/dal/dalla", "a/al/alla", "")),
        not_after={"domenica": "santa", "sabato": "ogni"},
        written={
            "day": "il {}", "week": "nella settimana del {}",
            "weekend": "nel fine settimana del {}",
            "month": "nel mese {}", "year": "nell'anno {}",
        },
        more_words="""
        presto recentemente tardi prima dopo mattina sera notte estate inverno primavera autunno
        natale pasqua compleanno
        """,
    ),
    questions=QuestionWords(
        when=(
            "quando", "da quando", "fino a quando", "a che ora", "che giorno/ora/data",
            "in che/quale anno/mese/giorno/data", "quale giorno/data/mese/anno", "quanto tempo",
            "da quanto tempo", "per quanto tempo", "entro quando",
        ),
        first_person="io mi me mio mia miei mie",
    ),
    comparison=ComparisonWords(
        negation="""
        non no né mai nessuno nessun nessuna niente nulla senza neanche nemmeno neppure
        """,
        opposites=(
            "più maggiore superiore / meno minore inferiore", "prima / dopo",
            "aperto aperta apre / chiuso chiusa chiude",
            "attivato acceso / disattivato spento", "permesso / vietato", "sempre / mai",
            "ama adora / odia evita", "vero sì / falso no", "mattina / sera",
            "qualcuno tutti / nessuno",
            "accettato approvato / rifiutato respinto",
        ),
        stem="iamo|ando|endo|ati|ate|ato|ata|ano|ono|are|ere|ire|i|e|a|o",
        be="è sono era chiama",
        have="ha hanno ho abbiamo",
        object_verbs="usa usiamo usano utilizza utilizziamo preferisce porta vuole tiene",
        verbs="""
        abita abito abitiamo vive vivo lavora lavoro lavoriamo comincia inizia finisce apre chiude
        costa
        si_trova risiede dirige gestisce guida paga consegna parte arriva appartiene dorme
        parcheggia
        """,
        attributes="""
        colore nome codice password stato taglia fornitore fornitrice contatto indirizzo numero
        prezzo
        formato lingua capo direttore direttrice responsabile medico dottore dentista marca modello
        titolo tema obiettivo valuta luogo versione sala stanza piano budget limite preferito
        """,
        possessives="mio mia nostro nostra",
        named="chiama chiamato chiamata",
        place_words="a in nel nella su sotto dietro vicino al alla da",
        fillers="""
        un uno una il lo la i gli le l di del della dei mio mia nostro nostra tuo tua suo sua questo
        questa quello quella molto anche già io tu lui lei noi voi loro mi si ci ciao quindi
        """,
        now="ora adesso da attualmente ormai",
        we="noi nostro nostra ci",
        change=(
            "non [^.,;]{0,40}?più|ormai|adesso|ora|d ' ora in poi|invece di"
            "|al posto di|trasferito|trasferita"
            "|traslocato|cambiato|cambiata|cambiamo|sostituito|sostituisce"
            "|rinominato|diventato|diventata"
            "|annullato|annullata|rinviato|rinviata|passati|passato a|passata a"
            "|smesso|lasciato|licenziato"
            "|venduto|venduta|aumentato|ridotto|prolungato|divorziato|divorziata"
            "|migrato|abbandonato"
        ),
        uncertain=(
            "forse|probabilmente|magari|può darsi|potrebbe|potrei|vorrebbe"
            "|vorrei|spera|spero|pensa di"
            "|penso di|progetta|se|sembra|pare|secondo|dice che|ha detto"
            "|dovrebbe|vuole|voglio|deve|devo"
        ),
        opinion="grazie|fantastico|bello|crede|credo|piace|piacciono|ama|adora|odia|trova",
        history="ieri|oggi|domani|una volta|la settimana scorsa|il mese scorso|l ' anno scorso",
        scope=(
            "tranne|eccetto|durante|solo|soltanto|di (?:lunedì|martedì|mercoledì|giovedì"
            "|venerdì)"
        ),
        states=(
            "aperto aperta chiuso chiusa", "pagato pagata",
            "celibe nubile sposato sposata divorziato divorziata",
            "approvato respinto rifiutato", "libero occupato occupata", "pieno vuoto",
            "attivo inattivo",
            "pubblico privato", "permesso vietato", "malato sano", "rotto riparato",
        ),
    ),
    duties=DutyWords(
        own=("devo", "io devo", "dovrò", "bisogna che io"),
        named=("deve", "dovrà", "ha da"),
        shared=("dobbiamo", "bisogna", "occorre", "noi dobbiamo"),
        not_after="non mai aver essere",
    ),
)  # fmt: skip
