"""The sizes of the tables, with indexes and out-of-line values; read in the role of the owner."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connections
from psycopg import sql

OWNER = "owner"
# The tables of each projection, by the beginning of their names; all other tables are shared.
TABLES_BY_PROJECTION = {
    "graph": ("memories_entity", "memories_edge", "memories_statedrelation"),
    "partitions": ("memories_partition",),
}
_TABLE_SIZES_SQL = """
SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname = 'public' AND c.relname LIKE 'memories\\_%'
"""


def fetch_table_sizes() -> dict[str, int]:
    """Bytes of every table whose name begins with memories_, with its indexes and out-of-line
    values."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(_TABLE_SIZES_SQL)
        return dict(cursor.fetchall())


def vacuum_tables() -> None:
    """VACUUM and ANALYZE all tables, as autovacuum would soon after so many rows."""
    connection: Any = connections[OWNER]
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        for table in fetch_table_sizes():
            cursor.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))


def table_projection(table: str) -> str:
    """The projection of a table; empty for a shared table."""
    found = (
        name for name, beginnings in TABLES_BY_PROJECTION.items() if table.startswith(beginnings)
    )
    return next(found, "")


def bytes_per_memory(
    before: Mapping[str, int], after: Mapping[str, int], memories: int, needs: Sequence[str]
) -> float:
    """Bytes that each memory added to the shared tables and to those of the projections in
    `needs`."""
    grown = sum(
        size - before.get(table, 0)
        for table, size in after.items()
        if table_projection(table) in ("", *needs)
    )
    return grown / memories
