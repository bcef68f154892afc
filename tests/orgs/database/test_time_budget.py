"""The time of a call: its statements know what is left of it, and can be stopped (T30)."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection, connections, transaction
from psycopg.errors import QueryCanceled

from orgs.api.problems import describe_exception
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, fetch_in_scope, organisation_scope, scope
from orgs.database.time_budget import (
    LATE,
    OutOfTime,
    TimeBudget,
    is_out_of_time,
    open_budget,
    statement_limits,
)
from tests.databases import autocommit_connection
from tests.world import World

pytestmark = pytest.mark.conformance("T30")


@pytest.fixture
def budget() -> TimeBudget:
    return TimeBudget(settings.REQUEST_SECONDS)


def within(budget: TimeBudget | None, work: Callable[[], Any]) -> Any:
    """The work in a context of its own, as a request has one."""

    def begun() -> Any:
        open_budget(budget)
        return work()

    return copy_context().run(begun)


def limit() -> int:
    """The limit of a statement in milliseconds as the server has it; 0 for none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setting FROM pg_settings WHERE name = 'statement_timeout'")
        return int(cursor.fetchone()[0])


def test_a_scope_limits_its_statements_to_what_is_left(world: World) -> None:
    def inside() -> list[int]:
        found = []
        with organisation_scope(world.here.id):
            found.append(limit())
            with scope(Scope(organisation=world.there.id)):
                found.append(limit())
        return found

    for seconds in (settings.REQUEST_SECONDS, 5):
        for found in within(TimeBudget(seconds), inside):
            assert seconds * 1000 - 3_000 < found <= seconds * 1000
    assert within(None, inside) == [0, 0], "jobs and commands have no limit"


def test_the_short_way_of_a_question_has_the_limit_too(world: World, budget: TimeBudget) -> None:
    shown = "SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'"
    [(found,)] = within(
        budget, lambda: fetch_in_scope(Scope(organisation=world.here.id), shown, {})
    )
    assert 27_000 < found <= 30_000


def test_a_nearer_limit_is_taken_back(world: World, budget: TimeBudget) -> None:
    def inside() -> list[int]:
        found = []
        with organisation_scope(world.here.id):
            with statement_limits() as limit_to, transaction.atomic():
                limit_to(2)
                found.append(limit())
                with scope(Scope(organisation=world.there.id)):
                    found.append(limit())
            found.append(limit())
        return found

    first, nested, after = within(budget, inside)
    assert 0 < first <= 2_000
    assert 0 < nested <= 2_000, "a scope inside has no more"
    assert 27_000 < after <= 30_000
    assert within(None, inside)[2] == 0


def test_no_statement_begins_after_the_end(world: World) -> None:
    over = TimeBudget(0)
    stopped = TimeBudget(30)
    stopped.stop("enough")

    def by_cursor() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    for work in (by_cursor, lambda: fetch_all("SELECT 1", {})):
        with pytest.raises(OutOfTime, match="longer"):
            within(over, work)
        with pytest.raises(OutOfTime, match="enough"):
            within(stopped, work)
    by_cursor()


@contextmanager
def stopped_while(running: Callable[[int], bool], budget: TimeBudget) -> Iterator[None]:
    """Stop the budget from another thread as soon as the statement of this connection runs."""
    pid = connection.connection.info.backend_pid

    def stop() -> None:
        end = time.monotonic() + 30
        while not running(pid) and time.monotonic() < end:
            time.sleep(0.02)
        budget.stop(LATE)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def sleeps(pid: int) -> bool:
    with autocommit_connection("admin") as database:
        query = "SELECT wait_event FROM pg_stat_activity WHERE pid = %s"
        return database.execute(query, [pid]).fetchone() == ("PgSleep",)


@pytest.mark.parametrize("way", ["cursor", "message"])
def test_a_statement_that_runs_is_stopped(
    lasting_world: World, budget: TimeBudget, way: str
) -> None:
    def sleep() -> None:
        with organisation_scope(lasting_world.here.id):
            if way == "message":
                fetch_all("SELECT pg_sleep(60)", {})
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(60)")

    def work() -> None:
        try:
            sleep()
        finally:
            budget.release_connection()

    connection.ensure_connection()
    with stopped_while(sleeps, budget), pytest.raises(OperationalError) as stopped:
        within(budget, work)
    assert isinstance(stopped.value.__cause__, QueryCanceled)
    status, code, detail, _, _ = describe_exception(stopped.value) or (0, "", "", [], "")
    assert (status, code, detail) == (503, "out-of-time", LATE)
    assert connection.connection.closed, "a cancellation that comes late meets nobody else"
    connection.close_if_unusable_or_obsolete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def test_a_connection_that_was_handed_on_is_not_cancelled(
    lasting_world: World, budget: TimeBudget
) -> None:
    def work() -> None:
        with organisation_scope(lasting_world.here.id):
            fetch_all("SELECT 1", {})
        budget.release_connection()

    within(budget, work)
    budget.stop(LATE)
    assert not connection.connection.closed
    assert not budget._has_cancelled


def test_a_commit_is_not_cancelled(lasting_world: World, budget: TimeBudget) -> None:
    """One that waits for a standby would report success and be lost."""
    seen = []

    def work() -> None:
        with transaction.atomic():
            fetch_all("SELECT 1", {})
            assert budget._connection is connections["default"]
        seen.append(budget._connection)

    within(budget, work)
    assert seen == [None]


def test_one_module_limits_statements() -> None:
    """A limit that is set elsewhere would not be taken back, or would be undone by a scope."""
    # Those name settings that a role may have, and switch the limit off for a backup or a move.
    allowed = {
        "orgs/database/time_budget.py",
        "orgs/database/role_checks.py",
        "orgs/database/backup/connection.py",
        "orgs/placement/moving/admin_connections.py",
        "config/embedded/servers/provisioning.py",
        # A connection of its own, outside of every request.
        "config/archive/source_server.py",
    }
    root = settings.BASE_DIR
    found = {
        str(path.relative_to(root))
        for app in ("config", "memories", "orgs", "personas", "robots")
        for path in (root / app).rglob("*")
        if path.suffix in (".py", ".sql") and "statement_timeout" in path.read_text()
    }
    assert found == allowed


def test_other_failures_of_the_database_are_told_apart() -> None:
    error = OperationalError("the server closed the connection")
    assert not is_out_of_time(error)
    assert (describe_exception(error) or ())[:2] == (503, "unavailable")
