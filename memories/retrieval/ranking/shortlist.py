"""Which candidates can still come among the best, before anything more is read of them. Pure.

Of a candidate the narrow row tells relevance and most cues. What is not known yet can lift its
score by so much at most: whoever lies farther than that below the k-th best cannot be among the k.
"""

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.profiles import BALANCED, BY_HELP
from memories.retrieval.ranking.cues import HIGHEST, LOWEST, SELF, known_cues, relevance
from memories.retrieval.types import Floats, Found, Question

# Rounding must not leave out what is equally good.
SLACK = 1e-9


def shortlist(question: Question, found: Found, fused: Floats, most: int) -> NDArray[np.intp]:
    """The places of those that may be among the best `most`, whatever else is known of them."""
    if len(found) <= most:
        return np.arange(len(found))
    sure, unknown = _sure(question, found, fused)
    kth = np.partition(sure, len(sure) - most)[len(sure) - most]
    return np.flatnonzero(sure + unknown + SLACK >= kth)


def _sure(question: Question, found: Found, fused: Floats) -> tuple[Floats, float]:
    """(what of the score is known, how much there may be more)."""
    by_relevance, by_strength, by_tier = BALANCED
    # Outcomes may lift the one and lower the other.
    unknown = by_strength + by_tier + 2 * BY_HELP
    if question.strategy != "hybrid":
        return by_relevance * fused, unknown
    if question.asks_about_self:
        unknown += by_relevance * SELF / (1.0 + HIGHEST - LOWEST)
    return by_relevance * relevance(fused, known_cues(question, found)), unknown
