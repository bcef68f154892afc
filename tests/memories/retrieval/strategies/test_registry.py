"""Which questions have to be encoded."""

import pytest

from memories.retrieval.strategies.registry import STRATEGIES, needs_vector
from tests.memories.retrieval.pure.feature_tables import question

HEAVY = "How and why do the apples differ between our groups?"


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_only_words_need_no_vector(strategy: str) -> None:
    assert needs_vector(question(strategy=strategy, text=HEAVY)) == (strategy != "keyword")


def test_a_simple_question_on_many_levels_needs_none() -> None:
    assert not needs_vector(question(strategy="multi_level", text="apples"))
    assert needs_vector(question(strategy="hybrid", text="apples"))
