"""When two texts may be one result, and when not (A24, A25)."""

import pytest

from memories.language.text_comparison import is_contradiction, may_contradict, normalise_text
from memories.retrieval.ranking.audience_distance import TYPES_NEAREST_FIRST, audience_rank


def test_case_spacing_and_punctuation_make_no_other_text() -> None:
    assert normalise_text("  The  Launch is\nTODAY! ") == normalise_text("the launch is today")
    assert normalise_text("costs -5 %") != normalise_text("costs 5 %")
    assert normalise_text("👍") == "👍"
    assert normalise_text("👍") != normalise_text("👎")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Under 60 is rejected", "Under 40 is rejected"),
        ("The launch is on Friday", "The launch isn’t on Friday"),
        ("A man is playing a guitar", "There is no man playing a guitar"),
        ("Prices are above the limit", "Prices are below the limit"),
        ("Invoices are approved by Mina", "Invoices are rejected by Mina"),
        ("Ada likes tea", "Ada dislikes tea"),
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
