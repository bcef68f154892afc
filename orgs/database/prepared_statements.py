"""Prepared statements: the server plans them once for each connection and runs them often.

Parsing and planning, row-level security included, is most of the cost of a short statement. Here
the server binds the parameters, keeps the statement under a name and answers in binary form.
Django's cursor binds parameters on the client, so the server plans each of its statements anew;
that is right for statements whose plan depends on their values (the partial indexes of large
organisations). DATABASE_PREPARE=off is for a pooler that cannot keep prepared statements.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.utils import CursorDebugWrapper
from psycopg.pq import Format

from orgs.database.driver.pipeline import Rows, Values, run_pipeline
from orgs.database.driver.standby_reads import standby_deadline, target_alias
from orgs.database.time_budget import current_budget
from orgs.trace_spans import query_span


def fetch_all(
    statement: str,
    values: Values,
    using: str = DEFAULT_DB_ALIAS,
    *,
    how: Format = Format.BINARY,
) -> Rows:
    """The rows of one prepared statement; an empty list if it returns none.

    how: the form of the answers; Django's fields can read text only. Cast parameters whose type is
    not clear from the statement.
    """
    return _run_statements([(statement, values)], using, how)[0]


def fetch_last(statements: Sequence[tuple[str, Values]], using: str = DEFAULT_DB_ALIAS) -> Rows:
    """The rows of the last of these statements, sent in one message.

    Outside a transaction the message is one transaction.
    """
    return fetch_pipelined(statements, using)[-1]


def fetch_pipelined(
    statements: Sequence[tuple[str, Values]], using: str = DEFAULT_DB_ALIAS
) -> list[Rows]:
    """The rows of each of these statements, sent in one message: one round trip.

    Outside a transaction the message is one transaction, unless it contains BEGIN and COMMIT.
    """
    return _run_statements(statements, using, Format.BINARY)


def _run_statements(
    statements: Sequence[tuple[str, Values]], using: str, how: Format
) -> list[Rows]:
    connection: Any = connections[target_alias(using)]
    if budget := current_budget():
        budget.begin_statement(connection)
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    found: list[Rows] = []

    def send() -> None:
        sent = [one for one, _ in statements]
        with query_span(sent), connection.wrap_database_errors:
            driver, waiting = connection.connection, connection.waiting
            until = standby_deadline()
            found.extend(run_pipeline(driver, statements, how, before=waiting, until=until))

    if connection.execute_wrappers or connection.queries_logged:
        waiting = [(one, ()) for one in connection.waiting]
        _run_logged(connection, [*waiting, *statements], send)
    else:
        send()
    return found


class _LoggedCursor(CursorDebugWrapper):
    """Shows a statement to Django's wrappers and to its log, as it is sent: with placeholders."""

    def run(self, statement: str, values: Values, send: Callable[[], None]) -> None:
        with self.debug_sql(statement, values) if self.db.queries_logged else nullcontext():
            self._execute_with_wrappers(
                statement, values, many=False, executor=lambda *ignored: send()
            )


def _run_logged(
    connection: Any, statements: Sequence[tuple[str, Values]], send: Callable[[], None]
) -> None:
    """Send a message while Django watches each of its statements; it leaves with the last."""
    *before, (statement, values) = statements
    watched = _LoggedCursor(None, connection)
    for earlier, its in before:
        watched.run(earlier, its, lambda: None)
    watched.run(statement, values, send)
