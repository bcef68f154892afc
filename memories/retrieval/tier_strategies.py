"""The tier strategies: which tiers a recall searches, and how. Pure.

fast_first       the fast tier; the next slower one only while fewer than `limit` were found
weighted         every tier; the score times the tier's weight
comprehensive    every tier; one list by score
insights         the glacial tier alone
cross_session    the slow and the glacial tier
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.retrieval.scoring_profiles import TIERS

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
