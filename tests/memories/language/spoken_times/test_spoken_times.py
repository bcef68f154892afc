"""Times in eight languages, worked out by hand. Said on Wednesday, 11 March 2026."""
# ruff: noqa: RUF001 - letters of other languages

from datetime import UTC, date, datetime, timedelta

import pytest

from memories.language.query_cues import has_time_word, is_about_self, is_when_question
from memories.language.relative_dates import find_relative_dates, resolve_relative_dates
from memories.language.vocabularies.languages import select_vocabularies
from memories.retrieval.timeframes.parse_timeframe import (
    TimeframeError,
    extract_timeframe,
    parse_timeframe,
)

SAID_ON = date(2026, 3, 11)
NOW = datetime(2026, 3, 11, 15, 30, tzinfo=UTC)

# (text, the text with dates)
DATED = [
    ("Ich war gestern bei Kim.", "Ich war am 2026-03-10 bei Kim."),
    ("Übermorgen fahren wir nach Bonn.", "Am 2026-03-13 fahren wir nach Bonn."),
    ("Wir treffen uns morgen früh.", "Wir treffen uns am 2026-03-12 früh."),
    ("Letzten Freitag war die Feier.", "Am 2026-03-06 war die Feier."),
    ("Das Büro ist seit letzter Woche leer.", "Das Büro ist seit 2026-03-02 leer."),
    ("Nächsten Monat ziehen wir um.", "Im Monat 2026-04 ziehen wir um."),
    ("Vor drei Tagen hat er gekündigt.", "Am 2026-03-08 hat er gekündigt."),
    ("Vor dreißig Tagen kam sie.", "Am 2026-02-09 kam sie."),
    ("VOR DREISSIG TAGEN KAM SIE.", "Am 2026-02-09 KAM SIE."),
    ("Wir sehen uns in zwei Wochen.", "Wir sehen uns am 2026-03-25."),
    ("Hier, je suis allé à Lyon.", "Le 2026-03-10, je suis allé à Lyon."),
    ("On se voit après-demain.", "On se voit le 2026-03-13."),
    ("La semaine dernière, elle était malade.",
     "La semaine du 2026-03-02, elle était malade."),
    ("Vendredi dernier nous avons signé.", "Le 2026-03-06 nous avons signé."),
    ("Il y a trois jours, il est parti.", "Le 2026-03-08, il est parti."),
    ("Je pars dans deux semaines.", "Je pars le 2026-03-25."),
    ("L'année dernière nous étions à Nice.", "En 2025 nous étions à Nice."),
    ("On se voit demain soir.", "On se voit le 2026-03-12 soir."),
    ("Ayer vi a Ana en la oficina.", "El 2026-03-10 vi a Ana en la oficina."),
    ("La semana pasada estuve enfermo.", "En la semana del 2026-03-02 estuve enfermo."),
    ("Hace dos días se fue.", "El 2026-03-09 se fue."),
    ("Nos vemos pasado mañana.", "Nos vemos el 2026-03-13."),
    ("Me mudo el próximo mes.", "Me mudo en 2026-04."),
    ("El viernes pasado firmamos.", "El 2026-03-06 firmamos."),
    ("Nos vemos mañana por la mañana.", "Nos vemos el 2026-03-12 por la mañana."),
    ("Dentro de tres semanas hay fiesta.", "El 2026-04-01 hay fiesta."),
    ("Ieri sono andata dal medico.", "Il 2026-03-10 sono andata dal medico."),
    ("La settimana scorsa eravamo a Roma.", "Nella settimana del 2026-03-02 eravamo a Roma."),
    ("Tre giorni fa è partito.", "Il 2026-03-08 è partito."),
    ("Ci vediamo dopodomani.", "Ci vediamo il 2026-03-13."),
    ("Venerdì scorso abbiamo firmato.", "Il 2026-03-06 abbiamo firmato."),
    ("Ci vediamo stasera.", "Ci vediamo il 2026-03-11 sera."),
    ("Parto tra due settimane.", "Parto il 2026-03-25."),
    ("Il mese prossimo trasloco.", "Nel mese 2026-04 trasloco."),
    ("Ontem fui ao médico.", "Em 2026-03-10 fui ao médico."),
    ("Na semana passada estávamos em Faro.", "Na semana de 2026-03-02 estávamos em Faro."),
    ("Ele saiu há três dias.", "Ele saiu em 2026-03-08."),
    ("Encontrei a Ana dois meses atrás.", "Encontrei a Ana em 2026-01."),
    ("Até depois de amanhã!", "Até 2026-03-13!"),
    ("Assinamos na sexta-feira passada.", "Assinamos em 2026-03-06."),
    ("Daqui a duas semanas eu viajo.", "Em 2026-03-25 eu viajo."),
    ("No próximo mês vou mudar de casa.", "Em 2026-04 vou mudar de casa."),
    ("Gisteren was ik bij de dokter.", "Op 2026-03-10 was ik bij de dokter."),
    ("Vorige week waren we in Gent.", "In de week van 2026-03-02 waren we in Gent."),
    ("Drie dagen geleden is hij vertrokken.", "Op 2026-03-08 is hij vertrokken."),
    ("We zien elkaar overmorgen.", "We zien elkaar op 2026-03-13."),
    ("Afgelopen vrijdag hebben we getekend.", "Op 2026-03-06 hebben we getekend."),
    ("Over twee weken ga ik op reis.", "Op 2026-03-25 ga ik op reis."),
    ("Volgende maand verhuis ik.", "In 2026-04 verhuis ik."),
    ("Wij eten vanavond samen.", "Wij eten op 2026-03-11 avond samen."),
    ("Wczoraj byłem u lekarza.", "Dnia 2026-03-10 byłem u lekarza."),
    ("W zeszłym tygodniu byliśmy w Łodzi.", "W tygodniu od 2026-03-02 byliśmy w Łodzi."),
    ("Trzy dni temu wyjechał.", "Dnia 2026-03-08 wyjechał."),
    ("Widzimy się pojutrze.", "Widzimy się dnia 2026-03-13."),
    ("W zeszły piątek podpisaliśmy.", "Dnia 2026-03-06 podpisaliśmy."),
    ("Za dwa tygodnie jadę na urlop.", "Dnia 2026-03-25 jadę na urlop."),
    ("W przyszłym miesiącu się przeprowadzam.", "W miesiącu 2026-04 się przeprowadzam."),
    ("Tydzień temu jeszcze tu był.", "Dnia 2026-03-04 jeszcze tu był."),
    ("Dün doktora gittim.", "2026-03-10 tarihinde doktora gittim."),
    ("Geçen hafta İzmir'deydik.", "2026-03-02 haftasında İzmir'deydik."),
    ("Üç gün önce ayrıldı.", "2026-03-08 tarihinde ayrıldı."),
    ("Yarın görüşürüz.", "2026-03-12 tarihinde görüşürüz."),
    ("YARIN GÖRÜŞÜRÜZ.", "2026-03-12 tarihinde GÖRÜŞÜRÜZ."),
    ("Geçen cuma imzaladık.", "2026-03-06 tarihinde imzaladık."),
    ("Gelecek ay taşınıyoruz.", "2026-04 ayında taşınıyoruz."),
    ("Geçen yıl Ankara'daydık.", "2025 yılında Ankara'daydık."),
]  # fmt: skip

