"""From relevance to the score that ranks: the profiles."""

TIER_WEIGHT = {"fast": 1.0, "medium": 0.75, "slow": 0.5, "glacial": 0.25}
BALANCED = (0.85, 0.10, 0.05)


def balanced(*, relevance: float, strength: float, tier: str) -> float:
    """.85 relevance + .10 strength + .05 tier weight; all parts and the result in 0-1."""
    by_relevance, by_strength, by_tier = BALANCED
    return by_relevance * relevance + by_strength * strength + by_tier * TIER_WEIGHT[tier]
