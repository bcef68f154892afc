"""Which server answers the statements of a search: the primary, or for a while its standby.

Search code names no connection. Inside `reading_from_standby` what would go to the default
connection goes to the standby, and must be answered until a deadline, also by a server that does
not answer at all. Statements outside, in the same request or in another thread, go on to the
primary.
"""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Timer
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

STANDBY_ALIAS = "replica"
# The end of the search on the standby, by time.monotonic(); None where the primary answers.
_until: ContextVar[float | None] = ContextVar("standby_until", default=None)
standby_deadline = _until.get


def has_standby() -> bool:
    """Whether DATABASE_REPLICA_URL is set."""
    return STANDBY_ALIAS in connections.settings


@contextmanager
def reading_from_standby(until: float) -> Iterator[None]:
    """Send the statements of this thread to the standby. until: by time.monotonic()."""
    token = _until.set(until)
    try:
        yield
    finally:
        _until.reset(token)


@contextmanager
def reading_from_primary() -> Iterator[None]:
    """For a statement that must not be answered late, also inside of a search on the standby."""
    token = _until.set(None)
    try:
        yield
    finally:
        _until.reset(token)


def target_alias(using: str) -> str:
    """The connection to which a statement for `using` goes."""
    return STANDBY_ALIAS if using == DEFAULT_DB_ALIAS and _until.get() is not None else using


@contextmanager
def search_cursor() -> Iterator[Any]:
    """Django's cursor on the server that is searched. Past the deadline its socket is shut, and
    what waits for an answer fails."""
    connection: Any = connections[target_alias(DEFAULT_DB_ALIAS)]
    with connection.cursor() as cursor:
        until = _until.get()
        if until is None:
            yield cursor
            return
        timer = Timer(max(0.0, until - time.monotonic()), _shut_socket, [connection.connection])
        timer.daemon = True
        timer.start()
        try:
            yield cursor
        finally:
            timer.cancel()


def _shut_socket(connection: Any) -> None:
    """End a connection that another thread waits for. Its owner closes it."""
    with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as copy:
        copy.shutdown(socket.SHUT_RDWR)
