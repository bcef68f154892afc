"""Tables as text: read and written, with the number of rows and a checksum.

The checksum adds a hash of each row, modulo 2^128, so the order of the rows does not matter. It
finds damage; it is not a signature.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO, LiteralString

from psycopg import sql

from orgs.database.backup.connection import Connection

Row = bytes | bytearray | memoryview
HASH_BYTES = 16
_CHECKSUM_MODULUS = 1 << 8 * HASH_BYTES
_CHUNK = 1 << 18

# Partitions are tables of their own; their parents hold no rows.
_TABLES = """
SELECT n.nspname, c.relname,
    ARRAY(SELECT a.attname::text FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
          ORDER BY a.attname),
    pg_table_size(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema', %(marker)s)
    AND n.nspname !~ '^pg_(temp|toast)'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
                    AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY 1, 2
"""
_SEQUENCES = """
SELECT schemaname, sequencename, last_value FROM pg_sequences
WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2
"""
# The schema of the marker is no part of a backup.
MARKER_SCHEMA = "commonmind_restore"


@dataclass(frozen=True, slots=True)
class Table:
    """A table and those of its columns that hold data. size: bytes on the server's disk."""

    schema: str
    name: str
    columns: tuple[str, ...]
    size: int = 0

    @property
    def label(self) -> str:
        """schema.name."""
        return f"{self.schema}.{self.name}"

    def identifier(self) -> sql.Identifier:
        """The name for a statement."""
        return sql.Identifier(self.schema, self.name)

    def copy(self, direction: LiteralString) -> sql.Composed:
        """COPY of its columns, TO STDOUT or FROM STDIN."""
        columns = sql.SQL(", ").join(map(sql.Identifier, self.columns))
        return sql.SQL("COPY {} ({}) " + direction).format(self.identifier(), columns)


class RowChecksum:
    """The number of rows, and the sum of their hashes."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, row: Row) -> None:
        """Add one row as COPY writes it, with its line end."""
        self.rows += 1
        self._sum += int.from_bytes(blake2b(row, digest_size=HASH_BYTES).digest(), "big")

    @property
    def checksum(self) -> str:
        """32 hexadecimal digits; zeros for no rows."""
        return f"{self._sum % _CHECKSUM_MODULUS:032x}"


def list_tables(connection: Connection) -> list[Table]:
    """Every table that is not PostgreSQL's own or an extension's, in the order of names."""
    rows = connection.execute(_TABLES, {"marker": MARKER_SCHEMA}).fetchall()
    return [Table(schema, name, tuple(columns), size) for schema, name, columns, size in rows]


def fetch_sequences(connection: Connection) -> dict[str, int | None]:
    """The last number of each sequence, by schema.name; None for one that was never used."""
    rows = connection.execute(_SEQUENCES).fetchall()
    return {f"{schema}.{name}": last for schema, name, last in rows}


def iter_rows(connection: Connection, table: Table) -> Iterator[Row]:
    """Each row as COPY writes it."""
    with connection.cursor() as cursor, cursor.copy(table.copy("TO STDOUT")) as rows:
        yield from rows


def compute_checksum(
    connection: Connection, table: Table, out: IO[bytes] | None = None
) -> RowChecksum:
    """The number and checksum of the table's rows; they are also written to `out`."""
    found = RowChecksum()
    for row in iter_rows(connection, table):
        found.add(row)
        if out is not None:
            out.write(row)
    return found


def write_rows(connection: Connection, table: Table, source: IO[bytes]) -> None:
    """Put rows into an empty table."""
    with connection.cursor() as cursor, cursor.copy(table.copy("FROM STDIN")) as rows:
        while chunk := source.read(_CHUNK):
            rows.write(chunk)


def set_sequences(connection: Connection, last: Iterable[tuple[str, int | None]]) -> None:
    """Set each sequence to its last number; one that does not exist here is skipped."""
    here = fetch_sequences(connection)
    for label, value in last:
        if value is not None and label in here:
            connection.execute(
                "SELECT setval(format('%%I.%%I', %s::text, %s::text)::regclass, %s)",
                [*label.split(".", 1), value],
            )


def count_rows_by_table(connection: Connection, chosen: Sequence[Table]) -> dict[str, int]:
    """The number of rows by table, without empty tables."""
    found: dict[str, int] = {}
    for table in chosen:
        statement = sql.SQL("SELECT count(*) FROM {}").format(table.identifier())
        row = connection.execute(statement).fetchone()
        if row and row[0]:
            found[table.label] = int(row[0])
    return found


# Called with the name of the table and the share of all bytes (0-1) that is done.
Progress = Callable[[str, float], None]


def no_progress(name: str, share: float) -> None:
    """Report no progress."""
