"""ORM queries that are compiled to SQL once and then run with other values.

Django compiles a query each time it runs. For a memory with its names, which joins thirteen tables,
compiling takes four milliseconds of processor time; finding the memory takes one.
"""

import copy
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.db import connections
from django.db.models import QuerySet
from django.db.models.query import ModelIterable
from psycopg.pq import Format

from orgs.database.prepared_statements import fetched

Given = UUID | datetime


def _mark(value: Given, number: int) -> Given:
    """A placeholder for a value while a query is compiled: a new id, or a time in the year 1."""
    if isinstance(value, UUID):
        return uuid4()
    return datetime(1, 1, 2, tzinfo=UTC) + timedelta(seconds=number)


@dataclass(frozen=True)
class Statement:
    """A query with placeholders (marks) for some of its values. names: by mark, the name of the
    value."""

    query: "QuerySet[Any, Any]"
    names: Mapping[Given, str]

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
            values[self.names[p]] if isinstance(p, Given) and p in self.names else p
            for p in parameters
        )

    def rows(self, values: Mapping[str, Any]) -> Iterator[Any]:
        """The model instances for these values, with the related ones that the query selects."""
        found = fetched(*self.filled(values), self.query.db, how=Format.TEXT)
        compiler = copy.copy(self.compiled[0])
        # Another thread may have compiled it, on its own connection.
        compiler.connection = connections[self.query.db]
        compiler.execute_sql = lambda **options: [found]
        # Not `copy.copy`, which would run the query with the marks.
        asked: Any = self.query.all()
        asked.query.get_compiler = lambda *args, **options: compiler
        return iter(ModelIterable(asked))


class Kept:
    """Compiles a query once for each shape. Queries that differ only in values have one shape.

    build: makes the query from the shape and from ids and datetimes by name. It may compare these
    values only with None; which of them are None is part of the shape. It must not put them into a
    list: there the mark is not replaced, and no row is found.
    """

    def __init__(self, build: Callable[..., "QuerySet[Any, Any]"]) -> None:
        self.build = build
        self.statements: dict[Hashable, Statement] = {}

    def rows(self, *shape: Any, **values: Given | None) -> "Iterator[Any]":
        """The rows, by a prepared statement, whose plan is kept too: for look-ups by a key."""
        return self._statement(shape, values).rows(values)

    def text(self, *shape: Any, **values: Given | None) -> tuple[str, tuple[Any, ...]]:
        """(the SQL text, its parameters), to be used inside another statement."""
        return self._statement(shape, values).filled(values)

    def _statement(self, shape: tuple[Any, ...], values: Mapping[str, Given | None]) -> Statement:
        given = {name: value for name, value in values.items() if value is not None}
        known = self.statements.get((shape, frozenset(given)))
        if known is None:
            marks = {name: _mark(given[name], number) for number, name in enumerate(given)}
            query = self.build(*shape, **dict.fromkeys(values) | marks)
            known = Statement(query, {mark: name for name, mark in marks.items()})
            self.statements[shape, frozenset(given)] = known
        return known
