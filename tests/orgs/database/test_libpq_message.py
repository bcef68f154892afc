"""Statements over libpq: psycopg's values and errors, parsed once, one transaction a message."""

import math
import os
import signal
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connections, transaction
from django.db.utils import (
    DataError,
    IntegrityError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from django.test.utils import CaptureQueriesContext
from psycopg.pq import Format
from psycopg.types.json import Jsonb

from orgs.database import prepared_statements
from orgs.database.driver import pipeline
from orgs.database.driver.pipeline import run_pipeline

# The owner of the tables may make temporary ones.
fetched = partial(prepared_statements.fetch_all, using="owner")
in_one_message = partial(prepared_statements.fetch_pipelined, using="owner")
together = partial(prepared_statements.fetch_last, using="owner")
atomic = partial(transaction.atomic, using="owner")

NAMED = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'cm%%'"
MOMENT = datetime(2026, 11, 25, 12, 30, 15, 123456, tzinfo=UTC)
VALUES: list[tuple[str, Any]] = [
    ("uuid", UUID("00000000-0000-7000-8000-000000000100")),
    ("uuid[]", [uuid4(), UUID(int=0), UUID(int=256)]),
    ("uuid[]", []),
    ("uuid[]", [uuid4(), None]),
    ("text", 'it\'s 100 % "quoted" \\ ü 😀 {a,b}'),
    ("text", ""),
    ("text", None),
    ("text[]", ["a", "b,c", '"', "\\", "", None]),
    ("smallint", 7),
    ("int", 70_000),
    ("bigint", 2**40),
    ("numeric", Decimal("1.10")),
    ("float8", 0.1),
    ("float8", -math.inf),
    ("bool", False),
    ("timestamptz", MOMENT),
    ("date", date(1, 1, 1)),
    ("interval", timedelta(days=3, microseconds=1)),
    ("bytea", b"\x00\xff%s"),
    ("jsonb", Jsonb({"a": [1, None, "%(b)s"]})),
]


@pytest.fixture
def own(committed: None) -> Iterator[psycopg.Connection[Any]]:
    """A connection of this test, as Django opens them, with nothing named on it yet."""
    connections["owner"].close()
    connections["owner"].ensure_connection()
    yield connections["owner"].connection
    connections["owner"].close()


@pytest.mark.parametrize("how", [Format.BINARY, Format.TEXT])
def test_every_value_comes_back_as_it_does_by_a_cursor(own: Any, how: Format) -> None:
    statement = "SELECT " + ", ".join(f"%s::{kind}" for kind, _ in VALUES)
    values = [value for _, value in VALUES]
    cursor = psycopg.Cursor(own)
    cursor.format = how
    expected = cursor.execute(statement, values).fetchall()
    for _ in range(2):
        assert fetched(statement, values, how=how) == expected
    # An empty list of ids and one with a hole have the forms of psycopg, the rest is the same.
    assert [type(one) for one in expected[0]] == [
        type(one) for one in fetched(statement, values, how=how)[0]
    ]


@pytest.mark.parametrize(("statement", "values", "row"), [
    ("SELECT 1 %% 2, '%%s', '%%(a)s'", {}, (1, "%s", "%(a)s")),
    ("SELECT 1 %% 2, '%%s'", (), (1, "%s")),
    ("SELECT %(a)s::int, %(b)s::text, %(a)s::int + 1", {"b": "x", "a": 1, "more": 9}, (1, "x", 2)),
    ("SELECT %s::int, %s::int", [2, 1], (2, 1)),
    ("SELECT '%%' || %(a)s::text || '$1'", {"a": "$2"}, ("%$2$1",)),
])  # fmt: skip
def test_placeholders_are_those_of_psycopg(
    own: Any, statement: str, values: Any, row: tuple[Any, ...]
) -> None:
    assert psycopg.Cursor(own).execute(statement, values).fetchone() == row
    assert fetched(statement, values) == [row]


@pytest.mark.parametrize(("statement", "values", "error", "words"), [
    ("SELECT %d", (1,), psycopg.ProgrammingError, "only '%s'"),
    ("SELECT 5 % 2", (), psycopg.ProgrammingError, "only '%s'"),
    ("SELECT %(a)b", {"a": 1}, psycopg.ProgrammingError, "only '%s'"),
    ("SELECT %s, %(a)s", {"a": 1}, psycopg.ProgrammingError, "cannot be mixed"),
    ("SELECT %(a)s, %(b)s", {"a": 1}, psycopg.ProgrammingError, "missing: b"),
    ("SELECT %s, %s", (1,), psycopg.ProgrammingError, "2 placeholders for 1"),
    ("SELECT 1", (1,), psycopg.ProgrammingError, "0 placeholders for 1"),
    ("SELECT %s", {"a": 1}, TypeError, "take a sequence"),
    ("SELECT %(a)s", (1,), TypeError, "take a mapping"),
    ("SELECT %s", (object(),), psycopg.ProgrammingError, "cannot adapt"),
])  # fmt: skip
def test_what_cannot_be_sent_is_refused_and_leaves_nothing(
    own: Any, statement: str, values: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        run_pipeline(own, [("SELECT 1", ()), (statement, values)], Format.BINARY)
    assert own.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert fetched(NAMED, ()) == [(1,)], "nothing got a name but this question"


def test_a_statement_is_parsed_once_for_each_kind_of_values(own: Any) -> None:
    for number in range(5):
        assert in_one_message([("SELECT %s", [number]), ("SELECT %s", [number + 10])]) == [
            [(number,)], [(number + 10,)],
        ]  # fmt: skip
    assert fetched(NAMED, ()) == [(2,)]
    fetched("SELECT %s", [2**40])
    assert fetched(NAMED, ()) == [(3,)], "another type of the value is another statement"


def test_the_one_that_was_not_used_for_longest_makes_room(
    own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MAX_PREPARED", 3)
    names = "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'cm%%'"
    for number in (1, 2, 1, 3, 4):
        fetched(f"SELECT {number}", ())
    fetched(names, ())
    assert {row for (row,) in fetched(names, ())} == {
        "SELECT 3", "SELECT 4", names.replace("%%", "%"),
    }  # fmt: skip
    assert fetched("SELECT 1", ()) == [(1,)]


def test_a_statement_is_planned_again_when_the_tables_may_have_grown(
    own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 1, 2, 4 ... and then every 64 seconds; a plan for an empty table is not kept for
    longer."""
    clock = [1_000.0]
    monkeypatch.setattr(pipeline.time, "monotonic", lambda: clock[0])
    names = "SELECT name FROM pg_prepared_statements WHERE statement = 'SELECT 7'"
    seen, planned = [], []
    for second in range(260):
        clock[0] = 1_000.0 + second
        fetched("SELECT 7", ())
        [(name,)] = fetched(names, ())
        if [name] != seen[-1:]:
            planned.append(second)
        seen.append(name)
    assert planned == [0, 1, 3, 7, 15, 31, 63, 127, 191, 255]


def test_a_plan_for_an_empty_table_goes_when_it_is_full(
    own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(pipeline.time, "monotonic", lambda: clock[0])
    fetched("CREATE TEMP TABLE things (id int PRIMARY KEY)", ())
    connections["owner"].connection.execute("VACUUM ANALYZE things")
    one = "SELECT id FROM things WHERE id = %(id)s::int"

    def way() -> str:
        name = "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT id FROM th%%'"
        [(name,)] = fetched(name, ())
        own.execute("SET plan_cache_mode = force_generic_plan")
        return str(own.execute(f"EXPLAIN EXECUTE {name}(5)").fetchall())

    fetched(one, {"id": 5})
    assert "Seq Scan" in way()
    fetched("INSERT INTO things SELECT generate_series(1, 20000)", ())
    assert "Seq Scan" in way(), "the plan is kept"
    clock[0] += 1
    assert fetched(one, {"id": 5}) == [(5,)]
    assert "Index" in way()


def test_a_statement_whose_table_was_changed_fails_once_at_most(own: Any) -> None:
    fetched("CREATE TEMP TABLE things AS SELECT 1 AS id", ())
    assert fetched("SELECT * FROM things", ()) == [(1,)]
    own.execute("ALTER TABLE things ADD COLUMN word text DEFAULT 'x'")
    with pytest.raises(NotSupportedError, match="must not change result type"):
        fetched("SELECT * FROM things", ())
    assert fetched("SELECT * FROM things", ()) == [(1, "x")]


def test_a_name_that_the_server_lost_is_given_again(own: Any) -> None:
    fetched("SELECT 5", ())
    own.execute("DEALLOCATE ALL")
    with pytest.raises(ProgrammingError, match="does not exist"):
        fetched("SELECT 5", ())
    assert fetched("SELECT 5", ()) == [(5,)]


def test_a_name_that_could_not_be_taken_away_is_taken_later(
    own: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(pipeline.time, "monotonic", lambda: clock[0])
    for number in range(4):
        fetched(f"SELECT {number}", ())
    clock[0] += 1
    for number in range(4):
        with pytest.raises(DataError):
            in_one_message([("SELECT 1 / 0", ()), (f"SELECT {number}", ())])
    for number in range(4):
        assert fetched(f"SELECT {number}", ()) == [(number,)]
    assert fetched(NAMED, ()) == [(6,)], "four, the division, and this question"


def test_a_message_outside_a_transaction_is_one(own: Any) -> None:
    in_one_message([("CREATE TEMP TABLE things (id int PRIMARY KEY)", ())])
    insert = "INSERT INTO things VALUES (%s)"
    with pytest.raises(IntegrityError, match="things_pkey"):
        in_one_message([(insert, [1]), (insert, [1]), (insert, [2])])
    assert fetched("SELECT id FROM things", ()) == [], "the first went back, the third never ran"
    assert together([(insert, [1]), ("SELECT id FROM things", ())]) == [(1,)]


def test_an_error_inside_a_savepoint_costs_no_more_than_that(own: Any) -> None:
    with atomic():
        fetched("CREATE TEMP TABLE things (id int PRIMARY KEY) ON COMMIT DROP", ())
        with pytest.raises(IntegrityError), atomic():
            in_one_message([("INSERT INTO things VALUES (%s), (%s)", [3, 3])])
        assert fetched("SELECT count(*) FROM things", ()) == [(0,)]
        with pytest.raises(ProgrammingError, match="nowhere"):
            fetched("SELECT * FROM nowhere", ())
        connections["owner"].set_rollback(True)


def test_what_could_not_be_parsed_has_no_name_and_may_come_again(own: Any) -> None:
    with pytest.raises(ProgrammingError, match="later"):
        in_one_message([("SELECT 1", ()), ("SELECT id FROM later", ()), ("SELECT 2", ())])
    assert fetched(NAMED, ()) == [(2,)], "the first and this question"
    fetched("CREATE TEMP TABLE later AS SELECT 5 AS id", ())
    assert fetched("SELECT id FROM later", ()) == [(5,)]


def test_what_ends_and_begins_transactions_itself_does(own: Any) -> None:
    in_one_message([("BEGIN", ()), ("CREATE TEMP TABLE things (id int)", ())])
    assert own.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
    in_one_message([("INSERT INTO things VALUES (1)", ()), ("COMMIT", ())])
    assert own.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert fetched("SELECT id FROM things", ()) == [(1,)]


def test_inside_atomic_the_first_statement_begins_the_transaction(own: Any) -> None:
    fetched("CREATE TEMP TABLE things (id int)", ())
    with atomic():
        assert own.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        fetched("INSERT INTO things VALUES (1)", ())
        assert own.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        connections["owner"].set_rollback(True)
    assert fetched("SELECT id FROM things", ()) == []


def test_megabytes_go_both_ways_at_once(own: Any) -> None:
    big = "x" * 4_000_000
    found = in_one_message([("SELECT %s::text || %s::text", [big, str(i)]) for i in range(6)])
    assert [row[0][-1] for [row] in found] == list("012345")
    assert all(len(row[0]) == len(big) + 1 for [row] in found)


def test_a_connection_that_ends_in_the_middle_is_an_error_and_not_a_wait(own: Any) -> None:
    def end() -> None:
        with psycopg.connect(os.environ["DATABASE_ADMIN_URL"], autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(%s)", [own.info.backend_pid])

    killer = threading.Timer(0.1, end)
    killer.start()
    with pytest.raises(OperationalError, match=r"terminating connection|closed the connection"):
        in_one_message([("SELECT 1", ()), ("SELECT pg_sleep(20)", ()), ("SELECT 2", ())])
    killer.join()
    with pytest.raises(psycopg.OperationalError):
        run_pipeline(own, [("SELECT 1", ())], Format.BINARY)
    connections["owner"].close()
    assert fetched("SELECT 1", ()) == [(1,)], "the next use opens a new one"


def test_a_dead_connection_that_is_checked_costs_no_call(own: Any) -> None:
    """As a worker's, which outlives its tasks."""
    with psycopg.connect(os.environ["DATABASE_ADMIN_URL"], autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", [own.info.backend_pid])
    connections["owner"].health_check_enabled = True
    connections["owner"].health_check_done = False
    assert fetched("SELECT 1", ()) == [(1,)]


class _Enough(Exception):
    pass


@pytest.mark.timed(10)
def test_who_is_interrupted_leaves_a_closed_connection(own: Any) -> None:
    """As a time limit of a worker does. The answer that still comes must not be anybody's."""

    def enough(number: int, frame: Any) -> None:
        raise _Enough

    before = signal.signal(signal.SIGUSR1, enough)
    killer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        killer.start()
        with pytest.raises(_Enough):
            fetched("SELECT pg_sleep(20)", ())
    finally:
        killer.join()
        signal.signal(signal.SIGUSR1, before)
    assert own.closed
    connections["owner"].close()
    assert fetched("SELECT 3", ()) == [(3,)]


def test_without_prepared_statements_nothing_gets_a_name(own: Any) -> None:
    own.prepare_threshold = None
    statement = "SELECT %(a)s::int, %(b)s::text"
    for number in range(3):
        values = {"a": number, "b": "x"}
        found = in_one_message([("BEGIN", ()), (statement, values), ("COMMIT", ())])
        assert found == [[], [(number, "x")], []]
    assert fetched(NAMED, ()) == [(0,)]


def test_django_sees_every_statement_as_it_was_sent(own: Any) -> None:
    seen: list[tuple[str, Any, bool]] = []

    def wrapper(run: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        seen.append((sql, values, many))
        assert context["connection"] is connections["owner"]
        return run(sql, values, many, context)

    first, second = ("SELECT %(a)s::int", {"a": 1}), ("SELECT 'x'", {})
    with (
        connections["owner"].execute_wrapper(wrapper),
        CaptureQueriesContext(connections["owner"]) as log,
    ):
        assert in_one_message([first, second]) == [[(1,)], [("x",)]]
    assert seen == [(*first, False), (*second, False)]
    assert [one["sql"] for one in log.captured_queries] == [first[0], second[0]]


def test_a_wrapper_that_refuses_a_statement_stops_the_message(own: Any) -> None:
    def refuse(run: Any, sql: str, *more: Any) -> Any:
        if "things" in sql:
            raise PermissionError
        return run(sql, *more)

    with connections["owner"].execute_wrapper(refuse), pytest.raises(PermissionError):
        in_one_message([("CREATE TEMP TABLE things (id int)", ()), ("SELECT 1", ())])
    with pytest.raises(ProgrammingError):
        fetched("SELECT * FROM things", ())


def test_a_transaction_that_is_broken_takes_no_more(own: Any) -> None:
    with atomic():
        connections["owner"].set_rollback(True)
        with pytest.raises(transaction.TransactionManagementError):
            fetched("SELECT 1", ())
