"""When two texts may be one result, and when not (A24, A25)."""
# ruff: noqa: RUF001

import unicodedata

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from memories.language.comparison.text_comparison import (
    is_contradiction,
    jaccard_index,
    may_contradict,
    normalise_text,
)
from memories.retrieval.ranking.audience_distance import TYPES_NEAREST_FIRST, audience_rank

SAME = [
    ("  The  Launch is\nTODAY! ", "the launch is today!"),
    ("“Go” – he said…", '"go" - HE SAID...'),
    ("It’s ‘late’", "it's 'late'"),
    ("«Да», сказала она", '"да", СКАЗАЛА ОНА'),
    ("Caf\u00e9", "cafe\u0301"),
    ("−5 °C", "-5 °c"),
    ("Işık açık", "IŞIK AÇIK"),
    ("İzmir'de kış", "izmir'de KIŞ"),
    ("ΟΔΟΣ", "οδος"),
]
APART = [
    ("costs -5 %", "costs 5 %"), ("👍", "👎"), ("✅", "❌"), ("👍🏻", "👍🏿"),
    ("retries if x == 4", "retries if x != 4"), ("x < 200", "x > 200"), ("x <= 2", "x < 2"),
    ("1:5", "1.5"), ("1.5", "15"), ("1,5", "15"), ("3-5", "35"), ("10^3", "103"), ("x²", "x2"),
    ("½ cup", "12 cup"), ("5'", '5"'), ("5′", "5″"), ("a/b", "a b"), ("~50", "50"), ("±5", "5"),
    ("C", "C++"), ("C", "C#"), ("C++", "C#"), (".NET", "net"), ("@ada", "ada"), ("#4", "4"),
    ("--force", "-force"), ("$5", "€5"), ("5", "5 %"), ("n!", "n"), ("Done?", "Done."),
    ("No, more", "No more"), ("Let's eat, Ada", "Let's eat Ada"), ("re-sign", "resign"),
    ("on Tuesday", "on Thursday"), ("the left door", "the right door"), ("the first", "the second"),
    ("from Lyon", "to Lyon"), ("ist versichert", "ist nicht versichert"), ("is on", "isn't on"),
    ("il est là", "il n'est pas là"), ("está aquí", "no está aquí"), ("она дома", "она не дома"),
    ("açık", "açık değil"), ("来る", "来ない"), ("他来", "他不来"), ("هو هنا", "ليس هو هنا"),
    ("٥ كتب", "٦ كتب"), ("५ किताबें", "६ किताबें"), ("五", "六"), ("Ⅳ", "Ⅵ"),
    ("resume", "résumé"), ("schon", "schön"), ("ano", "año"), ("Maße", "Masse"), ("מִלָּה", "מָלָה"),
    ("كَتَبَ", "كُتِبَ"), ("sıkıldım", "sikildim"), ("kışın", "kişin"), ("KIŞ", "kiş"), ("か", "が"),
    ("now here", "nowhere"), ("کتاب\u200cها", "کتابها"),
]  # fmt: skip


@pytest.mark.conformance("X06")
@pytest.mark.parametrize(("one", "other"), SAME)
def test_case_blanks_and_typographic_marks_make_no_other_text(one: str, other: str) -> None:
    assert normalise_text(one) == normalise_text(other)


@pytest.mark.conformance("X06")
@pytest.mark.parametrize(("one", "other"), APART)
def test_what_may_bear_meaning_makes_another_text(one: str, other: str) -> None:
    assert normalise_text(one) != normalise_text(other)
    assert normalise_text(f"Of {one} we know.") != normalise_text(f"of {other}  we know.")


MARKS = "\"“”„‟«»'‘’‚‛‹›-‐‑‒–—―−…."
CASES = [
    "Ada", "ADA", "ada", "Grün", "GRÜN", "Дом", "ДОМ", "x", "7", "٧", "✅", "==", "!=", "<", ">",
    "not", "Не", "?", ",", ":", "ß", "SS", "ı", "I", "i", "İ", "é", "e\u0301", "e", "#", "@", "  ",
    *MARKS,
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(CASES), min_size=1, max_size=12).map("".join)


def without_what_never_counts(text: str) -> str:
    """An oracle: the letters and signs, without their case, blanks and kinds of marks."""
    small = unicodedata.normalize("NFD", text.replace("İ", "i").replace("I", "i").lower())
    return "".join(
        "'" if sign in MARKS[:14] else "-" if sign in MARKS[14:22] else sign.replace("…", "...")
        for sign in small.replace("ı", "i")
        if not sign.isspace()
    )


@tried(max_examples=1_000, deadline=None, database=None, derandomize=True)
@given(TEXTS, TEXTS)
def test_equal_texts_have_the_same_letters_and_signs(one: str, other: str) -> None:
    equal = normalise_text(one) == normalise_text(other)
    assert not equal or without_what_never_counts(one) == without_what_never_counts(other)
    assert normalise_text(normalise_text(one)) == normalise_text(one)


