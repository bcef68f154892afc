"""A connection that goes to the next test is like a new one."""

import pytest
from django.db import connection, transaction

from tests.databases import reset_connection

pytestmark = pytest.mark.usefixtures("committed")


def asked(statement: str) -> object:
    with connection.cursor() as cursor:
        return cursor.execute(statement).fetchone()[0]


def test_what_a_test_has_set_is_set_back_on_the_same_connection() -> None:
    server = asked("SELECT pg_backend_pid()")
    with connection.cursor() as cursor:
        cursor.execute("SET app.organisation = 'left behind'; SET lock_timeout = '7s'; LISTEN news")
        cursor.execute("SELECT pg_advisory_lock(4711)")
    reset_connection(connection)
    assert asked("SELECT pg_backend_pid()") == server
    assert asked("SELECT current_setting('app.organisation', true)") in ("", None)
    assert asked("SHOW lock_timeout") != "7s"
    assert asked("SELECT count(*) FROM pg_listening_channels()") == 0
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    assert asked(held) == 0


def test_one_in_the_middle_of_something_is_closed() -> None:
    transaction.set_autocommit(False)
    server = asked("SELECT pg_backend_pid()")
    reset_connection(connection)
    assert connection.connection is None
    assert asked("SELECT pg_backend_pid()") != server
    transaction.set_autocommit(True)
