"""ORM queries that are compiled to SQL once and then run with other values.

Django compiles a query each time it runs. For a memory with its names, which joins thirteen tables,
compiling takes four milliseconds of processor time; finding the memory takes one.
"""

import copy
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable
from psycopg.pq import Format

from orgs.database.prepared_statements import fetch_all

Placeholder = UUID | datetime
# Several ids are one value: what an array of the database holds.
QueryValue = Placeholder | list[UUID]


def _build_placeholder(value: QueryValue, number: int) -> Placeholder:
    """Stands for a value while a text is put together: an id that nobody has, a moment of the year
    one."""
    if isinstance(value, UUID):
        return uuid4()
    return datetime(1, 1, 2, tzinfo=UTC) + timedelta(seconds=number)


class _SharedModel:
    """A model of which each row is made once, however many rows it stands beside, as
    `prefetch_related` does: making them is most of the time of a list."""

    def __init__(self, model: type[Model]) -> None:
        self._model, self._made = model, dict[Any, Model]()
        self._meta = model._meta

    def from_db(self, db: str, names: list[str], values: Sequence[Any]) -> Model:
        key = values[names.index(self._meta.pk.attname)]
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._model.from_db(db, names, values)
        return made


def _share_related(info: Mapping[str, Any]) -> dict[str, Any]:
    """What Django knows of the rows of a query, with shared rows of those beside them."""
    related = [
        {**_share_related(one), "model": _SharedModel(one["model"])}
        for one in info.get("related_klass_infos", ())
    ]
    return {**info, "related_klass_infos": related}


@dataclass(frozen=True)
class CompiledStatement:
    """A query with placeholders (marks) for some of its values. names: by mark, the name of the
    value."""

    query: "QuerySet[Any, Any]"
    names: Mapping[Placeholder, str]

    @cached_property
    def compiled(self) -> tuple[Any, str, tuple[Any, ...]]:
        """(Django's compiler, the SQL text, its parameters with the marks)."""
        compiler = self.query.query.get_compiler(using=self.query.db)
        text, parameters = compiler.as_sql()
        return compiler, text, tuple(parameters)

    def filled(self, values: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]]:
        """(the SQL text, its parameters with these values by name)."""
        _, text, parameters = self.compiled
        return text, tuple(
            values[self.names[p]] if isinstance(p, Placeholder) and p in self.names else p
            for p in parameters
        )

    def rows(self, values: Mapping[str, Any]) -> Iterator[Any]:
        """The rows for these values, with what the query selects beside them."""
        return self.read(fetch_all(*self.filled(values), self.query.db, how=Format.TEXT))

    def read(self, found: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """The rows out of what the database answered."""
        compiler = copy.copy(self.compiled[0])
        # Another thread may have compiled it, on its own connection.
        compiler.connection = connections[self.query.db]
        if compiler.klass_info:
            compiler.klass_info = _share_related(compiler.klass_info)
        compiler.execute_sql = lambda **options: [list(found)]
        # Not `copy.copy`, which would ask the database for the rows with the marks.
        asked: Any = self.query.all()
        asked.query.get_compiler = lambda *args, **options: compiler
        return iter(ModelIterable(asked))


class CompiledQuery:
    """Compiles a query once for each shape. Queries that differ only in values have one shape.

    build: makes the query out of the shape and of ids and moments by name. It may compare these
    with nothing but None: one that may be missing belongs to the shape as well. One that stands in
    a list is not filled in, so that nothing is found; a whole list is one value, a moment to build.
    """

    def __init__(self, build: Callable[..., "QuerySet[Any, Any]"]) -> None:
        self.build = build
        self.statements: dict[Hashable, CompiledStatement] = {}

    def rows(self, *shape: Any, **values: QueryValue | None) -> "Iterator[Any]":
        """The rows of the query, whose plan is kept as well: for what a key finds."""
        return self.statement(shape, values).rows(values)

    def text(self, *shape: Any, **values: QueryValue | None) -> tuple[str, tuple[Any, ...]]:
        """The statement, to be a part of another one, and its parameters."""
        return self.statement(shape, values).filled(values)

    def statement(
        self, shape: tuple[Any, ...], values: Mapping[str, QueryValue | None]
    ) -> CompiledStatement:
        """The one of this shape."""
        given = {name: value for name, value in values.items() if value is not None}
        known = self.statements.get((shape, frozenset(given)))
        if known is None:
            marks = {
                name: _build_placeholder(given[name], number) for number, name in enumerate(given)
            }
            query = self.build(*shape, **dict.fromkeys(values) | marks)
            known = CompiledStatement(query, {mark: name for name, mark in marks.items()})
            self.statements[shape, frozenset(given)] = known
        return known
