"""What the walk adds to the relevance, worked out by hand."""

from typing import Any
from uuid import UUID

import numpy as np
import pytest

from memories.retrieval.candidates.graph_walk import GraphHit
from memories.retrieval.ranking.cues import Scores
from memories.retrieval.strategies import registry
from tests.memories.retrieval.pure.feature_tables import (
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
        registry, "find_candidates", lambda wanted: make_feature_table(ids=[1], product=[0.35])
    )
    monkeypatch.setattr(registry, "load_candidates", given)
    monkeypatch.setattr(registry, "load_features", without_features)
    one = question(strategy="graph", asker=id_of(9))
    served = registry.search_by_graph(one)
    walk = {"now": one.now, "asker": id_of(9), "limit": 50, "include_expired": False}
    assert asked == ["graph", (one.organisation_id, "?", walk)]
    assert served.strategy == "graph"
    assert [hit.id for hit in served.hits] == [id_of(2), id_of(3), id_of(1)]
