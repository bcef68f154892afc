"""The straight way says what the usual way says, to the byte, and refuses nothing by itself."""

import io
import json
import random
from datetime import timedelta
from itertools import product
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from psycopg.pq import TransactionStatus

import memories.retrieval.recall as way
from memories.retrieval.models import Recall
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_pipelined
from orgs.database.rls import organisation_scope, pipelined_scope
from orgs.errors import NotFoundError
from orgs.principals import Principal, resolve_principal
from robots.access.acting_for_members import create_delegation, resolve_actor
from robots.access.keys import authenticate_key, parse_key, revoke_key
from robots.access.robot_call_scope import KeyRequest
from robots.errors import MissingScopeError
from robots.models.keys import Key
from robots.models.robots import Robot
from tests.fast_path import FastPathSite, recall_asgi_scope
from tests.world import NOW, Tenant, World

QUESTION = {"query": "When is the launch?"}


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    aria = here.robot("aria")
    texts = ["The launch is on Friday.", "Mina likes tea.", "The launch needs a checklist, why?"]
    for text, more in product(texts, ({}, {"group": "launch"}, {"group": "design"})):
        here.remember(aria, f"{text} {more or 'Everyone knows.'}", speaker="Mina", **more)
    mina = str(here.members["mina"].id)
    here.remember(aria, "Mina's own launch.", group="launch", member=mina, visibility="private")
    here.remember(here.robot("bolt"), "Bolt notes the launch.", visibility="internal")
    here.embed()
    with organisation_scope(here.id, using="worker"):
        # Being served makes a memory stronger, and each body is sent twice.
        Memory.objects.using("worker").filter(organisation_id=here.id).update(importance=0)
    return here


def same(answer: tuple[int, dict[str, str], Any]) -> tuple[int, dict[str, str], Any]:
    """An answer without what is its own each time."""
    status, headers, body = answer
    kept = {
        name: v for name, v in headers.items() if name not in ("x-request-id", "content-length")
    }
    for name in ("recall_id", "took_ms", "request_id"):
        body.pop(name, None)
    for one in body.get("results", ()):
        # Each body is sent twice.
        one.pop("access_count", None)
    return status, kept, body


def both(here: Tenant, robot: str, body: Any) -> tuple[bool, Any, Any]:
    """(whether it went straight, the straight answer, the usual one)."""
    straight, usual = FastPathSite(), FastPathSite(straight=False)
    key = here.keys[robot]
    assert straight.post(key, QUESTION)[0] == 200
    found, expected = straight.post(key, body), usual.post(key, body)
    return straight.went[-1], same(found), same(expected)


def bodies(here: Tenant, number: int) -> list[Any]:
    """Good and bad ones: every field with every kind of value, alone and together."""
    ids = [str(here.members["mina"].id), str(here.groups["launch"].id)]
    wild: list[Any] = [None, "", " ", 0, 1, -1, 1.5, True, [], {}, "x" * 21_000, "a\x00b", ids[0]]
    values: dict[str, list[Any]] = {
        "query": ["launch", " the launch? ", "tea for Mina", "what did I say", "ünïcode 🚀", "'"],
        "limit": [1, 3, 1000, 1001],
        "group": ["launch", "design", ids[1], "nowhere"],
        "member": [ids[0], "slack:U1", "nobody"],
        "strategy": ["auto", "hybrid", "keyword", "fulltext", "vector", "graph", "multi_level"],
        "fusion": ["minmax", "rrf", "weighted_rrf", "other"],
        "explain": [True, False],
        "include_direct": [True, False],
        "include_shared": [True, False],
        "min_similarity": [-1, 0.5],
        "filters": [{}, {"kinds": ["group"]}, {"kinds": ["other"]}],
        "timeframe": [{"from": "2026-01-01T00:00:00Z"}],
        "profile": ["balanced", "strength"],
        "tier_strategy": ["comprehensive", "other"],
        "include_expired": [True],
        "prefer_personal": [True, False],
        "shared_limit": [0, 2],
        "unknown": [1],
    }
    drawn = random.Random(3)  # noqa: S311
    found: list[Any] = [[], "text", None, 7, {}, b"", b"{", b"\xff", b'{"query": "\\ud800"}']
    while len(found) < number:
        names = drawn.sample(sorted(values), drawn.randint(0, 4))
        body = {"query": drawn.choice(values["query"])} if drawn.random() < 0.9 else {}
        for name in names:
            wrong = drawn.random() < 0.15
            body[name] = drawn.choice(wild if wrong else values[name])
        found.append(body)
    return found


