"""From relevance to the score that ranks: the profiles."""

import numpy as np
from numpy.typing import NDArray

TIER_WEIGHT = {"fast": 1.0, "medium": 0.75, "slow": 0.5, "glacial": 0.25}
# A tier's number is its place here, from 1; 0 is none.
TIERS = tuple(TIER_WEIGHT)
BALANCED = (0.85, 0.10, 0.05)

_WEIGHTS = np.array([0.0, *TIER_WEIGHT.values()])


def balanced(
    *, relevance: NDArray[np.float64], strength: NDArray[np.float64], tier: NDArray[np.intp]
) -> NDArray[np.float64]:
    """.85 relevance + .10 strength + .05 tier weight; all parts and the results in 0-1."""
    by_relevance, by_strength, by_tier = BALANCED
    return by_relevance * relevance + by_strength * strength + by_tier * _WEIGHTS[tier]
