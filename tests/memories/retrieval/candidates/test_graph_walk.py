"""What a walk along the graph is worth and how far it goes, by graphs laid out by hand."""

from collections.abc import Sequence
from datetime import timedelta
from math import log
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.knowledge_graph.models import Edge, Entity
from memories.retrieval.candidates import graph_walk
from memories.retrieval.candidates.graph_walk import GraphHit, search_graph, walk_graph
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.retrieval.pure.feature_tables import id_of
from tests.world import NOW, World

SEED, HUB, PERSON, OTHER = (id_of(n) for n in (1, 2, 3, 4))
LAID = """
INSERT INTO memories_edge (id, organisation_id, memory_id, audience_id, kind, relation, source,
    target, weight, inferred, observed_at)
SELECT gen_random_uuid(), m.organisation_id, m.id, m.audience_id, m.kind, e.relation, e.source,
    e.target, e.weight, false, %(now)s
FROM unnest(%(memories)s::uuid[], %(relations)s::text[], %(sources)s::uuid[],
    %(targets)s::uuid[], %(weights)s::float8[]) AS e (memory, relation, source, target, weight)
JOIN memories_memory m ON m.id = e.memory
"""
Line = tuple[UUID, str, UUID, UUID, float]  # memory, relation, source, target, weight


class Graph:
    """A robot's memories, oldest first, and the edges that are laid between them."""

    def __init__(self, world: World, size: int) -> None:
        self.id, self.aria = world.here.id, world.here.robot("aria")
        drafts = [Draft(content=f"Text {n}") for n in range(size)]
        self.ids = sorted(one.id for one in remember_many(self.aria, drafts, now=NOW))
        with resolve_principal(self.aria).scope():
            Edge.objects.all().delete()
            Entity.objects.all().delete()

    def lay(self, *lines: Line) -> None:
        memories, relations, sources, targets, weights = map(list, zip(*lines, strict=True))
        values = {
            "now": NOW, "memories": memories, "relations": relations, "sources": sources,
            "targets": targets, "weights": weights,
        }  # fmt: skip
        with resolve_principal(self.aria).scope(), connection.cursor() as cursor:
            cursor.execute(LAID, values)
            assert cursor.rowcount == len(lines)

    def join(self, target: UUID, ids: Sequence[UUID], weight: float = 1.0) -> None:
        """Each of these memories is connected to the target."""
        self.lay(*((id_, "related_to", id_, target, weight) for id_ in ids))

    def walk(self, *nodes: UUID, **fields: Any) -> dict[UUID, tuple[int, float]]:
        """(depth, score) of each memory that is reached."""
        fields = {"now": NOW, "limit": 1_000} | fields
        with resolve_principal(self.aria).scope():
            found = walk_graph(self.id, nodes or [SEED], **fields)
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        return {one.id: (one.depth, one.score) for one in found}


def worth(observations: int) -> float:
    """Of a thing that so many observations lead to."""
    return 1 / (1 + log(1 + observations))


def share(weight: float, neighbours: int) -> float:
    """What a node passes on along edges of that weight, beside so many neighbours."""
    return 0.8 * weight / (0.5 + weight) / (1 + log(neighbours))


def test_a_step_passes_on_a_share_by_weight_and_neighbours(world: World) -> None:
    graph = Graph(world, 3)
    light, heavy, far = graph.ids
    graph.join(SEED, [light], weight=0.5)
    graph.join(SEED, [heavy], weight=2.0)
    graph.lay((far, "replied_to", far, heavy, 1.0))
    # The thing has two observations and two neighbours; the heavy text two neighbours, and back
    # is no way on.
    first = worth(2) * share(2.0, 2)
    assert graph.walk() == {
        light: (1, pytest.approx(worth(2) * share(0.5, 2))),
        heavy: (1, pytest.approx(first)),
        far: (2, pytest.approx(first * share(1.0, 2))),
    }
    assert set(graph.walk(depth=1)) == {light, heavy}


def test_several_ways_add_up_and_so_do_parallel_edges(world: World) -> None:
    graph = Graph(world, 2)
    one, both = graph.ids
    graph.join(SEED, [both])
    graph.join(HUB, [both])
    graph.lay((one, "supports", one, SEED, 1.0), (one, "mentions", one, SEED, 0.5))
    found = graph.walk(SEED, HUB, depth=1)
    # Three observations of one thing with two neighbours, one of the other with one.
    assert found == {
        one: (1, pytest.approx(worth(3) * share(1.5, 2))),
        both: (1, pytest.approx(worth(3) * share(1.0, 2) + worth(1) * share(1.0, 1))),
    }


def test_what_the_asker_or_who_they_talk_to_said_comes_a_little_earlier(world: World) -> None:
    graph = Graph(world, 104)
    me = world.here.members["mina"].id
    mine, theirs, anyones, *rest = reversed(graph.ids)
    graph.join(SEED, [mine, theirs, anyones])
    graph.lay((mine, "said", me, mine, 1.0), (theirs, "said", PERSON, theirs, 1.0))
    graph.lay((anyones, "said", OTHER, anyones, 1.0))
    graph.lay((mine, "mentions", mine, PERSON, 1.0))
    plain = {id_: score for id_, (_, score) in graph.walk(depth=1).items()}
    found = graph.walk(depth=1, asker=me)
    assert {id_: score / plain[id_] for id_, (_, score) in found.items()} == {
        mine: pytest.approx(1.25), theirs: pytest.approx(1.1), anyones: pytest.approx(1.0),
    }  # fmt: skip
    # OTHER was spoken to a hundred turns ago, and one turn too long ago once that is one more.
    old, later, *between = sorted(rest)
    graph.lay((old, "said", me, old, 1.0), (old, "mentions", old, OTHER, 1.0))
    graph.lay(*((id_, "said", me, id_, 1.0) for id_ in between[:98]))
    assert graph.walk(depth=1, asker=me)[anyones][1] / plain[anyones] == pytest.approx(1.1)
    graph.lay((later, "said", me, later, 1.0))
    assert graph.walk(depth=1, asker=me)[anyones][1] / plain[anyones] == pytest.approx(1.0)