def test_the_same_bodies_get_the_same_answers_both_ways(here: Tenant) -> None:
    for place in ({}, {"group": "launch"}):
        here.remember(here.robot("aria"), "The launch has a party.", importance=0.0, **place)
    here.embed()
    straight, usual = FastPathSite(), FastPathSite(straight=False)
    went, stood_for = 0, 0
    for number, body in enumerate(bodies(here, 120)):
        key = here.keys[("aria", "bolt", "clio")[number % 3]]
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        found = same(straight.post(key, sent))
        assert found == same(usual.post(key, sent)), body
        went += straight.went[-1]
        told = any("consolidated" in one for one in found[2].get("results", ()))
        stood_for += straight.went[-1] and told
    assert went > 15, "the straight way is taken"
    assert stood_for > 5, "also where one stands for others"
    assert not any(usual.went)


@pytest.mark.slow
def test_thousands_of_bodies_get_the_same_answers_both_ways(here: Tenant) -> None:
    straight, usual = FastPathSite(), FastPathSite(straight=False)
    for number, body in enumerate(bodies(here, 4_000)):
        key = here.keys[("aria", "bolt", "clio")[number % 3]]
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        assert same(straight.post(key, sent)) == same(usual.post(key, sent)), body


def opened(here: Tenant, robot: str, group: str | None, member: str | None) -> Principal | None:
    key = parse_key(here.keys[robot])
    assert key is not None
    asked = KeyRequest(key=key, group=group, member=member, now=timezone.now())
    with pipelined_scope(organisation=asked.organisation_id):
        *_, rows = fetch_pipelined(asked.statements())
    found = asked.opened(rows)
    return found.principal if found else None


def usually(here: Tenant, robot: str, group: str | None, member: str | None) -> Principal | None:
    caller = authenticate_key(here.keys[robot], timezone.now())
    assert caller is not None
    try:
        return resolve_principal(resolve_actor(caller.actor(), group=group, member=member))
    except (NotFoundError, MissingScopeError):
        return None


@pytest.mark.conformance("T05")
def test_the_statement_opens_what_the_rules_resolve(here: Tenant) -> None:
    """Every robot x every group x every member, with leave, without, and with none named."""
    people: list[str | None] = [
        None,
        "nobody",
        "slack:U1",
        *(str(m.id) for m in here.members.values()),
    ]
    groups: list[str | None] = [None, "nowhere", "launch", str(here.groups["design"].id)]
    compared = set()
    for leave in (False, True):
        if leave:
            for robot in ("aria", "bolt"):
                create_delegation(
                    organisation_id=here.id, member_id=here.members["mina"].id,
                    robot_id=here.robots[robot].id, actor=here.person("mina"), now=NOW,
                )  # fmt: skip
        for robot, group, member in product(("aria", "bolt", "clio"), groups, people):
            found, expected = (
                opened(here, robot, group, member),
                usually(here, robot, group, member),
            )
            if found is not None:
                compared.add((found.actor.delegated, group is None, member is None))
            assert found == expected, (robot, group, member)
    assert len(compared) == 6


def test_a_statement_that_opens_nothing_leaves_every_table_empty(here: Tenant) -> None:
    own = here.keys["aria"]
    key = parse_key(own[:-1] + ("a" if own[-1] != "a" else "b"))
    assert key is not None
    asked = KeyRequest(key=key, group=None, member=None, now=timezone.now())
    with pipelined_scope(organisation=asked.organisation_id):
        count = ("SELECT count(*), current_setting('app.audiences', true) FROM memories_memory", {})
        *_, rows, seen = fetch_pipelined([*asked.statements(), count])
    assert (rows, seen) == ([], [(0, "{}")])


@pytest.mark.parametrize("end", ["revoke", "expire", "retire", "unread", "remove"])
def test_a_key_that_ended_opens_nothing_on_either_way(here: Tenant, end: str) -> None:
    straight, key = FastPathSite(), here.keys["aria"]
    for _ in range(2):
        assert straight.post(key, QUESTION)[0] == 200
    assert straight.went == [False, True]
    prefix = key.split("_")[2]
    with organisation_scope(here.id):
        row = Key.objects.get(prefix=prefix)
    if end == "revoke":
        revoke_key(organisation_id=here.id, key_id=row.id, now=timezone.now())
    elif end == "retire":
        with organisation_scope(here.id):
            Robot.objects.filter(id=here.robots["aria"].id).update(retired_at=timezone.now())
    else:
        with organisation_scope(here.id):
            keys = Key.objects.filter(id=row.id)
            if end == "expire":
                keys.update(expires_at=timezone.now() - timedelta(seconds=1))
            elif end == "unread":
                keys.update(scopes=["write"])
            else:
                keys.update(digest="0" * 64)
    status, _, body = straight.post(key, QUESTION)
    assert straight.went[-1] is False
    assert status == (403 if end == "unread" else 401), body


