"""`manage.py doctor`: each part is broken once, and the command says which, and what to do."""

import json
import os
import re
import shutil
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone
from kombu import Connection

from config.archive.status import ArchiveStatus
from config.celery import app
from config.embedded.servers import provisioning
from config.embedded.servers.ports import choose_port
from config.monitoring import archive_state, diagnosis, health
from config.monitoring.worker_tasks import data_folder
from memories.embedding.encoder import EncoderError
from tests.databases import autocommit_connection
from tests.operations.backup_round_trip import create_migrated, temporary_database
from tests.world import Tenant, make_tenant

Usage = namedtuple("Usage", "total used free")
Break = Callable[[Tenant, pytest.MonkeyPatch, Any], object]


class Workers:
    """Workers that answer, or none."""

    def __init__(self, *names: str) -> None:
        self.control = self
        self.names = names

    def connection_for_write(self) -> AbstractContextManager[None]:
        return nullcontext()

    def broadcast(self, command: str, **how: Any) -> list[dict[str, Any]]:
        if command == "ping":
            return [{name: {"ok": "pong"}} for name in self.names]
        folder = "8a1f" if "away" in "".join(self.names) else health.data_folder_id()
        old = {"error": f"unknown command {command}"}
        return [{"old@a": old}, *({name: folder} for name in self.names)]


# Of its own for each process of a run.
DATABASE = f"commonmind_doctor_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
answering, silent = Workers("worker@a", "jobs@a"), Workers()
away = Workers("away@b", "away@c")


@pytest.fixture(scope="module")
def tenant(django_db_setup: None, django_db_blocker: Any) -> Iterator[Tenant]:
    """An organisation in a database that may be broken."""
    with django_db_blocker.unblock(), temporary_database(DATABASE, create_migrated):
        yield make_tenant("Here")


@pytest.fixture
def here(tenant: Tenant, settings: Any, committed: None) -> Tenant:
    settings.TASK_SENDER = f"{__name__}.answering"
    return tenant


def as_admin(*statements: str) -> None:
    with autocommit_connection("admin") as database:
        for statement in statements:
            database.execute(statement)


def doctor() -> tuple[dict[str, dict[str, str]], str]:
    """(what is found by part, the sentence of the error)."""
    out, error = StringIO(), ""
    try:
        call_command("doctor", json=True, stdout=out)
    except CommandError as found:
        error = str(found)
    return {one["part"]: one for one in json.loads(out.getvalue())}, error


def test_all_is_well(here: Tenant) -> None:
    found, error = doctor()
    faults = {part: one["text"] for part, one in found.items() if one["state"] == "fault"}
    assert (faults, error) == ({}, "")
    assert set(found) == set(diagnosis.CHECKS)
    out = StringIO()
    call_command("doctor", stdout=out)
    assert "ok       queue: Nothing waits for long" in out.getvalue()
    assert here.organisation.slug not in out.getvalue()


def waits(here: Tenant, *_: Any) -> None:
    here.remember(here.robot("bolt"), "The office opens at nine.")
    as_admin("UPDATE memories_pending SET created_at = now() - interval '1 hour'")


def full(_: Any, patched: pytest.MonkeyPatch, __: Any) -> None:
    patched.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9 - 1, 1))


def no_model(_: Any, patched: pytest.MonkeyPatch, __: Any) -> None:
    def fail() -> None:
        raise EncoderError("away")

    patched.setattr(health, "get_encoder", fail)


def on(name: str, value: Any) -> Break:
    return lambda _, __, settings: setattr(settings, name, value)


def by(*statements: str) -> Break:
    return lambda *_: as_admin(*statements)


