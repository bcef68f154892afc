"""The tiers, from fast to glacial, and when a memory moves by one of them.

decayed importance = importance * .5 ** (hours in its tier / half-life of the tier)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

PROMOTING_ACCESSES = 5
PROMOTING_SUCCESSES = 3
STABLE_UPDATES = 10
COOL_DOWN = timedelta(hours=24)
SECONDS_PER_HOUR = 3600.0

Reason = Literal["accesses", "successes", "surprise", "idle", "faded", "stable"]


@dataclass(frozen=True, slots=True)
class TierRule:
    """The rule of one tier.

    idle_limit: seconds without use. capacity, large_capacity: memories of one audience, in the
    profiles `standard` and `large`. least_importance: decayed, in 0-1. half_life: hours.
    promoting_surprise: from this surprise on a memory is promoted, None for never. stable_above: a
    memory is demoted if 1 - surprise is more, None for never. update: how often the tier is judged.
    """

    tier: str
    idle_limit: int
    capacity: int
    large_capacity: int
    least_importance: float
    half_life: float
    promoting_surprise: float | None
    stable_above: float | None
    update: str


# From the fastest to the slowest.
TIER_RULES = (
    TierRule(
        tier="fast",
        idle_limit=60,
        capacity=1000,
        large_capacity=1000,
        least_importance=0.8,
        half_life=1,
        promoting_surprise=None,
        stable_above=0.2,
        update="per_event",
    ),
    TierRule(
        tier="medium",
        idle_limit=3600,
        capacity=500,
        large_capacity=5000,
        least_importance=0.5,
        half_life=24,
        promoting_surprise=0.7,
        stable_above=0.3,
        update="per_round",
    ),
    TierRule(
        tier="slow",
        idle_limit=86_400,
        capacity=200,
        large_capacity=10_000,
        least_importance=0.3,
        half_life=168,
        promoting_surprise=0.6,
        stable_above=0.4,
        update="per_cycle",
    ),
    TierRule(
        tier="glacial",
        idle_limit=604_800,
        capacity=100,
        large_capacity=50_000,
        least_importance=0,
        half_life=720,
        promoting_surprise=0.5,
        stable_above=None,
        update="monthly",
    ),
)
_TIER_INDEX = {rule.tier: place for place, rule in enumerate(TIER_RULES)}


@dataclass(frozen=True, slots=True)
class TierFacts:
    """The facts of a memory for `judge`.

    importance and surprise in 0-1; times with a time zone. moved_at: its last move, None if it
    never moved. last_used_at: its last access, else its creation. since_...: counted since it came
    to its tier. updates: how often its surprise was updated.
    """

    tier: str
    importance: float
    tier_since: datetime
    moved_at: datetime | None
    last_used_at: datetime
    since_accesses: int
    since_successes: int
    since_feedback: int
    updates: int
    surprise: float
    red_line: bool


@dataclass(frozen=True, slots=True)
class DueTierMove:
    """A move by one tier, with its reason."""

    from_tier: str
    to_tier: str
    reason: Reason


def get_tier_rule(tier: str) -> TierRule:
    """The rule of a tier by its name. Raises ValueError for a tier that does not exist."""
    return TIER_RULES[_tier_index(tier)]


def faster_tier(tier: str) -> str | None:
    """The next faster tier; None above fast. Raises ValueError for an unknown tier."""
    place = _tier_index(tier)
    return TIER_RULES[place - 1].tier if place else None


def slower_tier(tier: str) -> str | None:
    """The next slower tier; None below glacial. Raises ValueError for an unknown tier."""
    place = _tier_index(tier) + 1
    return TIER_RULES[place].tier if place < len(TIER_RULES) else None


def tier_capacities(profile: str) -> dict[str, int]:
    """{tier: memories of one audience}, for `standard` or `large`. Raises ValueError for others."""
    if profile == "standard":
        return {rule.tier: rule.capacity for rule in TIER_RULES}
    if profile == "large":
        return {rule.tier: rule.large_capacity for rule in TIER_RULES}
    raise ValueError(f"There is no profile of capacities {profile!r}.")


def compute_pressure(counts: Mapping[str, int], capacities: Mapping[str, int]) -> float:
    """How full the fullest tier is, in 0-1, from {tier: memories} and {tier: most memories}.

    0 without counts. A tier with capacity 0 is full as soon as it has a memory. Raises ValueError
    for a counted tier without a capacity.
    """
    if missing := counts.keys() - capacities.keys():
        raise ValueError(f"No capacity for {', '.join(sorted(missing))}.")
    shares = (_fill_share(count, capacities[tier]) for tier, count in counts.items())
    return min(1.0, max(shares, default=0.0))


def compute_decayed_importance(importance: float, age_hours: float, half_life: float) -> float:
    """What is left of an importance (0-1) after `age_hours`; half of it after `half_life` hours.

    A negative age, from a clock that went back, counts as 0. half_life is above 0.
    """
    return float(importance * 0.5 ** (max(0.0, age_hours) / half_life))


def find_due_move(standing: TierFacts, now: datetime) -> DueTierMove | None:
    """The move that is due for a memory, or None. Promotion comes before demotion.

    A protected memory does not move. After a move a memory stays for COOL_DOWN; a move in the
    future, from a clock that went back, counts as one of now. `now` has a time zone. Raises
    ValueError for an unknown tier.
    """
    rule = get_tier_rule(standing.tier)
    if standing.red_line:
        return None
    if standing.moved_at is not None and now - standing.moved_at < COOL_DOWN:
        return None
    up, down = faster_tier(rule.tier), slower_tier(rule.tier)
    if up and (reason := _promotion_reason(standing, rule)):
        return DueTierMove(rule.tier, up, reason)
    if down and (reason := _demotion_reason(standing, rule, now)):
        return DueTierMove(rule.tier, down, reason)
    return None


def _promotion_reason(standing: TierFacts, rule: TierRule) -> Reason | None:
    if standing.since_accesses >= PROMOTING_ACCESSES:
        return "accesses"
    if standing.since_successes >= PROMOTING_SUCCESSES:
        return "successes"
    limit = rule.promoting_surprise
    if limit is not None and standing.since_feedback >= 1 and standing.surprise >= limit:
        return "surprise"
    return None


def _demotion_reason(standing: TierFacts, rule: TierRule, now: datetime) -> Reason | None:
    if now - standing.last_used_at > timedelta(seconds=rule.idle_limit):
        return "idle"
    hours = (now - standing.tier_since).total_seconds() / SECONDS_PER_HOUR
    left = compute_decayed_importance(standing.importance, hours, rule.half_life)
    if left < rule.least_importance:
        return "faded"
    # In this form because 1 - .7 is a little more than .3 in binary.
    calm = rule.stable_above is not None and standing.surprise < 1 - rule.stable_above
    return "stable" if calm and standing.updates >= STABLE_UPDATES else None


def _fill_share(count: int, capacity: int) -> float:
    if capacity > 0:
        return count / capacity
    return 1.0 if count > 0 else 0.0


def _tier_index(tier: str) -> int:
    if tier not in _TIER_INDEX:
        raise ValueError(f"There is no tier {tier!r}.")
    return _TIER_INDEX[tier]
