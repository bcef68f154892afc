"""Strength and score, worked out by hand: each constant at a point where it bites."""

from datetime import UTC, datetime, timedelta
from math import e, exp, log

import numpy as np
import pytest

from memories.lifecycle.decay import (
    CATEGORIES,
    RATES,
    compute_decay,
    compute_half_life_days,
    compute_strength,
    compute_strengths,
    days_until_share_left,
)
from memories.retrieval.scoring_profiles import BALANCED_WEIGHTS, TIER_WEIGHT, TIERS, score_balanced
from tests.memories.lifecycle.oracles import strength_class

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def after(days: float, *, importance: float = 0.8, category: str = "fact", accesses: int = 0):
    return compute_strength(
        importance=importance,
        category=category,
        accesses=accesses,
        last_access=NOW - timedelta(days=days),
        now=NOW,
    )


@pytest.mark.conformance("Z08")
@pytest.mark.parametrize(
    ("category", "rate"),
    [
        ("preference", 0.01), ("fact", 0.02), ("relationship", 0.02), ("decision", 0.03),
        ("event", 0.05), ("sentiment", 0.1), ("reminder", 0.2), ("", 0.02), ("unheard of", 0.02),
    ],
)  # fmt: skip
def test_each_category_fades_at_its_rate(category: str, rate: float) -> None:
    # rate x (1 - .5 x .8) x 10 days = 6 x rate.
    assert after(10, category=category) == pytest.approx(0.8 * exp(-6 * rate), rel=1e-12)


@pytest.mark.conformance("Z08")
def test_the_table_of_rates() -> None:
    assert RATES == {
        "preference": 0.01, "fact": 0.02, "relationship": 0.02, "decision": 0.03,
        "event": 0.05, "sentiment": 0.1, "reminder": 0.2,
    }  # fmt: skip


@pytest.mark.conformance("Z09")
def test_a_preference_after_a_hundred_days() -> None:
    # .01 x (1 - .5 x .8) x 100 = .6; with two accesses 1 + ln 3 / 10 = 1.109861.
    assert compute_decay(rate=0.01, importance=0.8, days=100) == pytest.approx(0.5488, abs=5e-5)
    assert after(100, category="preference") == pytest.approx(0.8 * exp(-0.6), rel=1e-12)
    used = after(100, category="preference", accesses=2)
    assert used == pytest.approx(0.8 * exp(-0.6) * (1 + log(3) / 10), rel=1e-12)


@pytest.mark.conformance("Z09")
def test_importance_slows_fading_by_half_at_most() -> None:
    assert compute_decay(rate=0.02, importance=0.0, days=50) == pytest.approx(1 / e)
    assert compute_decay(rate=0.02, importance=1.0, days=100) == pytest.approx(1 / e)
    assert compute_decay(rate=0.02, importance=0.5, days=100) == pytest.approx(e**-1.5)
    assert compute_decay(rate=0.2, importance=0.5, days=-3) == 1.0, "the future has not faded"
    assert compute_decay(rate=0.2, importance=0.5, days=0) == 1.0


@pytest.mark.conformance("Z11")
def test_the_half_life_and_the_day_on_which_a_share_is_left() -> None:
    assert compute_half_life_days(0.02, 0.0) == pytest.approx(34.66, abs=5e-3)
    assert compute_half_life_days(0.02, 1.0) == pytest.approx(69.31, abs=5e-3)
    # .01 x (1 - .5 x .8) = .006.
    assert compute_half_life_days(0.01, 0.8) == pytest.approx(log(2) / 0.006)
    assert days_until_share_left(0.02, 0.0) == pytest.approx(115.13, abs=5e-3), "a tenth is left"
    assert days_until_share_left(0.01, 0.8, 0.1) == pytest.approx(log(10) / 0.006)
    assert days_until_share_left(0.02, 0.0, 0.5) == pytest.approx(34.66, abs=5e-3)
    assert days_until_share_left(0.02, 0.0, 1.0) == 0
    left = compute_decay(rate=0.05, importance=0.4, days=days_until_share_left(0.05, 0.4, 0.25))
    assert left == pytest.approx(0.25)
    with pytest.raises(ValueError, match=r"domain|positive"):
        days_until_share_left(0.02, 0.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        compute_half_life_days(0.0, 0.5)


@pytest.mark.conformance("Z23")
@pytest.mark.parametrize(
    ("strength", "expected"),
    [
        (1.0, "strong"), (0.7, "strong"), (0.6999, "fading"),
        (0.3, "fading"), (0.2999, "weak"), (0.0, "weak"),
    ],
)  # fmt: skip
def test_strong_fading_and_weak(strength: float, expected: str) -> None:
    assert strength_class(strength) == expected


def test_use_refreshes_and_nothing_is_stronger_than_one() -> None:
    assert after(0, accesses=0) == pytest.approx(0.8)
    # 1 + ln(1 + 2) / 10 = 1.109861.
    assert after(0, accesses=2) == pytest.approx(0.8 * (1 + log(3) / 10))
    assert after(0, accesses=2) == pytest.approx(0.887889, abs=1e-6)
    assert after(0, accesses=10_000, importance=0.9) == 1.0
    # Half a day counts as half a day.
    assert after(0.5, category="reminder") == pytest.approx(0.8 * exp(-0.06))


def test_many_at_once_are_the_same_as_each_alone() -> None:
    # Number 0 is no category; the others by their place.
    names = ["", *CATEGORIES]
    days = [3.0, 10.0, 0.0, 400.0, -1.0, 7.5, 30.0, 90.0]
    accesses = [0, 1, 5, 2, 0, 40, 3, 100_000]
    importance = [0.5, 0.9, 1.0, 0.2, 0.7, 0.99, 0.4, 1.0]
    found = compute_strengths(
        importance=np.array(importance),
        category=np.arange(8),
        accesses=np.array(accesses, dtype=float),
        days=np.array(days),
    )
    alone = [
        after(days[n], importance=importance[n], category=names[n], accesses=accesses[n])
        for n in range(8)
    ]
    assert found == pytest.approx(alone, rel=1e-12)
    assert max(found) == 1.0
    assert tuple(RATES) == CATEGORIES


def test_the_balanced_profile() -> None:
    # .85 x .6 + .10 x .4 + .05 x tier; tier 0 is none.
    found = score_balanced(
        relevance=np.full(5, 0.6), strength=np.full(5, 0.4), tier=np.array([0, 1, 2, 3, 4])
    )
    assert found == pytest.approx([0.55, 0.60, 0.5875, 0.575, 0.5625])
    assert BALANCED_WEIGHTS == (0.85, 0.10, 0.05)
    assert TIERS == ("fast", "medium", "slow", "glacial") == tuple(TIER_WEIGHT)
