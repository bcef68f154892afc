"""Profiles: from relevance to the final score. Pure.

balanced     .85 relevance + .10 strength + .05 tier weight, and up to .02 more or less by feedback
strength     .5 strength + .3 confidence + .2 importance: relevance finds, this ranks what was found
continuum    relevance x tier weight
hive         .5 semantic + .3 tags + .1 exp(-age / 168 h) + .1 ln(1 + accesses) / 10

A superseded memory has .8 of its score, and less than its successor.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

TIER_WEIGHT = {"fast": 1.0, "medium": 0.75, "slow": 0.5, "glacial": 0.25}
# A tier's number is its place here, counted from 1; 0 means none.
TIERS = tuple(TIER_WEIGHT)
PROFILES = ("balanced", "strength", "continuum", "hive")
BALANCED = (0.85, 0.10, 0.05)
BY_HELP = 0.02
BY_STRENGTH = (0.5, 0.3, 0.2)
# The weights of semantic, tags, age and accesses; the value of an unknown part; the hours of the
# age; the divisor of accesses.
BY_HIVE = (0.5, 0.3, 0.1, 0.1)
UNKNOWN = 0.5
WEEK_HOURS = 168.0
PER_ACCESS = 10.0
SUPERSEDED = 0.8

_WEIGHTS = np.array([0.0, *TIER_WEIGHT.values()])

_Numbers = NDArray[np.float64]


def tier_weights(tier: NDArray[np.intp]) -> _Numbers:
    """The weight of each tier, given by its number."""
    weights: _Numbers = _WEIGHTS[tier]
    return weights


def balanced(
    *,
    relevance: _Numbers,
    strength: _Numbers,
    tier: NDArray[np.intp],
    helped: _Numbers | float = 0.0,
) -> _Numbers:
    """.85 relevance + .10 strength + .05 tier weight + .02 helped, all and the result in 0-1.

    helped is between -1 and 1: (successes - failures) / (successes + failures + 2), which is 2 x
    success rate - 1; 0 without any outcome.
    """
    by_relevance, by_strength, by_tier = BALANCED
    score = by_relevance * relevance + by_strength * strength + by_tier * _WEIGHTS[tier]
    return np.clip(score + BY_HELP * helped, 0.0, 1.0)


def by_strength(*, strength: _Numbers, confidence: _Numbers, importance: _Numbers) -> _Numbers:
    """.5 strength + .3 confidence + .2 importance; all parts and the results in 0-1."""
    of_strength, of_confidence, of_importance = BY_STRENGTH
    return of_strength * strength + of_confidence * confidence + of_importance * importance


def continuum(*, relevance: _Numbers, tier: NDArray[np.intp]) -> _Numbers:
    """Relevance x tier weight, so that of equally relevant memories those of faster tiers come
    first."""
    return relevance * tier_weights(tier)


def hive(*, semantic: _Numbers, tags: _Numbers, hours: _Numbers, accesses: _Numbers) -> _Numbers:
    """.5 semantic + .3 tags + .1 exp(-hours / 168) + .1 ln(1 + accesses) / 10; the result in 0-1.

    The published score of 0-10 is ten times this. semantic: cosine with the text's own vector;
    tags: Jaccard of the question's and the memory's tags. NaN is unknown and counts as .5. hours:
    the age, not below 0.
    """
    of_semantic, of_tags, of_age, of_use = BY_HIVE
    score = of_semantic * np.where(np.isnan(semantic), UNKNOWN, semantic)
    score = score + of_tags * np.where(np.isnan(tags), UNKNOWN, tags)
    score = score + of_age * np.exp(-hours / WEEK_HOURS)
    return np.clip(score + of_use * np.log1p(accesses) / PER_ACCESS, 0.0, 1.0)


def jaccard(one: Collection[str], other: Collection[str]) -> float:
    """The Jaccard index of two sets of tags, in 0-1; NaN if both are empty."""
    either = set(one) | set(other)
    return len(set(one) & set(other)) / len(either) if either else float("nan")
