"""The use of one memory: its last moves between tiers, and how its strength fades."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.lifecycle.decay import (
    DEFAULT_RATE,
    RATES,
    compute_half_life_days,
    compute_strength,
    days_until_share_left,
)
from memories.lifecycle.surprise import compute_success_rate
from memories.store.models.memory import Memory

MAX_MOVES = 5
CURVE_POINTS = 13


@dataclass(frozen=True, slots=True)
class TierMove:
    """One move between tiers."""

    from_tier: str
    to_tier: str
    reason: str
    moved_at: datetime


@dataclass(frozen=True, slots=True)
class TierHistory:
    """The tier of a memory and the reasons. moves: the newest first, at most MOVES.

    half_life: days without use until half of its strength is left; tenth_at: when a tenth will be
    left, if nobody uses it. curve: its strength (0-1) on POINTS days from its last use to tenth_at,
    if nobody uses it. reports: number of feedback reports; without any, success is .5 and surprise
    0, and neither has a meaning.
    """

    tier: str
    since: datetime
    moves: list[TierMove]
    half_life: float
    tenth_at: datetime
    curve: list[tuple[datetime, float]]
    reports: int
    success: float
    surprise: float


def build_tier_history(memory: Memory, moves: list[TierMove]) -> TierHistory:
    """The tier history of a memory that came `with_names`. moves: its last ones, the newest
    first."""
    use, rate = memory.used, RATES.get(memory.category, DEFAULT_RATE)
    days = days_until_share_left(rate, memory.importance)
    last = use.last_accessed_at or memory.created_at
    places = [
        last + timedelta(days=days * step / (CURVE_POINTS - 1)) for step in range(CURVE_POINTS)
    ]
    return TierHistory(
        use.tier,
        use.tier_since or memory.created_at,
        moves,
        compute_half_life_days(rate, memory.importance),
        places[-1],
        [(at, compute_strength_at(memory, at)) for at in places],
        use.updates,
        compute_success_rate(use.successes, use.failures),
        use.surprise,
    )


def compute_strength_at(memory: Memory, at: datetime) -> float:
    """The strength (0-1) that a memory `with_names` would have at a time, if nobody used it until
    then."""
    return compute_strength(
        importance=memory.importance,
        category=memory.category,
        accesses=memory.access_count,
        last_access=memory.last_accessed_at or memory.created_at,
        now=at,
    )
