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
ADMIN, READER = "DATABASE_ADMIN_URL", "DATABASE_BACKUP_URL"
# Settings for the text of values, so that it does not depend on the server or the role.
_FORM = """
SELECT set_config(name, value, false) FROM (VALUES
    ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'),
    ('extra_float_digits', '1'), ('bytea_output', 'hex'), ('client_encoding', 'UTF8'),
    ('search_path', ''), ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
    ('transaction_timeout', '0'), ('lock_timeout', '30s'), ('application_name', 'commonmind backup')
) AS wanted (name, value)
"""
_SEES_ALL = (
    "SELECT rolname, rolsuper, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
)


@contextmanager
def reader() -> Iterator[Connection]:
    """A connection that may read every row: DATABASE_BACKUP_URL, else DATABASE_ADMIN_URL."""
    variable = READER if os.environ.get("DATABASE_BACKUP_URL") else ADMIN
    with _connected(variable) as connection:
        role, _, sees_all = _role(connection)
        if not sees_all:
            raise BackupError(
                f"Row-level security binds the role {role} of {variable}, so it would read "
                "nothing. Give it BYPASSRLS and pg_read_all_data (docs/operations.md, Backup)."
            )
        yield connection


@contextmanager
def writer() -> Iterator[Connection]:
    """A superuser's connection in autocommit mode: DATABASE_ADMIN_URL."""
    with _connected(ADMIN) as connection:
        role, superuser, _ = _role(connection)
        if not superuser:
            raise BackupError(f"The role {role} of {ADMIN} is no superuser; a restore needs one.")
        yield connection


@contextmanager
def _connected(variable: str) -> Iterator[Connection]:
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
        connection.execute(_FORM)
        yield connection


def _role(connection: Connection) -> tuple[str, bool, bool]:
    row = connection.execute(_SEES_ALL).fetchone()
    assert row is not None  # noqa: S101 - the role that logged in exists
    return row[0], row[1], row[2]
