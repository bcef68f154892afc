"""What a text speaks of, names and shows: pure rules."""

import pytest

from memories.knowledge_graph.expertise_signals import (
    is_bot_name,
    is_help_request,
    is_help_seeking,
    is_question,
)
from memories.language.entities import extract_entities
from memories.language.terms import (
    extract_concepts,
    extract_terms,
    is_quantity,
    strip_addressee,
    term_key,
)

SIX_SENTENCES = (
    "Ada Lovelace moved the Lisbon drivers to Grafana. HR was not told of it! "
    "We use libGL.so.1 on the old laptops. The pump's valve, and only the valve, leaks. "
    "bob: see https://example.org/x for it. Is AI in it or on it?"
)


@pytest.mark.conformance("Z16")
def test_terms_without_stop_words_and_with_names() -> None:
    found = extract_terms(SIX_SENTENCES)
    assert [term.name for term in found] == [
        "Ada", "Lovelace", "moved", "Lisbon", "drivers", "Grafana", "HR", "told", "libGL.so.1",
        "old", "laptops", "pump's", "valve", "leaks", "bob", "see", "AI",
    ]  # fmt: skip
    assert {t.name for t in found if t.proper} >= {"Lovelace", "Lisbon", "Grafana", "HR", "AI"}
    assert {t.key for t in found} >= {"driver", "laptop", "pump", "valve"}
    assert [t.key for t in extract_terms("ann: samba, please")] == ["samba"], (
        "whom it calls is no term"
    )


@pytest.mark.conformance("Z16")
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("hey guys, my nvidia card dont work with the drivers lol", ["nvidia", "card", "driver"]),
        ("We agreed on the pricing model for Halyard.", ["pricing", "model", "halyard"]),
        ("数据库的备份", ["数据", "据库", "备份"]),
        ("サーバーのバックアップ", ["サーバー", "バックアップ"]),
        ("Резервная копия базы", ["резервная", "копия", "базы"]),
        ("서버를 백업에서", ["서버", "백업"]),
        ("الاجتماع عن الخادم", ["اجتماع", "خادم"]),
        ("", []),
        ("?!… 42 :-)", []),
    ],
)
def test_concepts_in_chat_in_prose_and_in_other_scripts(text: str, keys: list[str]) -> None:
    assert [term.key for term in extract_concepts(text)] == keys


@pytest.mark.timed(5)
def test_a_page_has_few_concepts_and_takes_little_time() -> None:
    page = " ".join(f"Widget{n} turbine" for n in range(3000))
    found = extract_concepts(page)
    assert len(found) == 16
    assert "turbine" in {term.key for term in found}


@pytest.mark.conformance("Z18")
def test_things_are_named_with_a_confidence() -> None:
    text = (
        "Ada Lovelace of Acme Robotics GmbH met Dr. Chen in Lisbon on 3 May 2026 about Project "
        "Beacon #pricing. TODO: send the deck. Bob will fix the pump by Friday."
    )
    found = {(one.type, one.name): one.confidence for one in extract_entities(text, ["Bob"])}
    assert {
        ("person", "Ada Lovelace"): 0.5,
        ("person", "Chen"): 0.85,
        ("person", "Bob"): 0.95,
        ("company", "Acme Robotics GmbH"): 0.9,
        ("location", "Lisbon"): 0.9,
        ("date", "3 May 2026"): 0.9,
        ("project", "Beacon"): 0.85,
        ("topic", "pricing"): 0.9,
        ("action_item", "send the deck"): 0.9,
        ("action_item", "Bob will fix the pump by Friday"): 0.7,
    }.items() <= found.items()
    assert extract_entities("nothing of the kind here") == []


@pytest.mark.parametrize(
    "text",
    [
        "how do I share a printer",
        "does anyone know samba?",
        "i can't get samba to work",
        "ann: which card do you have?",
        "I'm trying to mount my drive",
        "anyone here use kde",
        "any ideas",
        "a box shares its network with two machines, can i send a message to one",
    ],
)
def test_who_asks_wants_something(text: str) -> None:
    assert is_help_request(text)


@pytest.mark.parametrize(
    "text",
    ["edit smb.conf", "ann: you can't mount it without ntfs-3g", "the office closes at six"],
)
def test_who_tells_does_not(text: str) -> None:
    assert not is_help_request(text)
    assert not is_question(text)


def test_a_report_that_something_is_broken_seeks_help() -> None:
    assert is_help_seeking("samba does not start after the update")
    assert not is_question("samba does not start after the update")
    assert is_help_seeking("after the upgrade I now hear no sound")


