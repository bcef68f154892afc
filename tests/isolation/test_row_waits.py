"""Nobody waits at a row that everybody shares (T30).

A call with a thousand memories, or one behind an Idempotency-Key, is one transaction. What it
writes to the row of its robot, its group or its organisation it holds until it ends, and whoever
writes there too would wait with a thread and a connection of the server.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from rest_framework.test import APIClient

from tests.databases import rolled_back_connection
from tests.isolation.api_surface import Operation
from tests.isolation.forgery import ForgeryWorld, build_forgery_world, writing_operations
from tests.isolation.test_replays import TRIED_PER_OPERATION, calls
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("T30")

# Rows that the calls of many have in common.
SHARED = ("robots_robot", "robots_key", "orgs_member", "orgs_group", "orgs_audience")
# These change the row itself, and wait for whoever changes it.
CHANGE_THE_ROW = {"POST /api/v1/members/{reference}/identities"}


@contextmanager
def lock_shared_rows(here: Tenant) -> Iterator[None]:
    """Another transaction has written to each of these rows and goes on."""
    with rolled_back_connection("admin") as other:
        for table in SHARED:
            other.execute(
                f"SELECT id FROM {table} WHERE organisation_id = %s FOR NO KEY UPDATE", [here.id]
            )
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '300ms'")
        yield


def waits(scene: ForgeryWorld, client: APIClient, operation: Operation) -> bool:
    """Whether a call of the operation comes to a row that is held; each is undone."""
    for path, body in itertools.islice(calls(scene, operation), TRIED_PER_OPERATION):
        with transaction.atomic():
            answer = getattr(client, operation.method)(path, body, format="json")
            transaction.set_rollback(True)
        if answer.status_code < 300 or answer.status_code >= 500:
            return bool(answer.status_code >= 500)
    return False


def test_what_robots_do_waits_for_no_row(lasting_world: World) -> None:
    scene, here = build_forgery_world(lasting_world), lasting_world.here
    aria = here.api("aria")
    talk = scene.ids["conversation_id"][0]
    with lock_shared_rows(here):
        for path, body, status in (
            ("memories", {"content": "Pears ripen in August."}, 201),
            ("recall", {"query": "pears"}, 200),
            ("context", {"query": "pears"}, 200),
            (f"conversations/{talk}/messages", {"content": "Hello."}, 201),
            ("recall", {"query": ""}, 400),
            ("memories/nothing/forget", {}, 404),
        ):
            answer = aria.post(f"/api/v1/{path}", body, format="json")
            assert answer.status_code == status, (path, answer.content)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_no_operation_waits_for_a_row_that_it_does_not_change(lasting_world: World) -> None:
    scene = build_forgery_world(lasting_world)
    clients = {"aria": lasting_world.here.api("aria"), "mina": scene.callers["mina"]}
    with lock_shared_rows(lasting_world.here):
        found = {
            str(operation)
            for operation, client in itertools.product(writing_operations(), clients.values())
            if operation.described and waits(scene, client, operation)
        }
    assert found == CHANGE_THE_ROW
