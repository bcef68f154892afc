"""A database of the bench's own, new for each run: nothing that was there before is measured.

The superuser makes it, fills synthetic organisations and reads sizes; everything that is measured
runs in the product's own roles.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
from psycopg import sql

from config.embedded.servers.provisioning import LOGIN_ROLES, provision, role_url

NAME = os.environ.get("BENCH_DATABASE", "commonmind_bench")
VARIABLES = {
    "app": "DATABASE_URL",
    "owner": "DATABASE_OWNER_URL",
    "worker": "DATABASE_WORKER_URL",
    "support": "DATABASE_SUPPORT_URL",
}


class NoServerError(Exception):
    """There is no server on which the bench may make a database."""


@contextmanager
def benchmark_database() -> Iterator[None]:
    """Make the database and let the environment name it; Django must not be set up yet."""
    server = os.environ.get("DATABASE_ADMIN_URL")
    if not server or not all(os.environ.get(name) for name in VARIABLES.values()):
        raise NoServerError("The bench makes a database of its own: run it with `make bench`.")
    parts = [urlsplit(os.environ[name]) for name in VARIABLES.values()]
    passwords = {unquote(p.username or ""): unquote(p.password or "") for p in parts}
    _drop_database(server)
    urls = provision(server, NAME, {role: passwords[role] for role in LOGIN_ROLES})
    for role, variable in VARIABLES.items():
        os.environ[variable] = getattr(urls, role)
    try:
        yield
    finally:
        _drop_database(server)


def _drop_database(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(NAME))
        )


@contextmanager
def superuser() -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """The bench's database past row-level security; each statement commits."""
    url = role_url(os.environ["DATABASE_ADMIN_URL"], database=NAME)
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname = 'public' AND c.relname LIKE 'memories\\_%' ORDER BY 1
"""


def vacuum_tables() -> None:
    """VACUUM and ANALYZE what was filled in bulk, as autovacuum does within its minute."""
    with superuser() as connection:
        for (table,) in connection.execute(TABLES).fetchall():
            connection.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))


def table_sizes() -> dict[str, tuple[int, int]]:
    """(bytes of the table, bytes of its indexes and TOAST) by table of the memories."""
    with superuser() as connection:
        rows = connection.execute(
            "SELECT t, pg_relation_size(t::regclass), pg_total_relation_size(t::regclass) "
            f"FROM ({TABLES}) AS x (t)"
        )
        return {table: (heap, total - heap) for table, heap, total in rows}


def server_version() -> str:
    """PostgreSQL's and pgvector's versions in words."""
    with superuser() as connection:
        row = connection.execute(
            "SELECT current_setting('server_version'), extversion, "
            "current_setting('fsync'), current_setting('shared_buffers') "
            "FROM pg_extension WHERE extname = 'vector'"
        ).fetchone()
    assert row is not None
    return f"PostgreSQL {row[0]}, pgvector {row[1]}, fsync {row[2]}, shared_buffers {row[3]}"
