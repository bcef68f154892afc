"""Every reading address answers the same with and without what is hidden: counts, facets, cursors,
suggestions and marks (ETags), in lists and on what the asker may open (T06).

Generated from the URL conf: an address that is added later is compared by itself.
"""

import copy
import re
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from memories.privacy.receipts import create_link
from orgs.database.rls import organisation_scope
from orgs.principals import Actor, resolve_principal
from robots.models.conversations import Conversation
from tests.isolation.api_surface import (
    UNTENANTED_PATHS,
    Operation,
    api_operations,
    iter_url_patterns,
    openapi_path,
)
from tests.isolation.canaries import READERS, ROBOTS, CanaryWorld, plant_canaries
from tests.isolation.comparable_responses import normalise_response, send
from tests.isolation.test_traces import TOTALS, hide
from tests.personas.persona_helpers import QSR
from tests.sampling import ALL, sample_slice
from tests.world import PEOPLE, World

SLOT = re.compile(r"\{(\w+)\}")
# What narrows, counts, orders or completes; each is asked of every address.
QUERIES = ["", "?limit=1", "?q=canary", "?group=launch", "?topic=word", "?member={member}"]
QUERIES += ["?robot={robot}", "?kind=group", "?tag=launch", "?status=forgotten", "?who={member}"]
# Whoever downloads a file asks for all of it; without an id there is nothing to open.
CALLERS = ["aria", "mina", "ada"]


def theirs(stage: CanaryWorld, caller: str) -> dict[str, list[str]]:
    """What the caller may open, by the name that slots have in addresses."""
    here = stage.world.here
    who: Actor = here.robot(caller) if caller in ROBOTS else here.person(caller)
    readable = {str(i) for i in here.readable(who)}
    principal = resolve_principal(who)
    with principal.scope():
        chats = [str(i) for i in Conversation.objects.values_list("id", flat=True)]
    memories = sorted(str(i) for i in stage.memories.values() if str(i) in readable)
    groups = [n for n in here.groups if caller in READERS.get(f"canary-{n}", ())]
    found = {
        "memory_id": memories,
        "conversation_id": sorted(chats),
        "group_id": [str(here.groups[n].id) for n in groups],
        "member_id": [str(here.members["bob"].id)],
        "robot_id": [str(here.robots["aria"].id)],
        "robot": [str(here.robots["aria"].id)],
        "team_id": [str(stage.team)],
        "item_id": [str(stage.memories["canary-item-bob"])],
        "entity_id": [str(stage.memories["canary-named-launch"])],
        "task_id": [str(stage.memories["canary-task-launch"])],
        "decision_id": [str(stage.memories["canary-decision-launch"])],
        "dissent_id": [str(stage.memories["canary-dissent-launch"])],
        "debate_id": [str(stage.memories["canary-debate-launch"])],
        "account_id": [str(stage.memories["canary-account-mina"])],
        "preference_id": [str(stage.memories["canary-preference-mina"])],
        "association_id": [str(stage.memories["canary-association-mina"])],
        "block_id": [str(stage.memories["canary-block-mina"])],
        "entry_id": [str(stage.memories["canary-human-mina"])],
        "handle": [QSR],
        "erasure_id": [str(stage.erasure.id)] if caller == "ada" else [],
        "link": [create_link(stage.erasure)],
        "organisation_id": [str(here.id)],
        "audience_id": sorted(map(str, principal.audiences)),
        "slug": [here.organisation.slug],
        "name": ["memories", "recalls", "robots", "growth"],
        "number": ["1"],
    }
    return found | {"groups": groups, "identity": ["chat:local"]}


def references(place: str, ids: dict[str, list[str]]) -> list[str]:
    """What `reference` means depends on what stands before it."""
    if "/groups/" in place:
        return ids["groups"] + ids["group_id"]
    if "/teams/" in place:
        return ids["team_id"]
    if "/personas/" in place:
        return [QSR]
    return ids["robot_id"] if "/robots/" in place else ids["member_id"]


def addresses() -> list[tuple[str, str]]:
    """(address, method) of all that reads; the API says itself where a POST does."""
    found = []
    for route, pattern in iter_url_patterns():
        place = openapi_path(route)
        if route.startswith(UNTENANTED_PATHS) or place in ("/api/v1/schema", "/api/v1/docs"):
            continue
        view = getattr(pattern.callback, "view_class", None)
        if view is None or hasattr(view, "get"):
            found.append((place, "get"))
        if view is not None and getattr(view, "scopes", {}).get("POST") == "read":
            found.append((place, "post"))
    return found


def probes(
    stage: CanaryWorld, caller: str, *, whole: bool = True
) -> list[tuple[Operation, str, Any]]:
    """Every reading address with all that the caller may put into it.

    Not whole: those that open one thing, which `test_traces` leaves out, once each.
    """
    ids, bodies = theirs(stage, caller), {str(o): o.body for o in api_operations()}
    found: list[tuple[Operation, str, Any]] = []
    for place, method in addresses():
        if caller in ROBOTS and not place.startswith("/api/"):
            continue
        if not whole and "{" not in place:
            continue
        values = {
            name: references(place, ids) if name == "reference" else ids.get(name, [])
            for name in SLOT.findall(place)
        }
        if not all(values.values()):
            continue
        for n in range(min(3, max((len(v) for v in values.values()), default=1))):
            path = place
            for name, known in values.items():
                path = path.replace(f"{{{name}}}", known[n % len(known)])
            body = copy.deepcopy(bodies.get(f"{method.upper()} {place}"))
            if body is not None:
                body |= {"query": "canary word"}
            for query in QUERIES if whole and method == "get" and not n else [""]:
                filled = query.format(member=ids["member_id"][0], robot=ids["robot_id"][0])
                operation = Operation(method, place, (), body, place.startswith("/api/"))
                found.append((operation, path + filled, body))
    return found


