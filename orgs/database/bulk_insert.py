"""Insert many rows in one statement, sent as one JSON document.

Building an INSERT of a thousand rows from the ORM's expressions takes longer than running it.
Postgres reads the document with the table's own row type, so every column keeps its type. Row-level
security checks each row as always.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, TypeVar

import orjson
from django.db import connection, models

from orgs.database.prepared_statements import fetch_all

Row = TypeVar("Row", bound=models.Model)


def build_row(model: type[Row], **values: Any) -> Row:
    """An unsaved row, at half of what the model itself takes. values: by columns' names
    (`audience_id`); the others get their defaults."""
    blank = _row_defaults(model)
    if unknown := values.keys() - blank.known:
        raise TypeError(f"{model.__name__} has no {', '.join(sorted(unknown))}.")
    made = {name: default() for name, default in blank.made.items() if name not in values}
    return model(*blank.in_order({**blank.same, **made, **values}))


@dataclass(frozen=True, slots=True)
class _RowDefaults:
    """What a row has of itself. same: defaults that are the same for all rows. made: by name, what
    makes the default of a row. in_order: the values in the order of the columns."""

    known: frozenset[str]
    same: dict[str, Any]
    made: dict[str, Callable[[], Any]]
    in_order: Callable[[dict[str, Any]], tuple[Any, ...]]


@cache
def _row_defaults(model: type[models.Model]) -> _RowDefaults:
    fields = model._meta.concrete_fields
    made = {field.attname: field.get_default for field in fields if callable(field.default)}
    same = {field.attname: field.get_default() for field in fields if field.attname not in made}
    names = [field.attname for field in fields]
    return _RowDefaults(frozenset(names), same, made, itemgetter(*names))


def _encode_bytes(value: Any) -> Any:
    """Bytes as text that Postgres reads as bytea. Raises TypeError for anything else."""
    if isinstance(value, bytes | memoryview):
        return "\\x" + bytes(value).hex()
    raise TypeError(type(value).__name__)


def _has_pre_save(field: Any) -> bool:
    """Whether the field's class decides what is stored when a row is written."""
    return type(field).pre_save not in (models.Field.pre_save, models.DateTimeField.pre_save)


def insert_rows(rows: Sequence[models.Model]) -> None:
    """Insert unsaved rows of one model. Raises IntegrityError and DataError like `save`."""
    if not rows:
        return
    meta = rows[0]._meta
    names = [(field.attname, str(field.column)) for field in meta.concrete_fields]
    stored = [column for _, column in names]
    prepared = [field for field in meta.concrete_fields if _has_pre_save(field)]
    values_of = itemgetter(*[attribute for attribute, _ in names])
    document = orjson.dumps(
        [
            dict(zip(stored, values_of(vars(row)), strict=True))
            # Such a field may store another value than the row has.
            | {str(field.column): field.pre_save(row, add=True) for field in prepared}
            for row in rows
        ],
        default=_encode_bytes,
    ).decode()
    columns = ", ".join(map(connection.ops.quote_name, stored))
    table = connection.ops.quote_name(meta.db_table)
    fetch_all(
        f"INSERT INTO {table} ({columns}) "
        f"SELECT {columns} FROM json_populate_recordset(NULL::{table}, %s::json)",
        [document],
    )
