"""How strong a memory is now: importance, fading with time, refreshed by use.

decay = exp(-rate * (1 - .5 * importance) * days since last access)
strength = importance * decay * (1 + ln(1 + n) / 10), n = accesses; capped to 1.
rank = .5 * strength + .3 * confidence + .2 * importance

What people of one profession share fades by itself: see `confirmed_share`.
"""

from datetime import datetime
from math import log
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

RATES = {
    "preference": 0.01,
    "fact": 0.02,
    "relationship": 0.02,
    "decision": 0.03,
    "event": 0.05,
    "sentiment": 0.1,
    "reminder": 0.2,
}
DEFAULT_RATE = 0.02
SECONDS_PER_DAY = 86400.0
# The share of the rate that importance 1 takes away.
IMPORTANCE_SLOWDOWN = 0.5
STRONG_FROM, WEAK_BELOW = 0.7, 0.3
# A category's number is its place here, counted from 1; 0 means none.
CATEGORIES = tuple(RATES)
# SQL for a memory `m`: when a robot or person last said or restored it. A copy or a summary is as
# old as its source.
CONFIRMED_AT_SQL = """greatest(m.restored_at, coalesce((
    SELECT max(said.last_at) FROM memories_contribution said
    WHERE said.organisation_id = m.organisation_id AND said.memory_id = m.id), m.created_at))"""

# The same strength in SQL, not capped, of a memory `m` with its use `u` and the rate `r` of its
# category; a test compares the two. It takes STRENGTH_PARAMETERS and %(now)s.
STRENGTH_SQL = """m.importance * (1 + ln(1 + coalesce(u.access_count, 0)::float8) / 10)
        * exp(greatest(-700, -coalesce(r.rate, %(rate)s) * (1 - %(slowed)s * m.importance)
            * greatest(0, extract(epoch FROM %(now)s - coalesce(u.last_accessed_at, m.created_at))
                ::float8 / %(day)s)))"""
STRENGTH_PARAMETERS = {
    "categories": list(RATES),
    "rates": list(RATES.values()),
    "rate": DEFAULT_RATE,
    "slowed": IMPORTANCE_SLOWDOWN,
    "day": SECONDS_PER_DAY,
}

_Numbers = float | NDArray[np.float64]
_RATES = np.array([DEFAULT_RATE, *RATES.values()])


def compute_decay(*, rate: _Numbers, importance: _Numbers, days: _Numbers) -> Any:
    """The share that is left after `days` without access; 1 for the future. Of numbers a number, of
    arrays an array."""
    return np.exp(-_effective_rate(rate, importance) * np.maximum(0.0, days))


def compute_half_life_days(rate: float, importance: float) -> float:
    """Days until half is left. rate: per day, above 0, else ZeroDivisionError; importance: 0-1."""
    return log(2) / float(_effective_rate(rate, importance))


def days_until_share_left(rate: float, importance: float, share: float = 0.1) -> float:
    """Days without access until `share` is left, which is above 0 and at most 1.

    rate per day, above 0; importance in 0-1. Raises ValueError for a share of 0 or less and
    ZeroDivisionError for a rate of 0.
    """
    return -log(share) / float(_effective_rate(rate, importance))


def compute_strength(
    *, importance: float, category: str, accesses: int, last_access: datetime, now: datetime
) -> float:
    """Strength in 0-1; days are counted from the last access."""
    days = (now - last_access).total_seconds() / SECONDS_PER_DAY
    number = CATEGORIES.index(category) + 1 if category in RATES else 0
    [strength] = compute_strengths(
        importance=np.array([importance]),
        category=np.array([number]),
        accesses=np.array([float(accesses)]),
        days=np.array([days]),
    )
    return float(strength)


class MemoryWithUse(Protocol):
    """What the strength of a memory follows from; a memory that came `with_names` has it."""

    @property
    def importance(self) -> float: ...
    @property
    def category(self) -> str: ...
    @property
    def access_count(self) -> int: ...
    @property
    def last_accessed_at(self) -> datetime | None: ...
    @property
    def created_at(self) -> datetime: ...


def compute_strength_at(memory: MemoryWithUse, at: datetime) -> float:
    """The strength (0-1) that a memory would have at a time, if nobody used it until then."""
    return compute_strength(
        importance=memory.importance,
        category=memory.category,
        accesses=memory.access_count,
        last_access=memory.last_accessed_at or memory.created_at,
        now=at,
    )


def compute_strengths(
    *,
    importance: NDArray[np.float64],
    category: NDArray[np.intp],
    accesses: NDArray[np.float64],
    days: NDArray[np.float64],
) -> NDArray[np.float64]:
    """`strength` of many memories at once; category by number, days since the last access."""
    left: NDArray[np.float64] = compute_decay(
        rate=_RATES[category], importance=importance, days=days
    )
    return np.minimum(1.0, importance * left * (1 + np.log1p(accesses) / 10))


def confirmed_share(days: NDArray[np.float64], fresh_days: float) -> NDArray[np.float64]:
    """The share of a score that is left after `days` without confirmation, above 0 and at most 1.

    1 within `fresh_days`, then halved with each `fresh_days` more: at 90, day 180 leaves .5 and day
    270 leaves .25. fresh_days is above 0.
    """
    left: NDArray[np.float64] = 0.5 ** np.maximum(0.0, days / fresh_days - 1)
    return left


def _effective_rate(rate: _Numbers, importance: _Numbers) -> Any:
    """The rate per day, reduced by importance."""
    return rate * (1 - IMPORTANCE_SLOWDOWN * importance)
