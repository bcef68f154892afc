"""Statements that the server plans once a connection and runs often.

Most of what a short statement costs is parsing and planning it, row-level security included. These
are bound by the server and kept under a name, and their answers come as binary. Django's own cursor
binds on the client's side, so every statement of it is planned anew; that suits statements whose
plan depends on their values (the partial indexes of large organisations). DATABASE_PREPARE=off is
for a pooler that cannot keep prepared statements.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper
from psycopg import Cursor
from psycopg.pq import Format

Rows = list[tuple[Any, ...]]
# `%(name)s` and a mapping, or `%s` and a sequence.
Values = Mapping[str, Any] | Sequence[Any]


class _Logged(CursorDebugWrapper):
    """Logs a statement as it was sent: nothing is bound on this side."""

    def execute(self, sql: Any, params: Any = None) -> Any:
        with self.debug_sql(sql, params):
            return CursorWrapper.execute(self, sql, params)


@contextmanager
def prepared(
    using: str = DEFAULT_DB_ALIAS, *, how: Format = Format.BINARY
) -> Iterator[CursorWrapper]:
    """A cursor for prepared statements with `%(name)s` parameters, cast where the type is open.

    how: as what the values of its answers come; Django's fields read text.
    """
    connection: Any = connections[using]
    connection.ensure_connection()
    inner: Cursor[Any] = Cursor(connection.connection)
    inner.format = how
    with (_Logged if connection.queries_logged else CursorWrapper)(inner, connection) as cursor:
        yield cursor


def fetched(
    statement: str,
    values: Values,
    using: str = DEFAULT_DB_ALIAS,
    *,
    how: Format = Format.BINARY,
) -> Rows:
    """The rows of one prepared statement; none for a statement that returns nothing."""
    with prepared(using, how=how) as cursor:
        cursor.execute(statement, values)
        return _rows(cursor)


def together(statements: Sequence[tuple[str, Values]], using: str = DEFAULT_DB_ALIAS) -> Rows:
    """The rows of the last of these, sent in one message as one transaction.

    Outside a transaction only: there the message is one.
    """
    return in_one_message(statements, using)[-1]


def in_one_message(
    statements: Sequence[tuple[str, Values]], using: str = DEFAULT_DB_ALIAS
) -> list[Rows]:
    """The rows of each of these, sent in one message: one round trip.

    Outside a transaction they are one by themselves, unless BEGIN and COMMIT stand among them.
    """
    connection: Any = connections[using]
    connection.ensure_connection()
    with ExitStack() as open_:
        cursors = [open_.enter_context(prepared(using)) for _ in statements]
        with connection.connection.pipeline():
            for cursor, (statement, values) in zip(cursors, statements, strict=True):
                cursor.execute(statement, values)
        # Fetching inside would ask the server a second time.
        return [_rows(cursor) for cursor in cursors]


def _rows(cursor: CursorWrapper) -> Rows:
    """What a statement returned. Its description would be made of every column each time."""
    result = cursor.pgresult
    return cursor.fetchall() if result is not None and result.nfields else []
