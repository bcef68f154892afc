"""A server that fell or became a standby: the pool is dropped, the caller hears 503 (O19)."""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connections, transaction
from django.db.backends.postgresql import base
from psycopg import errors
from psycopg_pool import PoolTimeout

from orgs.database.driver.base import DatabaseWrapper
from orgs.database.driver.lost_server import (
    BORN,
    PoolDrops,
    ReadOnlyServerError,
    is_read_only,
    is_server_lost,
)
from orgs.database.prepared_statements import fetch_all
from tests.databases import database_url
from tests.world import World

READ_ONLY = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"


class Driver:
    """A connection of psycopg, as far as it is looked at."""

    closed = False


class FakePool:
    """A pool that counts how often it was drained."""

    drained = 0

    def drain(self) -> None:
        self.drained += 1


def closed_driver() -> Driver:
    driver = Driver()
    driver.closed = True
    return driver


@pytest.mark.parametrize(
    ("error", "driver", "lost"),
    [
        (errors.ReadOnlySqlTransaction(), Driver(), True),
        (errors.AdminShutdown(), Driver(), True),
        (errors.CrashShutdown(), Driver(), True),
        (errors.CannotConnectNow(), Driver(), True),
        (errors.ConnectionFailure(), Driver(), True),
        (psycopg.OperationalError("the connection is lost"), closed_driver(), True),
        (psycopg.OperationalError("no room"), Driver(), False),
        (psycopg.OperationalError("cannot connect"), None, False),
        # One connection alone: it was cancelled, idle, or waited too long for a lock.
        (errors.QueryCanceled(), closed_driver(), False),
        (errors.IdleInTransactionSessionTimeout(), Driver(), False),
        (errors.LockNotAvailable(), Driver(), False),
        (errors.DiskFull(), Driver(), False),
        (errors.UniqueViolation(), Driver(), False),
        (ValueError(), Driver(), False),
        (None, Driver(), False),
    ],
)
def test_which_errors_mean_a_lost_server(error: Any, driver: Any, lost: bool) -> None:
    assert is_server_lost(error, driver) is lost
    assert is_read_only(error) is isinstance(error, errors.ReadOnlySqlTransaction)


def test_a_pool_is_dropped_once_for_each_loss() -> None:
    drops, pool = PoolDrops(), FakePool()
    old, other = Driver(), Driver()
    setattr(old, BORN, 1.0)
    setattr(other, BORN, 2.0)
    assert drops.drop("default", pool, old)
    # Sixteen threads may learn of one loss; what was made since is not thrown away.
    assert not drops.drop("default", pool, other)
    assert pool.drained == 1
    assert drops.drop("support", pool, other)
    later = Driver()
    setattr(later, BORN, float("inf"))
    assert drops.drop("default", pool, later)


@pytest.fixture
def pooled(lasting_world: World) -> Iterator[DatabaseWrapper]:
    """The application's connection, with a pool as production has it."""
    given = connections["default"].settings_dict
    pool = {"min_size": 1, "max_size": 4, "timeout": 10, "reconnect_timeout": 3}
    options = {**given["OPTIONS"], "pool": pool}
    wrapper = DatabaseWrapper({**given, "CONN_MAX_AGE": 0, "OPTIONS": options}, "with-pool")
    yield wrapper
    wrapper.close()
    wrapper.close_pool()


def backend(wrapper: DatabaseWrapper) -> int:
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def other_backends(wrapper: DatabaseWrapper, count: int) -> set[int]:
    """Backends of connections that other threads used and gave back."""
    barrier, found = threading.Barrier(count), set()

    def use() -> None:
        mine = wrapper.copy()
        found.add(backend(mine))
        barrier.wait(20)
        mine.close()

    threads = [threading.Thread(target=use) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == count
    return found


def test_one_lost_connection_takes_the_whole_pool_along(pooled: DatabaseWrapper) -> None:
    before = other_backends(pooled, 4)
    mine = backend(pooled)
    assert mine in before
    with psycopg.connect(database_url("admin"), autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s)", [mine])
    with pytest.raises(OperationalError):
        backend(pooled)
    pooled.close()
    # None of the other three is used again, though the server would still answer on them.
    assert other_backends(pooled, 4) & before == set()


def test_a_server_that_takes_no_writes_is_let_go(pooled: DatabaseWrapper) -> None:
    before = other_backends(pooled, 4)
    with pooled.cursor() as cursor:
        cursor.execute(READ_ONLY)
    with pytest.raises(ReadOnlyServerError), pooled.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE t (n int); DELETE FROM memories_memory")
    pooled.close()
    assert other_backends(pooled, 4) & before == set()


@pytest.mark.parametrize(("seconds", "asked"), [(60.0, 4), (0.0, 1)])
def test_a_pool_without_a_server_is_asked_again(
    seconds: float, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pool tries to connect when somebody asks, and by itself ever more rarely."""
    calls: list[int] = []

    def get_new_connection(*given: object) -> str:
        calls.append(1)
        if len(calls) < 4:
            raise PoolTimeout
        return "connection"

    monkeypatch.setattr(base.DatabaseWrapper, "get_new_connection", get_new_connection)
    given = connections["default"].settings_dict
    wrapper = DatabaseWrapper(given | {"WAIT_FOR_SERVER": seconds}, "waits")
    if seconds:
        assert wrapper.get_new_connection({}) == "connection"
    else:
        with pytest.raises(PoolTimeout):
            wrapper.get_new_connection({})
    assert len(calls) == asked


def test_prepared_statements_tell_it_too(lasting_world: World) -> None:
    connection = connections["default"]
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY)
    with pytest.raises(ReadOnlyServerError), transaction.atomic():
        fetch_all("DELETE FROM memories_memory WHERE content = %(text)s", {"text": "none"})
    connection.close()


def test_a_call_that_meets_a_standby_is_asked_to_come_again(lasting_world: World) -> None:
    """Through every middleware: 503 with Retry-After, nothing stored, and the next call works."""
    here = lasting_world.here
    client = here.api("aria")
    body = {"content": "The harbour opens at nine.", "visibility": "organisation"}
    with connections["default"].cursor() as cursor:
        cursor.execute(READ_ONLY)
    refused = client.post("/api/v1/memories", body, format="json")
    assert refused.status_code == 503, refused.content
    assert refused.headers["Content-Type"].startswith("application/problem+json")
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.json()["type"].endswith("unavailable")
    again = client.post("/api/v1/memories", body, format="json")
    assert again.status_code == 201, again.content
    with psycopg.connect(database_url("admin")) as admin:
        stored = "SELECT count(*) FROM memories_memory WHERE organisation_id = %s AND content = %s"
        assert admin.execute(stored, [here.id, body["content"]]).fetchone() == (1,)
