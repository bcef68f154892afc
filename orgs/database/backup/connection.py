"""The connection that reads or writes every row; the owner cannot, as row-level security binds it.

No process of the site has it: a command takes the address from its own environment.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connections

from orgs.database.backup.errors import BackupError

Connection = psycopg.Connection[tuple[Any, ...]]
ADMIN_VARIABLE, BACKUP_VARIABLE = "DATABASE_ADMIN_URL", "DATABASE_BACKUP_URL"
# Settings for the text of values, so that it does not depend on the server or the role.
_SESSION_SETTINGS = """
SELECT set_config(name, value, false) FROM (VALUES
    ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'),
    ('extra_float_digits', '1'), ('bytea_output', 'hex'), ('client_encoding', 'UTF8'),
    ('search_path', ''), ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
    ('transaction_timeout', '0'), ('lock_timeout', '30s'), ('application_name', 'commonmind backup')
) AS wanted (name, value)
"""
_ROLE_ATTRIBUTES = (
    "SELECT rolname, rolsuper, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
)


@contextmanager
def backup_connection() -> Iterator[Connection]:
    """A connection that may read every row: DATABASE_BACKUP_URL, else DATABASE_ADMIN_URL."""
    variable = BACKUP_VARIABLE if os.environ.get("DATABASE_BACKUP_URL") else ADMIN_VARIABLE
    with _connect(variable) as connection:
        role, _, sees_all = _fetch_role(connection)
        if not sees_all:
            raise BackupError(
                f"Row-level security binds the role {role} of {variable}, so it would read "
                "nothing. Give it BYPASSRLS and pg_read_all_data (docs/operations.md, Backup)."
            )
        yield connection


@contextmanager
def superuser_connection() -> Iterator[Connection]:
    """A superuser's connection in autocommit mode: DATABASE_ADMIN_URL."""
    with _connect(ADMIN_VARIABLE) as connection:
        role, superuser, _ = _fetch_role(connection)
        if not superuser:
            raise BackupError(
                f"The role {role} of {ADMIN_VARIABLE} is no superuser; a restore needs one."
            )
        yield connection


@contextmanager
def _connect(variable: str) -> Iterator[Connection]:
    url = os.environ.get(variable, "")
    if not url:
        raise BackupError(
            f"{variable} is not set. With the database of `make run` type `make backup DIR=...` "
            "or `make restore DIR=...`; with your own server see docs/operations.md, Backup."
        )
    name = connections["default"].settings_dict["NAME"]
    try:
        connection = psycopg.connect(url, dbname=name, autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as error:
        words = " ".join(str(error).split())
        raise BackupError(f"The database does not let {variable} in ({words}).") from None
    with connection:
        connection.execute(_SESSION_SETTINGS)
        yield connection


def _fetch_role(connection: Connection) -> tuple[str, bool, bool]:
    row = connection.execute(_ROLE_ATTRIBUTES).fetchone()
    assert row is not None  # noqa: S101 - the role that logged in exists
    return row[0], row[1], row[2]
