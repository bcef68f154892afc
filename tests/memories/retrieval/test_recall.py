"""Recall: permitted rows before the limit, strategies, filters, counting, explanation."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from math import exp, log
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import pytest
from django.db import connection
from rest_framework.test import APIClient

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.memory import Memory
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant, World


def ask(api: APIClient, query: str, **asked: Any) -> list[dict[str, Any]]:
    answer = api.post("/api/v1/recall", {"query": query, **asked}, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def texts(api: APIClient, query: str, **asked: Any) -> list[str]:
    return [hit["content"] for hit in ask(api, query, **asked)]


@pytest.mark.conformance("A16")
@pytest.mark.parametrize("strategy", ["keyword", "vector", "hybrid"])
def test_permitted_rows_are_chosen_before_the_limit(lasting_world: World, strategy: str) -> None:
    """A hundred closer rows that Bob may not read leave him his ten."""
    here = lasting_world.here
    hidden = [
        Draft(content=f"zebra stripes {n}", group="design", importance=1.0) for n in range(100)
    ]
    open_ = [Draft(content=f"zebra among many other animals of the zoo {n}") for n in range(10)]
    remember_many(here.robot("aria"), [*hidden, *open_], now=NOW)
    here.embed()
    expected, asked = {draft.content for draft in open_}, "zebra stripes"
    assert set(texts(here.browser("bob"), asked, strategy=strategy)) == expected
    mina = texts(here.browser("mina"), asked, strategy=strategy)
    assert len(mina) == 10
    assert not expected & set(mina)
    assert len(texts(here.browser("mina"), asked, strategy=strategy, limit=200)) == 110


@pytest.mark.conformance("A19")
@pytest.mark.conformance("Z12")
def test_a_hit_is_counted_and_the_top_five_are_refreshed(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    for number in range(7):
        here.remember(aria, f"apple {'pie ' * (7 - number)}", importance=1 - number / 10)
    here.remember(aria, "pear")
    first, second = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
    order = [hit.id for hit, _ in recall(aria, Query(text="apple pie"), now=first).hits]
    again = [hit.id for hit, _ in recall(aria, Query(text="apple pie"), now=second).hits]
    recall(aria, Query(text="apple pie", counts=False), now=second + timedelta(hours=1))
    assert len(order) == len(again) == 7

    with resolve_principal(aria).scope():
        rows = Memory.objects.with_names().in_bulk()
    refreshed = {id_ for id_, row in rows.items() if row.last_accessed_at == second}
    assert refreshed == set(again[:5])
    assert {row.access_count for id_, row in rows.items() if id_ in order} == {2}
    untouched = [row for id_, row in rows.items() if id_ not in order]
    assert [(row.content, row.access_count, row.last_accessed_at) for row in untouched] == [
        ("pear", 0, None)
    ]
    late = [rows[id_] for id_ in order if id_ not in {*order[:5], *again[:5]}]
    assert all(row.last_accessed_at is None for row in late)


def test_a_recall_is_recorded_for_its_asker_without_the_question(world: World) -> None:
    from memories.retrieval.models import Recall

    here, mina = world.here, world.here.person("mina")
    said = here.remember(here.robot("aria"), "The zebra is called Zoe.").id
    answer = recall(mina, Query(text="secret-question zebra"), now=NOW)
    with resolve_principal(mina).scope():
        row = Recall.objects.values().get(id=answer.recall_id)
    assert [hit[0] for hit in row["hits"]] == [str(said)]
    assert "secret-question" not in str(row)
    for other in (here.person("ada"), here.robot("aria"), here.person("bob")):
        with resolve_principal(other).scope():
            assert not Recall.objects.filter(id=answer.recall_id).exists()


ELSEWHERE = """
import django; django.setup()
from uuid import UUID
from django.utils import timezone
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.principals import Actor
actor = Actor(organisation_id=UUID("{organisation}"), robot_id=UUID("{robot}"))
for hit, memory in recall(actor, Query(text="zebra"), now=timezone.now()).hits:
    print(memory.content)