# What looks like a time and is none, or may be another one.
UNDATED = [
    "Guten Morgen zusammen, hier ist der Bericht.", "Am Morgen trinke ich Kaffee.",
    "Vor dem Haus stehen drei Bäume.", "Das hat sie in zwei Tagen geschafft.",
    "Wir treffen uns am Freitag.", "Die letzten Wochen waren hart.", "Er steht vor der Tür.",
    "Der letzte Tag war schön.",
    "La dernière page du livre est blanche.", "Il y a deux chats dans la cour.",
    "Nous habitons ici depuis longtemps.", "Dans deux pièces il fait froid.",
    "On se voit vendredi.", "Le jour où il est venu.", "Elle a fini en trois jours.",
    "Les prochains pas sont clairs.",
    "Por la mañana bebo café.", "Hace frío en la oficina.", "La mañana fue larga.",
    "El pasado no importa.", "Dentro de la caja hay tres libros.", "Lo hizo en dos días.",
    "Nos vemos el viernes.", "La próxima parada es Sol.",
    "Lei fa tre corsi di yoga.", "Tra due fuochi non si vive bene.", "Ci vediamo venerdì.",
    "Lo scorso non conta.", "La prossima fermata è Duomo.", "Ha finito in due giorni.",
    "Sono qui da tre giorni.", "Questo giorno è bello.",
    "Há duas salas no prédio.", "A segunda reunião foi longa.", "A última página está em branco.",
    "Ele fez isso em dois dias.", "Nos vemos na sexta-feira.", "O próximo passo é claro.",
    "A sexta pergunta é difícil.", "Pela manhã eu bebo café.",
    "Goede morgen allemaal, hier is het verslag.", "Het boek gaat over drie vrienden.",
    "De vorige eigenaar was streng.", "Hij deed het in twee dagen.", "We zien elkaar op vrijdag.",
    "Iedere morgen drink ik koffie.", "De volgende stap is duidelijk.", "Er zijn twee weken nodig.",
    "Za domem stoją trzy drzewa.", "Maja pracuje tu od lat.", "Zrobił to w dwa dni.",
    "Widzimy się w piątek.", "Ostatni dzień był ładny.", "Następny krok jest jasny.",
    "Trzy dni to za mało.", "Rok był dobry.",
    "Pazar yerinde ekmek aldım.", "Önce kahve içelim, sonra konuşuruz.", "İki gün sonra geldi.",
    "Cuma günü görüşürüz.", "Son sayfa boş.", "Ocak yanıyor.", "Bu gün gibi hatırlıyorum.",
    "Gelecek güzel olacak.",
]  # fmt: skip

