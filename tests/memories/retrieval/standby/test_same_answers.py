"""A standby that has replayed everything finds what the primary finds, in every way of asking."""

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.recall import RecallResult, recall_as_principal
from memories.retrieval.resolve_filters import Query
from orgs.database.standby.monitor import StandbyMonitor
from orgs.principals import Actor, resolve_principal
from tests.fast_path import FastPathSite
from tests.large_scopes import force_index_search
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.standby_server import Standby
from tests.world import Tenant, World

WORDS = [
    "office",
    "budget",
    "launch",
    "printer",
    "contract",
    "holiday",
    "server",
    "invoice",
    "garden",
    "meeting",
    "kitchen",
    "train",
    "report",
    "window",
    "customer",
    "deadline",
    "coffee",
    "password",
    "bicycle",
    "translation",
]
PEOPLE = ("Ann", "Ben", "Cleo", "Dora")
QUESTIONS = 500
# What a question may ask for beside its words.
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"limit": 3},
    {"limit": 30},
    {"strategy": "keyword"},
    {"strategy": "vector"},
    {"strategy": "hybrid", "fusion": "rrf"},
    {"strategy": "hybrid", "fusion": "weighted_rrf"},
    {"strategy": "privacy_scoped"},
    {"strategy": "multi_level"},
    {"strategy": "partitioned"},
    {"profile": "hive"},
    {"profile": "continuum"},
    {"profile": "strength"},
    {"tier_strategy": "fast_first"},
    {"group": "design"},
    {"group": "launch", "include_direct": True},
    {"include_shared": False},
    {"shared_limit": 2},
    {"prefer_personal": False},
    {"include_expired": True},
    {"explain": True},
    {"filters": {"tags": ["red"]}},
    {"filters": {"groups": ["design"]}},
    {"filters": {"min_importance": 0.6}},
    {"filters": {"robots": ["bolt"]}},
)


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here, drawn = lasting_world.here, random.Random(40)  # noqa: S311 - it draws test data
    now = timezone.now()

    def draft(number: int, **more: Any) -> Draft:
        said = " ".join(drawn.sample(WORDS, 5))
        return Draft(
            content=f"{drawn.choice(PEOPLE)} said of {said}, {number}.",
            importance=drawn.choice([0.2, 0.5, 0.9]),
            tags=("red",) if number % 3 == 0 else (),
            expires_at=now + timedelta(days=1) if number % 17 == 0 else None,
            **more,
        )

    remember_many(here.robot("bolt"), [draft(n) for n in range(60)], now=now)
    for group in ("design", "launch"):
        drafts = [draft(n, group=group, visibility="group") for n in range(40)]
        remember_many(here.robot("aria"), drafts, now=now)
    remember_many(here.person("mina"), [draft(n, visibility="private") for n in range(20)], now=now)
    # The same in two audiences, and two that contradict each other.
    for visibility in ("organisation", "private"):
        here.remember(here.person("mina"), "The office closes at six.", visibility=visibility)
    here.remember(here.person("mina"), "The office closes at eight.", visibility="private")
    here.read()
    here.embed()
    call_command("rebuild_projections", "partitions", organisation=here.organisation.slug)
    return here


def facts_of(answer: RecallResult) -> list[Any]:
    hits = [
        (
            *(hit.id, hit.score, hit.relevance, hit.answers, hit.merged, hit.state, hit.part),
            *(hit.contradicted_by, hit.confidence, hit.access_count, hit.similarity, row.content),
        )
        for hit, row in answer.hits
    ]
    return [answer.strategy, answer.confidence, *hits]


def ask_both(who: Actor, query: Query, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """What the standby answers and what the primary answers at the same moment."""
    now, principal = timezone.now(), resolve_principal(who)
    there = recall_as_principal(principal, query, now=now, recorded=False)
    with monkeypatch.context() as patched:
        patched.setattr(StandbyMonitor, "is_ready", lambda self: False)
        here = recall_as_principal(principal, query, now=now, recorded=False)
    return facts_of(there), facts_of(here)


@pytest.mark.conformance("O17")
@pytest.mark.parametrize("questions", [50, pytest.param(QUESTIONS, marks=pytest.mark.slow)])
def test_no_answer_differs(
    here: Tenant,
    standby: Standby,
    outcomes: Outcomes,
    monkeypatch: pytest.MonkeyPatch,
    questions: int,
) -> None:
    standby.catch_up()
    drawn, differences, found = random.Random(17), 0, 0  # noqa: S311 - it draws test data
    askers = (here.person("mina"), here.person("ada"), here.robot("clio"))
    for number in range(questions):
        words = " ".join(drawn.sample(WORDS, 3))
        asked = f"What did {drawn.choice(PEOPLE)} say about {words}?"
        query = Query(text=asked, **WAYS[number % len(WAYS)])
        there, on_primary = ask_both(askers[number % len(askers)], query, monkeypatch)
        differences += there != on_primary
        found += len(there) - 2
    assert differences == 0
    assert outcomes["standby"] == questions
    assert found > 3 * questions


def test_no_answer_of_a_large_scope_differs(
    here: Tenant, standby: Standby, outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    force_index_search(monkeypatch, here.id)
    standby.catch_up()
    for word in WORDS[:6]:
        query = Query(text=f"What about the {word}?", limit=20)
        there, on_primary = ask_both(here.person("mina"), query, monkeypatch)
        assert there == on_primary
        assert len(there) > 6
    assert outcomes["standby"] == 6


def test_the_graph_names_people_so_the_primary_searches_it(
    here: Tenant, standby: Standby, outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = Query(text="office", strategy="graph")
    there, on_primary = ask_both(here.person("mina"), query, monkeypatch)
    assert there == on_primary
    assert outcomes["standby"] == outcomes["failed"] == 0


@pytest.fixture
def on_primary() -> Iterator[list[str]]:
    """Every statement that goes to the primary."""
    seen: list[str] = []

    def note(execute: Any, sql: str, *given: Any) -> Any:
        seen.append(sql)
        return execute(sql, *given)

    with connections["default"].execute_wrapper(note):
        yield seen


def test_the_primary_searches_nothing(
    here: Tenant, standby: Standby, outcomes: Outcomes, on_primary: list[str]
) -> None:
    """So its processor is free for what only it can do: who asks, confirm, load, record."""
    standby.catch_up()
    site = FastPathSite()
    for _ in range(3):
        assert site.post(here.keys["bolt"], {"query": "the budget of the launch"})[0] == 200
    assert outcomes["standby"] == 3
    at = [number for number, sql in enumerate(on_primary) if "INSERT INTO memories_recall" in sql]
    assert len(at) == 3
    # Of the last one, which went the straight way: who asks, what is confirmed, the rows.
    last = on_primary[at[-2] + 1 :]
    # Of the narrow rows the versions alone, by their key.
    narrow = [sql for sql in last if "memories_search" in sql.replace("FROM memories_search v", "")]
    assert narrow == []
    assert not any("memories_text" in sql for sql in last)
    assert sum("FROM memories_memory m" in sql for sql in last) == 3
    assert len(last) <= 9, last
