"""The score of a stream entry in a recall. Pure.

    score = .3 exp(-hours / 24) + .3 importance + .4 relevance

hours: since it happened; importance and relevance in 0-1. So the score is in 0-1.
"""

from math import exp

OBSERVATION, REFLECTION, INSIGHT = KINDS = ("observation", "reflection", "insight")
# The importance of an entry without a given one, by its kind.
IMPORTANCE_BY_TYPE = {OBSERVATION: 0.5, REFLECTION: 0.7, INSIGHT: 0.9}
RECENCY_WEIGHT, IMPORTANCE_WEIGHT, RELEVANCE_WEIGHT = 0.3, 0.3, 0.4
DECAY_HOURS = 24.0


def exponential_recency(hours: float) -> float:
    """1 now and for the future, 1/e after a day."""
    return exp(-max(hours, 0.0) / DECAY_HOURS)


def score_stream_entry(*, hours: float, importance: float, relevance: float) -> float:
    """In 0-1."""
    return (
        RECENCY_WEIGHT * exponential_recency(hours)
        + IMPORTANCE_WEIGHT * importance
        + RELEVANCE_WEIGHT * relevance
    )
