"""A part of what is generated, for the quick suite: each run by another seed looks at another."""

import pytest

EVERY = slice(None)


def seed_of(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("randomly_seed", default=1))


def drawn(request: pytest.FixtureRequest, one_of: int) -> slice:
    """Every n-th of a list; the seed of the run says with which it begins."""
    return slice(seed_of(request) % one_of, None, one_of)
