"""A savepoint travels with the statement behind it.

Scopes nest, and each that is inside another one has a savepoint (`orgs.database.rls`). Django sends
SAVEPOINT and RELEASE each by itself; two of four round trips of a nested scope were these. Here
they wait for the next statement, which takes them along, and a savepoint in which nothing happened
is never sent.
"""

import time
from contextlib import suppress
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from prometheus_client import Counter, Gauge, Histogram
from psycopg import Error
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolTimeout

from orgs.database.driver.lost_server import (
    BORN,
    PoolDrops,
    ReadOnlyServerError,
    is_read_only,
    is_server_lost,
)
from orgs.database.driver.organisation_moves import find_move_error
from orgs.database.time_budget import current_budget
from orgs.trace_spans import query_span

CONNECT_SECONDS = Histogram(
    "commonmind_database_connect_seconds",
    "Time until there was a connection, from the pool or a new one.",
    ["alias"],
    buckets=(0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0),
)
CONNECTIONS = Gauge(
    "commonmind_database_connections_in_use",
    "Connections that requests and tasks hold.",
    ["alias"],
    multiprocess_mode="livesum",
)
LOST_SERVERS = Counter(
    "commonmind_database_lost_servers_total",
    "Times that a database server was gone or took no writes any more.",
    ["alias"],
)
_pool_drops = PoolDrops()


def _statement(given: tuple[Any, ...]) -> list[str]:
    """The statement among what a cursor executes: with placeholders, without its values. One that
    is composed of parts is not read."""
    return [given[0] if isinstance(given[0], str) else ""]


class _FlushingCursor(CursorWrapper):
    """A cursor that may be older than a savepoint that waits."""

    def _execute(self, *given: Any) -> Any:
        self.db.begin_statement()
        self.db.send_waiting()
        with query_span(_statement(given)):
            return super()._execute(*given)  # type: ignore[misc]

    def _executemany(self, *given: Any) -> Any:
        self.db.begin_statement()
        self.db.send_waiting()
        with query_span(_statement(given)):
            return super()._executemany(*given)  # type: ignore[misc]


class _DebugCursor(_FlushingCursor, base.CursorDebugWrapper):
    """The same for a cursor that logs."""


