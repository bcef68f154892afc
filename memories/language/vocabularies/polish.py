"""Polish."""

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

POLISH = Vocabulary(
    code="pl",
    name="Polish",
    function_words="""
    i w we z ze na do od o po przy przez dla bez pod nad przed za oraz lub ale nie jest są był była
    było byli będzie będą być mam masz ma mamy mają ja ty on ona ono my wy oni one mnie mi ci ciebie
    go jego jej ich im nas nam was wam mój moja moje mojego twój twoja swój swoje nasz nasza nasze
    to
    ten ta te tego tej tym tych co kto kiedy gdzie jak dlaczego który która które czy się już
    jeszcze
    tylko też także bardzo więcej teraz tu tutaj tam zawsze nigdy wszystko wszyscy wszystkim muszę
    musi trzeba może jeśli gdy że żeby między jestem dziękuję cześć proszę nikt nic ktoś temu
    """,
    spelling=r"[a-zó]{0,20}[ąęłńśźż][a-zóąćęłńśźż]{0,20}",
    times=TimeWords(
        months=(
            "styczeń stycznia styczniu styczniem", "luty lutego lutym", "marzec marca marcu marcem",
            "kwiecień kwietnia kwietniu kwietniem", "maj maja maju majem",
            "czerwiec czerwca czerwcu czerwcem", "lipiec lipca lipcu lipcem",
            "sierpień sierpnia sierpniu sierpniem", "wrzesień września wrześniu wrześniem",
            "październik października październiku październikiem",
            "listopad listopada listopadzie listopadem", "grudzień grudnia grudniu grudniem",
        ),
        short_months="sty lut mar kwi maj cze lip sie wrz paź lis gru",
        weekdays=(
            "poniedziałek poniedziałku poniedziałkiem", "wtorek wtorku wtorkiem",
            "środa środę środy środą środzie", "czwartek czwartku czwartkiem",
            "piątek piątku piątkiem", "sobota sobotę soboty sobotą sobocie",
            "niedziela niedzielę niedzieli niedzielą",
        ),
        units={
            "minute": "minuta minutę | minuty minut", "hour": "godzina godzinę | godziny godzin",
            "day": "dzień dnia | dni", "week": "tydzień tygodniu tygodnia | tygodnie tygodni",
            "weekend": "weekend weekendu | weekendy weekendów",
            "month": "miesiąc miesiącu miesiąca | miesiące miesięcy",
            "quarter": "kwartał kwartale kwartału | kwartały kwartałów",
            "year": "rok roku | lata lat",
        },
        numbers={
            1: "jeden jedną jedna", 2: "dwa dwie dwóch", 3: "trzy", 4: "cztery", 5: "pięć",
            6: "sześć", 7: "siedem", 8: "osiem", 9: "dziewięć", 10: "dziesięć", 11: "jedenaście",
            12: "dwanaście", 14: "czternaście", 20: "dwadzieścia", 30: "trzydzieści",
        },
        day_parts={
            "morning": "rano", "afternoon": "po_południu", "evening": "wieczorem wieczór",
            "night": "w_nocy nocą",
        },
        times=(
            ("przedwczoraj", "day -2"), ("wczoraj", "day -1"), ("dziś/dzisiaj", "day 0"),
            ("jutro", "day 1"), ("pojutrze", "day 2"),
            ("wczorajszego", "day -1 !"), ("dzisiejszego", "day 0 !"), ("jutra", "day 1 !"),
            ("dziś/dzisiaj wieczorem", "day 0 evening"), ("zeszłej/ostatniej nocy", "day -1 night"),
            ("w/we? zeszły/zeszłą/ostatni/ostatnią/ubiegły/ubiegłą WEEKDAY", "WEEKDAY -1"),
            ("w/we? przyszły/przyszłą/następny/następną/najbliższy/najbliższą WEEKDAY",
            "WEEKDAY 1"),
            ("w/we? ten/tę/tą WEEKDAY", "WEEKDAY 0"),
            ("w/we? zeszłym/ubiegłym/ostatnim/poprzednim UNIT", "UNIT -1"),
            ("zeszłego/ubiegłego roku", "year -1"),
            ("w zeszły/ubiegły/ostatni weekend", "weekend -1"),
            ("w/we? przyszłym/następnym UNIT", "UNIT 1"),
            ("w przyszły/następny weekend", "weekend 1"), ("w/we? tym UNIT", "UNIT 0"),
            ("w ten weekend", "weekend 0"),
            ("COUNT UNITS temu", "AGO"), ("tydzień temu", "AGO week"),
            ("miesiąc temu", "AGO month"), ("rok temu", "AGO year"),
            ("za COUNT UNITS", "AHEAD"), ("za tydzień", "AHEAD week"),
            ("za miesiąc", "AHEAD month"), ("za rok", "AHEAD year"),
            ("w/przez? ciągu? ostatnich/ostatnie COUNT UNITS", "LASTING"),
            ("DAY . MM . YEAR", "DATE"), ("DAY MON YEAR r/roku", "DATE"), ("DAY MON YEAR", "DATE"),
            ("DAY MON", "DATE"),
            ("w/we? zeszłym/ubiegłym MONTH", "MONTH -1"), ("w/we? przyszłym MONTH", "MONTH 1"),
            ("w/we MONTH YEAR roku?", "DATE"), ("w/we MONTH", "DATE"), ("w YEAR roku?", "DATE"),
            ("w/we WEEKDAY", "WEEKDAY"),
        ),
        bare_times=(
            ("MONTH", "DATE"), ("MONTH YEAR roku?", "DATE"), ("YEAR roku?", "DATE"),
            ("WEEKDAY", "WEEKDAY"),
            ("przyszłego/następnego WEEKDAY", "WEEKDAY 1"),
            ("zeszłego/ubiegłego/ostatniego WEEKDAY", "WEEKDAY -1"),
            ("zeszłego/ubiegłego/ostatniego UNIT", "UNIT -1"),
            ("przyszłego/następnego UNIT", "UNIT 1"),
        ),
        bounds={
            "since": ("od",), "before": ("przed",), "after": ("po",), "until": ("do", "aż do"),
            "due": ("najpóźniej do? w/we?", "na"),
        },
        ranges=(("między/pomiędzy", "a", ""), ("od", "do", "")),
        written={
            "day": "dnia {}", "week": "w tygodniu od {}", "weekend": "w weekend od {}",
            "month": "w miesiącu {}", "year": "w roku {}",
        },
        more_words="""
        wkrótce niedawno później wcześniej latem zimą wiosną jesienią święta urodziny
        """,
    ),
    questions=QuestionWords(
        when=(
            "kiedy", "od kiedy", "do kiedy", "na kiedy", "o której", "którego dnia", "jaka data",
            "w którym roku/miesiącu/tygodniu", "w jakim roku/miesiącu", "jak długo", "którego",
            "jaki dzień", "w jaki dzień",
        ),
        first_person="ja mnie mi mój moja moje mojego mojej moich mną",
    ),
    comparison=ComparisonWords(
        negation="""
        nie nigdy nikt nikogo nic niczego żaden żadna żadne żadnego żadnej bez ani nigdzie nieważna
        nieważny nieważne
        """,
        opposites=(
            "więcej wyżej ponad / mniej niżej poniżej", "przed wcześniej / po później",
            "otwarty otwarta otwarte / zamknięty zamknięta zamknięte",
            "włączony włączone / wyłączony wyłączone",
            "dozwolone / zabronione", "zawsze / nigdy", "lubi kocha / nienawidzi unika",
            "prawda tak / fałsz nie", "rano / wieczorem", "ktoś wszyscy / nikt",
            "zatwierdzony przyjęty / odrzucony",
        ),
        stem="owie|ami|ach|ego|emu|ych|ymi|imi|iem|iego|em|ie|ów|om|ą|ę|ej|y|i|a|e|u|o|sz|my|ć",
        be="jest są był była to nazywa",
        have="ma mają mam mamy",
        object_verbs="używa używamy używam korzysta korzystamy woli nosi chce bierze",
        verbs="""
        mieszka mieszkam mieszkamy żyje pracuje pracuję pracujemy zaczyna kończy otwiera zamyka
        kosztuje
        stoi leży znajduje kieruje prowadzi zarządza płaci dostarcza odjeżdża należy śpi parkuje
        """,
        attributes="""
        kolor nazwa imię hasło kod status rozmiar dostawca dostawcą kontakt adres numer cena format
        język
        szef szefowa kierownik dyrektor lekarz dentysta marka model tytuł temat cel waluta miejsce
        wersja sala pokój piętro budżet limit zawód ulubiony
        """,
        possessives="mój moja moje nasz nasza nasze naszym",
        named="nazywa nazwany nazwana",
        place_words="w we na pod za obok przy u",
        fillers="""
        mój moja moje mojego nasz nasza nasze naszego naszym twój jego jej ich ten ta to te tego
        bardzo
        też także jeszcze ja ty on ona my wy oni mi się cześć
        """,
        now="teraz już od obecnie aktualnie",
        we="my nasz nasza nasze nas",
        change=(
            "już nie|teraz|obecnie|od teraz|zamiast|przeprowadził|przeprowadziła"
            "|przeprowadziłem|przeprowadziłam"
            "|przeprowadzili|zmienił|zmieniła|zmieniliśmy|zmieniłem|zmieniono"
            "|zastąpił|zastąpiła|zastąpiono"
            "|przeszliśmy|przeszedł|przeszła|przeszłam|przeszedłem|przemianowano"
            "|został|została|odwołano|odwołane"
            "|odwołany|przełożono|przełożone|przełożony|przestał|przestała"
            "|przestałem|rzucił|odszedł|odeszła"
            "|sprzedał|sprzedano|przejął|przejęła|wzrosła|wzrósł|spadł|spadła"
            "|podniesiono|obniżono|rozwiedli"
        ),
        uncertain=(
            "może|prawdopodobnie|chyba|być może|mógłby|mogłaby|chciałby"
            "|chciałbym|chce|chcę|ma nadzieję"
            "|mam nadzieję|planuje|planuję|jeśli|jeżeli|gdyby|czy|wydaje się"
            "|podobno|mówi|powiedział"
            "|powiedziała|musi|muszę|trzeba|powinien|powinna|rozważa"
        ),
        opinion=(
            "dziękuję|super|świetnie|wspaniale|myśli|myślę|uważa|lubi|lubię|kocha|nienawidzi"
            "|woli"
        ),
        history="wczoraj|dziś|dzisiaj|jutro|dawniej|kiedyś|w zeszłym (?:tygodniu|miesiącu|roku)",
        scope="oprócz|podczas|tylko|wyłącznie|w (?:poniedziałki|wtorki|środy|czwartki|piątki)",
        states=(
            "otwarty otwarta otwarte zamknięty zamknięta zamknięte",
            "zapłacony zapłacona niezapłacony",
            "żonaty zamężna rozwiedziony rozwiedziona kawaler panna", "zatwierdzony odrzucony",
            "wolny zajęty wolna zajęta", "pełny pusty", "aktywny nieaktywny", "publiczny prywatny",
            "dozwolone zabronione", "chory zdrowy", "zepsuty naprawiony", "ważna nieważna",
            "ważny nieważny",
        ),
    ),
    duties=DutyWords(
        own=("muszę", "ja muszę", "powinienem", "powinnam", "mam za zadanie"),
        named=("musi", "powinien", "powinna", "ma za zadanie"),
        shared=("musimy", "trzeba", "należy", "powinniśmy"),
        not_after="nie nigdy",
    ),
)  # fmt: skip
