"""The marker of an unfinished restore: a table in the database that every process looks for.

Web, workers, beat and `migrate` do not start while it is there, and `/readyz` says so.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, connections

from orgs.database.backup.connection import Connection
from orgs.database.backup.tables import MARKER_SCHEMA
from orgs.database.role_checks import abort_start

# RECOVERED: the archive was played up to a moment, and nothing was looked at yet.
LOADING, ERASING, RECOVERED = "loading", "erasing", "recovered"
UNFINISHED_MESSAGE = "A restore has not ended, so this database is closed."
RESUME_HINT = "Type the same restore again, or end it by `make restore ARGS=--resume`."
# Check that the table exists, without reading it: every role may do that.
_MARKER_EXISTS = """
SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'commonmind_restore' AND c.relname = 'unfinished'
"""
assert "'" + MARKER_SCHEMA + "'" in _MARKER_EXISTS  # noqa: S101 - a constant of both


@dataclass(frozen=True, slots=True)
class Marker:
    """How far a restore is. phase: LOADING, ERASING or RECOVERED. backup: its id."""

    phase: str
    backup: str
    moment: str


def has_unfinished_restore(alias: str = DEFAULT_DB_ALIAS) -> bool:
    """Whether a restore is unfinished."""
    with connections[alias].cursor() as cursor:
        cursor.execute(_MARKER_EXISTS)
        return cursor.fetchone() is not None


def read_marker(connection: Connection) -> Marker | None:
    """The marker, if there is one."""
    if connection.execute(_MARKER_EXISTS).fetchone() is None:
        return None
    row = connection.execute("SELECT content FROM commonmind_restore.unfinished").fetchone()
    return Marker(**row[0]) if row else Marker(LOADING, "", "")


def write_marker(connection: Connection, marker: Marker) -> None:
    """Write the marker, which closes the database, or replace it; in one transaction."""
    content = {"phase": marker.phase, "backup": marker.backup, "moment": marker.moment}
    with connection.transaction():
        connection.execute("CREATE SCHEMA IF NOT EXISTS commonmind_restore")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS commonmind_restore.unfinished (content jsonb NOT NULL)"
        )
        connection.execute("DELETE FROM commonmind_restore.unfinished")
        connection.execute(
            "INSERT INTO commonmind_restore.unfinished VALUES (%s::jsonb)", [json.dumps(content)]
        )


def delete_marker(connection: Connection) -> None:
    """Delete the marker, which opens the database."""
    connection.execute("DROP SCHEMA IF EXISTS commonmind_restore CASCADE")


def check_unfinished_restore(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The system check of `migrate`: it must not migrate a half-restored database."""
    try:
        closed = any(has_unfinished_restore(alias) for alias in databases or ())
    except psycopg.Error:
        return []
    return [Error(UNFINISHED_MESSAGE, hint=RESUME_HINT, id="orgs.E002")] if closed else []


def abort_if_restore_unfinished(**kwargs: Any) -> None:
    """End the process with one sentence while a restore is unfinished."""
    parameters: dict[str, Any] = connections[DEFAULT_DB_ALIAS].get_connection_params()
    try:
        with psycopg.connect(**{"connect_timeout": 5} | parameters) as connection:
            closed = connection.execute(_MARKER_EXISTS).fetchone() is not None
    except psycopg.OperationalError as error:
        abort_start(f"the database does not answer ({' '.join(str(error).split())}).")
    if closed:
        abort_start(f"{UNFINISHED_MESSAGE} {RESUME_HINT}")
