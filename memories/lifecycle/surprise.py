"""What feedback teaches about a memory: surprise, success, and how settled it is.

surprise = .3 * max(0, usefulness - served) + .7 * surprise before; it begins at 0.
"""

from math import log

LEARNING = 0.3
# Stands in for a usefulness that nobody reported and for a relevance that was not served.
UNKNOWN = 0.5
SETTLED_AFTER = 100


def new_surprise(old: float, usefulness: float | None, served: float | None) -> float:
    """The surprise in 0-1 after one more report.

    old: the surprise before, 0 at first. usefulness: as reported. served: the relevance with
    which the memory was served. All in 0-1, None where it is not known.
    """
    useful = UNKNOWN if usefulness is None else usefulness
    expected = UNKNOWN if served is None else served
    return LEARNING * max(0.0, useful - expected) + (1 - LEARNING) * old


def success_rate(successes: int, failures: int) -> float:
    """How often a memory helps, above 0 and below 1; .5 before anything is known."""
    return (successes + 1) / (successes + failures + 2)


def consolidation_score(updates: int) -> float:
    """How settled a memory is after so many updates, in 0-1; 1 from the 99th.

    Raises ValueError for less than 0 updates.
    """
    if updates < 0:
        raise ValueError("There cannot be less than 0 updates.")
    return min(1.0, log(1 + updates) / log(SETTLED_AFTER))
