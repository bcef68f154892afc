"""A standby that is away, hangs, is behind or is none of ours: the primary answers."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connections
from django.test import Client

from config.monitoring.diagnosis import _check_standby
from orgs.database.driver.servers import reading_on_server
from orgs.database.driver.standby_reads import STANDBY_ALIAS
from orgs.database.standby import monitor as standby_monitor
from orgs.database.standby import server_identity
from orgs.database.standby.monitor import (
    AWAY,
    BEHIND,
    OK,
    REFUSED,
    StandbyMonitor,
    monitor,
    standby_state,
)
from orgs.database.standby.server_identity import ServerIdentity, ServerState, find_fault
from tests.databases import TEMPLATE, autocommit_connection, database_url
from tests.fast_path import FastPathSite
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.standby_server import Standby, standby_connection, wait_for, wait_until_ready
from tests.world import Tenant, World

QUESTION = {"query": "when does the office close"}


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    for number in range(6):
        here.remember(here.robot("bolt"), f"The office number {number} closes at six.")
    here.embed()
    return here


class Load:
    """Recalls without a pause, in several threads. calls: (when it began, seconds, whether it was
    answered in full)."""

    def __init__(self, key: str, threads: int = 3) -> None:
        self.calls: list[tuple[float, float, bool]] = []
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=[key]) for _ in range(threads)]

    def _run(self, key: str) -> None:
        site = FastPathSite()
        try:
            while not self._ended.is_set():
                began = time.monotonic()
                status, _, body = site.post(key, QUESTION)
                whole = status == 200 and len(body["results"]) == 6
                self.calls.append((began, time.monotonic() - began, whole))
        finally:
            connections.close_all()

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *given: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()


@contextmanager
def stopped(standby: Standby, how: str) -> Iterator[None]:
    """The standby is ended at once, or stands still without a word."""
    if how == "killed":
        standby.kill()
        assert standby.process is not None
        standby.process.wait(30)
        yield
        standby.process = None
        standby.launch()
        return
    standby.signal_all(signal.SIGSTOP)
    try:
        yield
    finally:
        standby.signal_all(signal.SIGCONT)


@pytest.mark.conformance("O17")
@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_no_recall_fails_while_it_is_away(
    here: Tenant, standby: Standby, outcomes: Outcomes, how: str
) -> None:
    with Load(here.keys["bolt"]) as load:
        wait_for(lambda: outcomes["standby"] >= 10)
        with stopped(standby, how):
            at = time.monotonic()
            wait_for(lambda: monitor.last.state == AWAY)
            assert standby_state() == AWAY
            wait_for(lambda: sum(began > at + 1.5 for began, *_ in load.calls) > 20)
            failed = outcomes["failed"]
            count = len(load.calls)
            wait_for(lambda: len(load.calls) > count + 30)
            # The breaker: once it is known, no further call pays for it.
            assert outcomes["failed"] == failed
        wait_until_ready()
        back = outcomes["standby"]
        wait_for(lambda: outcomes["standby"] > back + 10)
    assert all(whole for *_, whole in load.calls)
    # At most one second of trouble, on a machine that does other things as well.
    assert max(seconds for _, seconds, _ in load.calls) < 2.5
    late = [seconds for began, seconds, _ in load.calls if at + 1.5 < began < at + 2.5]
    assert all(seconds < 1.0 for seconds in late)
    assert failed <= 3


@pytest.mark.conformance("O17")
def test_one_that_is_behind_is_not_asked(
    here: Tenant, standby: Standby, outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standby_monitor, "MAX_LAG_SECONDS", 1.5)
    site = FastPathSite()
    standby.pause()
    try:
        here.remember(here.robot("bolt"), "Something else happens.")
        wait_for(lambda: monitor.look().state == BEHIND)
        assert site.post(here.keys["bolt"], QUESTION)[0] == 200
        assert outcomes["standby"] == 0
        ready = Client().get("/readyz").json()
        assert (ready["status"], ready["parts"]["standby"]) == ("degraded", "behind")
    finally:
        standby.resume()
    wait_for(lambda: monitor.look().state == OK)
    assert site.post(here.keys["bolt"], QUESTION)[0] == 200
    assert outcomes["standby"] == 1
    assert Client().get("/readyz").json()["parts"]["standby"] == "ok"


def test_between_two_looks_a_search_finds_out_itself(
    here: Tenant, standby: Standby, outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks its own connection how far the standby is."""
    monkeypatch.setattr(monitor, "is_ready", lambda: True)
    needed = monitor._needed_position
    monkeypatch.setattr(monitor, "_needed_position", lambda: (needed() or 0) + 10**12)
    assert FastPathSite().post(here.keys["bolt"], QUESTION)[0] == 200
    assert (outcomes["behind"], outcomes["standby"]) == (1, 0)


def refused(url: str) -> tuple[str, Any]:
    """(the reason of the refusal, what doctor says) with such an address."""
    with standby_connection(url):
        found = monitor.look()
        assert not monitor.is_ready()
        assert found.state == REFUSED, found
        assert found.reason
        assert standby_state() == "refused", "anybody may read it; the reason names roles"
        state, sentence, advice = _check_standby()
        assert (state, sentence) == ("fault", f"DATABASE_REPLICA_URL is not used: {found.reason}.")
        assert "the primary answers" in advice
        return found.reason, sentence


