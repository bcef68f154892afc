"""How much room the tables take, with indexes and out-of-line values, as the owner sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connections
from psycopg import sql

OWNER = "owner"
# A projection's own tables, by the beginning of their names; every other table is shared.
PROJECTIONS = {
    "graph": ("memories_entity", "memories_edge"),
    "partitions": ("memories_partition",),
}
_TABLES = """
SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname = 'public' AND c.relname LIKE 'memories\\_%'
"""


def sizes() -> dict[str, int]:
    """Bytes of every table of the memories with all that belongs to it."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(_TABLES)
        return dict(cursor.fetchall())


def settle() -> None:
    """VACUUM and ANALYZE, as autovacuum does within its minute after so many rows."""
    connection: Any = connections[OWNER]
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        for table in sizes():
            cursor.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))


def projection_of(table: str) -> str:
    """The projection that a table belongs to, or nothing."""
    found = (name for name, beginnings in PROJECTIONS.items() if table.startswith(beginnings))
    return next(found, "")


def bytes_per_memory(
    before: Mapping[str, int], after: Mapping[str, int], memories: int, needs: Sequence[str]
) -> float:
    """What each memory added to the shared tables and to those of these projections."""
    grown = sum(
        size - before.get(table, 0)
        for table, size in after.items()
        if projection_of(table) in ("", *needs)
    )
    return grown / memories