def test_an_answer_takes_four_messages(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    site, key = FastPathSite(), here.keys["aria"]
    body = {**QUESTION, "group": "launch"}
    for _ in range(2):
        site.post(key, body)
    messages: list[int] = []
    sent = way.fetch_pipelined

    def counted(statements: Any, *more: Any) -> Any:
        messages.append(len(statements))
        return sent(statements, *more)

    monkeypatch.setattr(way, "fetch_pipelined", counted)
    with CaptureQueriesContext(connection) as captured:
        site.post(key, body)
    assert site.went[-1]
    # Django names BEGIN and COMMIT as well; they travel in the first and the last message.
    named = [one["sql"] for one in captured.captured_queries]
    alone = len([sql for sql in named if sql not in ("BEGIN", "COMMIT")]) + 1 - sum(messages)
    assert (messages, alone) == ([3, 3], 2)
    assert not connection.in_atomic_block
    assert connection.connection.info.transaction_status == TransactionStatus.IDLE


def test_it_is_recorded_and_counted_like_any_other(here: Tenant) -> None:
    site, key = FastPathSite(), here.keys["aria"]
    for _ in range(2):
        _, _, body = site.post(key, {**QUESTION, "limit": 2})
    assert site.went == [False, True]
    with resolve_principal(here.robot("aria")).scope():
        row = Recall.objects.get(id=body["recall_id"])
        assert [hit[0] for hit in row.hits] == [hit["id"] for hit in body["results"]]
        assert (row.robot_id, row.strategy) == (here.robots["aria"].id, "triple_tenant")
        counts = Memory.objects.filter(id__in=[hit[0] for hit in row.hits])
        assert set(counts.values_list("known_use__access_count", flat=True)) == {2}


def test_a_connection_that_dies_in_the_middle_costs_no_answer(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, key = FastPathSite(), here.keys["aria"]
    site.post(key, QUESTION)

    search, died = way.run_search, []

    def die_once(question: Any) -> Any:
        if died:
            return search(question)
        died.append(True)
        connection.connection.close()
        raise psycopg.OperationalError("the server closed the connection")

    with monkeypatch.context() as patched:
        patched.setattr(way, "run_search", die_once)
        status, _, body = site.post(key, QUESTION)
    assert died
    assert (status, site.went[-1]) == (200, False)
    assert body["results"]


def test_other_headers_are_learned_by_themselves(here: Tenant) -> None:
    site, key = FastPathSite(), here.keys["aria"]
    site.post(key, QUESTION)
    site.post(key, QUESTION)
    assert site.went == [False, True]
    for headers in ({"host": b"evil.example"}, {"accept": b"text/html"}, {"cookie": b"a=b"}):
        usual = FastPathSite(straight=False)
        for _ in range(2):
            assert same(site.post(key, QUESTION, **headers)) == same(
                usual.post(key, QUESTION, **headers)
            )
    assert site.went[2:4] == [False, False], "a name that the site does not have"
    assert site.went[-2:] == [False, False], "a cookie may be a session"


def test_a_limit_holds_on_both_ways_as_one(here: Tenant, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "key-reads": 5}
    site, key = FastPathSite(), here.keys["bolt"]
    told = [site.post(key, QUESTION)[0] for _ in range(7)]
    assert told == [200] * 5 + [429] * 2
    assert site.went == [False, True, True, True, True, False, False]


def test_a_call_that_went_back_is_counted_once(here: Tenant, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "key-reads": 4}
    site, key = FastPathSite(), here.keys["clio"]
    assert site.post(key, QUESTION)[0] == 200
    # It is known, so it goes straight as far as the database, which does not open the group.
    told = [site.post(key, {**QUESTION, "group": "nowhere"})[0] for _ in range(4)]
    assert told == [404, 404, 404, 429]


def test_the_key_is_not_looked_for_in_other_places() -> None:
    site = FastPathSite()
    for scope in (
        recall_asgi_scope("x", b"{}") | {"query_string": b"a=1"},
        recall_asgi_scope("x", b"{}") | {"method": "GET"},
        recall_asgi_scope("x", b"{}") | {"path": "/api/v1/memories"},
    ):
        assert site.way.answer(scope, io.BytesIO(b"{}")) is None
