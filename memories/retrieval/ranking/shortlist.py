"""A shortlist of candidates that can still be among the best, before more is read about them. Pure.

The narrow row gives relevance and most cues. The unknown facts can raise a score only by a bounded
amount, so a candidate farther below the k-th best cannot be among the k.
"""

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.ranking.cues import (
    MAX_CUES,
    MIN_CUES,
    SELF_BONUS,
    compute_cues_without_asker,
    compute_relevance,
)
from memories.retrieval.scoring_profiles import BALANCED_WEIGHTS, FEEDBACK_WEIGHT
from memories.retrieval.search_types import Candidates, Floats, SearchRequest

# A margin, so that rounding excludes no equal score.
ROUNDING_MARGIN = 1e-9


def select_shortlist(
    question: SearchRequest, found: Candidates, fused: Floats, most: int
) -> NDArray[np.intp]:
    """The places of candidates that may be among the best `most`."""
    if len(found) <= most:
        return np.arange(len(found))
    sure, unknown = _score_bounds(question, found, fused)
    kth = np.partition(sure, len(sure) - most)[len(sure) - most]
    return np.flatnonzero(sure + unknown + ROUNDING_MARGIN >= kth)


def _score_bounds(
    question: SearchRequest, found: Candidates, fused: Floats
) -> tuple[Floats, float]:
    """(the known part of each score, the most that may be added)."""
    by_relevance, by_strength, by_tier = BALANCED_WEIGHTS
    # Feedback may raise one score and lower the other.
    unknown = by_strength + by_tier + 2 * FEEDBACK_WEIGHT
    if question.strategy != "hybrid":
        return by_relevance * fused, unknown
    if question.asks_about_self:
        unknown += by_relevance * SELF_BONUS / (1.0 + MAX_CUES - MIN_CUES)
    return by_relevance * compute_relevance(
        fused, compute_cues_without_asker(question, found)
    ), unknown
