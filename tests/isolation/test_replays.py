"""A replay shows nobody what is not theirs: another key's, another organisation's, or what its
asker may no longer read (N03).

Every operation that changes something is called with an Idempotency-Key, by the URL conf and the
OpenAPI description, so that what is added later is tried as well.
"""

import copy
import itertools
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from django.apps import apps
from django.db import connection, transaction
from rest_framework.test import APIClient

from memories.privacy.erasure.kept_answers import TABLES
from memories.store.models.memory import Memory
from orgs.api.idempotency import HEADER, REPLAYED
from orgs.database.rls import organisation_scope
from orgs.models.organisations import GroupMembership
from orgs.principals import resolve_principal
from robots.models.robots import RobotGroup
from tests.isolation.api_surface import ABSENT_FILLER, Operation, openapi_schema
from tests.isolation.forgery import (
    ForgeryWorld,
    all_audiences_scope,
    bodies,
    build_forgery_world,
    whole_query,
    writing_operations,
)
from tests.personas.test_at_once import at_once
from tests.sampling import sample_slice
from tests.world import Tenant, World
from tests.world_copies import shared_admin_connection

pytestmark = pytest.mark.conformance("N03")
MEMORIES, TEXT = "/api/v1/memories", {"content": "The launch is on Monday.", "group": "launch"}
UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# How many calls of an operation are tried until one succeeds.
TRIED_PER_OPERATION = 12


def send(client: APIClient, method: str, path: str, body: Any, key: str = "the key") -> Any:
    cookies = copy.deepcopy(client.cookies)
    made = getattr(client, method)(path, body, format="json", headers={HEADER: key})
    client.cookies = cookies
    return made


def calls(scene: ForgeryWorld, operation: Operation) -> Iterator[tuple[str, Any]]:
    """(path, body) of calls that could succeed."""
    names = [part.partition("}")[0] for part in operation.address.split("{")[1:]]
    query = "&".join(f"{k}={v}" for k, v in whole_query(operation).items())
    for ids in itertools.product(*(scene.ids.get(name, [ABSENT_FILLER]) for name in names)):
        path = operation.address
        for name, id_ in zip(names, ids, strict=True):
            path = path.replace(f"{{{name}}}", id_)
        for body, _ in bodies(operation, scene.ids["memory_id"][0]):
            yield (f"{path}?{query}" if query else path), body


def takes_key(operation: Operation) -> bool:
    if not operation.described:
        return False
    described = openapi_schema()["paths"][operation.address][operation.method]
    return HEADER in {one["name"] for one in described.get("parameters", [])}


def succeeded(scene: ForgeryWorld, client: APIClient, operation: Operation) -> Any:
    """(path, body, answer) of the first call that succeeds; None if none does."""
    for path, body in itertools.islice(calls(scene, operation), TRIED_PER_OPERATION):
        answer = send(client, operation.method, path, body)
        assert answer.status_code < 500, (str(operation), answer.content)
        if answer.status_code < 300:
            return path, body, answer
    return None


def lose_groups(here: Tenant, caller: str) -> None:
    with organisation_scope(here.id):
        if caller in here.members:
            GroupMembership.objects.filter(member=here.members[caller]).delete()
        else:
            RobotGroup.objects.filter(robot=here.robots[caller]).delete()


def check_readable(here: Tenant, caller: str, told: str) -> None:
    """Every memory in the answer is one that the caller reads now."""
    actor = here.person(caller) if caller in here.members else here.robot(caller)
    readable = resolve_principal(actor.naming_a_row()).audiences
    with all_audiences_scope(here):
        rows = Memory.objects.filter(id__in=[UUID(one) for one in UUIDS.findall(told)])
        unread = rows.exclude(audience_id__in=readable).values_list("content", flat=True)
        assert list(unread) == []


