"""What feedback teaches about a memory: surprise, success, and consolidation.

surprise = .3 * max(0, usefulness - served) + .7 * surprise before; it begins at 0.
"""

from math import log

LEARNING_RATE = 0.3
# The default for an unreported usefulness and for an unknown served relevance.
DEFAULT_USEFULNESS = 0.5
CONSOLIDATED_AFTER_UPDATES = 100


def compute_success_rate(successes: int, failures: int) -> float:
    """How often a memory helps, between 0 and 1; .5 without any report."""
    return (successes + 1) / (successes + failures + 2)


def score_consolidation(updates: int) -> float:
    """How consolidated a memory is after so many updates, in 0-1; 1 from the 99th.

    Raises ValueError for a negative number.
    """
    if updates < 0:
        raise ValueError("There cannot be less than 0 updates.")
    return min(1.0, log(1 + updates) / log(CONSOLIDATED_AFTER_UPDATES))
