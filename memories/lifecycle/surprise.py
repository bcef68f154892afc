"""What feedback teaches about a memory: surprise, success, and consolidation.

After a feedback it is .3 times what that alone says, and .7 times what it was; it begins at 0.
"""

from math import log

LEARNING_RATE = 0.3
# The default for an unreported usefulness and for an unknown served relevance.
DEFAULT_USEFULNESS = 0.5
CONSOLIDATED_AFTER_UPDATES = 100

# What was learned after one more feedback, for an upsert: `excluded` has alpha, the learning rate,
# times what the feedback alone says, and u what was learned before.
NEXT_SURPRISE_SQL = "excluded.surprise + (1 - %(alpha)s) * u.surprise"


def compute_surprise(usefulness: float, served: float) -> float:
    """What one feedback alone says, between 0 and 1."""
    return max(0.0, usefulness - served)


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
