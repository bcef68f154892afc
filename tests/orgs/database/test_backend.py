"""Savepoints go with the statement behind them, and do what Django's do."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.backends.postgresql.base import DatabaseWrapper as Plain
from django.test.utils import CaptureQueriesContext

from orgs.database.prepared_statements import fetch_all, fetch_pipelined

INSERT, ALL = "INSERT INTO things VALUES (%s)", "SELECT id FROM things ORDER BY id"


def owner() -> Any:
    return connections["owner"]


@pytest.fixture
def things(committed: None) -> Iterator[None]:
    owner().close()
    with owner().cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE things (id int PRIMARY KEY)")
    yield
    owner().close()


@contextmanager
def atomic() -> Iterator[None]:
    with transaction.atomic(using="owner"):
        yield


def insert(number: int) -> None:
    fetch_all(INSERT, [number], "owner")


def insert_by_cursor(number: int) -> None:
    with owner().cursor() as cursor:
        cursor.execute(INSERT, [number])


def rows() -> list[int]:
    return [id_ for (id_,) in fetch_all(ALL, (), "owner")]


def broken(*acts: Callable[[], object]) -> None:
    """A savepoint in which all of this happens, and then an error."""
    with suppress(ZeroDivisionError), atomic():
        for act in acts:
            act()
        raise ZeroDivisionError


@pytest.mark.parametrize("put", [insert, insert_by_cursor])
def test_what_fails_inside_goes_back_and_no_more(things: None, put: Callable[[int], None]) -> None:
    def whole() -> None:
        with atomic():
            put(4)

    with atomic():
        put(1)
        with suppress(IntegrityError), atomic():
            put(2)
            put(1)
        broken(lambda: put(3), whole)
        with atomic():
            put(5)
        broken(whole, lambda: put(3))
    assert rows() == [1, 5]


def test_a_cursor_that_is_older_than_a_savepoint_takes_it_along(things: None) -> None:
    def copied() -> None:
        with owner().cursor() as newer, newer.copy("COPY things FROM STDIN") as copy:
            copy.write_row([5])

    with atomic(), owner().cursor() as cursor:
        cursor.execute(INSERT, [1])
        broken(lambda: cursor.execute(INSERT, [2]))
        broken(lambda: cursor.executemany(INSERT, [[3], [4]]))
        broken(copied)
    assert rows() == [1]


def test_a_value_that_cannot_be_sent_leaves_the_savepoint_to_the_next(things: None) -> None:
    def refused() -> None:
        with pytest.raises(DatabaseError, match="cannot adapt"):
            insert(object())  # type: ignore[arg-type]

    with atomic():
        with atomic():
            refused()
            insert(1)
        broken(refused, lambda: insert(2))
    assert rows() == [1]


def test_a_nested_scope_takes_two_messages_where_it_took_four(things: None) -> None:
    sent = []

    def watch(run: Any, sql: str, *more: Any) -> Any:
        sent.append(sql.split(maxsplit=1)[0])
        return run(sql, *more)

    with atomic(), owner().execute_wrapper(watch):
        with atomic():
            pass
        assert sent == [], "nothing happened in it"
        with atomic():
            insert(1)
            assert sent == ["SAVEPOINT", "INSERT"]
        assert sent == ["SAVEPOINT", "INSERT"], "RELEASE waits"
        rows()
        assert sent[2:] == ["RELEASE", "SELECT"]
        with atomic():
            insert(2)
    assert sent[4:] == ["SAVEPOINT", "INSERT"], "the end of the transaction releases it"
    assert owner().waiting == []


def test_the_log_has_each_as_a_statement(things: None) -> None:
    with atomic(), CaptureQueriesContext(owner()) as log:
        with atomic():
            insert_by_cursor(1)
        fetch_pipelined([(ALL, ()), (ALL, ())], "owner")
    said = [one["sql"].split()[0] for one in log.captured_queries]
    assert said == ["SAVEPOINT", "INSERT", "RELEASE", "SELECT", "SELECT"]


def test_what_waits_ends_with_the_connection(things: None) -> None:
    def cut() -> None:
        with atomic():
            insert(1)
            with atomic():
                owner().connection.close()
                insert(2)

    with pytest.raises(DatabaseError):
        cut()
    assert owner().waiting == []
    owner().close()
    assert fetch_all("SELECT 1", (), "owner") == [(1,)]


def test_an_error_that_somebody_swallowed_is_not_lost_in_silence(things: None) -> None:
    """The end of a failed transaction stores nothing and says nothing, so RELEASE must speak."""
    done: list[int] = []

    def whole() -> None:
        with atomic():
            insert(1)
            transaction.on_commit(lambda: done.append(1), using="owner")
            with atomic(), suppress(IntegrityError):
                insert(1)

    with pytest.raises(DatabaseError, match="current transaction is aborted"):
        whole()
    assert (rows(), done) == ([], [])


def test_who_catches_it_outside_goes_on(things: None) -> None:
    with atomic():
        insert(1)
        with suppress(DatabaseError), atomic(), suppress(IntegrityError):
            insert_by_cursor(1)
        insert(2)
    assert rows() == [1, 2]


def test_no_savepoint_is_made_in_a_failed_transaction(things: None) -> None:
    def whole() -> None:
        with atomic():
            with suppress(IntegrityError):
                fetch_pipelined([(INSERT, [1]), (INSERT, [1])], "owner")
            with atomic():
                pass

    with pytest.raises(DatabaseError, match="current transaction is aborted"):
        whole()
    assert rows() == []


def test_a_fetch_that_fails_before_the_savepoint_was_sent_is_an_error(things: None) -> None:
    def whole() -> None:
        with atomic(), owner().chunked_cursor() as cursor:
            cursor.execute("SELECT 1 / (3 - n) FROM generate_series(1, 9) AS n")
            with suppress(DatabaseError), atomic():
                cursor.fetchmany(9)
            insert(1)

    with pytest.raises(DatabaseError):
        whole()
    assert rows() == []


def test_a_connection_that_is_closed_inside_leaves_nothing_to_the_next(things: None) -> None:
    with atomic():
        insert(1)
        with atomic():
            owner().close()
    assert owner().waiting == []
    with owner().cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_who_asks_in_a_block_that_is_to_go_back_costs_no_more_than_it(things: None) -> None:
    def marked() -> None:
        with atomic():
            owner().set_rollback(True)
            with suppress(transaction.TransactionManagementError):
                insert_by_cursor(2)
            with suppress(transaction.TransactionManagementError):
                insert(3)

    with atomic():
        insert(1)
        marked()
        insert(4)
    assert rows() == [1, 4]


@pytest.mark.parametrize("seed", range(12))
def test_any_nest_of_savepoints_ends_as_it_does_with_django(
    things: None, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks in blocks, some of which fail, by Django's cursor and in one message."""

    def grown(draw: random.Random, depth: int, used: list[int]) -> None:
        for _ in range(draw.randrange(4)):
            put = draw.choice([insert, insert_by_cursor])
            fails = draw.choice([None, None, ZeroDivisionError, IntegrityError])
            if depth == 4 or draw.random() < 0.5:
                used.append(len(used))
                put(len(used))
                continue
            with suppress(ZeroDivisionError, IntegrityError), atomic():
                grown(draw, depth + 1, used)
                if fails is IntegrityError:
                    put(1)
                if fails is ZeroDivisionError:
                    raise ZeroDivisionError

    def run() -> list[int]:
        with atomic():
            insert_by_cursor(0)
            insert(1)
            grown(random.Random(seed), 0, [0])  # noqa: S311
            found = rows()
        assert rows() == found
        with atomic():
            fetch_all("DELETE FROM things", (), "owner")
        return found

    waiting = run()
    for name in ("_savepoint", "_savepoint_commit", "_savepoint_rollback"):
        monkeypatch.setattr(type(owner()), name, getattr(Plain, name))
    assert run() == waiting
