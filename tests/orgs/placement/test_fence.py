"""What a server says of an organisation that moves, whatever a process remembers (O18)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from memories import tasks
from memories.indexing import embed_worker
from orgs.database.driver.servers import OrganisationMovedError, OrganisationMovingError, on_server
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, current_scope, organisation_scope, scope
from orgs.placement import placements
from orgs.placement.placements import find_server
from tests.orgs.placement.two_servers import admin_url
from tests.world import Tenant, World

TEXT = "The pump in hall four runs at 40 bar."


@contextmanager
def fenced(organisation: UUID, database: str, state: str, **moments: object) -> Iterator[None]:
    """A fence in one database, while it is open."""
    values = {"id": organisation, "state": state, "until": None, "since": None, **moments}
    with psycopg.connect(admin_url(database), autocommit=True) as connection:
        connection.execute(
            "INSERT INTO orgs_organisationfence (id, state, until, since) "
            "VALUES (%(id)s, %(state)s, %(until)s, %(since)s)",
            values,
        )
        try:
            yield
        finally:
            connection.execute("DELETE FROM orgs_organisationfence WHERE id = %s", [organisation])


@pytest.fixture
def with_memory(far: Tenant) -> Tenant:
    """An organisation on the second server that knows something."""
    stored = far.api("rover").post(
        "/api/v1/memories", {"content": TEXT, "visibility": "organisation"}, format="json"
    )
    assert stored.status_code == 201, stored.content
    tasks.sweep_embeddings()
    far.embed()
    return far


def test_a_sealed_organisation_is_read_and_takes_no_writes(
    with_memory: Tenant, second_database: str, lasting_world: World
) -> None:
    rover = with_memory.api("rover")
    with fenced(with_memory.id, second_database, "sealed"):
        refused = rover.post("/api/v1/memories", {"content": "A second one."}, format="json")
        assert refused.status_code == 503
        assert refused.json()["type"].endswith("organisation-moving")
        assert "moves to another server" in refused.json()["detail"]
        assert int(refused["Retry-After"]) > 0
        for _ in range(2):
            answer = rover.post("/api/v1/recall", {"query": "pump hall four"}, format="json")
            assert answer.status_code == 200, answer.content
            assert [hit["content"] for hit in answer.json()["results"]] == [TEXT]
        context = rover.post("/api/v1/context", {"query": "pump"}, format="json")
        assert context.status_code == 200, context.content
        assert TEXT in context.json()["text"]
        for address in ("/api/v1/memories", "/api/v1/stats", "/api/v1/me"):
            assert rover.get(address).status_code == 200, address
        elsewhere = lasting_world.here.api("aria").post(
            "/api/v1/memories", {"content": "Nobody else waits."}, format="json"
        )
        assert elsewhere.status_code == 201
    again = rover.post("/api/v1/memories", {"content": "A second one."}, format="json")
    assert again.status_code == 201


def test_the_pool_of_its_server_is_kept(with_memory: Tenant, second_database: str) -> None:
    """The server takes writes; it is no standby that everybody has to leave."""
    with on_server("north"):
        before = connections[DEFAULT_DB_ALIAS].connection
        assert before is not None
    with (
        fenced(with_memory.id, second_database, "sealed"),
        pytest.raises(OrganisationMovingError),
        organisation_scope(with_memory.id),
    ):
        fetch_all("DELETE FROM memories_memory", {})
    with on_server("north"):
        assert connections[DEFAULT_DB_ALIAS].connection is before
        assert not before.closed


@pytest.mark.parametrize("using", ["default", "worker"])
def test_each_role_is_told(with_memory: Tenant, second_database: str, using: str) -> None:
    with (
        fenced(with_memory.id, second_database, "sealed"),
        pytest.raises(OrganisationMovingError),
        organisation_scope(with_memory.id, using=using),
    ):
        fetch_all("UPDATE memories_job SET attempts = 0", {}, using)


def test_an_inner_scope_does_not_open_the_seal_again(
    with_memory: Tenant, second_database: str
) -> None:
    def write_behind_an_inner_scope() -> None:
        with organisation_scope(with_memory.id):
            with scope(Scope(organisation=with_memory.id, user=with_memory.id)):
                assert fetch_all("SELECT 1", {}) == [(1,)]
            assert current_scope() == Scope(organisation=with_memory.id)
            fetch_all("DELETE FROM memories_memory", {})

    with fenced(with_memory.id, second_database, "sealed"), pytest.raises(OrganisationMovingError):
        write_behind_an_inner_scope()


def test_a_seal_ends_by_itself(with_memory: Tenant, second_database: str) -> None:
    rover = with_memory.api("rover")
    until = timezone.now() + timedelta(seconds=1)
    with fenced(with_memory.id, second_database, "sealed", until=until):
        body = {"content": "It will be stored."}
        assert rover.post("/api/v1/memories", body, format="json").status_code == 503
        end = time.monotonic() + 20
        while rover.post("/api/v1/memories", body, format="json").status_code != 201:
            assert time.monotonic() < end
        assert timezone.now() > until


def test_a_process_that_remembers_it_wrongly_is_told(
    with_memory: Tenant, second_database: str, lasting_world: World
) -> None:
    """As one that has slept since it lay on the home server."""
    home = settings.DATABASES["default"]["NAME"]
    rover, now = with_memory.api("rover"), timezone.now()
    with fenced(with_memory.id, home, "moved", since=now):
        calls = (
            lambda: rover.post("/api/v1/recall", {"query": "pump hall four"}, format="json"),
            lambda: rover.post("/api/v1/context", {"query": "pump hall four"}, format="json"),
            lambda: rover.get("/api/v1/memories"),
            lambda: rover.post("/api/v1/memories", {"content": "A new one."}, format="json"),
        )
        for call in calls:
            placements._known[with_memory.id] = ("", float("inf"))
            answer = call()
            assert answer.status_code in (200, 201), answer.content
            assert find_server(with_memory.id) == "north"
        placements._known[with_memory.id] = ("", float("inf"))
        assert embed_worker.embed_pending(with_memory.id, now=timezone.now()) >= 1


def test_work_is_put_off_while_it_is_sealed_and_done_afterwards(
    with_memory: Tenant, second_database: str
) -> None:
    rover = with_memory.api("rover")
    rover.post("/api/v1/memories", {"content": "Still owed."}, format="json")
    assert rover.get("/api/v1/stats").json()["embedding_pending"] == 1
    with fenced(with_memory.id, second_database, "sealed"), pytest.raises(OrganisationMovingError):
        embed_worker.embed_pending(with_memory.id, now=timezone.now())
    assert embed_worker.embed_pending(with_memory.id, now=timezone.now()) == 1
    assert rover.get("/api/v1/stats").json()["embedding_pending"] == 0


def test_what_arrives_is_not_open_yet(with_memory: Tenant, second_database: str) -> None:
    with (
        fenced(with_memory.id, second_database, "arriving"),
        pytest.raises(OrganisationMovedError),
        organisation_scope(with_memory.id),
    ):
        pytest.fail("It was let in.")
    with fenced(with_memory.id, second_database, "arriving"):
        answer = with_memory.api("rover").get("/api/v1/stats")
        assert answer.status_code == 503
        assert answer.json()["type"].endswith("organisation-moving")


def test_what_had_begun_before_it_moved_reads_to_its_end(
    with_memory: Tenant, second_database: str
) -> None:
    with organisation_scope(with_memory.id):
        [(began,)] = fetch_all("SELECT transaction_timestamp()", {})
        with fenced(with_memory.id, second_database, "moved", since=began + timedelta(seconds=1)):
            with scope(Scope(organisation=with_memory.id, user=with_memory.id)):
                assert fetch_all("SELECT 1", {}) == [(1,)]
            with (
                pytest.raises(OrganisationMovingError),
                scope(Scope(organisation=with_memory.id, user=with_memory.id)),
            ):
                fetch_all("DELETE FROM memories_memory", {})


def test_nobody_reads_the_fence_of_another(
    with_memory: Tenant, second_database: str, lasting_world: World
) -> None:
    read = "SELECT id FROM orgs_organisationfence"
    here = lasting_world.here.id
    with (
        fenced(with_memory.id, second_database, "sealed"),
        fenced(here, second_database, "sealed"),
        organisation_scope(with_memory.id),
    ):
        assert fetch_all(read, {}) == [(with_memory.id,)]


def test_without_servers_no_fence_is_looked_at(lasting_world: World) -> None:
    home, here = settings.DATABASES["default"]["NAME"], lasting_world.here
    with fenced(here.id, home, "sealed"):
        body = {"content": "One server.", "visibility": "organisation"}
        assert here.api("aria").post("/api/v1/memories", body, format="json").status_code == 201
