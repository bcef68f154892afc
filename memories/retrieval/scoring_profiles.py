"""Profiles, from relevance to the final score; and tier strategies, which tiers are searched. Pure.

Profiles:

balanced     .85 relevance + .10 strength + .05 tier weight, and up to .02 more or less by feedback
strength     .5 strength + .3 confidence + .2 importance: relevance finds, this ranks what was found
continuum    relevance x tier weight
hive         .5 semantic + .3 tags + .1 exp(-age / 168 h) + .1 ln(1 + accesses) / 10

A memory that holds no more or not yet has .8 of its score, and a superseded one less than its
successor.

Tier strategies:

fast_first       the fast tier; the next slower one only while fewer than `limit` were found
weighted         every tier; the score times the tier's weight
comprehensive    every tier; one list by score
insights         the glacial tier alone
cross_session    the slow and the glacial tier
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TIER_WEIGHT = {"fast": 1.0, "medium": 0.75, "slow": 0.5, "glacial": 0.25}
# A tier's number is its place here, counted from 1; 0 means none.
TIERS = tuple(TIER_WEIGHT)
PROFILES = ("balanced", "strength", "continuum", "hive")
BALANCED_WEIGHTS = (0.85, 0.10, 0.05)
FEEDBACK_WEIGHT = 0.02
STRENGTH_WEIGHTS = (0.5, 0.3, 0.2)
# The weights of semantic, tags, age and accesses; the value of an unknown part; the hours of the
# age; the divisor of accesses.
HIVE_WEIGHTS = (0.5, 0.3, 0.1, 0.1)
UNKNOWN_SCORE = 0.5
AGE_SCALE_HOURS = 168.0
ACCESS_DIVISOR = 10.0
SUPERSEDED_FACTOR = 0.8

_TIER_WEIGHTS = np.array([0.0, *TIER_WEIGHT.values()])

_Floats = NDArray[np.float64]


def tier_weights(tier: NDArray[np.intp]) -> _Floats:
    """The weight of each tier, given by its number."""
    weights: _Floats = _TIER_WEIGHTS[tier]
    return weights


def score_balanced(
    *,
    relevance: _Floats,
    strength: _Floats,
    tier: NDArray[np.intp],
    helped: _Floats | float = 0.0,
) -> _Floats:
    """.85 relevance + .10 strength + .05 tier weight + .02 helped, all and the result in 0-1.

    helped is between -1 and 1: (successes - failures) / (successes + failures + 2), which is 2 x
    success rate - 1; 0 without any outcome.
    """
    by_relevance, by_strength, by_tier = BALANCED_WEIGHTS
    score = by_relevance * relevance + by_strength * strength + by_tier * _TIER_WEIGHTS[tier]
    return np.clip(score + FEEDBACK_WEIGHT * helped, 0.0, 1.0)


def score_by_strength(*, strength: _Floats, confidence: _Floats, importance: _Floats) -> _Floats:
    """.5 strength + .3 confidence + .2 importance; all parts and the results in 0-1."""
    of_strength, of_confidence, of_importance = STRENGTH_WEIGHTS
    return of_strength * strength + of_confidence * confidence + of_importance * importance


def score_continuum(*, relevance: _Floats, tier: NDArray[np.intp]) -> _Floats:
    """Relevance x tier weight, so that of equally relevant memories those of faster tiers come
    first."""
    return relevance * tier_weights(tier)


def score_hive(*, semantic: _Floats, tags: _Floats, hours: _Floats, accesses: _Floats) -> _Floats:
    """.5 semantic + .3 tags + .1 exp(-hours / 168) + .1 ln(1 + accesses) / 10; the result in 0-1.

    The published score of 0-10 is ten times this. semantic: cosine with the text's own vector;
    tags: Jaccard of the question's and the memory's tags. NaN is unknown and counts as .5. hours:
    the age, not below 0.
    """
    of_semantic, of_tags, of_age, of_use = HIVE_WEIGHTS
    score = of_semantic * np.where(np.isnan(semantic), UNKNOWN_SCORE, semantic)
    score = score + of_tags * np.where(np.isnan(tags), UNKNOWN_SCORE, tags)
    score = score + of_age * np.exp(-hours / AGE_SCALE_HOURS)
    return np.clip(score + of_use * np.log1p(accesses) / ACCESS_DIVISOR, 0.0, 1.0)


# The default limits of a recall, with and without a tier strategy.
DEFAULT_LIMIT, DEFAULT_TIER_LIMIT = 10, 5
# A tier that no memory has, because an empty filter would match everything.
NO_TIER = "none"


@dataclass(frozen=True, slots=True)
class TierStrategy:
    """tiers: the searched tiers, the fastest first; min_similarity: the default."""

    tiers: tuple[str, ...] = TIERS
    min_similarity: float = 0.3


TIER_STRATEGIES = {
    "fast_first": TierStrategy(),
    "weighted": TierStrategy(),
    "comprehensive": TierStrategy(),
    "insights": TierStrategy(("glacial",)),
    "cross_session": TierStrategy(("slow", "glacial"), 0.2),
}


def default_limit(tier_strategy: str | None) -> int:
    """The default limit of a recall."""
    return DEFAULT_LIMIT if tier_strategy is None else DEFAULT_TIER_LIMIT


def effective_tiers(tier_strategy: str | None, tiers: Sequence[str]) -> tuple[str, ...]:
    """The tiers to filter by: those of the strategy that the asker's filter allows; empty means
    every tier.

    Raises ValueError for an unknown strategy.
    """
    if tier_strategy is None:
        return tuple(tiers)
    if tier_strategy not in TIER_STRATEGIES:
        raise ValueError(f"There is no tier strategy {tier_strategy!r}.")
    own = TIER_STRATEGIES[tier_strategy].tiers
    if not tiers:
        return () if own == TIERS else own
    return tuple(tier for tier in own if tier in tiers) or (NO_TIER,)
