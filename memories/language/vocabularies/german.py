"""German."""

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

GERMAN = Vocabulary(
    code="de",
    name="German",
    function_words="""
    vielleicht der die das den dem des ein eine einen einem einer eines und oder aber nicht kein
    keine keinen
    ist sind war waren wird werden wurde hat haben hatte habe bin bist sein seine ich du er sie es
    wir ihr mich mir dich dir uns euch ihn ihm ihnen mein meine meinen dein deine unser unsere im am
    zum zur vom beim auf aus mit von nach bei über unter zwischen für gegen ohne um als wie wenn
    weil
    dass auch noch schon nur sehr was wer wo wann warum welche welcher welches wem wen muss müssen
    kann können soll sollen will wollen darf jetzt hier dort diese dieser dieses dann doch mehr seit
    bis vor heißt sich an alle alles etwas immer guten wieder danke bitte hallo
    """,
    spelling=r"[a-zäöü]{0,20}ß[a-zäöü]{0,20}",
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
    comparison=ComparisonWords(
        negation="""
        nicht nie niemals kein keine keinen keinem keiner keines ohne niemand nichts nirgends weder
        """,
        opposites=(
            "über mehr höher oberhalb / unter weniger niedriger unterhalb",
            "vor vorher / nach nachher",
            "an eingeschaltet aktiviert / aus ausgeschaltet deaktiviert",
            "offen geöffnet öffnet / geschlossen zu schließt", "erlaubt / verboten",
            "immer alle jeder jemand / nie niemand keiner", "mag liebt / hasst meidet",
            "richtig wahr ja / falsch nein", "morgens / abends",
            "männer männlich / frauen weiblich",
        ),
        stem="est|et|st|en|em|er|es|te|ten|e|n|s|t",
        be="ist sind war bin heißt lautet",
        have="hat haben habe",
        object_verbs="nutzt nutzen benutzt benutzen verwendet verwenden nimmt braucht will trägt",
        verbs="""
        wohnt wohne wohnen lebt lebe arbeitet arbeite arbeiten beginnt startet endet öffnet schließt
        kostet läuft steht liegt sitzt leitet führt hält fährt zahlt trifft treffen findet kommt
        geht
        gehört berichtet parkt schläft
        """,
        attributes="""
        farbe name passwort code lieblingsfarbe status größe lieferant anbieter ansprechpartner
        adresse
        nummer preis format sprache leiter leiterin chef chefin arzt ärztin zahnarzt marke modell
        titel
        thema ziel währung ort version raum zimmer etage budget limit termin beruf
        """,
        possessives="mein meine meinen unser unsere unseren",
        named="heißt namens genannt",
        place_words="in im am an auf unter hinter neben bei",
        fillers="""
        ein eine einen einem einer der die das den dem des mein meine meinen unser unsere unseren
        dein
        sein seine ihr ihre dieser diese dieses auch sehr noch schon so bitte ja doch hallo ich du
        er
        sie es wir ihr mich mir
        """,
        now="jetzt nun seit inzwischen mittlerweile aktuell neuerdings ab",
        we="",
        change=(
            "nicht mehr|keine?[nmrs]? [^.,;]{0,40}?mehr|nun|jetzt|inzwischen"
            "|mittlerweile|neuerdings|stattdessen"
            "|statt|anstatt|anstelle|umgezogen|gewechselt|wechselt|wechseln"
            "|geändert|ersetzt|umbenannt"
            "|geworden|ab sofort|von nun an|abgesagt|verschoben|aufgehört"
            "|gekündigt|verlassen|verkauft"
            "|übernommen|übernimmt|abgelöst|umgestiegen|umgestellt|früher|zurückgezogen|eingestellt"
            "|abgeschafft|gestiegen|gesunken|erhöht|gesenkt|verlängert|verkürzt|geschieden|getrennt"
        ),
        uncertain=(
            "vielleicht|eventuell|möglicherweise|wahrscheinlich|vermutlich"
            "|könnte|könnten|würde|würden"
            "|sollte|sollten|wollen|will|möchte|möchten|plant|planen|plane|hofft"
            "|hoffe|falls|wenn|ob"
            "|scheint|angeblich|sagt|sagte|gesagt|meint|gehört|behauptet"
            "|überlegt|überlege|soll|muss"
        ),
        opinion=(
            "danke|toll|super|wunderbar|glaubt|glaube|findet|finde|mag|liebt|liebe|hasst"
            "|gefällt"
        ),
        history="gestern|heute|morgen|damals|letzte[nrs]? (?:woche|monat|jahr)",
        scope=(
            "montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|außer|während"
            "|nur"
        ),
        states=(
            "offen geschlossen zu", "fertig unfertig erledigt", "bezahlt unbezahlt",
            "verheiratet ledig geschieden verlobt verwitwet", "genehmigt abgelehnt",
            "kaputt repariert", "frei belegt besetzt", "voll leer", "aktiv inaktiv",
            "öffentlich privat", "erlaubt verboten", "gesund krank", "vegan vegetarisch",
        ),
        capital_nouns=True,
    ),
    duties=DutyWords(
        own=("ich muss", "ich soll", "ich werde", "ich darf nicht vergessen"),
        named=("muss", "soll", "wird", "hat zu"),
        shared=("wir müssen", "wir sollen", "wir sollten", "wir werden", "man muss"),
        not_after="nicht nie kein keine",
    ),
)  # fmt: skip
