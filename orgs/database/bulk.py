"""Insert many rows in one statement, sent as one JSON document.

Building an INSERT of a thousand rows from the ORM's expressions takes longer than running it.
Postgres reads the document with the table's own row type, so every column keeps its type. Row-level
security checks each row as always.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from django.db import connection, models

from orgs.database.prepared_statements import fetched


def uuids(values: Iterable[object]) -> str:
    """The text of a Postgres array of uuids, with NULL for None.

    The driver converts a list value by value, which takes longer than the statement itself.
    """
    return "{" + ",".join(str(one) if one else "NULL" for one in values) + "}"


def _plain(value: Any) -> Any:
    """Bytes as text that Postgres reads as bytea. Raises TypeError for anything else."""
    if isinstance(value, bytes | memoryview):
        return "\\x" + bytes(value).hex()
    raise TypeError(type(value).__name__)


def _prepares(field: Any) -> bool:
    """Whether the field's class decides what is stored when a row is written."""
    return type(field).pre_save not in (models.Field.pre_save, models.DateTimeField.pre_save)


def insert_rows(rows: Sequence[models.Model]) -> None:
    """Insert unsaved rows of one model. Raises IntegrityError and DataError like `save`."""
    if not rows:
        return
    meta = rows[0]._meta
    names = [(field.attname, str(field.column)) for field in meta.concrete_fields]
    prepared = [field for field in meta.concrete_fields if _prepares(field)]
    document = orjson.dumps(
        [
            {column: getattr(row, attribute) for attribute, column in names}
            # Such a field may store another value than the row has.
            | {str(field.column): field.pre_save(row, add=True) for field in prepared}
            for row in rows
        ],
        default=_plain,
    ).decode()
    columns = ", ".join(connection.ops.quote_name(column) for _, column in names)
    table = connection.ops.quote_name(meta.db_table)
    fetched(
        f"INSERT INTO {table} ({columns}) "
        f"SELECT {columns} FROM json_populate_recordset(NULL::{table}, %s::json)",
        [document],
    )
