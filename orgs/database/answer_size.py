"""How many bytes of stored texts one answer may hold: the lists end their page there."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, F, Func, IntegerField, Model, QuerySet, TextField, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

# Of one text, as every writer is held to.
LONGEST_TEXT_BYTES = 1_000_000


def text_columns(model: type[Model]) -> list[str]:
    """The columns of a table that hold a text of any length, in plain or encrypted."""
    return [
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, TextField) or field.name == "sealed"
    ]


def bytes_of(columns: Iterable[str]) -> Any:
    """The stored bytes of these columns together, which may lead to other tables.

    PostgreSQL knows the length of a long value without reading it.
    """
    total: Any = Value(0)
    for column in columns:
        length = Func(column, function="octet_length", output_field=IntegerField())
        total = total + Coalesce(length, 0)
    return total


def is_one_of(ids: "QuerySet[Any, Any]") -> Func:
    """The condition that a row's id is among these.

    The array of ids is evaluated first and is not merged into the query: reading the texts is the
    most expensive part, and the planner would otherwise read all of them.
    """
    return _id_in_array(ArraySubquery(ids))


def has_id_of(ids: Sequence[UUID]) -> Func:
    """The condition that a row's id is among these, as one value for a `CompiledQuery`."""
    return _id_in_array(RawSQL("%s::uuid[]", (ids,)))


def _id_in_array(array: Any) -> Func:
    return Func(
        F("id"),
        array,
        template="%(expressions)s)",
        arg_joiner=" = ANY(",
        output_field=BooleanField(),
    )


def first_ids(
    rows: "QuerySet[Any, Any]", most: int, columns: Iterable[str]
) -> tuple[list[Any], bool]:
    """The ids of the first `most` rows of an ordered queryset, as far as their texts fit into one
    answer, and whether more rows follow; one query."""
    # The ids first: an index alone gives them, and it has no texts.
    first = rows.filter(is_one_of(rows.values("id")[: most + 1]))
    sizes = list(first.values_list("id", bytes_of(columns)))
    count = fitting([size for _, size in sizes[:most]])
    return [id_ for id_, _ in sizes[:count]], count < len(sizes)


def first_rows(
    rows: "QuerySet[Any, Any]", most: int, columns: Iterable[str]
) -> tuple[list[Any], bool]:
    """The rows of `first_ids`, each with one text, and whether more follow. One query where so few
    always fit, else two."""
    if (most + 1) * LONGEST_TEXT_BYTES <= settings.ANSWER_TEXTS_MAX_BYTES:
        found = list(rows[: most + 1])
        return found[:most], len(found) > most
    ids, more = first_ids(rows, most, columns)
    return rows_of(rows, ids), more


def rows_of(rows: "QuerySet[Any, Any]", ids: Sequence[Any]) -> list[Any]:
    """The rows of these ids that are among them, in the order of the ids; one query."""
    known = rows.in_bulk(ids) if ids else {}
    return [known[id_] for id_ in ids if id_ in known]


def fitting(sizes: Sequence[int]) -> int:
    """How many of the first texts of these sizes one answer holds; always at least one."""
    total = 0
    for number, size in enumerate(sizes):
        total += size
        if total > settings.ANSWER_TEXTS_MAX_BYTES and number:
            return number
    return len(sizes)
