"""The test of a trend, against tables and examples that others published."""

import random
from math import factorial

import pytest

from personas.learning.mann_kendall import MAX_VALUES, mann_kendall

# Gilbert (1987), table A18: the chance of an S as great, on one side, by n.
TABLE = {
    4: {2: 0.375, 4: 0.167, 6: 0.042},
    5: {2: 0.408, 4: 0.242, 6: 0.117, 8: 0.042, 10: 0.0083},
    8: {
        2: 0.452, 4: 0.360, 6: 0.274, 8: 0.199, 10: 0.138, 12: 0.089, 14: 0.054, 16: 0.031,
        18: 0.016, 20: 0.0071, 22: 0.0028, 24: 0.00087, 26: 0.00019, 28: 0.000025,
    },
}  # fmt: skip


def of_score(n: int, s: int) -> list[int]:
    """An order of n values with this S."""
    values: list[int] = []
    falls = (n * (n - 1) // 2 - s) // 2
    for value in reversed(range(n)):
        # Each greater value that stands before it is a fall.
        behind = min(falls, len(values))
        values.insert(behind, value)
        falls -= behind
    return values


@pytest.mark.parametrize(("n", "s"), [(n, s) for n, row in TABLE.items() for s in row])
def test_the_chance_is_that_of_the_published_table(n: int, s: int) -> None:
    found = mann_kendall(of_score(n, s))
    pairs = n * (n - 1) // 2
    assert found.p / 2 == pytest.approx(TABLE[n][s], rel=0.05)
    assert found.tau == pytest.approx(s / pairs)
    down = mann_kendall([-value for value in of_score(n, s)])
    assert (down.p, down.tau) == pytest.approx((found.p, -found.tau))


def test_the_threshold_lies_between_two_rows_of_the_table() -> None:
    # S = 14 has p = .109, S = 16 has p = .061, S = 18 has p = .031.
    assert [mann_kendall(of_score(8, s)).trend for s in (14, 16, 18)] == ["flat", "flat", "rising"]
    assert mann_kendall(list(range(8))).p == pytest.approx(2 / factorial(8))
    assert mann_kendall([8, 7, 6, 5, 4, 3, 2, 1]).trend == "falling"


@pytest.mark.parametrize(
    ("values", "p", "tau", "trend"),
    [
        # S = 24, variance (8 x 7 x 21 - 4 x 2 x 1 x 9) / 18 = 61.333, z = 23 / 7.8316 = 2.9368.
        ([1, 1, 2, 2, 3, 3, 4, 4], 0.003316, 24 / (28 * 24) ** 0.5, "rising"),
        # S = 13, variance (1176 - 6 x 5 x 17) / 18 = 37, z = 12 / 6.0828 = 1.9728.
        ([0, 0, 0, 0, 0, 0, 1, 2], 0.048520, 13 / (28 * 13) ** 0.5, "rising"),
        ([2, 1, 0, 0, 0, 0, 0, 0], 0.048520, -13 / (28 * 13) ** 0.5, "falling"),
        # S = 7, variance (1176 - 7 x 6 x 19) / 18 = 21, z = 6 / 4.5826 = 1.3093.
        ([0, 0, 0, 0, 0, 0, 0, 5], 0.190430, 0.5, "flat"),
    ],
)
def test_ties_by_hand(values: list[int], p: float, tau: float, trend: str) -> None:
    found = mann_kendall(values)
    assert (found.p, found.tau) == pytest.approx((p, tau), rel=1e-3)
    assert found.trend == trend


@pytest.mark.parametrize("values", [[], [3], [4] * 8, [0] * 8, [1, 2], [1, 2, 3], [1, 2, 3, 4]])
def test_what_cannot_tell_is_flat(values: list[int]) -> None:
    assert mann_kendall(values).trend == "flat"


def test_noise_is_seldom_a_trend() -> None:
    chance = random.Random(17)  # noqa: S311
    found = [mann_kendall([chance.randint(0, 6) for _ in range(8)]).trend for _ in range(2_000)]
    assert sum(one != "flat" for one in found) <= 0.05 * len(found)


def test_a_series_has_an_end() -> None:
    with pytest.raises(ValueError, match="at most"):
        mann_kendall([1] * (MAX_VALUES + 1))
