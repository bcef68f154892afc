"""One round trip for many tests: a database with rows everywhere, backed up and restored."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from psycopg import sql

from config.embedded.servers.provisioning import provision
from memories.indexing import exact_scan
from memories.indexing.organisation_indexes import maintain_indexes
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.database import erasure_ledger
from orgs.database.backup import restore
from orgs.database.backup.create import BackupResult, create_backup
from orgs.database.backup.errors import BackupError
from orgs.database.backup.restore import RestoreResult
from orgs.database.backup.restore_marker import abort_if_restore_unfinished, has_unfinished_restore
from orgs.database.erasure_ledger import LedgerEntry
from orgs.organisations.organisation_removal import remove_organisation, replay_removals
from tests.databases import (
    autocommit_connection,
    create_from_template,
    database_url,
    switch_database,
)
from tests.isolation.test_boundaries import fill
from tests.world import NOW, World, make_tenant, make_world

QUESTIONS = ("When does it close?", "Something for everyone", "harbour lights", "book a room")
SUBJECTS = ("harbour", "office", "archive", "kitchen", "library", "garage", "garden", "workshop")
ACTORS = ("mina", "bob", "vera")
Facts = dict[str, tuple[int, str]]


def entry(number: int) -> LedgerEntry:
    """An act of erasing."""
    fields = {"organisation": str(uuid4()), "what": "memory", "target": str(uuid4())}
    return LedgerEntry(id=f"act-{number}", at=f"2026-03-0{number}T12:00:00+00:00", **fields)


@contextmanager
def temporary_database(name: str, make: Callable[[str], None]) -> Iterator[None]:
    """Every connection leads to a database of that name, which is deleted afterwards."""
    admin = database_url("admin")
    before = {alias: settings.DATABASES[alias]["NAME"] for alias in connections}
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(drop)
    make(name)
    for alias in connections:
        switch_database(alias, name)
    try:
        yield
    finally:
        for alias in connections:
            switch_database(alias, before[alias])
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(drop)


def create_migrated(name: str) -> None:
    """A copy of the migrated template."""
    create_from_template(database_url("admin"), name)


def create_provisioned(name: str) -> None:
    """Roles and extensions, and no table."""
    passwords = {
        settings.DATABASES[alias]["USER"]: settings.DATABASES[alias]["PASSWORD"]
        for alias in ("default", "owner", "worker", "support")
    }
    provision(database_url("admin"), name, passwords)


def table_digests() -> Facts:
    """Rows and a digest of each table, by a way that has nothing in common with the product's."""
    with autocommit_connection("admin") as connection:
        names = connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = 'public' AND c.relkind = 'r' "
            "AND c.relname NOT LIKE 'pg\\_stat%' ORDER BY 1"
        ).fetchall()
        found: Facts = {}
        for (name,) in names:
            statement = sql.SQL(
                "SELECT count(*), md5(coalesce(string_agg(to_jsonb(t)::text, '|' "
                "ORDER BY to_jsonb(t)::text COLLATE \"C\"), '')) FROM {} t"
            ).format(sql.Identifier(name))
            row = connection.execute(statement).fetchone()
            assert row
            found[name] = (row[0], row[1])
    return found


def protection() -> dict[str, list[Any]]:
    """Everything that says who may do what, with functions, triggers and constraints."""
    asked = {
        "policies": "SELECT tablename, policyname, permissive, roles::text, cmd, qual, with_check "
        "FROM pg_policies ORDER BY 1, 2",
        "tables": "SELECT relname, relrowsecurity, relforcerowsecurity, relacl::text, "
        "pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        "AND relkind IN ('r', 'p', 'S', 'v') ORDER BY 1",
        "columns": "SELECT attrelid::regclass::text, attname, attacl::text FROM pg_attribute "
        "WHERE attacl IS NOT NULL AND attrelid::regclass::text !~ '^pg_' ORDER BY 1, 2",
        "functions": "SELECT oid::regprocedure::text, proacl::text, prosrc, prosecdef, "
        "pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace IN "
        "('public'::regnamespace, 'search'::regnamespace) ORDER BY 1",
        "triggers": "SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled "
        "FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2",
        "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), "
        "convalidated FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
        "indexes": "SELECT indexname, indexdef, indisvalid FROM pg_indexes JOIN pg_index "
        "ON indexrelid = (quote_ident(schemaname) || '.' || quote_ident(indexname))::regclass "
        "WHERE schemaname = 'public' ORDER BY 1",
    }
    with autocommit_connection("admin") as connection:
        return {name: connection.execute(query).fetchall() for name, query in asked.items()}


