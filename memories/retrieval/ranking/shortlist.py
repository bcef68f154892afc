"""A shortlist of candidates that can still be among the best, before more is read about them. Pure.

The narrow row gives relevance and most cues. The unknown facts can raise a score only by a bounded
amount, so a candidate farther below the k-th best cannot be among the k.
"""

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.profiles import BALANCED, BY_HELP
from memories.retrieval.ranking.cues import HIGHEST, LOWEST, SELF, known_cues, relevance
from memories.retrieval.types import Floats, Found, Question

# A margin, so that rounding excludes no equal score.
SLACK = 1e-9


def shortlist(question: Question, found: Found, fused: Floats, most: int) -> NDArray[np.intp]:
    """The places of candidates that may be among the best `most`."""
    if len(found) <= most:
        return np.arange(len(found))
    sure, unknown = _sure(question, found, fused)
    kth = np.partition(sure, len(sure) - most)[len(sure) - most]
    return np.flatnonzero(sure + unknown + SLACK >= kth)


def _sure(question: Question, found: Found, fused: Floats) -> tuple[Floats, float]:
    """(the known part of each score, the most that may be added)."""
    by_relevance, by_strength, by_tier = BALANCED
    # Feedback may raise one score and lower the other.
    unknown = by_strength + by_tier + 2 * BY_HELP
    if question.strategy != "hybrid":
        return by_relevance * fused, unknown
    if question.asks_about_self:
        unknown += by_relevance * SELF / (1.0 + HIGHEST - LOWEST)
    return by_relevance * relevance(fused, known_cues(question, found)), unknown
