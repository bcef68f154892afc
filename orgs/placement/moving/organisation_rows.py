"""The rows of one organisation on a server, in every table that has any: counted, compared,
deleted."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import UUID

from psycopg import sql

from orgs.placement.moving.admin_connections import Connection, MoveError

# Whether a table `c` of pg_class holds rows of organisations: the catalogue knows, no list is kept.
HAS_ORGANISATION_SQL = """EXISTS (
    SELECT 1 FROM pg_attribute own
    WHERE own.attrelid = c.oid AND own.attname = 'organisation_id' AND NOT own.attisdropped)"""
# It holds the organisation itself, by its id.
ORGANISATION_TABLE = "orgs_organisation"
# The most rows that one transaction deletes.
BATCH_ROWS = 5_000
# Partitions are tables of their own; their parents hold no rows. The unique index says which row a
# change is about; without a fit one the whole row does.
_TABLES_SQL = f"""
SELECT c.relname,
    CASE WHEN c.relname = '{ORGANISATION_TABLE}' THEN 'id' ELSE 'organisation_id' END,
    (SELECT k.relname FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid
    WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
        AND i.indpred IS NULL AND i.indexprs IS NULL
        AND (SELECT bool_and(a.attnotnull) AND bool_or(a.attname =
                CASE WHEN c.relname = '{ORGANISATION_TABLE}' THEN 'id' ELSE 'organisation_id' END)
            FROM unnest(i.indkey) WITH ORDINALITY AS n (number, place)
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = n.number
            WHERE n.place <= i.indnkeyatts)
    ORDER BY i.indnkeyatts, k.relname LIMIT 1),
    ARRAY(SELECT format('%s(%I)', t.typsend::regproc, a.attname)
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attname)
FROM pg_class c
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    AND (c.relname = '{ORGANISATION_TABLE}' OR {HAS_ORGANISATION_SQL})
ORDER BY c.relname
"""
# References of rows of organisations to what the home server keeps for all, which is accounts.
_HOME_REFERENCES_SQL = f"""
SELECT c.relname, a.attname FROM pg_constraint r
JOIN pg_class c ON c.oid = r.conrelid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (r.conkey)
WHERE r.contype = 'f' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    AND {HAS_ORGANISATION_SQL}
    AND r.confrelid <> '{ORGANISATION_TABLE}'::regclass AND NOT EXISTS (
        SELECT 1 FROM pg_attribute o WHERE o.attrelid = r.confrelid
        AND o.attname = 'organisation_id' AND NOT o.attisdropped)
ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class OrganisationTable:
    """A table. column: that of the organisation. key: a unique index that has it, None if there is
    none. values: SQL of the bytes of each column."""

    name: str
    column: str
    key: str | None
    values: tuple[str, ...]

    def where(self, organisation_id: UUID) -> sql.Composed:
        """The condition for the rows of an organisation."""
        return sql.SQL("{} = {}").format(
            sql.Identifier(self.column), sql.Literal(str(organisation_id))
        )

    def from_rows(self, organisation_id: UUID) -> sql.Composed:
        """FROM and WHERE of a statement about them."""
        table, where = sql.Identifier("public", self.name), self.where(organisation_id)
        return sql.SQL("FROM {} WHERE {}").format(table, where)


def list_organisation_tables(connection: Connection) -> list[OrganisationTable]:
    """Every table, in the order of names."""
    rows = connection.execute(_TABLES_SQL.encode()).fetchall()
    return [
        OrganisationTable(name, column, key, tuple(values)) for name, column, key, values in rows
    ]


def list_accounts(connection: Connection, organisation_id: UUID) -> list[UUID]:
    """The accounts to which rows of the organisation refer, in order."""
    parts = [
        sql.SQL("SELECT {} FROM {} WHERE organisation_id = {} AND {} IS NOT NULL").format(
            sql.Identifier(column),
            sql.Identifier("public", table),
            sql.Literal(organisation_id),
            sql.Identifier(column),
        )
        for table, column in connection.execute(_HOME_REFERENCES_SQL.encode()).fetchall()
    ]
    statement = sql.SQL("{} ORDER BY 1").format(sql.SQL(" UNION ").join(parts))
    rows = connection.execute(statement).fetchall()
    return [account for (account,) in rows]