def archive_of(minutes: int = 0, late: int = 0) -> Break:
    """Its process wrote so many minutes ago, and what it has ends so many minutes before."""

    def write(_: Tenant, patched: pytest.MonkeyPatch, settings: Any) -> None:
        settings.ARCHIVE_DIR = "/archive"
        now = timezone.now() - timedelta(minutes=minutes)
        until = now - timedelta(minutes=late)
        status = ArchiveStatus(written_at=now, until=until, failure="No room." if late else "")
        slot = archive_state.LogSlot(is_lost=False, kept_bytes=48_000_000)
        patched.setattr(diagnosis, "find_log_slot", lambda: slot)
        patched.setattr(archive_state, "read_status", lambda _: status)

    return write


def kept_for_nobody(_: Tenant, patched: pytest.MonkeyPatch, __: Any) -> None:
    # The server is that of all test processes, so the slot has a name of its own.
    name = f"archive_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    patched.setattr(archive_state, "SLOT", name)
    as_admin(f"SELECT pg_create_physical_replication_slot('{name}', true)")
    slot = archive_state.find_log_slot()
    as_admin(f"SELECT pg_drop_replication_slot('{name}')")
    assert slot
    assert archive_state.find_log_slot() is None
    patched.setattr(diagnosis, "find_log_slot", lambda: slot)


# The names of slots are those of the whole server, which test processes share.
MOVE = f"commonmind_move_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"

BROKEN: dict[str, tuple[str, Break, tuple[str, ...], str]] = {
    "roles": (
        "roles",
        by(f"ALTER DATABASE {DATABASE} SET search_path = public, pg_temp"),
        (f"ALTER DATABASE {DATABASE} RESET search_path",),
        "brings a default for search_path",
    ),
    "row-level security": (
        "protection",
        by("ALTER TABLE memories_memory DISABLE ROW LEVEL SECURITY"),
        ("ALTER TABLE memories_memory ENABLE ROW LEVEL SECURITY",),
        "memories_memory: row-level security is off",
    ),
    "its force": (
        "protection",
        by("ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY"),
        ("ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY",),
        "memories_memory: row-level security is not forced",
    ),
    "slot that a move left": (
        "moves",
        by(f"SELECT pg_create_logical_replication_slot('{MOVE}', 'pgoutput')"),
        (f"SELECT pg_drop_replication_slot('{MOVE}')",),
        "1 moves to another server broke off. The log that is kept",
    ),
    "publication that a move left": (
        "moves",
        by(f"CREATE PUBLICATION {MOVE}"),
        (f"DROP PUBLICATION {MOVE}",),
        "1 moves to another server broke off.",
    ),
    "extension": (
        "extensions",
        by("UPDATE pg_extension SET extname = 'away' WHERE extname = 'btree_gin'"),
        ("UPDATE pg_extension SET extname = 'btree_gin' WHERE extname = 'away'",),
        "The database has no btree_gin.",
    ),
    "migration": (
        "migrations",
        by("UPDATE django_migrations SET app = 'away' WHERE app = 'memories' AND name ~ '^0040'"),
        ("UPDATE django_migrations SET app = 'memories' WHERE app = 'away'",),
        "1 migrations are not done",
    ),
    "newer release": (
        "migrations",
        by(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('memories', '9999_x', now())"
        ),
        ("DELETE FROM django_migrations WHERE name = '9999_x'",),
        "of a newer release (memories 9999_x)",
    ),
    "broker": (
        "broker", on("REDIS_URL", f"redis://127.0.0.1:{choose_port()}/0"), (), "did not answer",
    ),
    "workers": ("workers", on("TASK_SENDER", f"{__name__}.silent"), (), "No worker answers"),
    "queue": ("queue", waits, ("DELETE FROM memories_pending",), "has waited for 60 minutes"),
    "disk": ("disk", full, (), "0.0 GB free"),
    "folder": (
        "folder", on("TASK_SENDER", f"{__name__}.away"), (), "2 workers have another DATA_DIR",
    ),
    "archive that never began": ("archive", on("ARCHIVE_DIR", "/archive"), (), "Nobody makes"),
    "archive that stopped": ("archive", archive_of(minutes=6), (), "Nobody makes the archive."),
    "archive that is behind": ("archive", archive_of(late=16), (), "No room. The database keeps"),
    "log kept for nobody": ("archive", kept_for_nobody, (), "any more. The database keeps"),
    "model": ("model", no_model, (), "does not work"),
    "encryption": ("encryption", on("ENCRYPTION_KEYS", "short"), (), "bad keys"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BROKEN))