@pytest.mark.timeout(400)
@pytest.mark.parametrize("one_of", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_replay_is_for_its_asker_and_for_what_they_still_read(
    world: World, one_of: int, request: pytest.FixtureRequest
) -> None:
    here, there = world.here, world.there
    scene = build_forgery_world(world)
    others = {"aria": ["aria-plain", "eve"], "mina": ["aria", "chidi"]}
    clients = scene.callers | {"aria": here.api("aria"), "there": there.api("aria")}
    done, refused = [], []
    some = [one for one in writing_operations() if takes_key(one)][sample_slice(request, one_of)]
    for operation, caller in itertools.product(some, others):
        with transaction.atomic():
            if first := succeeded(scene, clients[caller], operation):
                path, body, answer = first
                again = send(clients[caller], operation.method, path, body)
                replayed = REPLAYED in again.headers
                told = (str(operation), again.status_code, again.content)
                if replayed:
                    assert again.content == answer.content, told
                else:
                    assert again.status_code in (404, 409), told
                for other in [*others[caller], "there"]:
                    theirs = send(clients[other], operation.method, path, body)
                    assert REPLAYED not in theirs.headers, (str(operation), other)
                lose_groups(here, caller)
                late = send(clients[caller], operation.method, path, body)
                if REPLAYED in late.headers:
                    check_readable(here, caller, late.content.decode())
                done += [str(operation)] * replayed
                refused += [str(operation)] * (late.status_code == 404)
            transaction.set_rollback(True)
    assert len(done) >= 45 / one_of / 3, done
    assert len(refused) >= 20 / one_of / 4, refused


def slow_answer(began: Event, ends: Event) -> Any:
    """Holds each remember up after it has written, until `ends`."""
    from memories.api.serializers.memories import RememberedSerializer

    render = RememberedSerializer.render

    def wait(*args: Any, **kwargs: Any) -> Any:
        began.set()
        ends.wait(timeout=30)
        return render(*args, **kwargs)

    return mock.patch.object(RememberedSerializer, "render", wait)


def remembered(here: Tenant) -> list[int]:
    with all_audiences_scope(here):
        rows = Memory.objects.filter(organisation_id=here.id, content=TEXT["content"])
        return list(rows.values_list("remember_count", flat=True))


def test_while_a_call_runs_the_same_one_is_refused(lasting_world: World) -> None:
    here, began, ends = lasting_world.here, Event(), Event()

    def call(client: APIClient) -> Any:
        try:
            return send(client, "post", MEMORIES, TEXT)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, slow_answer(began, ends):
        running = pool.submit(call, here.api("aria"))
        assert began.wait(timeout=30)
        second = send(here.api("aria"), "post", MEMORIES, TEXT)
        assert (second.status_code, second.json()["title"]) == (
            409,
            "The call with this key still runs",
        )
        ends.set()
        first = running.result()
    third = send(here.api("aria"), "post", MEMORIES, TEXT)
    assert (first.status_code, third.content) == (201, first.content)
    assert REPLAYED in third.headers
    assert remembered(here) == [1]


def test_of_equal_calls_at_once_one_runs(lasting_world: World) -> None:
    here = lasting_world.here
    clients = [here.api("aria") for _ in range(4)]
    made = at_once(4, lambda n: send(clients[n], "post", MEMORIES, TEXT).status_code)
    assert set(made) <= {201, 409}
    assert 201 in made
    assert remembered(here) == [1]


def test_a_call_that_dies_leaves_nothing_behind(lasting_world: World) -> None:
    here, began, ends = lasting_world.here, Event(), Event()
    pids: list[int] = []

    def call() -> int:
        client = here.api("aria")
        client.raise_request_exception = False
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            pids.append(cursor.fetchone()[0])
        try:
            return int(send(client, "post", MEMORIES, TEXT).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, slow_answer(began, ends):
        dying = pool.submit(call)
        assert began.wait(timeout=30)
        ended = shared_admin_connection().execute("SELECT pg_terminate_backend(%s, 10000)", pids)
        assert ended.fetchone() == (True,)
        ends.set()
        assert dying.result() >= 500
    assert remembered(here) == []
    answer = send(here.api("aria"), "post", MEMORIES, TEXT)
    assert (answer.status_code, REPLAYED in answer.headers) == (201, False)
    assert remembered(here) == [1]


# Rows with readers whose ids are in no answer, or beside that of their memory.
SHOWN_WITH_OTHERS = {
    *("memories_edge", "memories_embedding", "memories_feedback", "memories_heldtext"),
    *("memories_departure", "memories_derivation", "memories_memory", "memories_modelanswer"),
    # No call of the API names one.
    *("memories_question", "memories_questionasker"),
    "memories_observation",
    *("memories_operation", "memories_pending", "memories_pendingrestatement", "memories_text"),
    *("memories_restatement", "memories_workingentry", "orgs_audienceentry", "personas_blockline"),
}


def test_every_row_with_readers_is_looked_at_before_a_replay() -> None:
    with_readers = {
        model._meta.db_table
        for model in apps.get_models()
        if {"id", "organisation_id", "audience_id"}
        <= {field.column for field in model._meta.concrete_fields}
    }
    assert with_readers == SHOWN_WITH_OTHERS | set(TABLES)
