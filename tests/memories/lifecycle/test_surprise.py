"""Surprise, success and the score of consolidation, worked out by hand."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.lifecycle.surprise import compute_success_rate, score_consolidation
from memories.lifecycle.tiers import get_tier_rule
from tests.memories.lifecycle.oracles import compute_surprise

UNIT = st.floats(0, 1)


def learned(times: int) -> list[float]:
    """The surprise after each of so many full surprises: useful, and served with nothing."""
    return list(accumulate(range(times), lambda old, _n: compute_surprise(old, 1, 0), initial=0.0))[
        1:
    ]


@pytest.mark.conformance("G11")
def test_a_full_surprise_again_and_again() -> None:
    assert learned(4) == pytest.approx([0.3, 0.51, 0.657, 0.7599], abs=1e-12)


@pytest.mark.conformance("G11", "G12")
@pytest.mark.parametrize(("tier", "updates"), [("glacial", 2), ("slow", 3), ("medium", 4)])
def test_feedback_alone_reaches_what_promotes(tier: str, updates: int) -> None:
    limit = get_tier_rule(tier).promoting_surprise
    assert limit is not None
    found = learned(4)
    assert found[updates - 1] >= limit > found[updates - 2]


@pytest.mark.conformance("G11")
@pytest.mark.parametrize(
    ("old", "usefulness", "served", "expected"),
    [
        (0.0, 0.9, 0.4, 0.15),  # .3 x .5
        (0.5, 0.9, 0.4, 0.5),  # .15 + .7 x .5
        (0.0, 0.4, 0.9, 0.0),  # less useful than it was served is no surprise
        (0.8, 0.4, 0.9, 0.56),  # and what was learned fades
        (0.0, 0.7, 0.7, 0.0),
        (0.0, 1.0, None, 0.15),  # .3 x (1 - .5)
        (0.0, 0.4, None, 0.0),
        (0.0, None, 0.1, 0.12),  # .3 x (.5 - .1)
        (0.0, None, 0.6, 0.0),
        (0.6, None, None, 0.42),
    ],
)
def test_one_report(
    old: float, usefulness: float | None, served: float | None, expected: float
) -> None:
    assert compute_surprise(old, usefulness, served) == pytest.approx(expected, abs=1e-12)


@given(old=UNIT, usefulness=st.none() | UNIT, served=st.none() | UNIT)
def test_surprise_stays_between_nought_and_one(
    old: float, usefulness: float | None, served: float | None
) -> None:
    assert 0 <= compute_surprise(old, usefulness, served) <= 1


@pytest.mark.conformance("G12")
def test_the_rate_of_success_begins_at_a_half() -> None:
    assert compute_success_rate(0, 0) == 0.5
    assert compute_success_rate(8, 2) == 0.75
    assert compute_success_rate(2, 8) == 0.25
    assert compute_success_rate(1, 0) == pytest.approx(2 / 3)
    assert compute_success_rate(0, 1) == pytest.approx(1 / 3)


@pytest.mark.conformance("G13")
def test_the_score_of_consolidation() -> None:
    assert score_consolidation(0) == 0
    assert score_consolidation(9) == pytest.approx(0.5)
    assert score_consolidation(98) == pytest.approx(0.997818, abs=1e-6)
    assert score_consolidation(99) == 1
    assert score_consolidation(10_000) == 1
    with pytest.raises(ValueError, match="less than 0"):
        score_consolidation(-1)