def recall_results(world: World) -> dict[tuple[str, str], list[str]]:
    """What each person is answered to each question: ids in their order. Nothing is noted of it."""
    found = {}
    for name in ACTORS:
        for text in QUESTIONS:
            with transaction.atomic():
                answer = recall(world.here.person(name), Query(text=text, limit=10), now=NOW)
                found[name, text] = [str(hit[0].id) for hit in answer.hits]
                transaction.set_rollback(True)
    return found


def readable(world: World) -> dict[str, set[UUID]]:
    """What row-level security shows to each person."""
    return {name: world.here.readable(world.here.person(name)) for name in ACTORS}


@dataclass
class RoundTrip:
    """What was seen before, on the way and afterwards."""

    folder: Path
    world: World
    made: BackupResult
    source_facts: Facts
    source_protection: dict[str, list[Any]]
    source_answers: dict[tuple[str, str], list[str]]
    source_readable: dict[str, set[UUID]]
    removed: UUID
    calls: list[tuple[bool, list[str]]] = field(default_factory=list)
    failure: str = ""
    closed: dict[str, str] = field(default_factory=dict)
    restored: RestoreResult | None = None
    loaded: Facts = field(default_factory=dict)


def round_trip(place: Path, worker: str, *, migrates: bool) -> Iterator[RoundTrip]:
    """Back up a full database, restore it, and stay in the restored one. The first replay of the
    ledger fails.

    migrates: whether the restore makes the tables by all migrations, which takes most of its time.
    Otherwise it finds those of the template, which the migrations made, and no rows.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not migrates:
            patch.setattr(restore, "drop_schema_objects", lambda connection: None)
            patch.setattr(restore, "_migrate_to", lambda manifest: None)
        patch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 3)
        patch.setattr(settings, "DATA_DIR", place / "source")
        with temporary_database(f"commonmind_test_source_{worker}", create_migrated):
            trip = _back_up(place)
            remove_organisation(trip.removed, now=NOW)
            since = erasure_ledger.read_entries()[-1]
        patch.setattr(settings, "DATA_DIR", place / "target")
        for act in (entry(2), entry(3), since):
            erasure_ledger.append_entry(act)
        made = create_provisioned if migrates else create_migrated
        with temporary_database(f"commonmind_test_target_{worker}", made):
            _restore_after_failure(trip, patch)
            yield trip


def _back_up(place: Path) -> RoundTrip:
    world = make_world()
    fill(world)
    removed = make_tenant("gone").id
    for number in range(40):
        subject = SUBJECTS[number % len(SUBJECTS)]
        text = f"The {subject} closes at {number} and its lights go out."
        world.here.remember(world.here.robot("aria"), text, group="launch" if number % 2 else None)
    world.here.embed()
    maintain_indexes()
    for name in ("exports", "uploads"):
        (place / "source" / name).mkdir(parents=True)
        (place / "source" / name / f"{uuid4()}.jsonl").write_text(f"a line of {name}\n")
    (place / "source" / "demo.json").write_text('{"password": "not in a backup"}')
    for number in (1, 2):
        erasure_ledger.append_entry(entry(number))
    answers, seen, protected = recall_results(world), readable(world), protection()
    before = table_digests()
    made = create_backup(place / "backups" / "first")
    return RoundTrip(made.folder, world, made, before, protected, answers, seen, removed)


def _restore_after_failure(trip: RoundTrip, patch: pytest.MonkeyPatch) -> None:
    def fails_once(entries: Any, say: Any) -> None:
        trip.calls.append((has_unfinished_restore(), [one["id"] for one in entries]))
        if len(trip.calls) == 1:
            raise RuntimeError("the first time")
        replay_removals(entries, say)

    patch.setattr(restore.on_database_restored, "function", fails_once)
    try:
        restore.restore_backup(trip.folder, replace=False)
    except BackupError as error:
        trip.failure = str(error)
    trip.loaded = table_digests()
    trip.closed = _how_it_is_closed()
    trip.restored = restore.resume_restore()


def _how_it_is_closed() -> dict[str, str]:
    from django.test import Client

    answer = Client().get("/readyz", headers={"Host": "127.0.0.1"})
    found = {"readyz": f"{answer.status_code} {answer.json()['parts']['database']}"}
    try:
        abort_if_restore_unfinished()
    except SystemExit as end:
        found["start"] = str(end.code)
    try:
        call_command("migrate", database="owner", skip_checks=False, verbosity=0)
    except CommandError as error:
        found["migrate"] = str(error)
    try:
        create_backup(trip_folder())
    except BackupError as error:
        found["backup"] = str(error)
    return found


def trip_folder() -> Path:
    """A place where no backup will be."""
    return Path(settings.DATA_DIR) / "never"


def copy_backup(trip: RoundTrip, place: Path) -> Path:
    """The backup once more, to be spoilt."""
    shutil.copytree(trip.folder, place / "spoilt")
    return place / "spoilt"
