"""No migration waits long for a lock: while it waits, everybody behind it waits too.

A statement that may block gives up after LOCK_SECONDS, its migration is undone, and it is tried
again when the others have had their turn. Indexes that are built CONCURRENTLY block nobody and wait
for as long as it takes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.errors import DeadlockDetected, LockNotAvailable

# The pause is longer than what waits, so that the queue behind it drains.
LOCK_SECONDS, PAUSE_SECONDS, MAX_TRIES = 1.0, 2.0, 60
_SET_SQL = "SELECT set_config('lock_timeout', %s, false)"


@contextmanager
def limited_lock_waits(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Statements on this connection wait LOCK_SECONDS for a lock, and then raise
    OperationalError. Those with CONCURRENTLY wait as long as they have to."""

    def execute(call: Callable[..., Any], sql: Any, *given: Any) -> Any:
        cursor = given[-1]["cursor"].cursor
        online = "CONCURRENTLY" in str(sql)[:200].upper()
        if online:
            cursor.execute(_SET_SQL, ["0"])
        try:
            return call(sql, *given)
        finally:
            if online:
                cursor.execute(_SET_SQL, [limit])

    limit = f"{round(LOCK_SECONDS * 1000)}ms"
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        before = cursor.fetchone()[0]
        cursor.execute(_SET_SQL, [limit])
    try:
        with connection.execute_wrapper(execute):
            yield
    finally:
        if connection.connection is not None and connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute(_SET_SQL, [before])


def retry_when_locked(work: Callable[[], None], say: Callable[[str], object]) -> None:
    """Do the work, and again after a pause when it got no lock; MAX_TRIES times at most, then the
    OperationalError goes on."""
    for attempt in range(1, MAX_TRIES + 1):
        try:
            return work()
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                raise
            if attempt == MAX_TRIES:
                raise
        say("  A table is in use; once more in a moment.")
        time.sleep(PAUSE_SECONDS)
    return None