def test_each_part_is_found(
    here: Tenant, monkeypatch: pytest.MonkeyPatch, settings: Any, name: str
) -> None:
    part, broken, mended, text = BROKEN[name]
    broken(here, monkeypatch, settings)
    try:
        found, error = doctor()
    finally:
        as_admin(*mended)
    assert found[part]["state"] == "fault"
    assert text in found[part]["text"]
    assert found[part]["advice"].endswith(".")
    assert part in error


def test_a_clock_that_jumped_is_found(here: Tenant) -> None:
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        found, error = doctor()
    # A busy machine takes a while until it looks.
    told = r"The clock of the database differs by 3,[56]\d\d seconds\."
    assert re.fullmatch(told, found["clocks"]["text"])
    assert "clocks" in error


def test_what_was_given_up_is_a_warning(here: Tenant) -> None:
    here.remember(here.robot("bolt"), "The office closes at six.")
    as_admin("UPDATE memories_pending SET state = 'dead', reason = 'ValueError'")
    found, error = doctor()
    as_admin("DELETE FROM memories_pending")
    assert (found["queue"]["state"], error) == ("warning", "")
    assert "1 embeddings and 0 jobs were given up" in found["queue"]["text"]


def test_a_database_that_is_away_is_a_fault_of_its_parts(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> Any:
        raise diagnosis.DatabaseError("secret")

    broken = SimpleNamespace(cursor=away, get_connection_params=away)
    monkeypatch.setattr(diagnosis, "connection", broken)
    monkeypatch.setattr(diagnosis, "MigrationLoader", away)
    found, error = doctor()
    assert found["clocks"]["text"] == "The database did not answer (DatabaseError)."
    assert "secret" not in json.dumps(found)
    assert "extensions" in error


def test_the_lists_are_those_of_provisioning() -> None:
    assert diagnosis.EXTENSIONS == provisioning.EXTENSIONS


def test_a_folder_is_named_once_by_whoever_is_first(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    with ThreadPoolExecutor(8) as pool:
        named = set(pool.map(lambda _: health.data_folder_id(), range(32)))
    assert len(named) == 1
    assert named == {data_folder(None)}
    assert [path.name for path in tmp_path.iterdir()] == ["folder.id"]
    settings.DATA_DIR = tmp_path / "none"
    assert health.data_folder_id() == ""


@pytest.mark.conformance("O08")
def test_a_question_to_workers_leaves_nothing_in_the_pool_of_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that is forked later ends what is in the pool, and would wait there for an answer:
    its worker kills it, and each that follows."""
    # Shorter than the broker waits for a message, so that an answer is still to come.
    monkeypatch.setattr(diagnosis, "ANSWER_SECONDS", 0.2)
    with app.pool.acquire(block=True) as before:
        before.default_channel.client.ping()
    assert list(diagnosis.ask_workers("ping")) == []
    left = [one for one in app.pool._resource.queue if isinstance(one, Connection)]
    assert left, "the pool has connections"
    assert [one for one in left if one.default_channel._in_poll] == []


def test_a_process_that_starts_says_that_workers_have_another_folder(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    for name, told in (("answering", 0), ("silent", 0), ("away", 1)):
        settings.TASK_SENDER = f"{__name__}.{name}"
        diagnosis.warn_if_folder_unshared()
        [thread] = [one for one in threading.enumerate() if one.name == "data-folder"] or [None]
        if thread:
            thread.join()
        assert len([one for one in caplog.records if "DATA_DIR" in one.message]) == told
