"""What somebody was served is told to nobody else: no line, count, time, tier, score or order.

Fifty baits of ten topics are read by few. One of their readers asks about half of the topics by
every door, or about the other half, at the same times. Whoever else reads asks every reading
address after it, and the answers have to be equal: then no guesser does better than chance.
Addresses come from the URL conf and orders from the description, so that what is added later is
compared by itself (T29).
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from unittest import mock
from urllib.parse import unquote
from uuid import UUID

import pytest
import time_machine
from django.db import transaction
from django.http import HttpResponse
from rest_framework.test import APIClient

from memories.access.references import ReaderReferences
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle.tier_schedule import move_due_tiers
from memories.views.browsing.list_filters import ORDER_LABELS
from tests.databases import autocommit_connection
from tests.isolation import comparable_responses
from tests.isolation.api_surface import Operation, api_operations, resolve_schema
from tests.isolation.canaries import plant_canaries
from tests.isolation.test_traces_everywhere import probes
from tests.personas.persona_helpers import make_robot_client
from tests.sampling import ALL, sample_slice
from tests.world import NOW, World

TOPICS = ("harbour", "orchard", "glacier", "violin", "pottery")
TOPICS += ("falcon", "lighthouse", "saffron", "turbine", "velvet")
HALVES = (TOPICS[::2], TOPICS[1::2])
EACH = 5
# Baits are read by two; one of a topic by a group of two, one by the whole organisation of five.
PLACES: tuple[dict[str, Any], ...] = (
    *({"visibility": "shared"} for _ in range(EACH - 2)),
    {"group": "launch"},
    {"visibility": "organisation"},
)
ASKING, LOOKING = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
PROFILES = ("balanced", "hive", "strength", "continuum")


@dataclass
class Baits:
    """Memories by topic, and who may look."""

    world: World
    stage: Any
    ids: dict[str, list[UUID]] = field(default_factory=dict)
    robots: dict[str, APIClient] = field(default_factory=dict)

    @property
    def known(self) -> frozenset[str]:
        every = [id_ for ids in self.ids.values() for id_ in ids]
        more = self.stage.memories.values() if self.stage else ()
        return frozenset(map(str, [*every, *more]))


def lay(world: World, *, staged: bool = True) -> Baits:
    """The baits, laid by a robot of the group; and whatever else there is, if it is staged."""
    here = world.here
    baits = Baits(world, plant_canaries(world) if staged else None)
    both = ReaderReferences(members=(str(here.members["mina"].id), str(here.members["bob"].id)))
    drafts = [
        Draft(
            content=f"The {topic} has rule number {number} of the {topic}.",
            tags=(topic,),
            importance=0.9 if number == 1 else 0.5,
            **place,
            **({"readers": both} if place.get("visibility") == "shared" else {}),
        )
        for topic in TOPICS
        for number, place in enumerate(PLACES)
    ]
    made = remember_many(here.robot("aria"), drafts, now=NOW)
    here.read()
    for number, one in enumerate(made):
        baits.ids.setdefault(TOPICS[number // EACH], []).append(one.id)
    for name in ("bob", "mina"):
        baits.robots[name] = make_robot_client(here, name)
    return baits


# --- asking ------------------------------------------------------------------------------------


def ask(baits: Baits, topics: tuple[str, ...], times: int = 1) -> None:
    """Bob and the robots that serve him ask about each topic, by every door that serves."""
    here = baits.world.here
    bob, browser, own = str(here.members["bob"].id), here.browser("bob"), baits.robots["bob"]
    aria, robot, curator = here.api("aria"), here.robots["aria"].id, here.browser("chidi")
    for topic in topics:
        question, found = {"query": f"What are the rules of the {topic}?"}, []
        for client, more in (
            (browser, {}),
            (own, {"member": bob}),
            (own, {}),
            (aria, {"member": bob, "group": "launch"}),
            (aria, {"member": bob}),
        ):
            for _ in range(times):
                answer = client.post("/api/v1/recall", question | more, format="json")
                assert answer.status_code == 200, answer.content
                found.append((client, answer.json()))
            for path in ("/api/v1/context", "/api/v1/answer"):
                answer = client.post(path, question | more, format="json")
                assert answer.status_code == 200, answer.content
        for client, given in found[::times]:
            for hit in given["results"][:2]:
                body = {"recall_id": given["recall_id"], "memory": hit["id"], "usefulness": 1.0}
                body["outcome"] = "success"
                assert client.post("/api/v1/feedback", body, format="json").status_code == 201
        asked = {"as_whom": f"member:{bob}", "question": question["query"]}
        assert curator.post("/playground/", asked).status_code == 200
        assert browser.get("/memories/", {"q": topic}).status_code == 200
        assert browser.get("/api/v1/passages", {"query": topic}).status_code == 200
        at_hand = f"/api/v1/robots/{robot}/working-memory?member={bob}"
        assert aria.get(at_hand).status_code == 200


# --- looking -----------------------------------------------------------------------------------


def told(answer: HttpResponse, known: frozenset[str]) -> str:
    """As `answers.comparable`, but times stay: the clock stands still here."""
    text = unquote(unquote(comparable_responses.response_text(answer)))
    text = comparable_responses.UUID_PATTERN.sub(
        lambda m: m.group(0) if m.group(0) in known else "<id>", text
    )
    for pattern in (
        comparable_responses.REQUEST_ID,
        comparable_responses.TOOK_PATTERN,
        comparable_responses.SIGNED,
        comparable_responses.SEALED,
        comparable_responses.CSRF,
        comparable_responses.MARK,
        comparable_responses.MARKED_TOKENS,
    ):
        text = pattern.sub("<>", text)
    return text


def chosen(operation: Operation) -> Iterator[str]:
    """A query for each word that the description lets a parameter have."""
    from tests.isolation.api_surface import openapi_schema

    listed = openapi_schema()["paths"][operation.address][operation.method].get("parameters", [])
    for parameter in listed:
        for word in resolve_schema(parameter["schema"]).get("enum", []):
            if parameter["in"] == "query":
                yield f"?{parameter['name']}={word}"


def questions(baits: Baits, who: dict[str, str]) -> list[tuple[Operation, str, Any]]:
    """Recalls and contexts about each topic, in each profile and order; and lists in each order."""
    found: list[tuple[Operation, str, Any]] = []
    for address, each in (
        ("/api/v1/recall", [{"profile": p, "explain": True, "limit": 30} for p in PROFILES]),
        ("/api/v1/answer", [{"profile": p, "limit": 30} for p in PROFILES]),
        (
            "/api/v1/context",
            [
                {"order": order, "max_entities": 3, "max_tokens": 400}
                for order in ("recent", "important", "balanced")
            ],
        ),
    ):
        for more in each:
            for query in ("rule of the", *TOPICS[:2]):
                body = {"query": query, **more, **who}
                found.append((Operation("post", address, (), body), address, body))
    return found


def lists(baits: Baits, *, pages: bool) -> list[tuple[Operation, str, Any]]:
    """Every list by every word that narrows or orders it, and what there is of each bait."""
    found: list[tuple[Operation, str, Any]] = []
    for operation in api_operations():
        if operation.method == "get" and "{" not in operation.address:
            for query in ("", *chosen(operation)):
                found.append((operation, operation.address + query, None))
    some = [ids[number] for number, ids in enumerate([*baits.ids.values()][:4])]
    for id_ in some:
        for tail in ("", "/history", "/lineage"):
            path = f"/api/v1/memories/{id_}{tail}"
            found.append((Operation("get", path, ()), path, None))
        path = f"/api/v1/operations?memory={id_}"
        found.append((Operation("get", path, ()), path, None))
    if pages:
        places = [f"/memories/{id_}/" for id_ in some]
        places += [f"/memories/?sort={order}" for order in ORDER_LABELS]
        places += [f"/memories/?sort={order}&each=1" for order in ORDER_LABELS]
        found += [(Operation("get", place, (), described=False), place, None) for place in places]
    return found


def lookers(baits: Baits) -> dict[str, tuple[Callable[[], APIClient], str, dict[str, str]]]:
    """Whoever else reads: (their client, their name on the stage, what they say in a question)."""
    here = baits.world.here
    mina = str(here.members["mina"].id)
    return {
        "mina": (lambda: here.browser("mina"), "mina", {}),
        "mina's robot": (lambda: baits.robots["mina"], "", {"member": mina}),
        "aria": (lambda: here.api("aria"), "aria", {}),
        "aria for mina": (lambda: here.api("aria"), "", {"member": mina, "group": "launch"}),
        "aria for mina anywhere": (lambda: here.api("aria"), "", {"member": mina}),
        "chidi": (lambda: here.browser("chidi"), "chidi", {}),
        "ada": (lambda: here.browser("ada"), "ada", {}),
        "bob": (lambda: here.browser("bob"), "bob", {}),
    }


def look(baits: Baits, name: str, *, whole: bool = False, part: slice = ALL) -> dict[str, str]:
    """Every answer that this looker gets. Each look is undone, for asking counts as a use."""
    make, caller, who = lookers(baits)[name]
    client, heard = make(), {}
    asked = questions(baits, who)
    robot = baits.world.here.robots["aria"].id
    for member in who.values() if "aria" in name else ():
        path = f"/api/v1/robots/{robot}/working-memory?member={member}"
        asked.append((Operation("get", path, ()), path, None))
    if not who:
        asked += lists(baits, pages=caller != "aria")
        if caller != "bob" and baits.stage:
            asked += probes(baits.stage, caller, whole=whole)
    # What one was served is told to oneself, also by a robot that asks for one.
    bob = str(baits.world.here.members["bob"].id)
    asked = [one for one in asked if caller == "bob" or bob not in f"{one[1]} {one[2]}"]
    for operation, path, body in asked[part]:
        with transaction.atomic():
            answer = comparable_responses.send(client, operation, path, {}, body)
            mark = answer.headers.get("ETag")
            transaction.set_rollback(True)
        assert answer.status_code < 500, (name, path)
        heard[f"{operation.method} {path} {body}"] = f"{mark}\n{told(answer, baits.known)}"
    return heard


def still(moment: Any) -> AbstractContextManager[Any]:
    return time_machine.travel(moment, tick=False)


def without_moment() -> AbstractContextManager[Any]:
    """See `test_traces_everywhere.without_moment`."""
    latest = UUID(int=2**128 - 1)
    return mock.patch("memories.retrieval.experts.relationships.new_id", return_value=latest)


def looked_after(
    baits: Baits,
    topics: tuple[str, ...],
    names: tuple[str, ...],
    *,
    times: int = 1,
    whole: bool = False,
    part: slice = ALL,
) -> dict[str, str]:
    """What is told after questions about these topics, which are undone then."""
    heard: dict[str, str] = {}
    with transaction.atomic():
        with still(ASKING):
            ask(baits, topics, times)
        with still(LOOKING), without_moment():
            for name in names:
                seen = look(baits, name, whole=whole, part=part)
                heard |= {f"{name}: {path}": text for path, text in seen.items()}
        transaction.set_rollback(True)
    return heard


def differing(one: dict[str, str], other: dict[str, str]) -> list[str]:
    assert one.keys() == other.keys()
    return [path for path, text in one.items() if other[path] != text]


@pytest.fixture
def baits(world: World) -> Baits:
    with still(NOW):
        return lay(world)


QUICK = ("mina", "aria", "mina's robot", "aria for mina", "aria for mina anywhere", "chidi")


@pytest.mark.conformance("T29")
@pytest.mark.timeout(900)
def test_no_answer_tells_what_another_was_served(
    baits: Baits, request: pytest.FixtureRequest
) -> None:
    part = sample_slice(request, 24)
    one, other = (looked_after(baits, half[:1], QUICK, part=part) for half in HALVES)
    assert len([text for text in one.values() if "\n200 " in text]) > 5
    assert differing(one, other) == []


@pytest.mark.slow
@pytest.mark.conformance("T29")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [*QUICK, "ada"])
def test_no_reading_address_tells_what_another_was_served(baits: Baits, name: str) -> None:
    one, other = (looked_after(baits, half, (name,), times=2, whole=True) for half in HALVES)
    assert len(one) > (300 if name in ("mina", "ada", "chidi", "aria") else 20)
    assert differing(one, other) == []


@pytest.mark.conformance("T29")
def test_whoever_asked_is_told_themselves(baits: Baits) -> None:
    part = slice(0, 12)
    one, other = (looked_after(baits, half[:1], ("bob",), part=part) for half in HALVES)
    assert len(differing(one, other)) >= 2
    here = baits.world.here
    with transaction.atomic(), still(ASKING):
        ask(baits, TOPICS[:1])
        lines = here.browser("bob").get("/api/v1/operations?verb=recall&limit=100").json()
        assert {row["memory"] for row in lines["results"]} >= set(map(str, baits.ids["harbour"]))
        transaction.set_rollback(True)


# --- the day after -----------------------------------------------------------------------------

# What asking changes; what a night makes of it.
CHANGED = ("readeruse", "use", "operation", "recall", "feedback", "transition", "workingentry")
CHANGED += ("ageingrun",)


@contextmanager
def put_back(organisation: UUID) -> Iterator[Callable[[], None]]:
    """A function that puts these tables back as they were, past all policies."""
    with autocommit_connection("admin") as connection:
        for name in CHANGED:
            connection.execute(
                f"CREATE TEMP TABLE was_{name} AS SELECT * FROM memories_{name} "
                f"WHERE organisation_id = '{organisation}'"
            )

        def put() -> None:
            for name in reversed(CHANGED):
                connection.execute(
                    f"DELETE FROM memories_{name} WHERE organisation_id = '{organisation}'"
                )
            for name in ("recall", *(one for one in CHANGED if one != "recall")):
                connection.execute(f"INSERT INTO memories_{name} SELECT * FROM was_{name}")

        yield put


@pytest.mark.slow
@pytest.mark.conformance("T29")
@pytest.mark.timeout(1800)
def test_the_day_after_tells_no_more(lasting_world: World) -> None:
    """Uses are published and tiers judged at night; few read these, so nothing shows."""
    names, heard = ("mina", "aria for mina"), []
    here = lasting_world.here
    with still(NOW):
        baits = lay(lasting_world, staged=False)
    with put_back(here.id) as put:
        for half in HALVES:
            with still(ASKING):
                ask(baits, half[:3], times=2)
            for days in (1, 2, 3):
                move_due_tiers(here.id, now=NOW + timedelta(days=days))
            seen: dict[str, str] = {}
            with still(NOW + timedelta(days=3, hours=1)), without_moment():
                for name in names:
                    seen |= {f"{name}: {path}": text for path, text in look(baits, name).items()}
            heard.append(seen)
            put()
    one, other = heard
    assert len(one) > 200
    assert differing(one, other) == []
