"""The constants of the tier strategies, as docs and the API name them."""

from memories.retrieval.scoring_profiles import TIER_STRATEGIES


def test_which_tiers_are_searched_and_from_what_likeness() -> None:
    told = {name: (one.tiers, one.min_similarity) for name, one in TIER_STRATEGIES.items()}
    every = ("fast", "medium", "slow", "glacial")
    assert told == {
        "fast_first": (every, 0.3),
        "weighted": (every, 0.3),
        "comprehensive": (every, 0.3),
        "insights": (("glacial",), 0.3),
        "cross_session": (("slow", "glacial"), 0.2),
    }
