"""Dutch."""

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

DUTCH = Vocabulary(
    code="nl",
    name="Dutch",
    function_words="""
    misschien de het een en of maar niet geen is zijn was waren wordt worden werd heeft hebben had
    heb ben
    bent
    ik jij je hij zij ze wij we jullie mij me jou hem haar ons hun mijn jouw onze dit dat deze die
    in
    op aan van voor met naar bij uit over onder tussen door om te als dan ook nog al er wel zeer
    heel
    wat wie waar wanneer waarom welke welk hoe moet moeten kan kunnen zal zullen wil willen mag nu
    hier daar meer sinds tot na tegen zonder altijd nooit iets niets alle alles bedankt hallo dank
    goede goeden iedereen iemand niemand zich geleden
    """,
    times=TimeWords(
        months=(
            "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus",
            "september", "oktober", "november", "december",
        ),
        short_months="jan feb mrt apr mei jun jul aug sep okt nov dec",
        weekdays=(
            "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag",
        ),
        units={
            "minute": "minuut | minuten", "hour": "uur | uren", "day": "dag | dagen",
            "week": "week | weken", "weekend": "weekend weekeinde | weekends weekenden",
            "month": "maand | maanden", "quarter": "kwartaal | kwartalen", "year": "jaar | jaren",
        },
        numbers={
            1: "een één", 2: "twee", 3: "drie", 4: "vier", 5: "vijf", 6: "zes", 7: "zeven",
            8: "acht", 9: "negen", 10: "tien", 11: "elf", 12: "twaalf", 14: "veertien",
            20: "twintig", 30: "dertig",
        },
        day_parts={
            "morning": "ochtend morgen vroeg", "afternoon": "middag", "evening": "avond",
            "night": "nacht",
        },
        times=(
            ("eergisteren", "day -2"), ("gisteren", "day -1"), ("gisterochtend", "day -1 morning"),
            ("gistermiddag", "day -1 afternoon"), ("gisteravond", "day -1 evening"),
            ("vandaag", "day 0"), ("morgen", "day 1"), ("overmorgen", "day 2"),
            ("vanochtend/vanmorgen", "day 0 morning"), ("vanmiddag", "day 0 afternoon"),
            ("vanavond", "day 0 evening"), ("vannacht", "day 0 night"),
            ("afgelopen nacht", "day -1 night"),
            ("op? vorige/afgelopen WEEKDAY", "WEEKDAY -1"),
            ("op? volgende/komende/aanstaande WEEKDAY", "WEEKDAY 1"),
            ("op? WEEKDAY jongstleden", "WEEKDAY -1"), ("op? deze WEEKDAY", "WEEKDAY 0"),
            ("in? het? vorig/vorige/afgelopen UNIT", "UNIT -1"),
            ("in? het? volgend/volgende/komend/komende UNIT", "UNIT 1"),
            ("in? dit/deze UNIT", "UNIT 0"),
            ("COUNT UNITS geleden", "AGO"), ("over COUNT UNITS", "AHEAD"),
            ("in? de laatste/afgelopen/voorbije COUNT UNITS", "LASTING"),
            ("op? DAY MON .? YEAR", "DATE"), ("op? DAY MON", "DATE"),
            ("op? DAY - MM - YEAR", "DATE"), ("op? DAY / MM / YEAR", "DATE"),
            ("op? DAY . MM . YEAR", "DATE"),
            ("in? afgelopen MONTH", "MONTH -1"), ("in? komende MONTH", "MONTH 1"),
            ("in? MONTH YEAR", "DATE"), ("in MONTH", "DATE"), ("in YEAR", "DATE"),
            ("in het jaar YEAR", "DATE"), ("op? WEEKDAY", "WEEKDAY"),
        ),
        bare_times=(("MONTH", "DATE"), ("YEAR", "DATE")),
        bounds={
            "since": ("sinds", "vanaf"), "before": ("voor", "vóór"), "after": ("na",),
            "until": ("tot", "tot en met"), "due": ("uiterlijk op?", "tegen"),
        },
        ranges=(("tussen", "en", ""), ("van", "tot en? met?", "")),
        not_after={"morgen": "goede goeden de elke iedere een"},
        not_before={"morgen": "allemaal iedereen"},
        written={
            "day": "op {}", "week": "in de week van {}", "weekend": "in het weekend van {}",
            "month": "in {}", "year": "in {}",
        },
        past="heb heeft hebben had hadden was waren werd werden ben",
        more_words="""
        binnenkort onlangs later eerder zomer winter lente herfst kerst kerstmis pasen verjaardag
        """,
    ),
    questions=QuestionWords(
        when=(
            "wanneer", "sinds wanneer", "tot wanneer", "vanaf wanneer", "hoe laat", "hoe lang",
            "om hoe laat", "op welke dag/datum", "in welk jaar", "in welke maand/week",
            "welke dag/datum", "voor wanneer",
        ),
        first_person="ik mij me mijn mezelf",
    ),
    comparison=ComparisonWords(
        negation="niet nooit geen niemand niets nergens zonder noch",
        opposites=(
            "meer hoger boven / minder lager onder", "eerder / later",
            "open opent / gesloten dicht sluit",
            "ingeschakeld aan / uitgeschakeld uit", "toegestaan / verboten verboden",
            "altijd / nooit",
            "houdt / haat vermijdt", "waar ja / onwaar nee", "ochtends / avonds",
            "iemand iedereen / niemand",
            "goedgekeurd / afgekeurd afgewezen",
        ),
        stem="enden|ende|en|er|je|s|t|e",
        be="is zijn was ben heet",
        have="heeft hebben heb",
        object_verbs="gebruikt gebruiken gebruik draagt wil neemt bewaart",
        verbs="""
        woont woon wonen leeft werkt werk werken begint start eindigt opent sluit kost staat ligt
        zit
        leidt beheert rijdt betaalt levert vertrekt aankomt hoort slaapt parkeert
        """,
        attributes="""
        kleur naam wachtwoord code status maat leverancier contactpersoon adres nummer prijs formaat
        taal leider baas chef directeur arts dokter tandarts merk model titel thema doel munt plaats
        versie kamer zaal verdieping budget limiet baan lievelingskleur
        """,
        possessives="mijn onze ons",
        named="heet genaamd",
        place_words="in op aan onder achter naast bij te",
        fillers="""
        een de het mijn onze ons jouw zijn haar hun deze dit dat die zeer heel ook al nog ik jij je
        hij
        zij ze wij we mij me hallo dus
        """,
        now="nu sinds inmiddels tegenwoordig voortaan momenteel",
        we="wij we onze ons",
        change=(
            "niet (?:meer|langer)|geen [^.,;]{0,40}?meer|niet [^.,;]{0,40}?meer"
            "|nu|inmiddels|voortaan|tegenwoordig|in plaats van"
            "|verhuisd|gewisseld|overgestapt|overgeschakeld|veranderd|gewijzigd"
            "|vervangen|vervangt|hernoemd|geworden"
            "|afgezegd|geannuleerd|uitgesteld|verzet|verplaatst|gestopt|opgezegd"
            "|vertrokken|verkocht"
            "|overgenomen|gestegen|gedaald|verhoogd|verlaagd|verlengd|gescheiden|gemigreerd"
        ),
        uncertain=(
            "misschien|wellicht|waarschijnlijk|mogelijk|zou|zouden|wil|willen"
            "|hoopt|hoop|plant|van plan"
            "|als|of|lijkt|schijnt|volgens|zegt|zei|gezegd|moet|overweegt|overweeg"
        ),
        opinion="bedankt|geweldig|leuk|mooi|vindt|vind|gelooft|houdt van|hou van|haat",
        history="gisteren|vandaag|morgen|vroeger|vorige (?:week|maand)|vorig jaar",
        scope="behalve|tijdens|alleen|maandags|dinsdags|woensdags|donderdags|vrijdags",
        states=(
            "open gesloten dicht", "betaald onbetaald", "ongehuwd getrouwd gescheiden verloofd",
            "goedgekeurd afgekeurd", "vrij bezet", "vol leeg", "actief inactief", "openbaar privé",
            "toegestaan verboden", "ziek gezond", "kapot gerepareerd",
        ),
    ),
    duties=DutyWords(
        own=("ik moet", "ik zal", "ik ga"),
        named=("moet", "zal", "gaat"),
        shared=("we moeten", "wij moeten", "we zullen", "er moet"),
        not_after="niet nooit geen",
    ),
)  # fmt: skip