@pytest.mark.conformance("O17")
def test_an_address_that_is_no_standby_of_ours_is_refused(
    here: Tenant, standby_server: Standby, committed: None
) -> None:
    app = database_url("default")
    there = standby_server.address(app)
    standby_server.catch_up()
    assert refused(app)[0] == server_identity.NO_STANDBY
    worker = standby_server.address(database_url("worker"))
    assert refused(worker)[0] == server_identity.NOT_LET_IN
    assert refused(there.replace("commonmind_app:", "nobody:"))[0] == server_identity.NOT_LET_IN
    assert refused(there.rsplit("/", 1)[0] + "/there_is_none")[0] == server_identity.NOT_LET_IN
    superuser = standby_server.url.rsplit("/", 1)[0] + "/" + there.rsplit("/", 1)[1]
    assert refused(superuser)[0] == server_identity.ANOTHER_ROLE


def test_another_schema_is_refused(
    here: Tenant, standby_server: Standby, committed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with autocommit_connection("owner") as database:
        standby_server.catch_up()
        standby_server.pause()
        try:
            database.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'new', now())"
            )
            monkeypatch.setattr(standby_monitor, "MAX_LAG_SECONDS", 600.0)
            found = refused(standby_server.address(database_url("default")))
            assert found[0] == server_identity.ANOTHER_SCHEMA
        finally:
            database.execute("DELETE FROM django_migrations WHERE app = 'x'")
            standby_server.resume()


OURS = ServerIdentity(system=7, database=5, role="app", schema="abc")


@pytest.mark.parametrize(
    ("there", "state", "fault"),
    [
        (OURS, ServerState(True, 10, 7), ""),
        (ServerIdentity(8, 5, "app", "abc"), ServerState(True, 10, 8), "ANOTHER_DATABASE"),
        (ServerIdentity(7, 6, "app", "abc"), ServerState(True, 10, 7), "ANOTHER_DATABASE"),
        (OURS, ServerState(False, None, 7), "NO_STANDBY"),
        (ServerIdentity(7, 5, "worker", "abc"), ServerState(True, 10, 7), "ANOTHER_ROLE"),
        (ServerIdentity(7, 5, "app", "abd"), ServerState(True, 10, 7), "ANOTHER_SCHEMA"),
    ],
)
def test_who_is_taken_for_a_standby(there: ServerIdentity, state: ServerState, fault: str) -> None:
    assert find_fault(OURS, there, state) == (fault and getattr(server_identity, fault))


def test_another_database_of_the_same_server(
    here: Tenant, standby_server: Standby, committed: None
) -> None:
    standby_server.catch_up()
    url = standby_server.address(database_url("default")).rsplit("/", 1)[0] + f"/{TEMPLATE}"
    with standby_connection(url):
        assert monitor.look().reason in (
            server_identity.ANOTHER_DATABASE,
            server_identity.NOT_LET_IN,
        )


def test_its_sessions_write_nothing_wherever_they_lead(here: Tenant, committed: None) -> None:
    """Even on a primary, by the address of which the setting may lead there."""
    with standby_connection(database_url("default")), connections[STANDBY_ALIAS].cursor() as cursor:
        with pytest.raises(DatabaseError) as refused:
            cursor.execute("UPDATE orgs_organisation SET name = name")
        assert isinstance(refused.value.__cause__, psycopg.errors.ReadOnlySqlTransaction)


def test_row_security_holds_there(here: Tenant, standby: Standby) -> None:
    standby.catch_up()
    with connections[STANDBY_ALIAS].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_memory")
        assert cursor.fetchone() == (0,)
        cursor.execute("SELECT count(*) FROM memories_search")
        assert cursor.fetchone() == (0,)
    assert standby.run_sql("SELECT 1") == 1


def test_without_a_standby_nothing_is_looked_at(here: Tenant) -> None:
    assert standby_state() == "off"
    assert not monitor.is_ready()
    assert monitor._thread is None
    assert _check_standby()[0] == "ok"
    assert Client().get("/readyz").json()["parts"]["standby"] == "off"


def test_after_failed_searches_it_is_left_alone_longer_and_longer(
    standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1, 2, 4 ... seconds, although the looks find nothing; a search that succeeds begins anew."""
    looks, now = StandbyMonitor(), time.monotonic()
    monkeypatch.setattr(standby_monitor.time, "monotonic", lambda: now)
    assert looks.look().state == OK
    for pause in (1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0):
        looks.report_failure(DatabaseError())
        assert looks.last.state == AWAY
        now += pause - 0.01
        assert looks.look().state == AWAY, pause
        now += 0.02
        assert looks.look().state == OK, pause
    looks.report_success()
    looks.report_failure(DatabaseError())
    now += 1.01
    assert looks.look().state == OK
    looks.stop()


def test_it_is_the_home_servers_alone(standby: Standby) -> None:
    assert monitor.is_ready()
    with reading_on_server("north"):
        assert not monitor.is_ready()
    assert monitor.is_ready()


@pytest.mark.parametrize(
    ("state", "written", "good"),
    [
        (ServerState(True, 10, 7), 0, True),
        (ServerState(True, 12, 7), 12, True),
        (ServerState(True, 12, 7), 13, False),
        (ServerState(True, 9, 7), 0, False),
        (ServerState(True, None, 7), 0, False),
        (ServerState(False, 10, 7), 0, False),
        (ServerState(True, 10, 8), 0, False),
    ],
    ids=["good", "has the write", "lacks the write", "late", "nothing", "promoted", "another"],
)
def test_what_a_search_learns_on_its_own_connection(
    state: ServerState, written: int, good: bool
) -> None:
    """Since the last look the address may have come to lead to another server."""
    looks, now = StandbyMonitor(), time.monotonic()
    assert not looks.accepts(state, written=written), "nobody has looked yet"
    looks._primary = now, OURS
    looks._samples.append((now, 10))
    assert looks.accepts(state, written=written) is good
