"""When two texts may be one result, and when not (A24, A25)."""

import pytest

from memories.language.similarity import contradict, normalised
from memories.retrieval.ranking.audience_distance import NEAREST, nearness


def test_case_spacing_and_punctuation_make_no_other_text() -> None:
    assert normalised("  The  Launch is\nTODAY! ") == normalised("the launch is today")
    assert normalised("costs -5 %") != normalised("costs 5 %")
    assert normalised("👍") == "👍"
    assert normalised("👍") != normalised("👎")


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
    assert contradict(one, other)
    assert contradict(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The office closes at 6 pm", "At 6 pm the office closes"),
        ("Nobody works on Sunday", "Nobody is at work on Sundays"),
        ("She moved up and down", "Up and down she moved"),
    ],
)
def test_what_agrees_may_be_one(one: str, other: str) -> None:
    assert not contradict(one, other)


def test_the_nearest_audience_comes_first() -> None:
    order = ["member", "explicit", "persona", "role", "industry", "group", "organisation"]
    assert [kind for kind in NEAREST if kind in order] == order
    assert nearness("unheard of") > nearness("organisation")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prices are above the limit", "Prices are at the limit"),
        ("All doors shut early", "Every door shuts early"),
        ("Ada likes tea", "Ada has tea"),
    ],
)
def test_one_side_of_a_pair_alone_contradicts_nothing(one: str, other: str) -> None:
    assert not contradict(one, other)
    assert not contradict(other, one)
