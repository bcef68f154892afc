"""What is left out of the shortlist could not have come among the best."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.retrieval.ranking.cues import fuse, score_candidates, select_shortlist
from memories.retrieval.ranking.rank_pass import top_indexes
from tests.memories.retrieval.pure.feature_tables import make_feature_table, question

NUMBER = 40
share = st.floats(0, 1)


def column(values: Any) -> Any:
    return st.lists(values, min_size=NUMBER, max_size=NUMBER)


@given(
    product=column(st.one_of(st.just(float("nan")), st.floats(-0.25, 1.5))),
    words=column(st.one_of(st.just(float("nan")), st.floats(0, 30))),
    importance=column(share),
    accesses=column(st.integers(0, 10_000)),
    tier=column(st.integers(0, 4)),
    helped=column(st.floats(-1, 1)),
    flags=column(st.integers(0, 15)),
    limit=st.integers(1, 12),
    strategy=st.sampled_from(["hybrid", "keyword", "vector"]),
    asks=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_the_best_of_the_shortlist_are_the_best_of_all(  # noqa: PLR0917
    product: Any, words: Any, importance: Any, accesses: Any, tier: Any, helped: Any, flags: Any,
    limit: int, strategy: str, asks: Any,
) -> None:  # fmt: skip
    marks = np.array(flags)
    found = make_feature_table(
        ids=list(range(1, NUMBER + 1)), product=product, words=words, importance=importance,
        accesses=accesses, tier=tier, helped=helped, most=20.0, asks=marks & 1, timed=marks & 2 > 0,
        by_named=marks & 4 > 0, by_asker=marks & 8 > 0, length=marks * 3,
    )  # fmt: skip
    when, myself, named = asks
    asked = question(
        strategy=strategy, limit=limit, asks_when=when, asks_about_self=myself,
        named=("ann",) if named else (),
    )  # fmt: skip
    fused = fuse(found, strategy, "minmax", asked.meaning_floor)
    best = top_indexes(asked, found, score_candidates(asked, found, fused))
    assert set(best) <= set(select_shortlist(asked, found, fused, limit).tolist())


@pytest.mark.parametrize(("below", "kept"), [(0.355, 2), (0.365, 1)])
def test_what_is_unknown_may_lift_by_nineteen_hundredths(below: float, kept: int) -> None:
    """Strength, tier and outcomes: .85 / 1.61 of a fused unit is what .19 of the score is: .36."""
    found = make_feature_table(ids=[1, 2], product=[1.0, 1.0 - below])
    fused = np.array([1.0, 1.0 - below])
    assert len(select_shortlist(question(strategy="hybrid"), found, fused, 1)) == kept


@pytest.mark.parametrize(("below", "kept"), [(0.223, 2), (0.224, 1)])
def test_a_single_arm_is_its_own_relevance(below: float, kept: int) -> None:
    found = make_feature_table(ids=[1, 2], product=[1.0, 1.0 - below])
    fused = np.array([1.0, 1.0 - below])
    assert len(select_shortlist(question(strategy="vector"), found, fused, 1)) == kept


@pytest.mark.parametrize(("below", "kept"), [(0.455, 2), (0.465, 1)])
def test_whether_the_asker_said_it_is_not_known_yet(below: float, kept: int) -> None:
    found = make_feature_table(ids=[1, 2], product=[1.0, 1.0 - below])
    fused = np.array([1.0, 1.0 - below])
    asked = question(strategy="hybrid", asks_about_self=True)
    assert len(select_shortlist(asked, found, fused, 1)) == kept