@tried(max_examples=500, deadline=None, database=None, derandomize=True)
@given(TEXTS, st.data())
def test_one_sign_more_or_less_is_another_text(text: str, data: st.DataObject) -> None:
    signs = [at for at, sign in enumerate(text) if not sign.isspace() and sign != "\u0301"]
    at = data.draw(st.sampled_from(signs or [0]))
    assert not signs or normalise_text(text) != normalise_text(text[:at] + text[at + 1 :])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Under 60 is rejected", "Under 40 is rejected"),
        ("The launch is on Friday", "The launch isn’t on Friday"),
        ("A man is playing a guitar", "There is no man playing a guitar"),
        ("Prices are above the limit", "Prices are below the limit"),
        ("Invoices are approved by Mina", "Invoices are rejected by Mina"),
        ("Ada likes tea", "Ada dislikes tea"),
        ("It is at -5 degrees", "It is at 5 degrees"),
        ("Retry if status == 429", "Retry if status != 429"),
        ("Backup of Sunday: ✅", "Backup of Sunday: ❌"),
        ("The stand-up is on Tuesday", "The stand-up is on Thursday"),
        ("Parcels go to the left door", "Parcels go to the right door"),
        ("Rosa is the first contact", "Rosa is the second contact"),
        ("We ship from Lyon", "We ship to Lyon"),
        ("Der Keller ist versichert", "Der Keller ist nicht versichert"),
    ],
)
def test_what_contradicts_is_kept_apart(one: str, other: str) -> None:
    assert may_contradict(one, other)
    assert may_contradict(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The office closes at 6 pm", "At 6 pm the office closes"),
        ("Nobody works on Sunday", "Nobody is at work on Sundays"),
        ("She moved up and down", "Up and down she moved"),
    ],
)
def test_what_agrees_may_be_one(one: str, other: str) -> None:
    assert not may_contradict(one, other)


def test_the_nearest_audience_comes_first() -> None:
    order = ["member", "explicit", "persona", "role", "industry", "group", "organisation"]
    assert [kind for kind in TYPES_NEAREST_FIRST if kind in order] == order
    assert audience_rank("unheard of") > audience_rank("organisation")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prices are above the limit", "Prices are at the limit"),
        ("All doors shut early", "Every door shuts early"),
        ("Ada likes tea", "Ada has tea"),
    ],
)
def test_one_side_of_a_pair_alone_contradicts_nothing(one: str, other: str) -> None:
    assert not may_contradict(one, other)
    assert not may_contradict(other, one)


BAG = "Customers can return a bag within 14 days; later returns are refused."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            BAG,
            "Since the spring customers can return a bag within 30 days, and we pay the postage.",
        ),
        ("The office opens at 9.", "The office opens at 10."),
        ("We ship to Norway by boat.", "We don’t ship to Norway by boat."),
        ("Invoices are approved by Mina.", "Invoices are rejected by Mina."),
        ("The feature is enabled for dealers.", "The feature is disabled for all dealers."),
        (
            "The fair in the old hall opens on 12 March.",
            "The fair in the old hall opens on 30 April.",
        ),
        ("Mina says that the fee is 10 euros.", "They say that the fee is 20 euros."),
    ],
)
def test_one_matter_and_two_answers_disagree(one: str, other: str) -> None:
    assert is_contradiction(one, other)
    assert is_contradiction(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The office opens at 9 on weekdays.", "The office closes at 5 on weekdays."),
        (
            "The office at the old harbour opens at 9 on weekdays.",
            "The office at the old harbour closes at 5 on weekdays.",
        ),
        ("The office opens at 9.", "The shop opens at 10."),
        ("Dealers return a bag within 30 days.", "Customers return a bag within 14 days."),
        ("The repair fund holds 1,240 euros.", "Invoices over 2,000 euros need a signature."),
        ("The price of the bag is 189 euros.", "The price of the bag is known to dealers."),
        ("The office opens at 9.", "At 9 the office opens."),
        (BAG + " Or so." * 700, BAG.replace("14", "30") + " Or so." * 700),
        ("5", "6"),
        (
            "The shop in Marstal takes a bag back within 14 days.",
            "The shop in Faaborg takes a bag back within 30 days.",
        ),
    ],
)
def test_two_facts_do_not_disagree(one: str, other: str) -> None:
    assert not is_contradiction(one, other)
    assert not is_contradiction(other, one)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a b c", "c b a", 1.0),
        ("a b c d", "c d e f", 2 / 6),
        ("a", "a b c d e f g h i j", 0.1),
        ("a", "b", 0.0),
        ("a", "", 0.0),
        ("", "a", 0.0),
        ("", "", None),
    ],
)
def test_share_in_common(one: str, other: str, expected: float | None) -> None:
    assert jaccard_index(one.split(), other.split()) == pytest.approx(expected, abs=1e-12)
