"""Turkish."""
# ruff: noqa: RUF001 - letters of Turkish

from memories.language.vocabularies.vocabulary import QuestionWords, TimeWords, Vocabulary

TURKISH = Vocabulary(
    code="tr",
    name="Turkish",
    function_words="""
    bir ve veya ama fakat değil yok var bu şu o ben sen biz siz onlar beni bana benim seni sana
    senin
    onu ona onun bizi bize bizim sizi size sizin onları mi mı mu mü mısın misin ne kim kime nerede
    neden nasıl niçin hangi kaç için ile gibi kadar daha çok en her hiç şey şimdi artık sonra önce
    beri göre olan olarak oldu olacak olduğu da de ki ise ya hem çünkü bütün tüm herkes herkese
    tamam
    evet hayır merhaba teşekkür teşekkürler lütfen belki yarın geçen hafta gün üzerine
    """,
    times=TimeWords(
        months=(
            "ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül",
            "ekim", "kasım", "aralık",
        ),
        short_months="oca şub mar nis may haz tem ağu eyl eki kas ara",
        weekdays=(
            "pazartesi", "salı", "çarşamba", "perşembe", "cuma", "cumartesi", "pazar",
        ),
        units={
            "minute": "dakika", "hour": "saat", "day": "gün", "week": "hafta",
            "weekend": "hafta_sonu haftasonu", "month": "ay", "quarter": "çeyrek",
            "year": "yıl sene",
        },
        numbers={
            1: "bir", 2: "iki", 3: "üç", 4: "dört", 5: "beş", 6: "altı", 7: "yedi", 8: "sekiz",
            9: "dokuz", 10: "on", 11: "on_bir", 12: "on_iki", 15: "on_beş", 20: "yirmi", 30: "otuz",
        },
        day_parts={
            "morning": "sabah", "afternoon": "öğleden_sonra", "evening": "akşam", "night": "gece",
        },
        times=(
            ("önceki gün", "day -2"), ("evvelsi gün", "day -2"), ("dün", "day -1"),
            ("dünden", "day -1 !"), ("düne", "day -1 !"), ("bugün", "day 0"),
            ("bugünden", "day 0 !"), ("bugüne", "day 0 !"), ("yarın", "day 1"),
            ("yarından", "day 1 !"), ("yarına", "day 1 !"), ("öbür gün", "day 2"),
            ("yarından sonraki gün", "day 2"), ("bu sabah", "day 0 morning"),
            ("bu akşam", "day 0 evening"), ("bu gece", "day 0 night"), ("dün gece", "day -1 night"),
            ("geçen/geçtiğimiz WEEKDAY günü?", "WEEKDAY -1"),
            ("gelecek/önümüzdeki/haftaya WEEKDAY günü?", "WEEKDAY 1"),
            ("bu WEEKDAY günü?", "WEEKDAY 0"),
            ("geçen/geçtiğimiz UNIT", "UNIT -1"), ("gelecek/önümüzdeki UNIT", "UNIT 1"),
            ("bu UNIT", "UNIT 0"),
            ("COUNT UNITS önce/evvel", "AGO"), ("COUNT UNITS sonra", "AHEAD?"),
            ("son COUNT UNITS içinde?", "LASTING"), ("son COUNT UNITS", "LASTING"),
            ("DAY MON YEAR", "DATE"), ("DAY MON", "DATE"), ("DAY . MM . YEAR", "DATE"),
            ("DAY / MM / YEAR", "DATE"),
            ("geçen MONTH ayında?", "MONTH -1"), ("gelecek MONTH ayında?", "MONTH 1"),
            ("MONTH YEAR", "DATE"), ("YEAR MONTH ayında?", "DATE"), ("MONTH ayında/ayı", "DATE"),
            ("YEAR yılında/senesinde", "DATE"), ("WEEKDAY günü", "WEEKDAY"),
            ("pazartesi/salı/çarşamba/perşembe/cumartesi", "WEEKDAY"),
        ),
        bare_times=(("MONTH", "DATE"), ("YEAR", "DATE"), ("WEEKDAY günü?", "WEEKDAY")),
        bounds={},
        bounds_after={
            "since": ("beri", "itibaren", "bu yana"), "before": ("önce",), "after": ("sonra",),
            "until": ("kadar", "dek", "değin"),
        },
        ranges=(("", "ile/ve", "arasında/arası"),),
        endings="den dan ten tan ye ya e a te ta de da nde nda un ün in ın",
        attached="den dan ten tan ye ya e a",
        written={
            "day": "{} tarihinde", "week": "{} haftasında", "weekend": "{} hafta sonunda",
            "month": "{} ayında", "year": "{} yılında",
        },
        past="",
        more_words="""
        yakında geçenlerde sonra önce erken geç yaz kış ilkbahar sonbahar bayram doğum yılbaşı
        """,
    ),
    questions=QuestionWords(
        when=("ne zaman", "saat kaçta", "hangi gün/ay/yıl/tarih/tarihte", "ne kadar süre",
        "kaç gün"),
        anywhere=True,
        first_person="ben beni bana benim bende benden kendim",
    ),
)  # fmt: skip