# (question, first day, last day); None is open.
QUESTIONS = [
    ("Was hat Kim letzte Woche gesagt?", "2026-03-02", "2026-03-08"),
    ("Was ist seit Montag passiert?", "2026-03-09", None),
    ("Was wurde zwischen März und Mai 2024 beschlossen?", "2024-03-01", "2024-05-31"),
    ("Wer war am 3. Mai 2024 da?", "2024-05-03", "2024-05-03"),
    ("Wer war am 03.05.2024 da?", "2024-05-03", "2024-05-03"),
    ("Was war vor dem 3. Mai 2024?", None, "2024-05-02"),
    ("Was war vom 3. bis 5. Mai 2024?", "2024-05-03", "2024-05-05"),
    ("Was geschah in den letzten drei Tagen?", "2026-03-08", "2026-03-11"),
    ("Qu'a dit Kim la semaine dernière ?", "2026-03-02", "2026-03-08"),
    ("Que s'est-il passé depuis lundi ?", "2026-03-09", None),
    ("Qui était là le 3 mai 2024 ?", "2024-05-03", "2024-05-03"),
    ("Qui était là le 1er mai 2024 ?", "2024-05-01", "2024-05-01"),
    ("Qu'a-t-on décidé en mars 2025 ?", "2025-03-01", "2025-03-31"),
    ("Qui est venu avant le 03/05/2024 ?", None, "2024-05-02"),
    ("Qu'a dit Kim hier ?", "2026-03-10", "2026-03-10"),
    ("Qu'a-t-on fait les 3 derniers jours ?", "2026-03-08", "2026-03-11"),
    ("¿Qué dijo Kim la semana pasada?", "2026-03-02", "2026-03-08"),
    ("¿Qué ha pasado desde el lunes?", "2026-03-09", None),
    ("¿Quién estaba el 3 de mayo de 2024?", "2024-05-03", "2024-05-03"),
    ("¿Qué se decidió en marzo de 2025?", "2025-03-01", "2025-03-31"),
    ("¿Qué pasó antes del 3 de mayo de 2024?", None, "2024-05-02"),
    ("¿Qué pasó entre el lunes y el martes?", "2026-03-09", "2026-03-10"),
    ("¿Qué hizo Kim en los últimos dos días?", "2026-03-09", "2026-03-11"),
    ("¿Quién llegó ayer?", "2026-03-10", "2026-03-10"),
    ("Cosa ha detto Kim la settimana scorsa?", "2026-03-02", "2026-03-08"),
    ("Cosa è successo da lunedì?", "2026-03-09", None),
    ("Chi c'era il 3 maggio 2024?", "2024-05-03", "2024-05-03"),
    ("Cosa è stato deciso a marzo 2025?", "2025-03-01", "2025-03-31"),
    ("Cosa è successo prima di lunedì?", None, "2026-03-08"),
    ("Chi è venuto ieri?", "2026-03-10", "2026-03-10"),
    ("Cosa è successo dopo il 3 maggio 2024?", "2024-05-04", None),
    ("Cosa è stato fatto negli ultimi due giorni?", "2026-03-09", "2026-03-11"),
    ("O que a Kim disse na semana passada?", "2026-03-02", "2026-03-08"),
    ("O que aconteceu desde segunda-feira?", "2026-03-09", None),
    ("Quem estava lá em 3 de maio de 2024?", "2024-05-03", "2024-05-03"),
    ("O que foi decidido em março de 2025?", "2025-03-01", "2025-03-31"),
    ("O que aconteceu antes de 3 de maio de 2024?", None, "2024-05-02"),
    ("Quem chegou ontem?", "2026-03-10", "2026-03-10"),
    ("O que fizemos nos últimos dois dias?", "2026-03-09", "2026-03-11"),
    ("O que foi decidido entre março e maio de 2024?", "2024-03-01", "2024-05-31"),
    ("Wat heeft Kim vorige week gezegd?", "2026-03-02", "2026-03-08"),
    ("Wat is er gebeurd sinds maandag?", "2026-03-09", None),
    ("Wie was er op 3 mei 2024?", "2024-05-03", "2024-05-03"),
    ("Wie was er op 03-05-2024?", "2024-05-03", "2024-05-03"),
    ("Wat is er besloten in maart 2025?", "2025-03-01", "2025-03-31"),
    ("Wat gebeurde er voor 3 mei 2024?", None, "2024-05-02"),
    ("Wie is er gisteren gekomen?", "2026-03-10", "2026-03-10"),
    ("Wat gebeurde er tussen maart en mei 2024?", "2024-03-01", "2024-05-31"),
    ("Co powiedział Kim w zeszłym tygodniu?", "2026-03-02", "2026-03-08"),
    ("Co się stało od poniedziałku?", "2026-03-09", None),
    ("Kto był tam 3 maja 2024?", "2024-05-03", "2024-05-03"),
    ("Co ustalono w marcu 2025?", "2025-03-01", "2025-03-31"),
    ("Co się stało przed poniedziałkiem?", None, "2026-03-08"),
    ("Kto przyszedł wczoraj?", "2026-03-10", "2026-03-10"),
    ("Co ustalono między marcem a majem 2024?", "2024-03-01", "2024-05-31"),
    ("Co zrobiono od poniedziałku do wtorku?", "2026-03-09", "2026-03-10"),
    ("Kim geçen hafta ne dedi?", "2026-03-02", "2026-03-08"),
    ("Pazartesiden beri ne oldu?", "2026-03-09", None),
    ("3 Mayıs 2024'te kim vardı?", "2024-05-03", "2024-05-03"),
    ("Mart 2025'te ne kararlaştırıldı?", "2025-03-01", "2025-03-31"),
    ("3 Mayıs 2024'ten önce ne oldu?", None, "2024-05-02"),
    ("Dün kim geldi?", "2026-03-10", "2026-03-10"),
    ("Son 2 gün içinde ne oldu?", "2026-03-09", "2026-03-11"),
    ("Mart ile Mayıs 2024 arasında ne oldu?", "2024-03-01", "2024-05-31"),
]  # fmt: skip