def has_rows(connection: Connection, organisation_id: UUID) -> bool:
    """Whether any table has a row of the organisation."""
    parts = [
        sql.SQL("EXISTS (SELECT 1 {})").format(table.from_rows(organisation_id))
        for table in list_organisation_tables(connection)
    ]
    statement = sql.SQL("SELECT {}").format(sql.SQL(" OR ").join(parts))
    row = connection.execute(statement).fetchone()
    return bool(row and row[0])


def find_differences(source: Connection, target: Connection, organisation_id: UUID) -> list[str]:
    """What differs between the two servers, as clauses; both are read at the same time.

    The checksum of a table is the sum of the first 64 bits of a SHA-256 of each row, so the order
    of rows does not matter. The rows must not change meanwhile.
    """
    with ThreadPoolExecutor(2) as pool:
        here, there = pool.map(
            lambda connection: _fetch_checksums(connection, organisation_id), (source, target)
        )
    found = []
    for table in sorted(here.keys() | there.keys()):
        (count, checksum), (count_there, checksum_there) = (
            one.get(table, (-1, "")) for one in (here, there)
        )
        if count != count_there:
            found.append(f"{table} has {count:,} rows here and {count_there:,} there")
        elif checksum != checksum_there:
            found.append(f"{table} has other rows there")
    return found


def _fetch_checksums(connection: Connection, organisation_id: UUID) -> dict[str, tuple[int, str]]:
    """(count, checksum) by table."""
    parts = [
        sql.SQL(
            "SELECT {name}, count(*), coalesce(sum(('x' || encode(substr(sha256(array_send(ARRAY["
            "{values}]::bytea[])), 1, 8), 'hex'))::bit(64)::bigint), 0)::text {rows}"
        ).format(
            name=sql.Literal(table.name),
            # Composed by the server itself, with its quotation marks.
            values=sql.SQL(", ").join(sql.SQL(value) for value in table.values),  # type: ignore[arg-type]
            rows=table.from_rows(organisation_id),
        )
        for table in list_organisation_tables(connection)
    ]
    rows = connection.execute(sql.SQL(" UNION ALL ").join(parts)).fetchall()
    return {name: (count, checksum) for name, count, checksum in rows}


def delete_rows(connection: Connection, organisation_id: UUID, say: Callable[[str], None]) -> int:
    """Delete every row of the organisation, in batches that commit; returns how many. Triggers do
    not run: it lives on elsewhere, and nobody is told that it ended."""
    gone = 0
    connection.execute("SET session_replication_role = 'replica'")
    try:
        for table in list_organisation_tables(connection):
            statement = sql.SQL(
                "DELETE FROM {} WHERE ctid = ANY (ARRAY(SELECT ctid {} LIMIT {}))"
            ).format(
                sql.Identifier("public", table.name),
                table.from_rows(organisation_id),
                sql.Literal(BATCH_ROWS),
            )
            while rows := connection.execute(statement).rowcount:
                gone += rows
                if rows == BATCH_ROWS:
                    say(f"{gone:,} rows deleted, now {table.name}")
    finally:
        if not connection.closed:
            connection.execute("RESET session_replication_role")
    return gone


def drop_indexes(connection: Connection, organisation_id: UUID) -> list[str]:
    """Drop the indexes of this organisation alone; returns their names."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indpred IS NOT NULL AND c.relnamespace = 'public'::regnamespace "
        "AND pg_get_expr(i.indpred, i.indrelid) LIKE %s ORDER BY 1",
        [f"%'{organisation_id}'%"],
    ).fetchall()
    names = [name for (name,) in rows]
    for name in names:
        connection.execute(
            sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier("public", name))
        )
    return names


def analyse_tables(connection: Connection) -> None:
    """Fresh statistics, before the first question comes."""
    for table in list_organisation_tables(connection):
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier("public", table.name)))


def require_same_rows(source: Connection, target: Connection, organisation_id: UUID) -> None:
    """Raises MoveError, which names the first tables that differ."""
    if found := find_differences(source, target, organisation_id):
        raise MoveError(f"The copy is not the same: {'; '.join(found[:5])}. Nothing was moved.")
