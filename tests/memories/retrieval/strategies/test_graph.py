"""What the walk adds to the relevance, worked out by hand."""

from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from memories.api.serializers.recall import render_person
from memories.retrieval.candidates.graph_walk import GraphHit
from memories.retrieval.disclosure import select_hits
from memories.retrieval.ranking.cues import Scores
from memories.retrieval.search_types import Expert, ExpertCursor, SearchResult
from memories.retrieval.strategies import registry
from tests.memories.retrieval.pure.feature_tables import (
    NOW,
    id_of,
    make_feature_table,
    question,
    without_features,
)


def test_the_walk_is_measured_by_its_best() -> None:
    # The bytes of 256 end in a nought, which numpy drops.
    found = make_feature_table(ids=[1, 2, 3, 256])
    scores = {id_of(1): 0.5, id_of(3): 0.1, id_of(256): 0.25}
    assert registry.walk_scores(found, scores) == pytest.approx([1.0, 0.0, 0.2, 0.5])


def test_a_walk_that_came_nowhere_adds_nothing() -> None:
    assert registry.walk_scores(make_feature_table(ids=[1, 2]), {}) == pytest.approx([0.0, 0.0])


def test_the_walk_is_three_tenths_beside_the_hybrid() -> None:
    noughts = np.zeros(3)
    before = Scores(noughts, np.array([0.4, 0.4, 0.8]), noughts, noughts + 0.5, noughts)
    turns, walk = make_feature_table(tier=[3, 3, 3]), np.array([1.0, 0.0, 0.5])
    found = registry.add_walk_scores(question(), turns, before, walk)
    # (.4 + .3) / 1.3 = .538462; .4 / 1.3 = .307692; (.8 + .15) / 1.3 = .730769.
    assert found.relevance == pytest.approx([0.538462, 0.307692, 0.730769], abs=1e-6)
    # .85 x .538462 + .10 x .5 + .05 x .5 = .532692, and so on.
    assert found.score == pytest.approx([0.532692, 0.336538, 0.696154], abs=1e-6)
    by_tier = registry.add_walk_scores(question(profile="continuum"), turns, before, walk)
    assert by_tier.score == pytest.approx([0.269231, 0.153846, 0.365385], abs=1e-6)


def test_fifty_of_the_walk_are_judged_beside_the_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def reached(organisation_id: UUID, text: str, **fields: Any) -> list[GraphHit]:
        asked.append((organisation_id, text, fields))
        return [GraphHit(id_of(2), 1, 0.4), GraphHit(id_of(3), 2, 0.1)]

    def given(wanted: Any, ids: list[UUID]) -> Any:
        assert (wanted.strategy, ids) == ("hybrid", [id_of(2), id_of(3)])
        return make_feature_table(ids=[2, 3], product=[0.3, 0.3])

    monkeypatch.setattr(
        registry, "check_projection", lambda organisation_id, name: asked.append(name)
    )
    monkeypatch.setattr(registry, "search_graph", reached)
    monkeypatch.setattr(
        registry, "find_candidates", lambda wanted: [make_feature_table(ids=[1], product=[0.35])]
    )
    monkeypatch.setattr(registry, "load_candidates", given)
    monkeypatch.setattr(registry, "load_features", without_features)
    people: list[Any] = []

    def known(ids: list[UUID], worth: list[float], values: dict[str, Any]) -> list[Any]:
        people.append((ids, worth, values["limit"], values["group"]))
        return []

    monkeypatch.setattr(registry, "find_people", known)
    one = question(strategy="graph", asker=id_of(9), context_group=id_of(8), limit=1)
    served = registry.search_by_graph(one)
    walk = {
        "now": one.now, "asker": id_of(9), "limit": 50, "include_expired": False,
        "near": {id_of(1): 0.3},
    }  # fmt: skip
    assert asked == ["graph", (one.organisation_id, "?", walk)]
    assert served.strategy == "graph"
    assert [hit.id for hit in served.hits] == [id_of(2)]
    # People are looked for in more than is served, by relevance, and in the group of the question.
    [(ids, worth, most, group)] = people
    assert (ids, most, group) == ([id_of(2), id_of(3), id_of(1)], 10, id_of(8))
    assert worth == sorted(worth, reverse=True)
    assert worth[0] == pytest.approx(served.hits[0].relevance)


def test_the_walk_begins_at_the_four_nearest_above_the_floor() -> None:
    found = make_feature_table(
        ids=[1, 2, 3, 4, 5, 256], product=[0.5, 0.4, np.nan, 0.25, 0.3, 0.45]
    )
    # By their inner product, the nearest .3: .45 / .5 x .3 = .27, .4 / .5 x .3 = .24, and so on.
    assert registry.nearest_memories(found, 0.2) == {
        id_of(1): pytest.approx(0.3), id_of(256): pytest.approx(0.27),
        id_of(2): pytest.approx(0.24), id_of(5): pytest.approx(0.18),
    }  # fmt: skip
    assert set(registry.nearest_memories(found, 0.4)) == {id_of(1), id_of(256)}
    assert registry.nearest_memories(found, 0.5) == {}


def test_people_are_looked_for_in_the_best_forty(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[UUID]] = []
    monkeypatch.setattr(registry, "find_people", lambda ids, *_: asked.append(ids) or [])
    scores = np.arange(50, 0, -1) / 100
    pool, noughts = make_feature_table(ids=list(range(1, 51))), np.zeros(50)
    judged = Scores(scores, scores, noughts, noughts, noughts)
    registry._find_people(question(limit=3), pool, judged)
    assert asked == [[id_of(number) for number in range(1, 41)]]


def test_people_go_with_the_memories_that_show_them() -> None:
    first, second = (expert(n, (id_of(10), id_of(n))) for n in (1, 2))
    served = SearchResult([], "graph", people=(first, second))
    assert set(served.shown_ids()) == {id_of(10), id_of(1), id_of(2)}
    kept = select_hits(served, {id_of(2)})
    assert kept.people == (replace(second, evidence=(id_of(2),)),)
    assert select_hits(served, set()).people == ()


def test_three_memories_are_told_for_each_person() -> None:
    shown = tuple(id_of(n) for n in range(1, 6))
    assert render_person(expert(9, shown))["evidence"] == list(shown[:3])


def expert(number: int, evidence: tuple[UUID, ...]) -> Expert:
    place = ExpertCursor("meaning", Decimal(1), 1, id_of(number), id_of(99))
    return Expert(id_of(number), None, "Ann", 0.5, 1, 1, NOW, evidence, place)
