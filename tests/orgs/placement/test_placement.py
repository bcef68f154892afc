"""Organisations on another server: a second database with the roles of the first."""

import json
import secrets
import time
from io import StringIO
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError, ProgrammingError, connections, transaction
from django.db.utils import ConnectionHandler
from django.utils import timezone

from config.settings import services
from memories import tasks
from memories.indexing import exact_scan, organisation_indexes
from memories.jobs import run_jobs
from orgs.database.driver import servers
from orgs.database.driver.servers import WrongServerError, current_server, on_server
from orgs.database.driver.standby_reads import reading_from_standby, target_alias
from orgs.database.prepared_statements import fetch_all, fetch_last
from orgs.database.rls import Scope, organisation_scope, pipelined_scope, scope_statement
from orgs.errors import AlreadyExistsError, UnknownServerError
from orgs.models.base import new_id
from orgs.organisations.organisation_removal import remove_organisation
from orgs.organisations.organisations import create_organisation, get_organisation
from orgs.placement import placements
from orgs.placement.all_organisations import list_organisation_ids
from orgs.placement.placements import find_server, forget_placements
from orgs.placement.server_checks import list_server_faults
from tests.databases import autocommit_connection
from tests.orgs.placement.two_servers import ROLES, admin_url, rows_of
from tests.world import Tenant, World


@pytest.mark.conformance("O15", open="tried on one machine alone, not on several hosts")
def test_it_remembers_and_recalls_on_its_own_server_alone(
    far: Tenant, lasting_world: World, second_database: str
) -> None:
    here = lasting_world.here
    rover, aria = far.api("rover"), here.api("aria")
    text = "The pump in hall four runs at 40 bar."
    for client in (rover, aria):
        stored = client.post(
            "/api/v1/memories", {"content": text, "visibility": "organisation"}, format="json"
        )
        assert stored.status_code == 201, stored.content
    for _ in range(2):
        tasks.sweep_embeddings()
        far.embed()
        here.embed()
    ids = []
    for client in (rover, aria):
        answer = client.post("/api/v1/recall", {"query": "pump pressure hall four"}, format="json")
        assert answer.status_code == 200, answer.content
        (hit,) = answer.json()["results"]
        ids.append(hit["id"])
        waiting = client.get("/api/v1/stats").json()["embedding_pending"]
        assert waiting == 0
        context = client.post("/api/v1/context", {"query": "pump"}, format="json").json()
        assert text in context["text"]
    assert rover.get(f"/api/v1/memories/{ids[1]}").status_code == 404
    assert aria.get(f"/api/v1/memories/{ids[0]}").status_code == 404
    home = settings.DATABASES["default"]["NAME"]
    assert rows_of(far.id, home) == {}
    assert rows_of(here.id, second_database) == {}
    there = rows_of(far.id, second_database)
    assert there["memories_memory"] == 1
    assert there["memories_search"] >= 1


