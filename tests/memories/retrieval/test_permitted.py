"""No strategy ever serves a row that its asker may not read, whatever is asked how (A16)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.indexing.organisation_indexes import enable_projection
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.strategies.registry import STRATEGIES
from orgs.models.organisations import Projection
from orgs.principals import Actor
from tests.large_scopes import force_index_search
from tests.world import Tenant, World

WORDS = ("apple", "pear", "zebra", "launch", "what", "compare how and why", "between", "mina")
ASKERS = ("mina", "bob", "ada", "chidi", "vera", "aria", "bolt", "clio")


def actor(here: Tenant, name: str) -> Actor:
    return here.person(name) if name in here.members else here.robot(name)


@pytest.fixture
def orchard(lasting_world: World) -> tuple[Tenant, dict[str, set[UUID]]]:
    """Rows in every audience, each with a fruit, and by hand who may read which."""
    here, there = lasting_world.here, lasting_world.there
    enable_projection(here.id, Projection.PARTITIONS)
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    everyone, launch = set(ASKERS), {"mina", "bob", "aria"}
    rows: list[tuple[str, dict[str, Any], set[str]]] = [
        ("aria", {}, everyone),
        ("aria", {"group": "launch"}, launch),
        ("aria", {"group": "design"}, {"mina", "aria", "clio"}),
        ("aria", {"group": "launch", "member": mina}, launch),
        ("aria", {"group": "launch", "member": mina, "visibility": "protected"}, {"mina"}),
        ("aria", {"group": "launch", "member": bob, "visibility": "protected",
                  "listeners": (mina,)}, {"mina", "bob"}),
        ("aria", {"visibility": "internal"}, {"aria"}),
        ("bolt", {"visibility": "internal", "group": None}, {"bolt"}),
        ("mina", {"visibility": "private"}, {"mina"}),
        ("mina", {"visibility": "private", "group": "launch"}, {"mina"}),
        ("bob", {"visibility": "private"}, {"bob"}),
        ("ada", {"visibility": "private"}, {"ada"}),
    ]  # fmt: skip
    readable: dict[str, set[UUID]] = {name: set() for name in ASKERS}
    for n, (writer, place, readers) in enumerate(rows):
        for fruit in ("apple", "pear"):
            text = f"The {fruit} of the launch, mina said to the zebra: {fruit} {n}"
            id_ = here.remember(actor(here, writer), text, **place).id
            for name in readers:
                readable[name].add(id_)
    there.remember(there.robot("aria"), "apple pear zebra launch")
    here.embed()
    return here, readable


@pytest.mark.conformance("A16")
@pytest.mark.parametrize("by_indexes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_no_strategy_serves_what_its_asker_may_not_read(
    orchard: tuple[Tenant, dict[str, set[UUID]]],
    by_indexes: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, readable = orchard
    if by_indexes:
        force_index_search(monkeypatch, here.id)
    seen: set[str] = set()

    @given(
        strategy=st.sampled_from(sorted(STRATEGIES)),
        name=st.sampled_from(ASKERS),
        words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
        limit=st.sampled_from((1, 5, 10, 100)),
        fusion=st.sampled_from(("minmax", "rrf", "weighted_rrf")),
        include_direct=st.booleans(),
        include_shared=st.booleans(),
        prefer_personal=st.booleans(),
        shared_limit=st.sampled_from((None, 0, 1, 50)),
        days=st.sampled_from((0, 40)),
    )
    @settings(
        max_examples=40, deadline=None, database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )  # fmt: skip
    def attempt(
        strategy: str, name: str, words: list[str], limit: int, days: int, **asked: Any
    ) -> None:
        query = Query(text=" ".join(words), strategy=strategy, limit=limit, **asked)
        answer = recall(actor(here, name), query, now=timezone.now() + timedelta(days=days))
        found = [hit.id for hit, _ in answer.hits]
        merged = {id_ for hit, _ in answer.hits for id_ in hit.merged}
        assert set(found) | merged <= readable[name], (strategy, name)
        assert len(found) == len(set(found)) <= limit
        seen.update([strategy] if found else [])

    attempt()
    for strategy in STRATEGIES:
        text = "compare how and why the apple and the pear of the launch differ"
        query = Query(text=text, strategy=strategy, limit=100)
        for name in ASKERS:
            answer = recall(actor(here, name), query, now=timezone.now())
            assert {hit.id for hit, _ in answer.hits} <= readable[name]
            seen.update([strategy] if answer.hits else [])
    assert seen == set(STRATEGIES), "each one found something"


# Beside what every recall costs: for the searches of its own, and for looking something up.
MORE = {
    "keyword": 0, "vector": 0, "hybrid": 0, "triple_tenant": 0,
    # The switch, and three searches more.
    "partitioned": 4,
    # The kinds of the audiences, up to two zones more, the facts behind the hits.
    "privacy_scoped": 4,
    # Two levels more, the facts behind the hits, and those of them that may repeat another's.
    "multi_level": 4,
    # The switch, the walk, what it reached, and the people.
    "graph": 4,
}  # fmt: skip


def test_no_strategy_costs_more_for_more_hits(
    orchard: tuple[Tenant, dict[str, set[UUID]]],
) -> None:
    here, _ = orchard

    def cost(strategy: str, limit: int) -> int:
        text = "compare how and why the apple and the pear of the launch differ"
        query = Query(text=text, strategy=strategy, limit=limit)
        with CaptureQueriesContext(connection) as captured:
            assert recall(here.person("mina"), query, now=timezone.now()).hits
        return len(captured)

    cost("hybrid", 1)
    usual = cost("hybrid", 1)
    for strategy, more in MORE.items():
        assert cost(strategy, 1) <= usual + more, strategy
        assert cost(strategy, 10) <= usual + more, strategy
    assert set(MORE) == set(STRATEGIES)
