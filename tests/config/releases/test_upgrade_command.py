"""`manage.py upgrade`, and releases that are older than the database: they refuse to start."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, connections, models, transaction
from django.db.migrations.loader import MigrationLoader
from psycopg.errors import LockNotAvailable

from config.releases import lock_limits
from config.releases.database_release import find_newer_migration
from config.version import VERSION
from orgs.database.online_index import AddIndexOnline
from orgs.database.sql_files import PROJECT_ROOT
from tests.databases import autocommit_connection, database_url
from tests.operations.backup_round_trip import create_migrated, temporary_database

DATABASE = f"commonmind_upgrade_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
ADD = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())"
# As if the release of before `orgs 0021` had been the last.
DELETE = """
DELETE FROM django_migrations
WHERE (app, name) = ('orgs', '0021_suspension') OR app = 'memories' AND name >= '0057'
RETURNING app, name, applied
"""


@pytest.fixture(scope="module")
def own_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), temporary_database(DATABASE, create_migrated):
        yield


@pytest.fixture
def newer(own_database: None, committed: None) -> Iterator[None]:
    """A later release was here."""
    with autocommit_connection("admin") as database:
        database.execute(ADD, ["memories", "9998_of_later"])
        database.execute(ADD, ["gone", "9999_of_an_app_that_is_gone"])
        yield
        database.execute("DELETE FROM django_migrations WHERE name LIKE '999%'")


def start(*command: str) -> subprocess.CompletedProcess[str]:
    urls = {
        name: database_url(alias)
        for name, alias in (
            ("DATABASE_URL", "default"), ("DATABASE_OWNER_URL", "owner"),
            ("DATABASE_WORKER_URL", "worker"), ("DATABASE_SUPPORT_URL", "support"),
        )
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT_ROOT, env={**os.environ, **urls}, capture_output=True, text=True, timeout=90,
        check=False,
    )  # fmt: skip


@pytest.mark.conformance("O11")
@pytest.mark.parametrize(
    "command",
    [
        ("-c", "import config.asgi"),
        ("-m", "celery", "-A", "config", "worker", "--pool", "solo", "--queues", "nobody"),
        ("manage.py", "migrate", "--database", "owner"),
        ("manage.py", "upgrade", "--check"),
    ],
    ids=["web", "worker", "migrate", "upgrade"],
)
def test_a_release_older_than_the_database_refuses_with_one_sentence(
    newer: None, command: tuple[str, ...]
) -> None:
    done = start(*command)
    lines = [line for line in done.stderr.splitlines() if "newer release" in line]
    assert done.returncode != 0
    assert len(lines) == 1, done.stderr
    assert "it has memories 9998_of_later" in lines[0]
    assert VERSION in lines[0]
    assert "Traceback" not in done.stderr


def test_the_database_of_this_release_is_not_newer(own_database: None, committed: None) -> None:
    assert find_newer_migration() is None


def upgrade(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command("upgrade", *words, "--json", stdout=out, stderr=StringIO())
    return dict(json.loads(out.getvalue()))


@pytest.mark.conformance("O11")
def test_what_an_upgrade_will_do_is_said_and_not_done(own_database: None, committed: None) -> None:
    assert upgrade("--check")["migrations"] == 0
    with autocommit_connection("admin") as database:
        undone = database.execute(DELETE).fetchall()
    told = upgrade("--check")
    assert told["release"] == VERSION
    assert (told["migrations"], told["blocks"]) == (len(undone), "nobody")
    assert [step["operation"] for step in told["steps"]][:2] == [
        "Add field suspended_at to organisation", "Add field suspended_for to organisation",
    ]  # fmt: skip
    (effect,) = told["steps"][0]["effects"]
    assert effect["table"] == "orgs_organisation"
    assert (effect["work"], effect["blocks"]) == ("moment", "readers and writers")
    out = StringIO()
    call_command("upgrade", "--check", stdout=out)
    assert "orgs_organisation: a moment, for which readers and writers wait" in out.getvalue()
    with autocommit_connection("admin") as database, database.cursor() as cursor:
        asked = "SELECT count(*) FROM django_migrations WHERE app = 'orgs' AND name LIKE '0021%'"
        assert database.execute(asked).fetchone() == (0,), "nothing was changed by looking"
        cursor.executemany(
            "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)", undone
        )
    assert upgrade()["migrations"] == 0


def test_a_lock_is_waited_for_a_moment_and_then_tried_for_again(
    own_database: None, committed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_limits, "LOCK_SECONDS", 0.1)
    monkeypatch.setattr(lock_limits, "PAUSE_SECONDS", 0.0)
    said: list[str] = []
    owner = connections["owner"]

    def work() -> None:
        with lock_limits.limited_lock_waits(owner), owner.cursor() as cursor:
            cursor.execute("LOCK TABLE orgs_group IN ACCESS EXCLUSIVE MODE")

    def in_transaction() -> None:
        with transaction.atomic(using="owner"):
            work()

    with autocommit_connection("admin") as other:
        other.execute("BEGIN")
        other.execute("LOCK TABLE orgs_group IN ACCESS SHARE MODE")

        def release(words: str) -> None:
            said.append(words)
            if len(said) == 2:
                other.execute("ROLLBACK")

        lock_limits.retry_when_locked(in_transaction, release)
    assert len(said) == 2
    with owner.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)


def test_other_errors_are_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Exception] = []
    monkeypatch.setattr(lock_limits, "PAUSE_SECONDS", 0.0)

    def fail(cause: Exception) -> None:
        calls.append(cause)
        raise OperationalError from cause

    for cause, times in ((ValueError(), 1), (LockNotAvailable(), lock_limits.MAX_TRIES)):
        calls.clear()
        with pytest.raises(OperationalError):
            lock_limits.retry_when_locked(lambda cause=cause: fail(cause), lambda _: None)
        assert len(calls) == times


def test_an_index_whose_build_was_killed_is_built_anew(own_database: None, committed: None) -> None:
    owner = connections["owner"]
    index = models.Index(fields=["created_at"], name="killed_index")
    before = MigrationLoader(owner).project_state()
    operation, after = AddIndexOnline("memory", index), before.clone()
    operation.state_forwards("memories", after)
    valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('killed_index')"
    spoil = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'killed_index'::regclass"
    with autocommit_connection("admin") as database:
        for breaks in (False, True, False):
            if breaks:
                database.execute(spoil)
            with owner.schema_editor(atomic=False) as editor:
                operation.database_forwards("memories", editor, before, after)
            assert database.execute(valid).fetchone() == (True,)
        database.execute("DROP INDEX killed_index")
