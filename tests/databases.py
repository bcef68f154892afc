"""Bare connections to the test database, one role each, past Django and its scopes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.conf import settings
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql
from psycopg.pq import TransactionStatus

TEMPLATE = "commonmind_template"
_SUBSCRIPTIONS_SQL = """SELECT subname FROM pg_subscription
WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())"""
_END_SUBSCRIPTION = (
    "ALTER SUBSCRIPTION {} DISABLE",
    "ALTER SUBSCRIPTION {} SET (slot_name = NONE)",
    "DROP SUBSCRIPTION {}",
)
_SLOTS_SQL = """SELECT slot_name, pg_terminate_backend(active_pid)
FROM pg_replication_slots WHERE database = current_database()"""


def database_url(alias: str) -> str:
    """The URL by which a process would reach the test database in this role; or `admin`."""
    variable = {"default": "DATABASE_URL", "admin": "DATABASE_ADMIN_URL"}.get(
        alias, f"DATABASE_{alias.upper()}_URL"
    )
    name = settings.DATABASES["default"]["NAME"]
    return urlunsplit(urlsplit(os.environ[variable])._replace(path=f"/{name}"))


@contextmanager
def autocommit_connection(alias: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection that commits each statement."""
    with psycopg.connect(database_url(alias), autocommit=True) as connection:
        yield connection


@contextmanager
def rolled_back_connection(alias: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A transaction that is rolled back, whatever happened in it."""
    with psycopg.connect(database_url(alias)) as connection:
        try:
            yield connection
        finally:
            connection.rollback()


def set_scope_settings(connection: psycopg.Connection[Any], **context: object) -> None:
    """Set app.* until the end of the transaction, as `orgs.database.rls.scope` does."""
    for name, value in context.items():
        text = value if isinstance(value, str) else str(value)
        if isinstance(value, list | tuple | set | frozenset):
            text = "{" + ",".join(map(str, value)) + "}"
        connection.execute("SELECT set_config(%s, %s, true)", [f"app.{name}", text])


def switch_database(alias: str, name: str) -> None:
    """Let Django's connection lead to another database of the test server."""
    settings.DATABASES[alias]["NAME"] = name
    connections[alias].close()
    connections[alias].settings_dict["NAME"] = name


def reset_connection(connection: BaseDatabaseWrapper) -> None:
    """Leave a connection to the next test as if it were new, or close one that is not at rest.

    A new one costs forty milliseconds: signing in, and all that the server keeps for a session.
    """
    if connection.connection is None:
        return
    rests = False
    with suppress(DatabaseError):
        if connection.get_autocommit() and not connection.in_atomic_block:
            with connection.cursor() as cursor:
                cursor.execute("RESET ALL; RESET ROLE; UNLISTEN *; SELECT pg_advisory_unlock_all()")
            rests = connection.connection.info.transaction_status == TransactionStatus.IDLE
    if not rests:
        connection.close()


def create_from_template(admin: str, name: str) -> None:
    """A migrated database of that name, without rows."""
    with psycopg.connect(admin, autocommit=True) as connection:
        query = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = %s)"
        if connection.execute(query, [name]).fetchone() == (True,):
            _end_replication(admin, name)
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER commonmind_owner").format(
                sql.Identifier(name), sql.Identifier(TEMPLATE)
            )
        )
        # Rights on a database are not copied with it.
        connection.execute(
            sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name))
        )
        for role in ("app", "worker", "support", "owner"):
            connection.execute(
                sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(
                    sql.Identifier(name), sql.Identifier(f"commonmind_{role}")
                )
            )


def _end_replication(admin: str, name: str) -> None:
    """Drop what a test that was killed while an organisation moved has left in a database: with it
    the database cannot be dropped."""
    with psycopg.connect(admin, dbname=name, autocommit=True) as connection:
        for (subscription,) in connection.execute(_SUBSCRIPTIONS_SQL).fetchall():
            for act in _END_SUBSCRIPTION:
                connection.execute(sql.SQL(act).format(sql.Identifier(subscription)))
        while slots := connection.execute(_SLOTS_SQL).fetchall():
            for slot, _ in slots:
                # Its reader comes back after some seconds.
                with suppress(psycopg.errors.ObjectInUse):
                    connection.execute("SELECT pg_drop_replication_slot(%s)", [slot])