TIMELESS_QUESTIONS = [
    "Was steht vor der Tür?", "Wer hat die zweite Datei?", "Wie heißt Frau Mai?",
    "Qui habite ici ?", "Où est la dernière version ?", "Qui a lu les trois rapports ?",
    "¿Quién hace el informe?", "¿Dónde está la segunda copia?", "¿Qué color tiene la pasada?",
    "Chi lavora da Bianchi?", "Dove sono le due copie?", "Chi fa il rapporto?",
    "Qual é a segunda opção?", "Quem tem as duas cópias?", "Onde fica a última sala?",
    "Wie woont er voor het station?", "Waar zijn de twee kopieën?", "Wie schrijft over wijn?",
    "Gdzie mieszka Maja?", "Kto ma dwie kopie?", "Co stoi za domem?",
    "Pazar nerede kuruluyor?", "İki kopya kimde?", "Önce kim konuşacak?",
]  # fmt: skip


@pytest.mark.parametrize(("text", "dated"), DATED)
def test_relative_times_become_dates(text: str, dated: str) -> None:
    assert resolve_relative_dates(text, SAID_ON) == dated


@pytest.mark.parametrize("text", UNDATED)
def test_what_is_no_time_or_uncertain_stays(text: str) -> None:
    assert resolve_relative_dates(text, SAID_ON) == text
    assert find_relative_dates(text, SAID_ON, most=5) == []