"""


@pytest.mark.slow
@pytest.mark.conformance("H01")
def test_what_one_robot_remembers_another_recalls_in_another_process(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "The zebra is called Zoe.")
    url = urlsplit(os.environ["DATABASE_URL"])
    database = urlunsplit(url._replace(path=f"/{connection.settings_dict['NAME']}"))

    def elsewhere(tenant: Tenant) -> str:
        code = ELSEWHERE.format(organisation=tenant.id, robot=tenant.robots["bolt"].id)
        found = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "DATABASE_URL": database},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        return found.stdout.strip()

    assert elsewhere(here) == "The zebra is called Zoe."
    assert elsewhere(lasting_world.there) == ""


@pytest.mark.conformance("H20")
def test_strategies_and_the_default_limit(lasting_world: World) -> None:
    here, api = lasting_world.here, lasting_world.here.api("bolt")
    drafts = [Draft(content=f"The zebra number {n} runs") for n in range(12)]
    remember_many(here.robot("aria"), [*drafts, Draft(content="A quiet lake")], now=NOW)
    here.embed()
    body = {"query": "zebra"}
    served = {}
    for strategy in ("keyword", "fulltext", "vector", "hybrid", "auto"):
        answer = api.post("/api/v1/recall", {**body, "strategy": strategy}, format="json").json()
        assert len(answer["results"]) == 10
        served[strategy] = answer["strategy"]
    assert served == {
        "keyword": "keyword", "fulltext": "keyword", "vector": "vector", "hybrid": "hybrid",
        "auto": "triple_tenant",
    }  # fmt: skip
    assert len(ask(api, "zebra", limit=3)) == 3
    # Words find only what shares one; meaning ranks everything that is readable.
    assert len(ask(api, "zebra", strategy="keyword", limit=100)) == 12
    assert len(ask(api, "zebra", strategy="vector", limit=100)) == 13
    wrong = api.post("/api/v1/recall", {**body, "strategy": "psychic"}, format="json")
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "strategy")


@pytest.mark.conformance("H25")
def test_a_preference_told_to_one_robot_is_known_to_another_next_time(world: World) -> None:
    """Use case 1: the person does not repeat themselves from robot to robot."""
    here = world.here
    coder, reviewer = here.api("aria"), here.api("bolt")
    for content, type_, category in (
        ("Prefers tabs over spaces in code", "preference", "preference"),
        ("The code uses PostgreSQL", "fact", "fact"),
        ("Code review is on Monday", "announcement", "event"),
    ):
        body = {"content": content, "type": type_, "category": category}
        assert coder.post("/api/v1/memories", body, format="json").status_code == 201
    wanted = ["Prefers tabs over spaces in code"]
    assert texts(reviewer, "code", filters={"types": ["preference"]}) == wanted
    assert texts(reviewer, "code", filters={"categories": ["preference"]}) == wanted
    both = texts(reviewer, "code", filters={"types": ["preference", "announcement"]})
    assert set(both) == {*wanted, "Code review is on Monday"}
    assert len(texts(reviewer, "code")) == 3


@pytest.mark.conformance("H25")
def test_a_decision_of_one_robot_guides_the_next(world: World) -> None:
    """Use case 2: who decided what is known, and found among chatter."""
    here = world.here
    decision = {"content": "We decided to use JWT for login", "category": "decision"}
    here.api("aria").post("/api/v1/memories", decision, format="json")
    here.api("clio").post("/api/v1/memories", {"content": "login login login"}, format="json")
    found = ask(here.api("bolt"), "login", filters={"categories": ["decision"]})
    assert [(hit["content"], hit["robot"]["name"]) for hit in found] == [
        ("We decided to use JWT for login", "aria")
    ]
    wrong = here.api("bolt").post(
        "/api/v1/recall", {"query": "x", "filters": {"categories": ["whim"]}}, format="json"
    )
    assert wrong.status_code == 400


@pytest.mark.conformance("H28")
def test_metadata_is_matched_by_containment(world: World) -> None:
    here, api = world.here, world.here.api("bolt")
    rows: dict[str, dict[str, Any]] = {
        "apple 1": {"source": "user", "nested": {"a": [1, 2], "b": "x"}},
        "apple 2": {"source": "user"},
        "apple 3": {"source": "robot"},
        "apple 4": {"sources": ["user"]},
        "apple 5": {},
    }
    for content, metadata in rows.items():
        here.remember(here.robot("aria"), content, metadata=metadata)

    def found(metadata: dict[str, Any]) -> set[str]:
        return set(texts(api, "apple", filters={"metadata": metadata}))

    assert found({"source": "user"}) == {"apple 1", "apple 2"}
    assert found({"nested": {"a": [2]}}) == {"apple 1"}
    assert found({"source": "user", "nested": {"b": "x"}}) == {"apple 1"}
    assert found({"sources": ["user"]}) == {"apple 4"}
    assert found({"source": "USER"}) == set()
    assert found({"source": None}) == set()
    assert found({}) == set(rows)


def test_filters_narrow_and_combine(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    mina, bolt = str(here.members["mina"].id), str(here.robots["bolt"].id)
    rows: dict[str, dict[str, Any]] = {
        "apple group": {"group": "launch"},
        "apple user": {"group": "launch", "member": mina},
        "apple said": {"group": "design", "speaker": mina},
        "apple tagged": {"tags": ("red", "sweet"), "tier": "fast", "importance": 0.95},
        "apple old": {"occurred_at": datetime(2020, 5, 1, tzinfo=UTC)},
    }
    for content, fields in rows.items():
        here.remember(here.robot("aria"), content, **fields)
    here.remember(here.robot("bolt"), "apple bolt")

    def found(**filters: Any) -> set[str]:
        return {text.removeprefix("apple ") for text in texts(api, "apple", filters=filters)}

    every = {"group", "user", "said", "tagged", "old", "bolt"}
    assert found() == every
    assert found(groups=["launch"]) == {"group", "user"}
    assert found(groups=["launch", "design"]) == {"group", "user", "said"}
    assert found(members=[mina]) == {"user", "said"}
    assert found(robots=[bolt]) == {"bolt"}
    assert found(kinds=["group"]) == {"group", "said"}
    assert found(tiers=["fast"]) == {"tagged"}
    assert found(tags=["sweet", "absent"]) == {"tagged"}
    assert found(min_importance=0.9) == {"tagged"}
    assert found(groups=["launch"], members=[mina]) == {"user"}
    assert found(robots=["nobody"]) == found(members=["x:y"]) == set()

    def within(frame: Any) -> set[str]:
        return set(texts(api, "apple", timeframe=frame))

    year = {"from": "2020-01-01T00:00:00Z", "to": "2020-12-31T00:00:00Z"}
    assert within(year) == {"apple old"}
    assert within([year, {"from": "2021-01-01T00:00:00Z"}]) == {f"apple {name}" for name in every}
    assert within({"to": "2019-01-01T00:00:00Z"}) == set()
    assert set(texts(api, "apple", include_shared=False)) == {
        "apple group", "apple user", "apple said"
    }  # fmt: skip


def test_a_score_is_the_sum_of_its_explained_parts(lasting_world: World) -> None:
    """.85 relevance + .10 strength + .05 tier weight, strength from the formula by hand."""
    here = lasting_world.here
    drafts = [
        Draft(content="The zebra sleeps", category="fact", importance=0.8, tier="fast"),
        Draft(content="A zebra and a lion", category="event", importance=0.4, tier="glacial"),
    ]
    outcomes = remember_many(here.robot("aria"), drafts, now=NOW)
    here.embed()
    now = NOW + timedelta(days=10)
    answer = recall(here.robot("bolt"), Query(text="zebra", explain=True), now=now)
    rates, tiers = {"fact": 0.02, "event": 0.05}, {"fast": 1.0, "glacial": 0.25}
    assert {hit.id for hit, _ in answer.hits} == {o.id for o in outcomes}
    for hit, memory in answer.hits:
        importance, rate = memory.importance, rates[memory.category]
        strength = importance * exp(-rate * (1 - importance / 2) * 10) * (1 + log(1) / 10)
        assert hit.strength == pytest.approx(strength)
        parts = 0.85 * hit.relevance + 0.10 * strength + 0.05 * tiers[memory.tier]
        assert hit.score == pytest.approx(parts)
        assert 0 <= hit.relevance <= 1
        assert hit.similarity is not None

    explained = ask(here.api("bolt"), "zebra", explain=True)
    assert {"relevance", "vector", "keyword", "similarity", "strength"} <= set(
        explained[0]["scores"]
    )
    assert "scores" not in ask(here.api("bolt"), "zebra")[0]


def test_in_a_group_direct_rows_and_other_groups_stay_out_unless_wanted(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    rows: dict[str, dict[str, Any]] = {
        "apple private": {},
        "apple private launch": {"group": "launch", "visibility": "private"},
        "apple launch": {"group": "launch"},
        "apple design": {"group": "design"},
    }
    for content, fields in rows.items():
        here.remember(mina, content, **fields)
    here.remember(here.robot("bolt"), "apple everyone")
    api = here.browser("mina")
    assert set(texts(api, "apple")) == {*rows, "apple everyone"}
    inside = {"apple private launch", "apple launch", "apple everyone"}
    assert set(texts(api, "apple", group="launch")) == inside
    wide = texts(api, "apple", group="launch", include_direct=True)
    assert set(wide) == {*rows, "apple everyone"}


def test_words_find_at_once_and_meaning_after_the_worker(lasting_world: World) -> None:
    here = lasting_world.here
    said = here.remember(here.robot("aria"), "The zebra is called Zoe.")
    assert said.embedding == "pending"
    api = here.api("bolt")
    assert len(ask(api, "zebra")) == 1
    assert ask(api, "zebra", strategy="vector") == []
    here.embed()
    assert len(ask(api, "zebra", strategy="vector")) == 1
    assert api.get(f"/api/v1/memories/{said.id}").json()["embedding"] == "ready"


def test_safe_to_say_leaves_out_what_one_of_the_group_may_not_read(world: World) -> None:
    here, mina = world.here, world.here.members["mina"]
    here.remember(here.robot("aria"), "apple launch", group="launch")
    here.remember(here.robot("aria"), "apple design", group="design")
    here.remember(
        here.robot("aria"), "apple for mina", group="launch", member=str(mina.id),
        visibility="protected",
    )  # fmt: skip
    here.remember(here.robot("aria"), "apple own note", visibility="internal")
    here.remember(here.robot("bolt"), "apple everyone")
    safe = {"apple launch", "apple everyone"}
    asked = {"group": "launch", "member": str(mina.id), "shareable_with": "launch"}
    assert set(texts(here.api("aria"), "apple", **asked)) == safe
    assert set(texts(here.api("aria"), "apple", shareable_with="launch")) == safe
    assert set(texts(here.browser("mina"), "apple", shareable_with="launch")) == safe


def test_an_answer_stays_inside_its_organisation(world: World) -> None:
    for tenant in (world.here, world.there):
        tenant.remember(tenant.robot("aria"), f"The zebra of {tenant.id}.")
    for tenant in (world.here, world.there):
        assert texts(tenant.api("bolt"), "zebra") == [f"The zebra of {tenant.id}."]
    stranger = Actor(organisation_id=world.here.id, robot_id=world.there.robots["bolt"].id)
    with pytest.raises(KeyError):
        recall(stranger, Query(text="zebra"), now=NOW)
    assert UUID(int=0) not in world.here.readable(world.here.robot("bolt"))
