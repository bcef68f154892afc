"""Atomic facts: what is one, what is none and why (H32)."""

import pytest

from memories.language.propositions import (
    RejectedText,
    extract_propositions,
    is_divisible,
    iter_sentences,
    parse_propositions,
    rejection_reason,
    strip_markup,
)

pytestmark = pytest.mark.conformance("H32")

FACT = "The launch of Spinnaker moves to June."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (FACT, ""),
        ("a b c d e", "too-short"),
        ("aa bb cc d", "too-few-words"),
        ("aa bb c d e", ""),
        ("word " * 199 + "words", ""),
        ("word " * 199 + "words!", "too-long"),
        ("Mina Ortega leads Spinnaker", "too-few-words"),
        ("He moved the launch to June.", "pronoun"),
        ("The launch is late, it’s the buckle.", "pronoun"),
        ("The team in Rome lost their key.", "pronoun"),
        ("When does the shop in Rome open?", "question"),
        ("The open points of Monday are:", "heading"),
        ("Itaipu supplies Paraguay with electric power.", ""),
    ],
)
def test_what_is_a_proposition(text: str, why: str) -> None:
    assert rejection_reason(text) == why


def test_a_text_is_taken_apart() -> None:
    text = (
        f"{FACT} He told Dr. Ortega of that. The price is 4.50 euros for a pack, e.g. for Rome; "
        "Bob Meyer signs for the whole shipment.\n- Deliveries to Rome start on 12 May\nOK."
    )
    kept, refused = extract_propositions(text)
    assert kept == [
        FACT,
        "The price is 4.50 euros for a pack, e.g. for Rome",
        "Bob Meyer signs for the whole shipment.",
        "Deliveries to Rome start on 12 May",
    ]
    assert refused == [
        RejectedText("He told Dr. Ortega of that.", "pronoun"),
        RejectedText("OK.", "too-short"),
    ]


def test_what_is_handed_in_is_held_to_the_same() -> None:
    kept, refused = parse_propositions(
        [f"1. {FACT}", f'"{FACT}"', FACT.upper(), "", "x", *[FACT] * 3]
    )
    assert kept == [FACT]
    assert refused == [RejectedText("x", "too-short")]
    many, over = parse_propositions([f"Fact number {n} is about Rome." for n in range(60)])
    assert (len(many), {r.reason for r in over}) == (50, {"too-many"})


def test_a_text_without_what_is_around_it() -> None:
    assert strip_markup('"a"') == "a"
    assert strip_markup("“ a b ”") == "a b"
    assert strip_markup('""') == '""'
    assert strip_markup('"a" b') == '"a" b'
    assert strip_markup('a "b"') == 'a "b"'
    assert strip_markup("12. a   b") == "a b"
    assert strip_markup("- a") == strip_markup("* a") == strip_markup("b) a") == "a"
    assert strip_markup("2026. a") == "2026. a"


def test_sentences_end_where_they_end() -> None:
    assert list(iter_sentences("One. Two! three? (Four) a; b\nc")) == [
        "One.", "Two! three?", "(Four) a", "b", "c",
    ]  # fmt: skip
    assert list(iter_sentences("Ask Dr. Chen. Mr. X asks")) == ["Ask Dr. Chen.", "Mr. X asks"]
    assert list(iter_sentences("It ends with etc.")) == ["It ends with etc."]
    assert list(iter_sentences("")) == []
    long = "x" * 995 + " e.g."
    assert list(iter_sentences(f"{long} Next")) == [f"{long} Next"]
    assert list(iter_sentences(f"x{long} Next")) == [f"x{long}", "Next"], "too long to wait"


def test_whether_there_is_more_than_one_sentence() -> None:
    assert is_divisible("One. Two.")
    assert is_divisible("One. Two. Three.")
    assert not is_divisible("One.")
    assert not is_divisible("")
    assert is_divisible("x" * 19_997 + ". Y")
    assert not is_divisible("x" * 19_998 + ". Y"), "so much of it is looked at"


def test_only_so_much_is_taken_apart() -> None:
    last = FACT.replace("June.", "April")
    padding = FACT + "\n" + " " * (100_000 - len(FACT) - 1 - len(last))
    assert extract_propositions(padding + last) == ([FACT, last], [])
    assert extract_propositions(padding + last + "x") == ([FACT, last], [])
