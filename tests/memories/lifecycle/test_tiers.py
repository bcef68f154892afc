"""The table of tiers, and each limit of a move on both of its sides."""

from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.lifecycle import tiers
from memories.lifecycle.tiers import (
    TIER_RULES,
    compute_pressure,
    faster_tier,
    get_tier_rule,
    slower_tier,
    tier_capacities,
)
from memories.retrieval.scoring_profiles import TIERS
from tests.memories.lifecycle.oracles import (
    DueTierMove,
    TierFacts,
    compute_decayed_importance,
    find_due_move,
)

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DAY = timedelta(hours=24)


def standing(tier: str = "medium", **other: Any) -> TierFacts:
    """A memory that stays where it is: used now, important, surprising below what promotes."""
    calm = TierFacts(
        tier=tier,
        importance=1.0,
        tier_since=NOW,
        moved_at=None,
        last_used_at=NOW,
        since_accesses=0,
        since_successes=0,
        since_feedback=0,
        updates=0,
        surprise=0.0,
        red_line=False,
    )
    return replace(calm, **other)


def moved(tier: str = "medium", **other: Any) -> tuple[str, str, str] | None:
    move = find_due_move(standing(tier, **other), NOW)
    return None if move is None else (move.from_tier, move.to_tier, move.reason)


@pytest.mark.conformance("G01")
def test_the_table() -> None:
    assert [astuple(rule) for rule in TIER_RULES] == [
        ("fast", 60, 1000, 1000, 0.8, 1, None, 0.2, "per_event"),
        ("medium", 3600, 500, 5000, 0.5, 24, 0.7, 0.3, "per_round"),
        ("slow", 86400, 200, 10000, 0.3, 168, 0.6, 0.4, "per_cycle"),
        ("glacial", 604800, 100, 50000, 0, 720, 0.5, None, "monthly"),
    ]
    assert (tiers.PROMOTING_ACCESSES, tiers.PROMOTING_SUCCESSES, tiers.STABLE_UPDATES) == (5, 3, 10)
    assert tiers.COOL_DOWN.total_seconds() == 24 * 3600
    assert tuple(rule.tier for rule in TIER_RULES) == TIERS


@pytest.mark.conformance("G01")
def test_two_profiles_of_capacities() -> None:
    standard = {"fast": 1000, "medium": 500, "slow": 200, "glacial": 100}
    large = {"fast": 1000, "medium": 5000, "slow": 10_000, "glacial": 50_000}
    assert (tier_capacities("standard"), tier_capacities("large")) == (standard, large)
    with pytest.raises(ValueError, match="no profile of capacities 'huge'"):
        tier_capacities("huge")


def test_the_neighbours_of_a_tier() -> None:
    names = ["fast", "medium", "slow", "glacial"]
    assert [faster_tier(name) for name in names] == [None, "fast", "medium", "slow"]
    assert [slower_tier(name) for name in names] == ["medium", "slow", "glacial", None]
    assert [get_tier_rule(name).tier for name in names] == names
    for refused in (faster_tier, slower_tier, get_tier_rule):
        with pytest.raises(ValueError, match="no tier 'instant'"):
            refused("instant")
    with pytest.raises(ValueError, match="no tier ''"):
        find_due_move(standing("", red_line=True), NOW)


@pytest.mark.conformance("G07")
@pytest.mark.parametrize(
    ("tier", "hours"), [("fast", 1), ("medium", 24), ("slow", 168), ("glacial", 720)]
)
def test_half_of_the_importance_is_left_after_the_half_life(tier: str, hours: float) -> None:
    half_life = get_tier_rule(tier).half_life
    assert compute_decayed_importance(1.0, hours, half_life) == 0.5
    assert compute_decayed_importance(0.8, 2 * hours, half_life) == pytest.approx(0.2)
    assert compute_decayed_importance(0.6, 0, half_life) == 0.6
    assert compute_decayed_importance(0.6, -hours, half_life) == 0.6, "a clock that goes back"


G08 = pytest.mark.conformance("G08")
G09 = pytest.mark.conformance("G09")


