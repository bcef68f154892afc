"""Whether a short series rises or falls: the test of Mann (1945) and Kendall (1975). Pure.

S is the number of pairs in which the later value is greater, minus those in which it is smaller.
Its probability without a trend is counted exactly if no two values are equal; with ties it comes
from the normal distribution with the variance

    [n (n - 1) (2 n + 5) - sum over ties t (t - 1) (2 t + 5)] / 18

and a correction of 1 for continuity (Gilbert, Statistical Methods, 1987, 16.4). tau is S as a share
of its greatest value, by Kendall's tau-b.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import erfc, sqrt

RISING, FALLING, FLAT = TRENDS = ("rising", "falling", "flat")
SIGNIFICANCE_LEVEL = 0.05
# No caller has longer series, and the exact count would take longer.
MAX_VALUES = 100
_MAX_EXACT = 20


@dataclass(frozen=True, slots=True)
class Trend:
    """tau: -1 to 1, 0 for a flat series. p: two-sided, 0-1. trend: one of TRENDS."""

    tau: float
    p: float
    trend: str


def mann_kendall(values: Sequence[float]) -> Trend:
    """Rising or falling if p is below SIGNIFICANT, else flat.

    values: in the order of time. Raises ValueError for more than LONGEST.
    """
    n = len(values)
    if n > MAX_VALUES:
        raise ValueError(f"A series has at most {MAX_VALUES} values.")
    s = _s_statistic(values)
    ties = [count for count in Counter(values).values() if count > 1]
    tied = sum(count * (count - 1) // 2 for count in ties)
    pairs = n * (n - 1) // 2
    if pairs == tied:
        return Trend(0.0, 1.0, FLAT)
    tau = s / sqrt(pairs * (pairs - tied))
    p = _normal_p(s, n, ties) if ties or n > _MAX_EXACT else _exact_p(abs(s), n)
    if p >= SIGNIFICANCE_LEVEL or s == 0:
        return Trend(tau, p, FLAT)
    return Trend(tau, p, RISING if s > 0 else FALLING)


def _s_statistic(values: Sequence[float]) -> int:
    return sum(
        (later > earlier) - (later < earlier)
        for place, earlier in enumerate(values)
        for later in values[place + 1 :]
    )


def _normal_p(s: int, n: int, ties: Sequence[int]) -> float:
    variance = n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)
    z = max(0, abs(s) - 1) / sqrt(variance / 18)
    return erfc(z / sqrt(2))


def _exact_p(s: int, n: int) -> float:
    """The share of all orders of n values whose S is at least as far from zero as `s`."""
    orders = _inversion_counts(n)
    pairs = n * (n - 1) // 2
    # An order with k inversions has S = pairs - 2 k.
    as_far = sum(count for k, count in enumerate(orders) if abs(pairs - 2 * k) >= s)
    return as_far / sum(orders)


@cache
def _inversion_counts(n: int) -> tuple[int, ...]:
    """How many orders of n values have 0, 1, 2, ... inversions."""
    counts = [1]
    for size in range(2, n + 1):
        longer = [0] * (len(counts) + size - 1)
        for k, count in enumerate(counts):
            for more in range(size):
                longer[k + more] += count
        counts = longer
    return tuple(counts)
