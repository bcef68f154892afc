"""A part of what is generated, for the quick suite: each run by another seed looks at another."""

from collections.abc import Sequence

import pytest

EVERY = slice(None)


def seed_of(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("randomly_seed", default=1))


def drawn(request: pytest.FixtureRequest, one_of: int) -> slice:
    """Every n-th of a list; the seed of the run says with which it begins."""
    return slice(seed_of(request) % one_of, None, one_of)


def few(values: Sequence[object], quick: int) -> list[object]:
    """Parameters of a dear test: so many for the quick suite, the rest for the slow one."""
    slow = [pytest.param(value, marks=pytest.mark.slow) for value in values[quick:]]
    return [*values[:quick], *slow]