def test_a_node_leads_to_sixty_and_each_further_step_to_fewer(world: World) -> None:
    graph = Graph(world, 62)
    graph.join(SEED, graph.ids)
    assert set(graph.walk(depth=1)) == set(graph.ids[:60]), "of equal ones the first"
    # 60 / (1 + 1) after one step, 60 / (1 + 4) after two.
    graph.lay((graph.ids[0], "knows_about", HUB, OTHER, 0.1))
    assert len(graph.walk(OTHER, depth=1)) == 0
    graph.join(HUB, graph.ids[1:])
    assert len(graph.walk(OTHER, depth=2)) == 30
    graph.lay((graph.ids[0], "knows_about", OTHER, PERSON, 0.1))
    assert len(graph.walk(PERSON, depth=3)) == 12


def test_the_latest_hundred_stand_for_what_leads_to_and_from_a_hub(world: World) -> None:
    graph = Graph(world, 102)
    first, second, *_, last = graph.ids
    # Light edges, so that the heavier ones of the two oldest are among the sixty if they are seen.
    weights = [5.0, 5.0, *[0.1] * 99]
    told = list(zip(graph.ids[:101], weights, strict=True))
    graph.lay(*((id_, "related_to", id_, SEED, weight) for id_, weight in told))
    graph.lay(*((id_, "related_to", OTHER, id_, weight) for id_, weight in told))
    graph.lay((last, "related_to", PERSON, OTHER, 0.1))
    into = graph.walk(SEED, depth=1)
    assert (first in into, second in into) == (False, True)
    # A walk starts where something leads to: from PERSON to OTHER, and on to the hundred.
    out = graph.walk(OTHER, depth=1)
    assert (first in out, second in out) == (False, True)


def test_from_a_thousand_observations_on_a_thing_is_worth_no_less(world: World) -> None:
    graph = Graph(world, 2)
    busy, near = graph.ids
    graph.join(SEED, [near], weight=5.0)
    graph.lay(*((busy, "knows_about", id_of(n), SEED, 0.0) for n in range(1_000, 1_999)))
    [before] = [score for id_, (_, score) in graph.walk(depth=1).items() if id_ == near]
    graph.lay((busy, "knows_about", id_of(2_000), SEED, 0.0))
    [after] = [score for id_, (_, score) in graph.walk(depth=1).items() if id_ == near]
    assert after == before == pytest.approx(worth(1_000) * share(5.0, 100))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    seen: list[dict[str, Any]] = []

    def fetched(statement: str, values: dict[str, Any]) -> list[Any]:
        seen.append(values)
        return [(id_of(1), 2, 0.5)]

    monkeypatch.setattr(graph_walk, "fetch_all", fetched)
    return seen


def test_two_steps_and_a_hundred_memories_unless_somebody_says(asked: list[Any]) -> None:
    assert walk_graph(id_of(9), [SEED], now=NOW) == [GraphHit(id_of(1), 2, 0.5)]
    search_graph(id_of(9), "printer", now=NOW, asker=PERSON)
    for depth in (9, 4, 1, 0, -3):
        walk_graph(id_of(9), [SEED], now=NOW, depth=depth, limit=7)
    assert [(one["depth"], one["limit"]) for one in asked] == [
        (2, 100), (2, 100), (4, 7), (4, 7), (1, 7), (0, 7), (0, 7),
    ]  # fmt: skip
    assert [one["asker"] for one in asked[:2]] == [None, PERSON]


def test_a_walk_starts_from_sixteen_things_or_not_at_all(asked: list[Any]) -> None:
    many = " ".join(f"thing{n}" for n in range(30))
    assert len(graph_walk.seed_node_ids(id_of(9), f"{many} https://example.com Mina Gruber")) == 16
    walk_graph(id_of(9), [id_of(n) for n in range(20)], now=NOW)
    assert asked[0]["nodes"] == [id_of(n) for n in range(16)]
    assert walk_graph(id_of(9), [], now=NOW) == []
    assert search_graph(id_of(9), "", now=NOW) == []
    assert len(asked) == 1


def test_what_has_expired_or_was_taken_back_is_not_reached(world: World) -> None:
    graph = Graph(world, 3)
    kept, gone, archived = graph.ids
    graph.join(SEED, graph.ids)
    with resolve_principal(graph.aria).scope():
        Memory.objects.filter(id=gone).update(expires_at=NOW)
        Memory.objects.filter(id=kept).update(expires_at=NOW + timedelta(seconds=1))
        Memory.objects.filter(id=archived).update(status="archived")
    assert set(graph.walk()) == {kept}
    assert set(graph.walk(include_expired=True)) == {kept, gone}