def test_what_was_not_placed_yet_is_looked_up_again_after_a_minute(
    north: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a process that asked for it before another one made it."""
    made, now = new_id(), 1_000.0
    monkeypatch.setattr(placements, "time", SimpleNamespace(monotonic=lambda: now))
    assert find_server(made) == ""
    seen = placements._known[made]
    placements.reserve_placement(made, f"far-{made.hex}", north)
    placements.confirm_placement(made)
    placements._known[made] = seen
    try:
        now += 59
        assert find_server(made) == ""
        now += 2
        assert find_server(made) == north
    finally:
        placements.release_placement(made)


def test_a_placement_is_never_asked_of_a_standby(
    far: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may not have the placement yet, and its transaction has not begun as it must."""
    asked: list[tuple[str, str]] = []

    def note(statements: Any, using: str = "default") -> Any:
        asked.append((target_alias(using), current_server()))
        return fetch_last(statements, using)

    monkeypatch.setattr(placements, "fetch_last", note)
    forget_placements()
    with on_server("north"), reading_from_standby(time.monotonic() + 60):
        assert find_server(far.id) == "north"
        assert target_alias("default") == "replica"
    assert asked == [("default", "")]


def test_a_call_with_a_key_of_its_own_is_done_once_there(far: Tenant) -> None:
    rover, body = far.api("rover"), {"content": "Only once.", "visibility": "organisation"}
    key = {"HTTP_IDEMPOTENCY_KEY": secrets.token_hex(16)}
    ids = set()
    for _ in range(2):
        stored = rover.post("/api/v1/memories", body, format="json", **key)
        assert stored.status_code == 201, stored.content
        ids.add(stored.json()["id"])
    assert len(ids) == 1
    (id_,) = ids
    changed = rover.patch(
        f"/api/v1/memories/{id_}",
        {"content": "Changed under a condition."},
        format="json",
        HTTP_IF_MATCH=rover.get(f"/api/v1/memories/{id_}")["ETag"],
    )
    assert changed.status_code == 200, changed.content


def test_sweepers_and_commands_know_both(far: Tenant, lasting_world: World) -> None:
    found = list_organisation_ids()
    assert {far.id, lasting_world.here.id} <= set(found)
    assert len(found) == len(set(found))
    assert get_organisation(far.organisation.slug).id == far.id
    assert current_server() == ""


def test_a_copy_on_the_wrong_server_is_nobodys(
    far: Tenant, north: str, second_database: str
) -> None:
    """As a clone of a server leaves one."""
    home = settings.DATABASES["default"]["NAME"]
    with psycopg.connect(admin_url(home), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        rows = connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = "
            "'orgs_organisation' AND is_nullable = 'NO' AND column_default IS NULL"
        )
        needed = [name for (name,) in rows]
        with psycopg.connect(admin_url(second_database)) as other:
            names = ", ".join(needed)
            row = other.execute(
                f"SELECT {names} FROM orgs_organisation WHERE id = %s", [far.id]
            ).fetchone()
        marks = ", ".join(["%s"] * len(needed))
        values = [v if not isinstance(v, dict) else psycopg.types.json.Json(v) for v in row]
        connection.execute(f"INSERT INTO orgs_organisation ({names}) VALUES ({marks})", values)
        try:
            assert list_organisation_ids().count(far.id) == 1
        finally:
            connection.execute("DELETE FROM orgs_organisation WHERE id = %s", [far.id])


def test_no_transaction_spans_two_servers(far: Tenant, lasting_world: World) -> None:
    here = lasting_world.here
    with transaction.atomic(), pytest.raises(WrongServerError), organisation_scope(far.id):
        pytest.fail("It was let in.")
    with organisation_scope(here.id), pytest.raises(WrongServerError), organisation_scope(far.id):
        pytest.fail("It was let in.")
    with organisation_scope(far.id), pytest.raises(WrongServerError), organisation_scope(here.id):
        pytest.fail("It was let in.")
    with organisation_scope(far.id), organisation_scope(far.id):
        assert current_server() == "north"


def test_a_scope_is_never_opened_on_the_wrong_server(far: Tenant, lasting_world: World) -> None:
    with pytest.raises(WrongServerError):
        scope_statement(Scope(organisation=far.id))
    with on_server("north"), pytest.raises(WrongServerError):
        scope_statement(Scope(organisation=lasting_world.here.id))
    with pipelined_scope(organisation=far.id):
        scope_statement(Scope(organisation=far.id))


def test_what_fails_leaves_the_home_server_chosen(far: Tenant) -> None:
    def fail() -> None:
        with organisation_scope(far.id):
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert current_server() == ""


def test_a_slug_is_taken_on_every_server(far: Tenant, north: str, lasting_world: World) -> None:
    slug, now = far.organisation.slug, timezone.now()
    for server in ("", north):
        with pytest.raises(AlreadyExistsError):
            create_organisation(name="Second", slug=slug, server=server, now=now)
    with pytest.raises(AlreadyExistsError):
        create_organisation(
            name="Third", slug=lasting_world.here.organisation.slug, server=north, now=now
        )


def test_an_unknown_server_is_refused(north: str) -> None:
    with pytest.raises(UnknownServerError, match="south"):
        create_organisation(name="Lost", server="south", now=timezone.now())
    with pytest.raises(CommandError, match="south"):
        call_command("create_organisation", "Lost", server="south")


def test_one_that_is_being_made_answers_503(far: Tenant) -> None:
    with autocommit_connection("admin") as connection:
        connection.execute("UPDATE orgs_placement SET state = 'making' WHERE id = %s", [far.id])
        forget_placements()
        answer = far.api("rover").get("/api/v1/stats")
        assert answer.status_code == 503
        assert int(answer["Retry-After"]) > 0
        assert far.id not in list_organisation_ids()
        connection.execute("UPDATE orgs_placement SET state = 'ready' WHERE id = %s", [far.id])
    assert far.api("rover").get("/api/v1/stats").status_code == 200


def test_a_server_that_is_away_stops_nobody_else(
    far: Tenant, lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*given: Any, **named: Any) -> None:
        raise OperationalError("no such host")

    for role in ROLES:
        connections[f"{role}@north"].close()
        monkeypatch.setattr(connections[f"{role}@north"], "get_new_connection", away)
    found = list_organisation_ids()
    assert lasting_world.here.id in found
    assert far.id not in found
    answer = far.api("rover").get("/api/v1/stats")
    assert answer.status_code == 503
    assert lasting_world.here.api("aria").get("/api/v1/stats").status_code == 200
    monkeypatch.undo()


def test_the_checks_see_another_schema_and_a_database_named_twice(
    north: str, second_database: str
) -> None:
    assert list_server_faults() == []
    with psycopg.connect(admin_url(second_database), autocommit=True) as connection:
        connection.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('orgs', '9999_later', now())"
        )
        try:
            (fault,) = list_server_faults()
        finally:
            connection.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
    assert "another schema" in fault.msg
    connections["default@north"].settings_dict["NAME"] = settings.DATABASES["default"]["NAME"]
    (fault,) = list_server_faults()
    assert "the database of the home server" in fault.msg


