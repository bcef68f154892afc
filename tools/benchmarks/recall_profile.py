"""Where the time of a recall goes, and the same statements without the product around them."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch
from uuid import UUID

import psycopg
from django.db import connection
from psycopg.pq import Format

from memories.embedding.encoder_loading import get_encoder
from memories.retrieval import query_vector, recall
from orgs.models.base import new_id

Clock = time.perf_counter


@dataclass(frozen=True, slots=True)
class Statement:
    """One message to the database; prepared: planned once a connection."""

    sql: str
    values: Any
    prepared: bool

    @property
    def opens(self) -> bool:
        """Whether it begins a transaction: it sets what the rest of it may read."""
        return self.sql.startswith("SELECT set_config('app.organisation'")


@dataclass(slots=True)
class RecallProfile:
    """Milliseconds by stage, the statements and the encoded texts of one recall."""

    spent: dict[str, float] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    stage: str = ""

    def add(self, stage: str, seconds: float) -> None:
        self.spent[stage] = self.spent.get(stage, 0.0) + seconds * 1000

    @contextmanager
    def within(self, stage: str) -> Iterator[None]:
        """Count what happens under this stage; statements in it are not counted again."""
        outer, self.stage = self.stage, stage
        started = Clock()
        try:
            yield
        finally:
            self.stage = outer
            self.add(stage, Clock() - started)

    def timed(self, stage: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            if stage == "encode":
                self.texts.append(args[0])
            with self.within(stage):
                return inner(*args, **kwargs)

        return run

    def execute(self, run: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        prepared = not isinstance(context["cursor"].cursor, psycopg.ClientCursor)
        self.statements.append(Statement(sql, values, prepared))
        if self.stage:
            return run(sql, values, many, context)
        with self.within("sql"):
            return run(sql, values, many, context)


@contextmanager
def profile_recalls() -> Iterator[RecallProfile]:
    """Watch the recall inside: who may read, encode, SQL (with the commit)."""
    found = RecallProfile()
    commit = connection._commit

    def committed() -> None:
        with found.within(found.stage or "sql"):
            commit()

    with (
        patch.object(recall, "resolve_actor", found.timed("who may read", recall.resolve_actor)),
        patch.object(
            recall, "resolve_principal", found.timed("who may read", recall.resolve_principal)
        ),
        patch.object(
            query_vector, "encode_query", found.timed("encode", query_vector.encode_query)
        ),
        patch.object(connection, "_commit", committed),
        connection.execute_wrapper(found.execute),
    ):
        yield found


def bare_connection() -> psycopg.Connection[Any]:
    """As Django connects: the app role, and values bound by the client."""
    parameters = connection.get_connection_params()
    for name in ("context", "pool", "prepare_threshold", "cursor_factory"):
        parameters.pop(name, None)
    return psycopg.connect(
        **parameters,
        autocommit=True,
        cursor_factory=psycopg.ClientCursor,
        prepare_threshold=0,
        context=connection.connection.adapters,
    )


def replay(bare: psycopg.Connection[Any], statements: Sequence[Statement]) -> float:
    """Milliseconds that the statements take by themselves, rows fetched."""
    fresh = [(s, _with_new_ids(s.values)) for s in statements]
    started = Clock()
    plain, prepared = bare.cursor(), psycopg.Cursor(bare)
    prepared.format = Format.BINARY
    open_ = False
    for statement, values in fresh:
        if statement.opens:
            plain.execute("COMMIT; BEGIN" if open_ else "BEGIN")
            open_ = True
        cursor: psycopg.Cursor[Any] = prepared if statement.prepared else plain
        cursor.execute(statement.sql, values)
        if cursor.description:
            cursor.fetchall()
    if open_:
        plain.execute("COMMIT")
    return (Clock() - started) * 1000


def _with_new_ids(values: Any) -> Any:
    """A row that was inserted cannot be inserted again: it gets another id."""
    if not isinstance(values, dict):
        return values
    anew = dict(values)
    if isinstance(values.get("id"), UUID):
        anew["id"] = new_id()
    if "logs" in values:
        anew["logs"] = [new_id() for _ in values["logs"]]
    return anew


def time_encoder(texts: Sequence[str]) -> float:
    """Milliseconds that the bare encoder takes, one text after the other."""
    encoder = get_encoder()
    started = Clock()
    for text in texts:
        encoder.encode([text], is_query=True)
    return (Clock() - started) * 1000
