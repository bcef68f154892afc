"""Connections of a superuser, one for each server: only such a role copies rows between servers.

No process of the site has them: the command takes the addresses from its own environment.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from psycopg.conninfo import make_conninfo

from orgs.database.driver.servers import HOME, SEPARATOR

Connection = psycopg.Connection[tuple[Any, ...]]
LOCK_TIMEOUT = "5s"
_SESSION_SETTINGS = """
SELECT set_config(name, value, false) FROM (VALUES
    ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
    ('idle_session_timeout', '0'), ('transaction_timeout', '0'), ('lock_timeout', %s),
    ('synchronous_commit', 'on'), ('application_name', 'commonmind move')
) AS wanted (name, value)
"""
_IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"


class MoveError(Exception):
    """The move cannot go on, and the message says why; what was done stays, and the command run
    again goes on from there."""


def label_server(server: str) -> str:
    """How a server is named in sentences."""
    return f"the server {server}" if server else "the home server"


def admin_address(server: str) -> str:
    """The address of the superuser, with the database that the service uses there. Raises
    MoveError."""
    variable, url = "DATABASE_ADMIN_URL", os.environ.get("DATABASE_ADMIN_URL", "")
    if server != HOME:
        variable, given = "DATABASE_SERVERS_ADMIN", os.environ.get("DATABASE_SERVERS_ADMIN")
        try:
            url = json.loads(given or "{}").get(server, "")
        except (ValueError, AttributeError):
            # Without what it holds, which are passwords.
            raise MoveError(f"{variable} has to be a JSON object, by name of a server.") from None
    if not url:
        raise MoveError(
            f"{variable} has no address of a superuser of {label_server(server)} (docs/scaling.md)."
        )
    alias = f"default{SEPARATOR}{server}" if server else "default"
    try:
        return make_conninfo(url, dbname=settings.DATABASES[alias]["NAME"])
    except psycopg.ProgrammingError:
        raise MoveError(f"The address of {label_server(server)} in {variable} is wrong.") from None


@contextmanager
def admin_connection(server: str) -> Iterator[Connection]:
    """A connection in autocommit mode. Raises MoveError if the server is away, or lets no superuser
    in."""
    try:
        connection = psycopg.connect(admin_address(server), autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as error:
        words = " ".join(str(error).split())
        raise MoveError(
            f"{label_server(server).capitalize()} does not let the superuser in ({words})."
        ) from None
    with connection:
        connection.execute(_SESSION_SETTINGS, [LOCK_TIMEOUT])
        if fetch_value(connection, _IS_SUPERUSER) is not True:
            raise MoveError(
                f"The role of the address of {label_server(server)} is no superuser; a move needs "
                "one on both servers."
            )
        yield connection


def fetch_value(connection: Connection, statement: str, *values: Any) -> Any:
    """The first column of the first row; None without a row."""
    row = connection.execute(statement.encode(), values or None).fetchone()
    return row[0] if row else None