def test_programs_are_told_from_people_by_their_names() -> None:
    assert [n for n in ("FloodBot1", "ubotu", "log_bot", "GitBot") if not is_bot_name(n)] == []
    assert [n for n in ("Talbot", "bobby", "Abbott", "Bo", "bob2", "") if is_bot_name(n)] == []


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("ties", "tie"), ("flies", "fly"), ("parties", "party"), ("boxes", "box"),
        ("watches", "watch"), ("dishes", "dish"), ("glasses", "glass"), ("glass", "glass"),
        ("virus", "virus"), ("basis", "basis"), ("macos", "macos"), ("gas", "gas"),
        ("cats", "cat"), ("Cat’s", "cat"), ("dies", "die"),
        ("cafés", "cafés"), ("\uff46\uff4f\uff4f", "foo"), ("ﬁle", "file"),
        ("bus", "bus"), ("Bobs", "bob"),
    ],
)  # fmt: skip
def test_words_as_they_are_compared(word: str, key: str) -> None:
    assert term_key(word) == key


def test_the_proper_spelling_wins() -> None:
    assert [
        t.name for t in extract_terms("kestrel flies and the Kestrel lands") if t.key == "kestrel"
    ] == ["Kestrel"]
    assert [
        t.name for t in extract_terms("the Kestrel lands and kestrel flies") if t.key == "kestrel"
    ] == ["Kestrel"]
    assert [t.name for t in extract_terms("the KESTREL and the Kestrel") if t.key == "kestrel"] == [
        "KESTREL"
    ]
    assert [t.key for t in extract_terms("ask X1 or xy or xyz")] == ["ask", "x1", "xyz"]


def keys(text: str) -> list[str]:
    return [term.key for term in extract_terms(text)]


def test_how_long_a_word_is() -> None:
    assert keys("z" * 60) == ["z" * 60]
    assert keys("z" * 61) == []
    assert keys("кот ко") == ["кот"]
    assert keys("가방 힣힣 강") == ["가방", "힣힣"]
    assert keys("البت الباب") == ["البت", "باب"]
    assert keys("zed xy") == ["zed"]
    assert keys("4410 42 7") == []
    assert [len(t.name) for t in extract_terms("ก" * 61)] == [60]
    assert keys("กก") == []


def test_capitals_make_a_name_unless_they_open_a_sentence() -> None:
    assert keys("HR was told") == ["hr", "told"]
    assert keys("ask HR here") == ["ask", "hr"]
    assert keys("ask X here") == ["ask"]
    assert keys("the X's lid") == ["x", "lid"]

    def proper(text: str) -> list[str]:
        return [term.name for term in extract_terms(text) if term.proper]

    assert proper("Lisbon drivers") == []
    assert proper("old Lisbon") == ["Lisbon"]
    assert proper("the old, Lisbon") == ["Lisbon"]
    for mark in ".!?:\n":
        assert proper(f"the old{mark} Lisbon") == [], mark
    assert proper("HR drivers") == ["HR"]
    assert proper("lib2 apt-get iPhone drivers") == ["lib2", "apt-get", "iPhone"]
    assert proper("数据库 サーバー ภาษาไทย") == []
    assert proper("备份 in Lisbon") == ["Lisbon"], "beside another script"


def test_only_the_beginning_is_looked_at() -> None:
    assert keys("x " * 9_997 + "falcon") == ["falcon"]
    assert keys(" " + "x " * 9_997 + "falcon") == ["falco"]


@pytest.mark.parametrize(
    ("name", "counts"),
    [("thirty", True), ("Dozen", True), ("12th", True), ("4410", True), ("14:30", True),
     ("50%", True), ("pump", False), ("v2", False), ("", False)],
)  # fmt: skip
def test_numbers_in_words_and_digits(name: str, counts: bool) -> None:
    assert is_quantity(name) is counts


def test_the_name_that_opens_a_line() -> None:
    assert strip_addressee("ann: look, bob: too") == "look, bob: too"
    assert strip_addressee("look at ann: too") == "look at ann: too"
    for label in ("TODO: order it", " Topic: the launch", "re: the launch"):
        assert strip_addressee(label) == label, "a label is no name"
    assert strip_addressee("Theo: order it") == "order it"


def test_of_many_concepts_the_frequent_and_the_names_stay() -> None:
    words = [f"turbine{chr(97 + n)}" for n in range(17)]
    assert [t.key for t in extract_concepts(" ".join(words[:16]))] == words[:16]
    assert [t.key for t in extract_concepts(" ".join(words))] == words[:16]
    again = " ".join([*words, words[16]])
    assert [t.key for t in extract_concepts(again)] == [*words[:15], words[16]], (
        "what is said twice"
    )
    named_last = " ".join([*words, "and Lisbon"])
    assert [t.key for t in extract_concepts(named_last)] == [*words[:15], "lisbon"], "a name"
    assert [t.key for t in extract_concepts(" ".join(words), 2)] == words[:2]
