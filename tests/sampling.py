"""A part of what is generated, for the quick suite: each run by another seed looks at another."""

from collections.abc import Sequence

import pytest

ALL = slice(None)


def run_seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("randomly_seed", default=1))


def sample_slice(request: pytest.FixtureRequest, one_of: int) -> slice:
    """Every n-th of a list; the seed of the run says with which it begins."""
    return slice(run_seed(request) % one_of, None, one_of)


def mark_rest_slow(values: Sequence[object], quick: int) -> list[object]:
    """Parameters of a dear test: so many for the quick suite, the rest for the slow one."""
    slow = [pytest.param(value, marks=pytest.mark.slow) for value in values[quick:]]
    return [*values[:quick], *slow]
