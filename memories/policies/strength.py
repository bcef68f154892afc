"""How strong a memory is now: importance, fading with time, refreshed by use.

decay = exp(-rate * (1 - .5 * importance) * days since last access)
strength = importance * decay * (1 + ln(1 + n) / 10), n = accesses; capped to 1.
"""

from datetime import datetime
from math import exp, log

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


def decay(*, rate: float, importance: float, days: float) -> float:
    """The share that is left after `days` without access; 1 for the future."""
    return exp(-rate * (1 - 0.5 * importance) * max(0.0, days))


def strength(
    *, importance: float, category: str, accesses: int, last_access: datetime, now: datetime
) -> float:
    """Strength in 0-1; days are counted from the last access."""
    days = (now - last_access).total_seconds() / SECONDS_PER_DAY
    rate = RATES.get(category, DEFAULT_RATE)
    left = decay(rate=rate, importance=importance, days=days)
    return min(1.0, importance * left * (1 + log(1 + accesses) / 10))