@pytest.mark.parametrize(("text", "first", "last"), QUESTIONS)
def test_times_of_questions(text: str, first: str | None, last: str | None) -> None:
    _, found = extract_timeframe(text, now=NOW)
    assert found is not None
    start, end = found
    assert (start and start.date().isoformat()) == first
    assert (end and end.date().isoformat()) == last


@pytest.mark.parametrize("text", TIMELESS_QUESTIONS)
def test_questions_without_a_time(text: str) -> None:
    assert extract_timeframe(text, now=NOW) == (text, None)


def test_the_rest_of_the_question_stays() -> None:
    left, _ = extract_timeframe("¿Qué dijo Kim la semana pasada sobre el presupuesto?", now=NOW)
    assert left == "¿Qué dijo Kim sobre el presupuesto?"
    assert extract_timeframe("gestern", now=NOW)[0] == "gestern", "what is only a time stays"


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("letzte Woche", "2026-03-02", "2026-03-09"), ("hier", "2026-03-10", "2026-03-11"),
        ("hace tres días", "2026-03-08", "2026-03-09"),
        ("ieri sera", "2026-03-10T18", "2026-03-11"),
        ("em março de 2025", "2025-03-01", "2025-04-01"),
        ("vorige maand", "2026-02-01", "2026-03-01"),
        ("w zeszłym roku", "2025-01-01", "2026-01-01"), ("geçen hafta", "2026-03-02", "2026-03-09"),
        ("3. Mai 2024", "2024-05-03", "2024-05-04"), ("mai 2024", "2024-05-01", "2024-06-01"),
    ],
)  # fmt: skip
def test_a_time_given_by_itself(text: str, first: str, after: str) -> None:
    start, end = parse_timeframe(text, now=NOW)
    assert start == datetime.fromisoformat(first).replace(tzinfo=UTC)
    assert end == datetime.fromisoformat(after).replace(tzinfo=UTC) - timedelta(microseconds=1)


@pytest.mark.parametrize(
    "text",
    ["letzte Wochen", "31. Februar 2024", "gestern nicht", "zwischen Mai 2025 und März 2024",
     "vor 999 Jahren", "in 999 Jahren im Mai", "hace días"],
)  # fmt: skip
def test_what_is_no_time_by_itself(text: str) -> None:
    if text == "vor 999 Jahren":
        assert parse_timeframe(text, now=NOW)[0] == datetime(1027, 1, 1, tzinfo=UTC)
        return
    with pytest.raises(TimeframeError):
        parse_timeframe(text, now=NOW)


def test_dates_for_the_head_of_a_memory_are_in_no_language() -> None:
    text = "La semana pasada vi a Ana y ayer a Eva."
    assert find_relative_dates(text, SAID_ON, most=5) == [
        ("La semana pasada", "week of 2 Mar 2026"),
        ("ayer", "Tue 10 Mar 2026"),
    ]
    assert len(find_relative_dates(text, SAID_ON, most=1)) == 1