@G08
@pytest.mark.parametrize(
    ("tier", "up"), [("medium", "fast"), ("slow", "medium"), ("glacial", "slow")]
)
def test_accesses_or_successes_alone_promote_by_one_step(tier: str, up: str) -> None:
    assert moved(tier, since_accesses=4, since_successes=2) is None
    assert moved(tier, since_accesses=5) == (tier, up, "accesses")
    assert moved(tier, since_successes=3) == (tier, up, "successes")
    assert moved(tier, since_accesses=5_000) == (tier, up, "accesses")


@G08
@pytest.mark.parametrize(
    ("tier", "up", "below", "limit"),
    [
        ("medium", "fast", 0.699, 0.7),
        ("slow", "medium", 0.599, 0.6),
        ("glacial", "slow", 0.499, 0.5),
    ],
)
def test_surprise_alone_promotes_from_the_limit_of_its_tier(
    tier: str, up: str, below: float, limit: float
) -> None:
    assert moved(tier, surprise=limit, since_feedback=1) == (tier, up, "surprise")
    assert moved(tier, surprise=below, since_feedback=1) is None
    assert moved(tier, surprise=1.0, since_feedback=0) is None, "it was learned before"


@G08
def test_nothing_is_faster_than_fast() -> None:
    assert (
        moved("fast", since_accesses=9, since_successes=9, since_feedback=9, surprise=1.0) is None
    )
    idle = NOW - timedelta(minutes=2)
    assert moved("fast", since_accesses=9, last_used_at=idle) == ("fast", "medium", "idle")


@G09
@pytest.mark.parametrize(
    ("tier", "down", "seconds"),
    [("fast", "medium", 60), ("medium", "slow", 3600), ("slow", "glacial", 86_400)],
)
def test_idle_for_longer_than_the_limit(tier: str, down: str, seconds: int) -> None:
    limit = NOW - timedelta(seconds=seconds)
    assert moved(tier, last_used_at=limit) is None
    assert moved(tier, last_used_at=limit - SECOND) == (tier, down, "idle")
    assert moved(tier, last_used_at=NOW + DAY) is None, "a clock that goes back"


@G09
@pytest.mark.parametrize(
    ("tier", "down", "importance", "hours"),
    [
        ("fast", "medium", 0.8, 0),
        ("medium", "slow", 1.0, 24),  # 1 x .5
        ("medium", "slow", 0.5, 0),
        ("slow", "glacial", 0.6, 168),  # .6 x .5
        ("slow", "glacial", 0.3, 0),
    ],
)
def test_faded_below_the_least_of_its_tier(
    tier: str, down: str, importance: float, hours: int
) -> None:
    since = NOW - timedelta(hours=hours)
    assert moved(tier, importance=importance, tier_since=since) is None
    faded = (tier, down, "faded")
    assert moved(tier, importance=importance, tier_since=since - SECOND) == faded
    assert moved(tier, importance=importance - 0.001, tier_since=since) == faded
    assert moved(tier, importance=importance, tier_since=NOW + DAY) is None, "in the future"


@G09
def test_nothing_is_slower_than_glacial() -> None:
    ages = NOW - timedelta(days=9000)
    assert moved("glacial", importance=0, tier_since=ages, last_used_at=ages, updates=99) is None


@G09
@pytest.mark.parametrize(
    ("tier", "down", "limit"),
    [("fast", "medium", 0.8), ("medium", "slow", 0.7), ("slow", "glacial", 0.6)],
)
def test_what_surprises_nobody_any_more_sinks(tier: str, down: str, limit: float) -> None:
    """1 - surprise must be more than .2, .3 and .4, after ten updates."""
    assert moved(tier, surprise=limit - 0.001, updates=10) == (tier, down, "stable")
    assert moved(tier, surprise=limit - 0.001, updates=9) is None
    assert moved(tier, surprise=limit, updates=10) is None
    assert moved(tier, surprise=0, updates=10_000) == (tier, down, "stable")


