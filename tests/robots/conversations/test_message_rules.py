"""What a message is, how far it reaches and whether it says anything: pure rules."""
# ruff: noqa: RUF001 - letters of other languages

import pytest

from robots.conversations.chatter import count_informative_words, is_chatter
from robots.conversations.mentions import parse_mentions
from robots.conversations.message_rules import (
    OPEN,
    STRICT,
    MessageFacts,
    MessageReach,
    build_title,
    classify_message,
)

GREETINGS = [
    "gm", "GM!", "good morning everyone",
    "thanks", "Thanks a lot!!", "thank you so much", "hi all",
    "hello there 👋", "lol", "hahahaha", "👍", "ok", "okay cool", "yes", "np", "brb", "+1", "???",
    "@ann thanks!", "bob: you're welcome", "good night, guys",
    "谢谢!", "おはよう", "спасибо", "danke",
    "soooo goood", "congrats :)", "^^", "same here", "no idea",
    "I'm back", "I’m fine", "it's ok", "I'm tired!", "it's working", "I have a question",
    "i agreed", "I'm invited?", "they are funny", "bob: im here", "He is right.", "it's me",
]  # fmt: skip
TELLING = [
    "use apt-get", "the office closes at six", "libGL.so.1",
    "I prefer oat milk", "deploy is broken",
    "meeting moved to 14:30", "see https://example.org/x", "bob: edit /etc/fstab",
    "会议改到星期五下午", "サーバーが落ちました",
    "перезагрузи сервер вечером", "الاجتماع يوم الخميس",
    "thanks, the graphics driver works now", "v2.1.3",
    "I'm vegan.", "I’m pregnant", "It's cancelled.", "I am allergic", "we got divorced!", "I quit.",
    "She resigned.", "my mother died", "He is no longer vegetarian", "I'm a nurse", "it's Friday",
    "@bob we're closed", "I'm left-handed", "our shop is closed",
]  # fmt: skip
# In German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish; and what is none there.
GREETINGS += [
    "Guten Morgen zusammen", "Hallo!", "Vielen Dank dir", "Alles klar, danke!", "Bis später!",
    "Tschüß",
    "DANKE SCHÖN", "Schönes Wochenende euch allen", "Wie geht's?", "Ja, genau.",
    "Bonjour à tous !", "D'accord, merci beaucoup", "À plus tard", "Bonne soirée !",
    "Oui, ça marche",
    "De rien", "S’il vous plaît", "Salut les amis",
    "¡Buenos días a todos!", "Vale, muchas gracias", "Hasta luego", "De nada", "¿Qué tal?",
    "Sí, claro",
    "Hola equipo", "Buenas noches",
    "Buongiorno a tutti", "Va bene, grazie mille", "A domani!", "Prego", "Come va?", "Sì, perfetto",
    "Ciao ragazzi", "Buona giornata",
    "Bom dia a todos", "Tudo bem, muito obrigado", "Até amanhã!", "De nada", "Boa noite gente",
    "Sim, combinado", "Olá!", "Parabéns!",
    "Goedemorgen allemaal", "Oké, heel erg bedankt", "Tot straks!", "Graag gedaan", "Ja, prima",
    "Fijne dag nog", "Hoi iedereen", "Gefeliciteerd!",
    "Dzień dobry wszystkim", "Dobrze, dziękuję bardzo", "Do jutra!", "Nie ma za co", "Cześć!",
    "Tak, jasne", "Miłego dnia", "Gratulacje!",
    "Herkese günaydın", "Tamam, çok teşekkür ederim", "Görüşürüz!", "Rica ederim", "Evet, aynen",
    "İYİ GECELER", "Kolay gelsin arkadaşlar", "Tebrikler!",
]  # fmt: skip
TELLING += [
    "I think it should be at the top.", "On the top right corner?", "still in sunny PA?",
    "Super idea.", "why would you goto PA?",
    "Guten Morgen, der Server steht", "Danke, Meeting um 15 Uhr", "Ich bin Vegetarier",
    "Büro geschlossen",
    "Bis Freitag Urlaub", "Hallo Frau Krause kündigt", "Alles klar ist der Firmenname",
    "Kein Zugang mehr",
    "Bonjour, le serveur est tombé", "Merci, réunion à 15 h", "Je suis végétarien", "Bureau fermé",
    "Oui au budget 2027", "À plus tard la livraison", "Salut, Léa démissionne bientôt",
    "Pas de réseau ici",
    "Hola, el servidor se cayó", "Gracias, reunión a las 15", "Soy vegetariano", "Oficina cerrada",
    "No hay agua caliente", "Vale 40 euros", "Claro alquila la sala", "Hasta el 15 de mayo",
    "Ciao, il server è caduto", "Grazie, riunione alle 15", "Sono vegetariano", "Ufficio chiuso",
    "Prego Bianchi firma domani", "Certo manca il contratto", "Bene venduto ieri",
    "A domani la consegna",
    "Olá, o servidor caiu", "Obrigado, reunião às 15", "Sou vegetariano", "Escritório fechado",
    "Até 15 de maio férias", "Beleza fecha segunda", "Claro cobra 40 euros", "Adeus senha antiga",
    "Hallo, de server ligt eruit", "Bedankt, vergadering om 15 uur", "Ik ben vegetariër",
    "Kantoor dicht",
    "Dag 3 is geschrapt", "Goed contract getekend", "Top prijs 40 euro",
    "Welkom Jansen nieuwe baas",
    "Cześć, serwer padł wczoraj", "Dziękuję, spotkanie o 15", "Jestem wegetarianinem",
    "Biuro zamknięte",
    "Dobra cena 40 euro", "Nie działa serwer", "Tak głosował zarząd", "Witam nowego kierownika",
    "Merhaba, sunucu çöktü", "Teşekkürler, toplantı 15'te", "Ben vejetaryenim", "Ofis kapalı",
    "Evet sunucu kapandı", "Tamam fiyat 40 euro", "Peki Yılmaz istifa etti",
    "İyi günler dükkanı kapandı",
]  # fmt: skip


