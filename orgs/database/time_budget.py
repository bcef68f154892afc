"""The time that a call may take: how much of it is left, and how its statements are stopped.

A web process opens a budget for each request. Each scope limits its statements to what is left
(`orgs.database.rls`), and no further statement begins once the budget is used up. Whoever watches
the request stops it, which also cancels the statement that runs. Jobs and commands have no budget.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock
from typing import Any

from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from psycopg import Error
from psycopg.errors import QueryCanceled

# Seconds for telling the server that it shall stop a statement.
CANCEL_SECONDS = 5.0
LATE = (
    "The call took longer than a call may take. Ask for less at once: fewer items, shorter texts, "
    "narrower filters. What is large goes through imports and exports, which are jobs."
)
# Sets the time limit of the statements of a transaction; NULL stands for the server's own limit.
LIMIT = "set_config('statement_timeout', %(time_left)s, true)"


class OutOfTime(OperationalError):
    """The call used up its time. The message says what took it."""


def is_out_of_time(error: BaseException) -> bool:
    """Whether the database or this process stopped a statement because it took too long."""
    return isinstance(error, OutOfTime) or isinstance(error.__cause__, QueryCanceled)


class TimeBudget:
    """The time of one call. until: the end, by time.monotonic(). reason: why it was stopped, or an
    empty text."""

    def __init__(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds
        self.reason = ""
        self._lock = Lock()
        self._connection: Any = None
        self._has_cancelled = False

    def begin_statement(self, connection: Any) -> None:
        """Note Django's connection on which a statement is about to run. Raises OutOfTime."""
        if self.reason or time.monotonic() > self.until:
            raise OutOfTime(self.reason or LATE)
        self._connection = connection

    def release_connection(self, connection: Any = None) -> None:
        """The connection serves others from now on: it is not cancelled any more. None: whichever
        was used last. One that was cancelled is closed, because the cancellation may arrive late.
        """
        with self._lock:
            last = self._connection
            if last is None or (connection is not None and connection is not last):
                return
            self._connection = None
            if self._has_cancelled and last.connection is not None:
                last.connection.close()
                # So that Django looks whether it still answers.
                last.errors_occurred = True

    def stop(self, reason: str) -> None:
        """Let no further statement begin, and cancel the one that runs. Called from another thread,
        again and again until the call has ended."""
        with self._lock:
            self.reason = self.reason or reason
            driver = self._connection and self._connection.connection
            if driver is not None and not driver.closed:
                self._has_cancelled = True
                with suppress(Error):
                    driver.cancel_safe(timeout=CANCEL_SECONDS)


_budget: ContextVar[TimeBudget | None] = ContextVar("time_budget", default=None)
# A nearer end than that of the budget, by time.monotonic().
_nearer: ContextVar[float | None] = ContextVar("nearer_end", default=None)
open_budget = _budget.set
current_budget = _budget.get


@contextmanager
def without_budget() -> Iterator[None]:
    """For the few statements that have to be sent also where the call was stopped, such as what it
    has cost."""
    budget = _budget.get()
    if budget is not None:
        budget.release_connection()
    _budget.set(None)
    try:
        yield
    finally:
        _budget.set(budget)


def time_left() -> str | None:
    """Milliseconds for the next statement as the server reads them; None without a limit."""
    budget, nearer = _budget.get(), _nearer.get()
    ends = [] if budget is None else [budget.until]
    if nearer is not None:
        ends.append(nearer)
    if not ends:
        return None
    return str(max(1, int((min(ends) - time.monotonic()) * 1000)))


@contextmanager
def nearer_end(until: float) -> Iterator[None]:
    """Limit the scopes that are opened inside to a nearer end, by time.monotonic()."""
    outer = _nearer.get()
    _nearer.set(until if outer is None else min(until, outer))
    try:
        yield
    finally:
        _nearer.set(outer)


@contextmanager
def statement_limits(using: str = DEFAULT_DB_ALIAS) -> Iterator[Callable[[float], None]]:
    """Yields a function that limits the further statements of this transaction to so many seconds.

    Afterwards they have what is left of the budget again. A limit that is set inside of a savepoint
    outlives it otherwise, and would end statements of whoever opened the transaction.
    """
    outer = _nearer.get()

    def limit(seconds: float) -> None:
        end = time.monotonic() + seconds
        _nearer.set(end if outer is None else min(end, outer))
        _apply(using)

    try:
        yield limit
    finally:
        _nearer.set(outer)
    _apply(using)


def _apply(using: str) -> None:
    # With the next statement; nothing is sent for a source that asks the database nothing.
    connection: Any = connections[using]
    connection.waiting.append(f"SET LOCAL statement_timeout = {time_left() or 'DEFAULT'}")