class _LostServerWrapper(DatabaseErrorWrapper):
    """Django's translation of errors, which lets go of a server that is lost, and knows what the
    fence of an organisation refuses."""

    wrapper: Any

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        if exc_type is None:
            return
        if moving := find_move_error(exc_value, self.wrapper.connection):
            raise moving.with_traceback(traceback) from exc_value
        if is_server_lost(exc_value, self.wrapper.connection):
            self.wrapper.drop_server()
            if is_read_only(exc_value):
                self.wrapper.errors_occurred = True
                error = ReadOnlyServerError(*exc_value.args)
                raise error.with_traceback(traceback) from exc_value
        super().__exit__(exc_type, exc_value, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, except for savepoints.

    waiting: SAVEPOINT and RELEASE statements that go with the next statement. Whoever sends
    something past Django's cursors and `prepared_statements` calls `send_waiting` before.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.waiting: list[str] = []

    def begin_statement(self) -> None:
        """Raises OutOfTime if the call that this thread answers has used up its time."""
        if budget := current_budget():
            budget.begin_statement(self)

    def release(self) -> None:
        """Nothing that the call has sent is to be cancelled any more."""
        if budget := current_budget():
            budget.release_connection(self)

    def send_waiting(self) -> None:
        """Send what waits, alone."""
        if not self.waiting:
            return
        self.validate_no_broken_transaction()
        statements, self.waiting[:] = list(self.waiting), []
        watched = self.execute_wrappers or self.queries_logged
        for one in statements if watched else ["; ".join(statements)]:
            with super()._cursor() as cursor:  # type: ignore[misc]
                cursor.execute(one)

    def _savepoint(self, sid: str) -> None:
        if self._has_failed():
            super()._savepoint(sid)  # type: ignore[misc]
        self.waiting.append(self.ops.savepoint_create_sql(sid))

    def _savepoint_commit(self, sid: str) -> None:
        if (place := self._place(sid)) is not None:
            # Nothing was sent since, so it never is.
            del self.waiting[place:]
        elif self._has_failed():
            # Somebody caught an error inside. The end of the transaction would pass it over in
            # silence and store nothing; RELEASE raises, and Django goes back to the savepoint.
            super()._savepoint_commit(sid)  # type: ignore[misc]
        else:
            self.waiting.append(self.ops.savepoint_commit_sql(sid))

    def _savepoint_rollback(self, sid: str) -> None:
        # What waits behind the savepoint goes back with it; the savepoint itself is still there.
        place = self._place(sid)
        if place is not None and not self._has_failed():
            del self.waiting[place + 1 :]
        else:
            # If it was never sent and something failed all the same, such as a FETCH of an older
            # cursor, this fails, and Django gives up the whole transaction.
            self.waiting.clear()
            super()._savepoint_rollback(sid)  # type: ignore[misc]

    def _has_failed(self) -> bool:
        """Whether the server takes nothing more in this transaction but its end."""
        driver = self.connection
        return driver is not None and driver.info.transaction_status == TransactionStatus.INERROR

    def _place(self, sid: str) -> int | None:
        """Where this savepoint waits, or None if it was sent."""
        created = self.ops.savepoint_create_sql(sid)
        return self.waiting.index(created) if created in self.waiting else None

    def _commit(self) -> Any:
        # The end of a transaction releases its savepoints.
        self.waiting.clear()
        # A COMMIT that is cancelled while it waits for a standby reports success.
        self.release()
        return super()._commit()  # type: ignore[misc]

    def _rollback(self) -> Any:
        self.waiting.clear()
        return super()._rollback()  # type: ignore[misc]

    def _close(self) -> Any:
        self.waiting.clear()
        CONNECTIONS.labels(self.alias).dec()
        # A pool hands the connection on.
        self.release()
        return super()._close()  # type: ignore[misc]

    @cached_property
    def wrap_database_errors(self) -> Any:
        return _LostServerWrapper(self)

    def drop_server(self) -> None:
        """Let go of a server that is lost: this connection, and all that the pool keeps.

        The transaction cannot go on, as if the server had closed the connection; the next one goes
        to whichever server takes writes then.
        """
        driver = self.connection
        if driver is None:
            return
        with suppress(Error):
            driver.close()
        pool = self.pool
        # A replacement of the pool knows nothing of the old one's connections.
        of_pool = pool is not None and getattr(driver, "_pool", None) is pool
        if not of_pool or _pool_drops.drop(self.alias, pool, driver):
            LOST_SERVERS.labels(self.alias).inc()

    def _configure_connection(self, connection: Any) -> Any:
        setattr(connection, BORN, time.monotonic())
        return super()._configure_connection(connection)  # type: ignore[misc]

    def get_new_connection(self, *given: Any) -> Any:
        # What a connection that broke was owed is nothing to the next.
        self.waiting.clear()
        with CONNECT_SECONDS.labels(self.alias).time():
            found = self._connect(*given)
        CONNECTIONS.labels(self.alias).inc()
        return found

    def _connect(self, *given: Any) -> Any:
        """A connection. While there is none, the pool is asked again and again for WAIT_FOR_SERVER
        seconds: it tries to connect each time that somebody asks, and by itself less often."""
        until = time.monotonic() + self.settings_dict.get("WAIT_FOR_SERVER", 0.0)
        while True:
            try:
                return super().get_new_connection(*given)
            except PoolTimeout:
                if time.monotonic() >= until:
                    raise

    def _cursor(self, name: str | None = None) -> Any:
        # Some methods of a cursor, such as `copy`, go past `_execute`.
        self.send_waiting()
        return super()._cursor(name)  # type: ignore[misc]

    def make_cursor(self, cursor: Any) -> Any:
        return _FlushingCursor(cursor, self)

    def make_debug_cursor(self, cursor: Any) -> Any:
        return _DebugCursor(cursor, self)