@pytest.mark.conformance("A27")
@pytest.mark.parametrize("text", GREETINGS)
def test_what_only_greets_is_chatter(text: str) -> None:
    assert is_chatter(text)


@pytest.mark.conformance("A27")
@pytest.mark.parametrize("text", TELLING)
def test_what_tells_something_is_not_in_any_script(text: str) -> None:
    assert not is_chatter(text)


@pytest.mark.conformance("A15")
@pytest.mark.parametrize(
    ("said", "type_", "strict"),
    [
        (
            MessageFacts("@all the office closes at six", known=True),
            "announcement",
            MessageReach.CONVERSATION,
        ),
        (
            MessageFacts("I'm an expert in Kafka tuning", known=True),
            "expertise",
            MessageReach.CONVERSATION,
        ),
        (
            MessageFacts("@aria which printer works?", known=True, to_robot=True, to_members=True),
            "interaction",
            MessageReach.SENDER,
        ),
        (
            MessageFacts("@bob bring the keys", known=True, to_members=True),
            "interaction",
            MessageReach.BOTH,
        ),
        (MessageFacts("my keys are at home", known=True), "conversation", MessageReach.SENDER),
    ],
)
def test_the_strict_profile_of_five_kinds(
    said: MessageFacts, type_: str, strict: MessageReach
) -> None:
    assert (classify_message(said, STRICT).type, classify_message(said, STRICT).reach) == (
        type_,
        strict,
    )
    assert classify_message(said, OPEN).reach is MessageReach.CONVERSATION, (
        "by default the group reads it"
    )


def test_kind_follows_who_speaks_to_whom() -> None:
    cases = {
        "group": [MessageFacts("@all pizza at noon", known=True), MessageFacts("pizza at noon")],
        "user": [
            MessageFacts("pizza at noon", known=True),
            MessageFacts("I prefer pizza", known=True),
        ],
        "interaction": [MessageFacts("@bob pizza at noon", known=True, to_members=True)],
    }
    for kind, said in cases.items():
        assert {classify_message(one, OPEN).kind for one in said} == {kind}
    assert classify_message(MessageFacts("pizza at noon", role="system"), OPEN).reason == "system"
    assert classify_message(MessageFacts("I prefer tea", known=True), OPEN).type == "preference"


@pytest.mark.conformance("P14")
def test_a_title_is_four_words_and_when() -> None:
    assert build_title("Find QSR locations", "17-11:14:23") == "Find QSR locations 17-11:14:23"
    assert (
        build_title(" one two  three four five", "01-02:03:04") == "one two three four 01-02:03:04"
    )


def test_names_are_called_by_sign_or_at_the_start() -> None:
    assert parse_mentions("ann: ask @Bob and @bob.b. or x@y.org, not @all") == [
        "ann",
        "Bob",
        "bob.b",
    ]
    assert parse_mentions("http://x is down") == []
    assert len(parse_mentions(" ".join(f"@n{n}" for n in range(12_000)))) == 10_000


def test_an_announcement_needs_one_word_and_talk_needs_two() -> None:
    assert classify_message(MessageFacts("@all pizza", known=True), OPEN).reason == ""
    assert classify_message(MessageFacts("@all thanks", known=True), OPEN).reason == "chatter"
    assert classify_message(MessageFacts("pizza", known=True), OPEN).reason == "chatter"
    assert classify_message(MessageFacts("pizza arrived", known=True), OPEN).reason == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("👍 🎉 🎈", 0), ("hahaha xdxdxd aaaa", 0), ("pizza", 1), ("pizza Pizza!", 1),
     ("pizza oven", 2), ("会议改", 1), ("会议改到", 2), ("v2.1", 2), ("/etc/fstab", 2), ("x1", 1),
     ("thaaaanks", 0), ("goooood", 0), ("well-known-to", 2), ("перезагрузи", 1)],
)  # fmt: skip
def test_informative_words_are_counted(text: str, words: int) -> None:
    assert count_informative_words(text) == words


def test_only_the_beginning_is_heard() -> None:
    assert count_informative_words(" " * 4_997 + "b c") == 2
    assert count_informative_words(" " * 4_998 + "b c") == 1
    assert classify_message(MessageFacts(" " * 1_996 + "@all pizza"), OPEN).type == "announcement"
    assert classify_message(MessageFacts(" " * 1_997 + "@all pizza"), OPEN).type == "conversation"
    assert build_title(" " * 1_999 + "ab", "now") == "a now"
    assert build_title(" ".join(["x" * 60] * 4), "now") == " ".join(
        ["x" * 60] * 2 + ["x" * 58, "now"]
    )
    assert parse_mentions("a" * 80 + ": look") == ["a" * 80]
    assert parse_mentions("a" * 81 + ": look") == []


def test_who_reads_what_was_said_to_a_robot_and_to_members() -> None:
    assert (
        classify_message(MessageFacts("pizza at noon", to_robot=True), STRICT).reach
        is MessageReach.SENDER
    )
    assert (
        classify_message(MessageFacts("pizza at noon", to_members=True), STRICT).reach
        is MessageReach.BOTH
    )
    assert classify_message(MessageFacts("pizza at noon", to_members=True), STRICT).kind == "group"