def test_the_first_reason_is_told() -> None:
    long_ago = NOW - timedelta(days=400)
    all_of_it = {
        "since_accesses": 5, "since_successes": 3, "since_feedback": 1, "surprise": 0.7,
    }  # fmt: skip
    assert moved(**all_of_it) == ("medium", "fast", "accesses")
    assert moved(**{**all_of_it, "since_accesses": 0}) == ("medium", "fast", "successes")
    sinking = {"last_used_at": long_ago, "tier_since": long_ago, "updates": 10}
    assert moved(**sinking) == ("medium", "slow", "idle")
    assert moved(**{**sinking, "last_used_at": NOW}) == ("medium", "slow", "faded")


@pytest.mark.parametrize(
    ("since", "moves"),
    [
        (DAY, True), (DAY + SECOND, True), (DAY - SECOND, False), (timedelta(0), False),
        (-DAY, False), (-400 * DAY, False),
    ],
)  # fmt: skip
def test_nothing_moves_within_a_day_of_its_last_move(since: timedelta, moves: bool) -> None:
    for due in ({"since_accesses": 5}, {"last_used_at": NOW - DAY}):
        assert (moved(moved_at=NOW - since, **due) is not None) is moves


def test_a_red_line_stays() -> None:
    assert moved("glacial", since_accesses=5) is not None
    assert moved("glacial", since_accesses=5, red_line=True) is None
    assert moved("fast", last_used_at=NOW - DAY, red_line=True) is None


NAMES = [rule.tier for rule in TIER_RULES]
COUNTS = st.integers(0, 20)
MOMENTS = st.integers(-3_000_000, 3_000_000).map(lambda n: NOW + timedelta(seconds=n))
STANDINGS = st.builds(
    TierFacts,
    tier=st.sampled_from(NAMES),
    importance=st.floats(0, 1),
    tier_since=MOMENTS,
    moved_at=st.none() | MOMENTS,
    last_used_at=MOMENTS,
    since_accesses=COUNTS,
    since_successes=COUNTS,
    since_feedback=COUNTS,
    updates=COUNTS,
    surprise=st.floats(0, 1),
    red_line=st.booleans(),
)
UP = {"accesses", "successes", "surprise"}


@given(STANDINGS)
def test_a_move_is_one_step_in_the_direction_of_its_reason(one: TierFacts) -> None:
    move = find_due_move(one, NOW)
    if move is not None:
        assert move.from_tier == one.tier
        step = NAMES.index(move.to_tier) - NAMES.index(one.tier)
        assert step == (-1 if move.reason in UP else 1)


@given(STANDINGS)
def test_what_is_used_never_sinks_where_it_can_rise(one: TierFacts) -> None:
    due = replace(one, since_accesses=5, moved_at=None, red_line=False)
    move = find_due_move(due, NOW)
    if due.tier == "fast":
        assert move is None or move.to_tier == "medium"
    else:
        assert move == DueTierMove(due.tier, str(faster_tier(due.tier)), "accesses")


@given(STANDINGS, st.integers(-3_000_000, 24 * 3600 - 1))
def test_nothing_moves_while_it_cools_down(one: TierFacts, seconds: int) -> None:
    assert find_due_move(replace(one, moved_at=NOW - timedelta(seconds=seconds)), NOW) is None


G32 = pytest.mark.conformance("G32")


@G32
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, 0.0),
        ({"fast": 0, "medium": 0}, 0.0),
        ({"fast": 100, "medium": 250, "slow": 20}, 0.5),  # the fullest, not the one that holds most
        ({"glacial": 99}, 0.99),
        ({"glacial": 100}, 1.0),
        ({"glacial": 101, "fast": 1}, 1.0),
        ({"glacial": 5_000}, 1.0),
    ],
)
def test_pressure_is_how_full_the_fullest_tier_is(counts: dict[str, int], expected: float) -> None:
    assert compute_pressure(counts, tier_capacities("standard")) == expected


@G32
def test_a_tier_that_may_hold_nothing() -> None:
    assert compute_pressure({"fast": 0}, {"fast": 0}) == 0.0
    assert compute_pressure({"fast": 1}, {"fast": 0}) == 1.0
    assert compute_pressure({"fast": 1, "slow": 1}, {"fast": 4, "slow": 1000}) == 0.25
    with pytest.raises(ValueError, match="No capacity for slow"):
        compute_pressure({"slow": 1}, {"fast": 4})