WHEN = [
    "Wann kommt Kim?", "Seit wann ist Kim da?", "Quand vient Kim ?", "À quelle heure vient-elle ?",
    "¿Cuándo viene Kim?", "¿Desde cuándo está Kim aquí?", "Quando viene Kim?", "A che ora arriva?",
    "Quando é que a Kim vem?", "Em que ano foi isso?", "Wanneer komt Kim?", "Hoe laat komt ze?",
    "Kiedy przyjdzie Kim?", "O której się spotykamy?", "Kim ne zaman gelecek?", "Saat kaçta gelir?",
]  # fmt: skip
NOT_WHEN = [
    "Wer kommt, und wann gehen wir?", "Qui vient ?", "¿Quién viene?", "Chi viene?", "Quem vem?",
    "Wie komt er?", "Kto przyjdzie?", "Kim gelecek?", "Wenn du kommst, wer kocht?",
]  # fmt: skip
SELF = ["Was ist mein Job?", "Quel est mon travail ?", "¿Cuál es mi trabajo?",
        "Qual è il mio lavoro?", "Qual é o meu trabalho?", "Wat is mijn baan?",
        "Jaka jest moja praca?", "Benim işim ne?"]  # fmt: skip
NOT_SELF = ["Was ist Kims Job?", "Quel est son travail ?", "¿Cuál es su trabajo?",
            "Qual è il suo lavoro?", "Qual é o trabalho dela?", "Wat is haar baan?",
            "Jaka jest jego praca?", "Onun işi ne?"]  # fmt: skip


@pytest.mark.parametrize("text", WHEN)
def test_who_asks_when(text: str) -> None:
    assert is_when_question(text)


@pytest.mark.parametrize("text", NOT_WHEN)
def test_who_asks_something_else(text: str) -> None:
    assert not is_when_question(text)


def test_who_asks_about_themselves() -> None:
    assert [text for text in SELF if not is_about_self(text)] == []
    assert [text for text in NOT_SELF if is_about_self(text)] == []


def test_words_of_time() -> None:
    assert [text for text, _ in DATED if not has_time_word(text)] == []
    assert not has_time_word("Der Bericht ist fertig.")
    assert not has_time_word("Die Tür ist zu.")


def test_a_known_language_decides() -> None:
    assert resolve_relative_dates("hier", SAID_ON, "fr") == "le 2026-03-10"
    assert resolve_relative_dates("hier", SAID_ON, "de") == "hier"
    assert resolve_relative_dates("hier", SAID_ON) == "hier", "here in German and in Dutch"
    assert resolve_relative_dates("gestern", SAID_ON, "en") == "gestern"
    assert resolve_relative_dates("gestern", SAID_ON, "ja") == "gestern"


@pytest.mark.parametrize(
    "text",
    [
        "I said mañana and she laughed about it.", "He is the gestern guy of the team.",
        "The song is called Ayer and it was on the radio.", "We saw Mr Morgen and Ms Mai there.",
        "They have a pub with the name Hier and it is good.", "I have to fix the ieri module.",
    ],
)  # fmt: skip
def test_english_with_a_foreign_word_is_english(text: str) -> None:
    assert select_vocabularies(text) == ()
    assert resolve_relative_dates(text, SAID_ON) == text
    assert extract_timeframe(text, now=NOW) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        "gestern " * 7_000, "vor drei " * 6_000, "il y a " * 8_000, "1.2." * 12_000,
        "zwischen März und " * 3_000, "İ" * 50_000, "ı" * 50_000, "a\u0301" * 25_000,
        "\u0301" * 50_000, "segunda-" * 6_000, "de " * 17_000, "ayer gestern hier dün " * 2_500,
    ],
)  # fmt: skip
@pytest.mark.timed(5)
def test_hostile_texts_take_no_time(text: str) -> None:
    """Only the beginning of a text is read; the rest stays as it is."""
    assert resolve_relative_dates(text, SAID_ON).endswith(text[4_100:])
    extract_timeframe(text, now=NOW)
    has_time_word(text)


def test_marks_that_are_combined_or_not_are_one_spelling() -> None:
    apart = "Nos vemos man\u0303ana en la oficina."
    assert resolve_relative_dates(apart, SAID_ON) == "Nos vemos el 2026-03-12 en la oficina."
