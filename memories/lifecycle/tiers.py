"""The tiers, from fast to glacial, and the values by which a memory moves by one of them.

decayed importance = importance * .5 ** (hours in its tier / half-life of the tier)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

PROMOTING_ACCESSES = 5
PROMOTING_SUCCESSES = 3
STABLE_UPDATES = 10
COOL_DOWN = timedelta(hours=24)
SECONDS_PER_HOUR = 3600.0


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


def _fill_share(count: int, capacity: int) -> float:
    if capacity > 0:
        return count / capacity
    return 1.0 if count > 0 else 0.0


def _tier_index(tier: str) -> int:
    if tier not in _TIER_INDEX:
        raise ValueError(f"There is no tier {tier!r}.")
    return _TIER_INDEX[tier]
