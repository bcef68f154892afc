"""German."""

from memories.language.vocabularies.vocabulary import QuestionWords, TimeWords, Vocabulary

GERMAN = Vocabulary(
    code="de",
    name="German",
    function_words="""
    der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen
    ist sind war waren wird werden wurde hat haben hatte habe bin bist sein seine ich du er sie es
    wir ihr mich mir dich dir uns euch ihn ihm ihnen mein meine meinen dein deine unser unsere im am
    zum zur vom beim auf aus mit von nach bei über unter zwischen für gegen ohne um als wie wenn
    weil
    dass auch noch schon nur sehr was wer wo wann warum welche welcher welches wem wen muss müssen
    kann können soll sollen will wollen darf jetzt hier dort diese dieser dieses dann doch mehr seit
    bis vor heißt sich an alle alles etwas immer guten wieder danke bitte hallo
    """,
    times=TimeWords(
        months=(
            "januar jänner", "februar feber", "märz maerz", "april", "mai", "juni", "juli",
            "august", "september", "oktober", "november", "dezember",
        ),
        short_months="jan feb mär apr mai jun jul aug sep okt nov dez",
        weekdays=(
            "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag sonnabend",
            "sonntag",
        ),
        units={
            "minute": "minute | minuten", "hour": "stunde | stunden",
            "day": "tag | tage tagen tages", "week": "woche | wochen",
            "weekend": "wochenende | wochenenden", "month": "monat monats | monate monaten",
            "quarter": "quartal | quartale quartalen", "year": "jahr jahres | jahre jahren",
        },
        numbers={
            1: "ein eine einen einem einer", 2: "zwei", 3: "drei", 4: "vier", 5: "fünf",
            6: "sechs", 7: "sieben", 8: "acht", 9: "neun", 10: "zehn", 11: "elf", 12: "zwölf",
            14: "vierzehn", 20: "zwanzig", 30: "dreißig",
        },
        day_parts={
            "morning": "früh morgen vormittag morgens", "afternoon": "nachmittag mittag",
            "evening": "abend", "night": "nacht",
        },
        times=(
            ("vorvorgestern", "day -3"), ("vorgestern", "day -2"), ("gestern", "day -1"),
            ("heute", "day 0"), ("morgen", "day 1"), ("übermorgen/uebermorgen", "day 2"),
            ("in? der? letzte/letzten/vergangene/vergangenen nacht", "day -1 night"),
            ("am? letzten/letzter/letztem/vergangenen/vorigen WEEKDAY", "WEEKDAY -1"),
            ("am? nächsten/nächster/nächstem/kommenden WEEKDAY", "WEEKDAY 1"),
            ("an? diesen/diesem WEEKDAY", "WEEKDAY 0"),
            ("im/in/am? der/das/dem? letzte/letzten/letzter/letztes/letztem UNIT", "UNIT -1"),
            ("im/in/am? der/das/dem? vergangene/vergangenen/vergangener/vergangenes UNIT",
            "UNIT -1"),
            ("im/in/am? der/das/dem? vorige/vorigen/voriger/voriges UNIT", "UNIT -1"),
            ("im/in/am? der/das/dem? nächste/nächsten/nächster/nächstes UNIT", "UNIT 1"),
            ("im/in/am? der/das/dem? kommende/kommenden/kommender/kommendes UNIT", "UNIT 1"),
            ("in? diese/dieser/diesen/diesem/dieses UNIT", "UNIT 0"),
            ("vor COUNT UNITS", "AGO"), ("in COUNT UNITS", "AHEAD?"),
            ("in? den/die letzten/vergangenen COUNT UNITS", "LASTING"),
            ("am/der/den? DAY .? MON .? YEAR", "DATE"), ("am/der/den? DAY .? MON", "DATE"),
            ("am? DAY . MM . YEAR", "DATE"),
            ("im letzten/vergangenen/vorigen MONTH", "MONTH -1"),
            ("im nächsten/kommenden MONTH", "MONTH 1"), ("im? diesen/diesem MONTH", "MONTH 0"),
            ("im? MONTH YEAR", "DATE"), ("im MONTH", "DATE"), ("im jahr/jahre YEAR", "DATE"),
            ("am? WEEKDAY", "WEEKDAY"),
        ),
        bare_times=(("MONTH", "DATE"), ("YEAR", "DATE"), ("jahr YEAR", "DATE")),
        bounds={
            "since": ("seit dem/der/den?", "ab dem/der/den?"), "before": ("vor dem/der/den?",),
            "after": ("nach dem/der/den?",),
            "until": ("bis zum/zur/einschließlich/am?", "bis spätestens am/zum?"),
            "due": ("spätestens bis? am/zum?", "fällig am/bis?"),
        },
        ranges=(("zwischen dem/der?", "und dem/der?", ""), ("von/vom", "bis zum?", "")),
        not_after={
            "morgen": "guten guter schönen am diesen jeden eines der dem den einen jedem gute",
            "jahr": "ein", "heute": "bis",
        },
        not_before={"morgen": "zusammen allerseits leute allen"},
        written={
            "day": "am {}", "week": "in der Woche vom {}", "weekend": "am Wochenende vom {}",
            "month": "im Monat {}", "year": "im Jahr {}",
        },
        past="habe hab hat haben hatte hatten habt war waren wurde wurden bin",
        more_words="""
        bald neulich kürzlich früher später seit uhr sommer winter frühling herbst weihnachten
        ostern geburtstag
        """,
    ),
    questions=QuestionWords(
        when=(
            "wann", "seit wann", "bis wann", "ab wann", "wie lange", "um wie viel uhr", "wie spät",
            "an welchem tag/datum", "in welchem monat/jahr", "in welcher woche", "welches datum",
            "welcher tag",
        ),
        first_person="ich mich mir mein meine meinen meinem meiner meines",
    ),
)  # fmt: skip
