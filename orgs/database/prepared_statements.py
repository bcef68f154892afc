"""Prepared statements: the server plans them once for each connection and runs them often.

Parsing and planning, row-level security included, is most of the cost of a short statement. Here
the server binds the parameters, keeps the statement under a name and answers in binary form.
Django's cursor binds parameters on the client, so the server plans each of its statements anew;
that is right for statements whose plan depends on their values (the partial indexes of large
organisations). DATABASE_PREPARE=off is for a pooler that cannot keep prepared statements.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper
from psycopg import Cursor
from psycopg.pq import Format

Rows = list[tuple[Any, ...]]
# A mapping for `%(name)s`, a sequence for `%s`.
Values = Mapping[str, Any] | Sequence[Any]


class _Logged(CursorDebugWrapper):
    """Logs a statement as it was sent, because the client binds no parameters."""

    def execute(self, sql: Any, params: Any = None) -> Any:
        with self.debug_sql(sql, params):
            return CursorWrapper.execute(self, sql, params)


@contextmanager
def prepared(
    using: str = DEFAULT_DB_ALIAS, *, how: Format = Format.BINARY
) -> Iterator[CursorWrapper]:
    """A cursor for prepared statements. Cast parameters whose type is not clear from the statement.

    how: the format of the answers; Django's fields can read text only.
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
    """The rows of one prepared statement; an empty list if it returns none."""
    with prepared(using, how=how) as cursor:
        cursor.execute(statement, values)
        return _rows(cursor)


def together(statements: Sequence[tuple[str, Values]], using: str = DEFAULT_DB_ALIAS) -> Rows:
    """The rows of the last of these statements, sent in one message.

    Outside a transaction the message is one transaction.
    """
    return in_one_message(statements, using)[-1]


def in_one_message(
    statements: Sequence[tuple[str, Values]], using: str = DEFAULT_DB_ALIAS
) -> list[Rows]:
    """The rows of each of these statements, sent in one message: one round trip.

    Outside a transaction the message is one transaction, unless it contains BEGIN and COMMIT.
    """
    connection: Any = connections[using]
    connection.ensure_connection()
    with ExitStack() as open_:
        cursors = [open_.enter_context(prepared(using)) for _ in statements]
        with connection.connection.pipeline():
            for cursor, (statement, values) in zip(cursors, statements, strict=True):
                cursor.execute(statement, values)
        # Fetch after the pipeline: inside it would need a second round trip.
        return [_rows(cursor) for cursor in cursors]


def _rows(cursor: CursorWrapper) -> Rows:
    """The rows of a statement. It avoids `cursor.description`, which is costly to make."""
    result = cursor.pgresult
    return cursor.fetchall() if result is not None and result.nfields else []
