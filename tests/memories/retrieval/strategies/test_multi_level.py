"""Which branch a question takes, and how many each branch serves."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest

from memories.retrieval.candidates.search import MAIN_TABLE, SearchTable
from memories.retrieval.search_types import Hit, SearchRequest
from memories.retrieval.strategies import registry
from memories.retrieval.strategies.registry import (
    BEYOND_GROUPS_TABLE,
    GROUP_TABLE,
    INDIVIDUAL_TABLE,
)
from tests.memories.retrieval.pure.feature_tables import id_of, question

Asked = list[tuple[str, int, list[SearchTable], Any]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """(strategy, limit, sources, caps) of each search; each finds 40. A text is its complexity."""
    seen: Asked = []

    def rank(
        wanted: SearchRequest, sources: Sequence[SearchTable] = (MAIN_TABLE,), caps: Any = None
    ) -> list[Hit]:
        seen.append((wanted.strategy, wanted.limit, list(sources), caps))
        return [Hit(id_of(n), relevance=0.5) for n in range(40)]

    def facts(one: SearchRequest, hits: Sequence[Hit]) -> list[UUID]:
        return [hit.id for hit in hits]

    def once(hits: list[Hit], known: list[UUID]) -> list[Hit]:
        assert known == [hit.id for hit in hits]
        return hits[::2]

    monkeypatch.setattr(registry, "rank_hits", rank)
    monkeypatch.setattr(registry, "load_facts", facts)
    monkeypatch.setattr(registry, "merge_all", once)
    monkeypatch.setattr(registry, "score_complexity", float)
    return seen


def test_a_simple_question_gets_five_by_its_words(asked: Asked) -> None:
    registry.search_multi_level(question(text=".29", limit=50))
    registry.search_multi_level(question(text="0", limit=4))
    assert asked == [("keyword", 5, [MAIN_TABLE], None), ("keyword", 4, [MAIN_TABLE], None)]


def test_one_of_some_weight_gets_ten_by_meaning(asked: Asked) -> None:
    registry.search_multi_level(question(text=".3", limit=50))
    registry.search_multi_level(question(text=".69", limit=4))
    assert asked == [
        ("vector", 10, [INDIVIDUAL_TABLE], None),
        ("vector", 4, [INDIVIDUAL_TABLE], None),
    ]


def test_a_heavy_one_gets_ten_five_and_three(asked: Asked) -> None:
    levels = [INDIVIDUAL_TABLE, GROUP_TABLE, BEYOND_GROUPS_TABLE]
    served = registry.search_multi_level(question(text=".7", limit=4, strategy="multi_level"))
    assert asked == [("hybrid", 18, levels, (10, 5, 3))]
    assert served.strategy == "multi_level"
    assert [hit.id.int for hit in served.hits] == [0, 2, 4, 6], "each thing once, up to the limit"
    assert len(registry.rank_all_levels(question(limit=4, whole=True))) == 20


def test_meaning_is_needed_from_the_second_branch_on(asked: Asked) -> None:
    assert not registry.needs_meaning(".29")
    assert registry.needs_meaning(".3")
    assert registry.needs_meaning(".7")
