"""Turkish."""
# ruff: noqa: RUF001 - letters of Turkish

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

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
    spelling=r"[a-zçöü]{0,20}[ışğ][a-zçöüışğ]{0,20}|[a-zçöü]{1,20}[iuü]yor(?:um|uz|sun|lar|du)?",
    plain_part="yor",
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
            ("pazartesi", "WEEKDAY =0"), ("salı", "WEEKDAY =1"), ("çarşamba", "WEEKDAY =2"),
            ("perşembe", "WEEKDAY =3"), ("cumartesi", "WEEKDAY =5"),
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
    comparison=ComparisonWords(
        negation="değil yok hiç asla hiçbir olmadan ne hayır",
        # -ma-, -me-: "gelmedi", "yemiyor", "bilmez", "gitmeyecek", "yapma".
        negated=(
            r"\w(?:m[iuü]yor\w*|m[ae]d[ıi](?:m|n|k|niz|ler|lar)?|m[ae]z(?:l[ae]r|d[ıi]|s[ıi]n\w*)?"
            r"|m[ae]y[ae]ca[kğ]\w*|m[ae]m[ıi]ş\w*|m[ae]y[ae]n|m[ae]mal[ıi]\w*)$"
        ),
        opposites=(
            "fazla çok üst / az alt", "önce / sonra", "açık açılır / kapalı kapanır", "var / yok",
            "izinli serbest / yasak", "her daima herkes / hiç kimse", "sever / sevmez",
            "doğru evet / yanlış hayır",
            "sabah / akşam",
        ),
        stem=(
            "m?[iuü]yor(?:um|uz|sun|lar)?|m[ae]d[ıi]k?|[dt][iuü]k?|m[ae]z|ımız"
            "|imiz|umuz|ümüz|l[ae]r[ıi]?"
            "|d[ae]n?|t[ae]n?|ım|im|um|üm|y[ıiae]|n[ıi]n|ı|i|u|ü|a|e"
        ),
        be="dir dır",
        have="var",
        object_verbs="kullanıyor kullanıyoruz kullanıyorum kullanır istiyor tercih",
        verbs="""
        oturuyor oturuyorum oturuyoruz yaşıyor yaşıyorum çalışıyor çalışıyorum çalışıyoruz başlıyor
        bitiyor
        açılıyor kapanıyor yönetiyor ödüyor duruyor kalıyor uyuyor
        """,
        attributes="""
        renk isim ad parola şifre kod durum beden tedarikçi iletişim adres numara fiyat biçim dil
        müdür
        patron yönetici doktor dişçi marka model başlık konu hedef para yer sürüm oda kat bütçe
        sınır
        """,
        possessives="benim bizim",
        named="adlı isimli denen",
        place_words="de da te ta içinde üstünde altında arkasında yanında",
        fillers="""
        bir bu şu o benim bizim senin onun çok da de ki ben sen biz siz onlar beni bana yani
        merhaba için
        """,
        now="artık şimdi beri şu an",
        we="biz bizim",
        change=(
            "artık|bundan böyle|yerine|taşındı|taşındım|taşındık|değişti"
            "|değiştirdi|değiştirdik|geçti|geçtik"
            "|geçtim|yerini aldı|oldu|iptal|ertelendi|bıraktı|bıraktım|ayrıldı"
            "|ayrıldım|sattı|sattım|satıldı"
            "|devraldı|arttı|azaldı|düştü|yükseldi|uzatıldı|boşandı|şimdi"
        ),
        uncertain=(
            "belki|muhtemelen|galiba|herhalde|olabilir|isterim|istiyor|istiyorum"
            "|umarım|planlıyor|planlıyorum"
            "|eğer|gibi görünüyor|sanırım|dedi|diyor|söyledi|düşünüyor"
            "|düşünüyorum|acaba|gerek|lazım"
        ),
        opinion=(
            "teşekkür|teşekkürler|harika|süper|güzel|sanıyor|sever|seviyor|nefret|beğendi"
            "|bence"
        ),
        history="dün|bugün|yarın|eskiden|geçen (?:hafta|ay|yıl)",
        scope="hariç|sırasında|sadece|yalnızca|pazartesileri|salıları|cumaları",
        states=(
            "açık kapalı", "ödendi ödenmedi", "bekar evli boşanmış dul", "onaylandı reddedildi",
            "boş dolu",
            "etkin pasif", "özel genel", "serbest yasak", "hasta sağlıklı", "bozuk çalışır",
        ),
        verb_final=True,
    ),
    duties=DutyWords(
        own_endings="""
        malıyım meliyim mem_lazım mam_lazım mem_gerek mam_gerek mem_gerekiyor mam_gerekiyor
        """,
        named_endings="malı meli",
        shared_endings="malıyız meliyiz",
        not_after="",
    ),
)  # fmt: skip
