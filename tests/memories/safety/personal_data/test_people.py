"""Members by part and inflection, names that are also words, and what only looks like a name."""

import pytest

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text

KNOWN = KnownNames(
    people=("Anna Weber", "Will Smith", "May Chen", "Mark Rose", "Ödön Müller", "田中太郎", "Li Bo",
            "Kjetil-Are van der Zwan", "🐙 R2", "x"),
    clients=("Globex", "Orange", "7-Eleven"),
    brands=("Fresh & Fine",),
    companies=("Blue Harbor Traders",),
)  # fmt: skip


def told(text: str, known: KnownNames = KNOWN) -> list[tuple[str, bool]]:
    return [
        (text[one.start : one.end], one.sure)
        for one in find_personal_data(to_plain_text(text), known)
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the desk of anna", "anna"),
        ("das ist annas auto", "annas"),
        ("weber's report", "weber"),
        ("mit Webern gesprochen", "Webern"),
        ("dla Anny i reszty", "Anny"),
        ("viděl jsem Annou psaný text", "Annou"),
        ("see anna_weber.pdf", "anna_weber"),
        ("from Muller's desk", "Muller"),
        ("for mueller", "mueller"),
        ("written by 田中太郎さん today", "田中太郎"),
        ("kjetil was there", "kjetil"),
        ("zwan was there", "zwan"),
        ("the deal of will smith", "will smith"),
        ("I met Li there", "Li"),
        ("a plan for globex now", "globex"),
        ("a 7-eleven around the corner", "7-eleven"),
        ("fresh and fine grows, fresh & fine too", "fresh & fine"),
        ("told the blue harbor traders so", "blue harbor traders"),
        ("they left Orange in May", "Orange"),
    ],
)
def test_what_the_organisation_knows_is_found_in_any_form(text: str, words: str) -> None:
    assert words in {one for one, _ in told(text)}
    nobody = {one for one, _ in told(text, KnownNames())}
    assert words not in nobody or words[0].isupper()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Within a sentence a capital tells; at its begin it does not, unless somebody acts.
        ("I asked Will about it", [("Will", True)]),
        ("Will the store open?", []),
        ("they will open in may", []),
        ("Will said it opens", [("Will", False)]),
        ("Mark stores that fall", []),
        ("mark stores that fall", []),
        ("the plan of Mark is good", [("Mark", True)]),
        ("May's plan is good", [("May", False)]),
        ("May we start?", []),
        ("prices rose", []),
        ("li is short", []),
        ("will's end", []),
        ("rose's plan", [("rose", False)]),
        ("an orange sign", []),
        ("van der what", []),
        ("x marks the spot", []),
    ],
)
def test_a_member_who_is_called_like_a_word(text: str, expected: list[tuple[str, bool]]) -> None:
    assert told(text) == expected


def test_another_organisation_knows_other_names() -> None:
    text = "zwan and globex agreed"
    assert [one for one, _ in told(text)] == ["zwan", "globex"]
    assert told(text, KnownNames(people=("Joan Ark",))) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Herrn Webers Brief", [("Herrn Webers", True)]),
        ("Dr. Xylander called", [("Dr. Xylander", True)]),
        ("Dr. No", []),
        ("I met Zebulon Quarndon there", [("Zebulon Quarndon", False)]),
        ("Zebulon Quarndon left", [("Zebulon Quarndon", False)]),
        ("my name is zebulon", [("zebulon", True)]),
        ("my name is on the list", []),
        ("Weber, Anna", [("Weber, Anna", True)]),
        ("Weber grew", []),
        ("I saw Grace today", [("Grace", False)]),
        ("Grace periods end", []),
        ("Santa Monica and San Antonio", []),
        ("Tri band radios work", []),  # of three letters a name is often a word
        ("JANE DOE AND ACME", []),
        ("MARIA GARCIA", [("MARIA GARCIA", True)]),
        ("class AnnaWeber: run Anna_Weber and /Anna/x", []),
    ],
)
def test_names_that_nobody_told(text: str, expected: list[tuple[str, bool]]) -> None:
    assert told(text, KnownNames()) == expected


def test_a_thousand_members_cost_what_one_does() -> None:
    """No member's name is compared with the text; each word of the text is looked up."""
    many = KnownNames(people=tuple(f"Quor{n} Zand{n}" for n in range(5_000)))
    assert told("then quor4999 wrote to zand17", many) == [("quor4999", True), ("zand17", True)]
