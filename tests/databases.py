"""Bare connections to the test database, one role each, past Django and its scopes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.conf import settings


def url(alias: str) -> str:
    """The URL by which a process would reach the test database in this role; or `admin`."""
    variable = {"default": "DATABASE_URL", "admin": "DATABASE_ADMIN_URL"}.get(
        alias, f"DATABASE_{alias.upper()}_URL"
    )
    name = settings.DATABASES["default"]["NAME"]
    return urlunsplit(urlsplit(os.environ[variable])._replace(path=f"/{name}"))


@contextmanager
def connected(alias: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection that commits each statement."""
    with psycopg.connect(url(alias), autocommit=True) as connection:
        yield connection


@contextmanager
def undone(alias: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A transaction that is rolled back, whatever happened in it."""
    with psycopg.connect(url(alias)) as connection:
        try:
            yield connection
        finally:
            connection.rollback()


def tell(connection: psycopg.Connection[Any], **context: object) -> None:
    """Set app.* until the end of the transaction, as `orgs.database.rls.scope` does."""
    for name, value in context.items():
        text = value if isinstance(value, str) else str(value)
        if isinstance(value, list | tuple | set | frozenset):
            text = "{" + ",".join(map(str, value)) + "}"
        connection.execute("SELECT set_config(%s, %s, true)", [f"app.{name}", text])
