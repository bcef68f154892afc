"""Errors that mean: this server is gone, or it is a standby now.

A server that fell or was replaced takes all its connections with it. So with the first error the
whole pool is dropped: each of its connections would fail one more request. A server that became a
standby still answers and refuses every write, which is the same for whoever wants to write.
"""

import time
from threading import Lock
from typing import Any

import psycopg
from django.db import OperationalError

# "Cannot execute in a read-only transaction"; no transaction of ours is read-only by itself.
READ_ONLY = "25006"
# The server is being shut down, another process of it crashed, it starts or it recovers.
_SHUT_DOWN = frozenset({"57P01", "57P02", "57P03"})
_CONNECTION_CLASS = "08"
BORN = "commonmind_connected_at"


class ReadOnlyServerError(OperationalError):
    """The server takes no writes: it is a standby now, or never was anything else."""


def is_read_only(error: BaseException | None) -> bool:
    """Whether the server refused a write because it takes none."""
    return isinstance(error, psycopg.Error) and error.sqlstate == READ_ONLY


def is_server_lost(error: BaseException | None, driver: Any) -> bool:
    """Whether no connection to this server is of use any more. driver: psycopg's connection, or
    None if there was none yet."""
    if is_read_only(error):
        return True
    if not isinstance(error, psycopg.OperationalError) or driver is None:
        return False
    if error.sqlstate is None:
        # The error of libpq itself: the socket is closed.
        return bool(driver.closed)
    return error.sqlstate in _SHUT_DOWN or error.sqlstate.startswith(_CONNECTION_CLASS)


class PoolDrops:
    """Drops a pool once for each loss, however many of its connections tell of it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._dropped: dict[str, float] = {}

    def drop(self, alias: str, pool: Any, driver: Any) -> bool:
        """Close what the pool keeps, unless that was done since this connection was made. Returns
        whether it was done. Connections that are in use are closed when they are given back."""
        born = getattr(driver, BORN, 0.0)
        with self._lock:
            if born < self._dropped.get(alias, -1.0):
                return False
            self._dropped[alias] = time.monotonic()
        pool.drain()
        return True