def listen(stage: CanaryWorld, caller: str, *, whole: bool, part: slice = ALL) -> dict[str, str]:
    """What the caller hears from each probe; asked twice where an answer has a mark."""
    client = stage.callers[caller]()
    cookies, heard = copy.deepcopy(client.cookies), {}
    known = frozenset(map(str, stage.memories.values()))
    for operation, path, body in probes(stage, caller, whole=whole)[part]:
        with transaction.atomic():
            client.cookies = copy.deepcopy(cookies)
            answer = send(client, operation, path, {}, copy.deepcopy(body))
            mark = answer.headers.get("ETag")
            transaction.set_rollback(True)
        assert answer.status_code < 500, (caller, path)
        told = normalise_response(answer, "\x00", known)
        heard[f"{operation.method} {path}"] = f"{mark}\n{told}"
    return heard


def without_moment() -> AbstractContextManager[Any]:
    """The cursor of a thing's relationships holds a new id, the moment of the first page, and time
    does not stand still for ids: it is the latest one here."""
    return mock.patch(
        "memories.retrieval.experts.relationships.new_id", return_value=UUID(int=2**128 - 1)
    )


def without_others() -> AbstractContextManager[Any]:
    """The feed of changes goes up to what has ended. Nothing of this world has, and how far it goes
    then depends on whoever else writes to this server: here it goes to the end."""
    return mock.patch(
        "memories.browsing.change_feed.change_feed.HORIZON_SQL", "SELECT 1::bigint << 62, 'here'"
    )


def compared(
    world: World, caller: str, *, whole: bool, part: slice
) -> tuple[dict[str, str], dict[str, str]]:
    with time_machine.travel(timezone.now(), tick=False), without_moment(), without_others():
        stage = plant_canaries(world)
        before = listen(stage, caller, whole=whole, part=part)
        assert hide(stage, caller) >= 9
        return before, listen(stage, caller, whole=whole, part=part)


def equal(world: World, caller: str, *, whole: bool, part: slice = ALL) -> int:
    """Compares; returns how many of the addresses opened."""
    before, after = compared(world, caller, whole=whole, part=part)
    assert before.keys() == after.keys()
    differ = {path: (told, after[path]) for path, told in before.items() if after[path] != told}
    skipped = TOTALS if caller == "ada" else ()
    assert {
        path for path in differ if path.partition(" ")[2].partition("?")[0] not in skipped
    } == set(), differ
    return len([told for told in before.values() if "\n200 " in told])


@pytest.mark.conformance("T06")
@pytest.mark.parametrize(("caller", "one_of"), [("aria", 6), ("mina", 18)])
def test_what_is_opened_does_not_depend_on_what_is_hidden(
    world: World, caller: str, one_of: int, request: pytest.FixtureRequest
) -> None:
    part = sample_slice(request, one_of)
    assert equal(world, caller, whole=False, part=part) >= 1


@pytest.mark.slow
@pytest.mark.conformance("T06")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("caller", CALLERS)
def test_nothing_that_is_read_depends_on_what_is_hidden(world: World, caller: str) -> None:
    assert equal(world, caller, whole=True) >= (150 if caller in PEOPLE else 80)


@pytest.mark.conformance("T06")
def test_every_reading_address_is_compared(world: World) -> None:
    stage = plant_canaries(world)
    asked = {operation.address for who in CALLERS for operation, _, _ in probes(stage, who)}
    left = {place for place, _ in addresses()} - asked
    # Acts behind a button, which answer 405 to a reader, and what this cast has none of.
    names = "job_id|suggestion_id|term_id|key_id|identity_id|delegation_id|sign_in_id|secret"
    # Kept files are their owner's; recalls as they were served have tests of their own.
    names += "|act|preview_id|recall_id"
    # What a webhook is told has tests of its own: tests/memories/webhooks.
    names += "|webhook_id|delivery_id"
    # Admins see every folder of imports: tests/memories/ingestion/folder_import.
    names += "|subscription_id"
    # Who reads which document has tests of its own: tests/memories/api/test_documents.py.
    names += "|document_id"
    # What the address in a mail ends has tests of its own: tests/memories/news.
    names += "|token"
    # A question leaves the list by a press; who sees it: tests/memories/questions.
    names += "|question_id"
    none = re.compile(rf"\{{({names})\}}")
    assert {place for place in left if not none.search(place)} == set()


@pytest.mark.conformance("T06")
def test_the_comparison_notices_a_count_of_everything(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memories.api.statistics import get_statistics
    from orgs.models.organisations import Group

    def careless(actor: Actor, **kwargs: Any) -> dict[str, Any]:
        with organisation_scope(actor.organisation_id):
            return get_statistics(actor, **kwargs) | {"robots": Group.objects.count()}

    monkeypatch.setattr("memories.api.statistics.get_statistics", careless)
    stage = plant_canaries(world)
    with time_machine.travel(timezone.now(), tick=False):
        before = listen_to_stats(stage)
        from orgs.organisations.groups import create_group

        create_group(organisation_id=world.here.id, external_id="new", now=timezone.now())
        assert listen_to_stats(stage) != before


def listen_to_stats(stage: CanaryWorld) -> str:
    client = stage.callers["bolt"]()
    operation = Operation("get", "/api/v1/stats", ())
    return normalise_response(
        send(client, operation, "/api/v1/stats", {}, None), "\x00", frozenset()
    )