def test_it_is_removed_from_its_server_and_its_slug_is_free(
    north: str, second_database: str
) -> None:
    now = timezone.now()
    made = create_organisation(name="Short", slug=secrets.token_hex(8), server=north, now=now)
    assert rows_of(made.id, second_database) != {}
    assert remove_organisation(made.id, now=now)
    assert rows_of(made.id, second_database) == {}
    again = create_organisation(name="Again", slug=made.slug, server=north, now=now)
    assert remove_organisation(again.id, now=now)


def test_its_indexes_are_built_on_its_server(
    far: Tenant, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    far.api("rover").post("/api/v1/memories", {"content": "A large one."}, format="json")
    far.embed()
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 0)
    monkeypatch.setattr(organisation_indexes, "list_organisation_ids", lambda *given: [far.id])
    touched = organisation_indexes.maintain_indexes()
    assert any(far.id.hex in name for name in touched)
    found = {}
    for database in (settings.DATABASES["default"]["NAME"], second_database):
        with psycopg.connect(admin_url(database)) as connection:
            rows = connection.execute(
                "SELECT count(*) FROM pg_indexes WHERE indexname LIKE %s", [f"%{far.id.hex}%"]
            )
            found[database] = rows.fetchone()[0] > 0
    assert found == {settings.DATABASES["default"]["NAME"]: False, second_database: True}


def test_a_job_of_it_runs_on_its_server(far: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []
    monkeypatch.setattr(run_jobs, "_run_job", lambda *given: used.append(current_server()) or True)
    assert run_jobs.run_job(far.id, far.id, None)
    assert used == ["north"]


def test_migrate_migrates_each_server(north: str) -> None:
    out = StringIO()
    call_command("migrate", "orgs", database="owner", interactive=False, stdout=out)
    assert "The server north:" in out.getvalue()
    assert current_server() == ""


def test_nobody_lists_placements(far: Tenant) -> None:
    assert fetch_all("SELECT id FROM orgs_placement", {}) == []
    placements.forget_placements()
    assert find_server(far.id) == "north"
    named = (
        "SELECT set_config('app.placement', %(id)s, true)",
        {"id": str(far.robots["rover"].id)},
    )
    for act in ("SELECT id FROM orgs_placement", "DELETE FROM orgs_placement RETURNING id"):
        assert fetch_last([named, (act, {})]) == []
    with pytest.raises(ProgrammingError):
        fetch_last(
            [
                named,
                (
                    "INSERT INTO orgs_placement VALUES (%(id)s::text::uuid, '', 'x', 'ready')",
                    {"id": str(far.id)},
                ),
            ]
        )


def test_without_servers_nothing_is_switched_on() -> None:
    assert servers.list_servers() == [""]
    assert type(connections) is ConnectionHandler
    assert servers._find_server is None


ADDRESSES = {role: f"postgresql://{role}:secret@north/commonmind" for role in ROLES}


def test_the_setting_names_roles_of_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_SERVERS", json.dumps({"north": ADDRESSES}))
    made = services.databases(pool_size=5)
    assert {f"{role}@north" for role in ROLES} < set(made)
    assert made["default@north"]["HOST"] == "north"
    assert made["default@north"]["OPTIONS"]["pool"]["max_size"] == 5
    assert "pool" not in made["worker@north"]["OPTIONS"]
    assert made["worker@north"]["CONN_HEALTH_CHECKS"]
    served = {role: url for role, url in ADDRESSES.items() if role != "owner"}
    monkeypatch.setenv("DATABASE_SERVERS", json.dumps({"north": served}))
    assert "owner@north" not in services.databases(pool_size=5), "web processes need none"


@pytest.mark.parametrize(
    "wrong",
    [
        "north",
        "[]",
        '{"North": {}}',
        '{"a@b": {}}',
        '{"": {}}',
        '{"north": "postgresql://secret"}',
        json.dumps({"north": {**ADDRESSES, "admin": "postgresql://secret"}}),
        json.dumps({"north": {**ADDRESSES, "owner": ""}}),
        json.dumps({"north": {"default": ADDRESSES["default"]}}),
    ],
)
def test_a_wrong_setting_is_refused_without_its_passwords(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_SERVERS", wrong)
    with pytest.raises(ImproperlyConfigured, match="DATABASE_SERVERS") as refused:
        services.databases(pool_size=0)
    assert "secret" not in str(refused.value)
