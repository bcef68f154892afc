"""Data of the last release are carried over whole, and nobody waits for long meanwhile (O11).

The rows are of this release's own making. A database is migrated to where the last release was,
takes the columns that it had, many times over with ids of their own, and is then upgraded.
"""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from tests import world_copies
from tests.databases import autocommit_connection, database_url, rolled_back_connection
from tests.isolation.catalogue import definer_faults, non_tenant_table_faults, table_faults
from tests.isolation.test_boundaries import fill
from tests.operations.backup_round_trip import (
    create_migrated,
    create_provisioned,
    protection,
    temporary_database,
)
from tests.world import make_world
from tests.world_copies import WorldTemplate

LAST: dict[str, str] = json.loads(
    (settings.BASE_DIR / "tests/operations/last_release.json").read_text(encoding="utf-8")
)["migrations"]
ROWS = int(os.environ.get("UPGRADE_ROWS", "100000"))
MAX_LOCK_SECONDS = 2.0
# What migrate itself keeps, and which functions, rights and tables there are.
OF_DJANGO = ("django_migrations", "django_content_type", "auth_permission")
# (table, column) whose values a migration since the last release changes on purpose.
CHANGED: set[tuple[str, str]] = set()
COLUMNS_SQL = """
SELECT table_name, array_agg(column_name::text ORDER BY column_name::text)
FROM information_schema.columns JOIN pg_class c ON c.relname = table_name AND c.relkind = 'r'
WHERE table_schema = 'public' AND table_name NOT LIKE 'pg\\_stat%' GROUP BY table_name
"""
# Locks that stop writers (from SHARE on) or readers, and that have been given.
LOCKS_SQL = """
SELECT l.pid, l.relation::regclass::text, l.mode FROM pg_locks l
WHERE l.granted AND l.relation = ANY (%s) AND l.pid <> pg_backend_pid()
  AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
"""
# Tables of no organisation: sign-ins, and rights of superusers.
MOST_EMPTY = 5
Columns = dict[str, list[str]]


def migrate_to_last_release() -> None:
    executor = MigrationExecutor(connections["owner"])
    others = [node for node in executor.loader.graph.leaf_nodes() if node[0] not in LAST]
    executor.migrate([*LAST.items(), *others])
    connections["owner"].close()


def columns_of(connection: psycopg.Connection[Any]) -> Columns:
    found = dict(connection.execute(COLUMNS_SQL).fetchall())
    return {table: names for table, names in found.items() if table not in OF_DJANGO}


def digests(
    connection: psycopg.Connection[Any], columns: Columns
) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    """(how many rows a table has, a sum over the values of each of its columns)."""
    counts, sums = {}, {}
    for table, names in columns.items():
        summed = sql.SQL(", ").join(
            sql.SQL("coalesce(sum(hashtextextended({}::text, 7)::numeric), 0)").format(
                sql.Identifier(name)
            )
            for name in names
        )
        query = sql.SQL("SELECT count(*), {} FROM {}").format(summed, sql.Identifier(table))
        row = connection.execute(query).fetchone()
        assert row
        counts[table] = row[0]
        sums |= {(table, n): int(total) for n, total in zip(names, row[1:], strict=True)}
    return counts, sums


@contextmanager
def watched_locks(tables: list[str]) -> Iterator[dict[tuple[int, str, str], float]]:
    """How long each lock that blocks somebody was held, in seconds, as far as a look every 20 ms
    shows; of tables that were there before."""
    held: dict[tuple[int, str, str], float] = {}
    done = threading.Event()

    def watch() -> None:
        began: dict[tuple[int, str, str], float] = {}
        with autocommit_connection("admin") as connection:
            query = "SELECT array_agg(c.oid) FROM pg_class c WHERE c.relname = ANY (%s)"
            (oids,) = connection.execute(query, [tables]).fetchone() or ([],)
            while not done.wait(0.02):
                now = time.monotonic()
                seen = set(connection.execute(LOCKS_SQL, [oids]).fetchall())
                began = {lock: began.get(lock, now) for lock in seen}
                for lock, since in began.items():
                    held[lock] = max(held.get(lock, 0.0), now - since)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield held
    finally:
        done.set()
        thread.join()


@pytest.fixture
def filled() -> Iterator[WorldTemplate]:
    """An organisation with rows in nearly every table, of this release."""
    with temporary_database("commonmind_upgrade_source", create_migrated):
        world = make_world()
        fill(world)
        yield WorldTemplate(world.here)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.conformance("O11", open="100,000 rows: seen to pass with 1,500")
def test_data_of_the_last_release_are_carried_over(
    committed: None, filled: WorldTemplate, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = protection()
    with temporary_database("commonmind_upgrade_target", create_provisioned):
        migrate_to_last_release()
        with psycopg.connect(database_url("admin"), autocommit=True) as connection:
            before = columns_of(connection)
            filled.rows = {t: rows for t, rows in filled.rows.items() if t in before}
            monkeypatch.setattr(world_copies, "shared_admin_connection", lambda: connection)
            per_copy = sum(len(json.loads(rows)) for rows in filled.rows.values())
            for _ in range(ROWS // per_copy + 1):
                filled.copy()
            connection.execute("ANALYZE")
            counts, sums = digests(connection, before)
            assert sum(counts.values()) >= ROWS
            ours = [table for table in before if table.split("_")[0] in LAST]
            empty = [table for table in ours if not counts[table]]
            assert len(empty) <= MOST_EMPTY, empty

            with watched_locks(list(before)) as held:
                call_command("migrate", database="owner", interactive=False, verbosity=0)
            assert held, "the watch sees the locks of migrations"
            long = {lock: s for lock, s in held.items() if s > MAX_LOCK_SECONDS}
            assert long == {}

            kept, then = digests(connection, before)
            assert kept == counts
            assert {c for c, total in sums.items() if then[c] != total} - CHANGED == set()
        with rolled_back_connection("owner") as owner:
            assert table_faults(owner) == []
            assert non_tenant_table_faults(owner) == []
            assert definer_faults(owner) == []
        assert protection() == wanted
