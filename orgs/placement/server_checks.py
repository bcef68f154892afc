"""Refuse other servers that are not what the home server is."""

from collections.abc import Sequence
from typing import Any

import psycopg
from django.core.checks import CheckMessage, Error
from django.db import connections

from orgs.database.driver.servers import SEPARATOR, list_servers
from orgs.database.role_checks import SERVERS_VARIABLE, abort_start

_HAS_MIGRATIONS = "SELECT to_regclass('public.django_migrations') IS NOT NULL"
_MIGRATIONS = "SELECT app, name FROM django_migrations"
# A database by its number and name, and by when its server started: servers share numbers.
_DATABASE = """SELECT (oid, datname, pg_postmaster_start_time())::text
FROM pg_database WHERE datname = current_database()"""


def list_server_faults() -> list[CheckMessage]:
    """What is wrong with the other servers of DATABASE_SERVERS: another schema than the home
    server's, or a database that has another name already; no messages without other servers.

    Raises psycopg.OperationalError if one does not answer.
    """
    names = list_servers()
    if len(names) == 1:
        return []
    seen: dict[Any, str] = {}
    errors: list[CheckMessage] = []
    home: set[Any] = set()
    for server in names:
        where, done = _look_at(f"default{SEPARATOR}{server}" if server else "default")
        home = home if server else done
        if done != home:
            errors.append(
                Error(
                    f"{SERVERS_VARIABLE}: {server} has another schema than the home server.",
                    hint="`manage.py migrate --database owner` migrates each.",
                    id="orgs.E002",
                )
            )
        if where in seen:
            other = seen[where] or "the home server"
            errors.append(
                Error(f"{SERVERS_VARIABLE}: {server} is the database of {other}.", id="orgs.E003")
            )
        seen[where] = server
    return errors


def _look_at(alias: str) -> tuple[Any, set[Any]]:
    """(which database it is, its migrations)."""
    parameters: dict[str, Any] = connections[alias].get_connection_params()
    with psycopg.connect(**{"connect_timeout": 5} | parameters) as connection:
        ((where,),) = connection.execute(_DATABASE).fetchall()
        ((exists,),) = connection.execute(_HAS_MIGRATIONS).fetchall()
        return where, set(connection.execute(_MIGRATIONS).fetchall() if exists else ())


def check_servers(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The system check of commands; `migrate`, which names databases, is not checked. If a server
    does not answer, there are no messages: the command itself reports it."""
    try:
        return [] if databases else list_server_faults()
    except psycopg.OperationalError:
        return []


def abort_if_servers_differ() -> None:
    """End the process with one sentence if another server is not as the home server, or cannot be
    looked at."""
    try:
        errors = list_server_faults()
    except psycopg.OperationalError as error:
        abort_start(f"a database server does not answer ({' '.join(str(error).split())}).")
    if errors:
        abort_start(" ".join(f"{error.msg} {error.hint or ''}".strip() for error in errors))
