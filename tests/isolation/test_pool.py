"""No request inherits another's context from a connection they share (T04)."""

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from django.db import Error, OperationalError, connections

from config.embedded.processes.system_account import service_account
from orgs.database import rls
from orgs.database.rls import Scope, fetch_in_scope, insert_scope, scope
from orgs.principals import Principal, resolve_principal
from tests.world import World, make_tenant

ALIAS = "shared"
ROWS = "SELECT organisation_id, audience_id FROM memories_memory"
Row = tuple[UUID, UUID]


@dataclass(frozen=True)
class Asker:
    """A principal and exactly the rows it reads, each with its own audience."""

    principal: Principal
    expected: Counter[Row]

    @property
    def scope(self) -> Scope:
        return Scope(self.principal.organisation_id, tuple(sorted(self.principal.audiences)))


class Injected(Exception):
    """What goes wrong in the middle of a request."""


def askers(world: World) -> list[Asker]:
    """People and robots of four organisations, each with rows of their own."""
    found = []
    tenants = [world.here, world.there, make_tenant("Third"), make_tenant("Fourth")]
    for tenant in tenants:
        for n, name in enumerate(("mina", "bob", "ada")):
            for k in range(n + 1):
                tenant.remember(tenant.person(name), f"Of {name} {k}.", visibility="private")
        tenant.remember(tenant.robot("bolt"), "Of the robot.", visibility="internal")
        tenant.remember(tenant.robot("aria"), "Of the group.", group="launch")
    for tenant in tenants:
        actors = [tenant.person(n) for n in ("mina", "bob", "ada", "vera")]
        for actor in [*actors, tenant.robot("aria"), tenant.robot("bolt")]:
            principal = resolve_principal(actor)
            with principal.scope(), connections["default"].cursor() as cursor:
                cursor.execute(ROWS)
                expected = Counter(cursor.fetchall())
            assert all(row[0] == tenant.id for row in expected)
            found.append(Asker(principal, expected))
    assert len({frozenset(a.expected.items()) for a in found}) >= 16
    return found


def rows() -> Counter[Row]:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(ROWS)
        return Counter(cursor.fetchall())


def fail_inside(asker: Asker) -> None:
    with scope(asker.scope, ALIAS):
        assert rows() == asker.expected
        raise Injected


def request(asker: Asker, other: Asker, chance: random.Random) -> None:
    """One request of a random course; any wrong row is an AssertionError."""
    course = chance.randrange(10)
    if course == 0:
        assert Counter(fetch_in_scope(asker.scope, ROWS, {}, using=ALIAS)) == asker.expected
        assert rows() == Counter(), "nothing outlives the one message"
        return
    if course == 1:
        assert rows() == Counter(), "without a scope there is nothing"
        return
    with scope(asker.scope, ALIAS):
        assert rows() == asker.expected
        if course == 2:
            raise Injected
        if course == 3:
            with connections[ALIAS].cursor() as cursor:
                cursor.execute("SELECT 1 / 0")
        if course == 4:
            with scope(other.scope, ALIAS):
                assert rows() == other.expected
            assert rows() == asker.expected
        if course == 5:
            with suppress(Injected):
                fail_inside(other)
            assert rows() == asker.expected
        if course == 6:
            with insert_scope(other.scope.audiences, ALIAS):
                assert rows() == asker.expected, "a deposit reads nothing more"
        if course == 7:
            with connections[ALIAS].cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert rows() == Counter(), "the scope ends with its transaction"


def visitor(everyone: list[Asker], requests: int, seed: int) -> int:
    """A thread that serves requests; returns how many ended well, about seven in ten.

    The connection goes back to the pool after each.
    """
    chance, well = random.Random(seed), 0  # noqa: S311
    for _ in range(requests):
        try:
            request(chance.choice(everyone), chance.choice(everyone), chance)
            well += 1
        except (Injected, Error, psycopg.Error):
            pass
        finally:
            connections[ALIAS].close()
    return well


@contextmanager
def shared(**settings: object) -> Iterator[None]:
    """A connection alias that all threads use, configured like `default` but for `settings`."""
    known = {**connections["default"].settings_dict, "CONN_MAX_AGE": 0}
    connections.settings[ALIAS] = known | settings
    try:
        yield
    finally:
        if hasattr(connections[ALIAS], "close_pool"):
            connections[ALIAS].close_pool()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def stress(everyone: list[Asker], threads: int, requests: int) -> int:
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(lambda seed: visitor(everyone, requests, seed), range(threads)))


def pool_of(size: int) -> dict[str, object]:
    return {"OPTIONS": {"pool": {"min_size": size, "max_size": size, "timeout": 60}}}


@pytest.mark.conformance("T04")
def test_requests_on_a_shared_pool_see_their_own_rows(lasting_world: World) -> None:
    everyone = askers(lasting_world)
    with shared(**pool_of(2)):
        assert stress(everyone, threads=8, requests=40) > 200


@pytest.mark.conformance("T04")
def test_a_setting_of_the_session_would_be_noticed(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    everyone = askers(lasting_world)
    monkeypatch.setattr(rls, "_SET_SCOPE", rls._SET_SCOPE.replace(", true)", ", false)"))
    with shared(**pool_of(2)), pytest.raises(AssertionError):
        stress(everyone, threads=4, requests=40)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.conformance("T04")
def test_fifty_threads_on_five_connections(lasting_world: World) -> None:
    everyone = askers(lasting_world)
    with shared(**pool_of(5)):
        assert stress(everyone, threads=50, requests=2_000) > 65_000


PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
INI = """
[databases]
{name} = host={host} port={port} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
unix_socket_dir =
logfile = {folder}/log
"""


@contextmanager
def pgbouncer() -> Iterator[int]:
    """PgBouncer in front of the test database; yields its port."""
    assert PGBOUNCER
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    account, used = service_account(), connections["default"].settings_dict
    # Not pytest's folder: PgBouncer refuses root, and nobody else may enter that one.
    home = Path(tempfile.mkdtemp(prefix="pgbouncer-"))
    account.own_folder(home)
    ini = home / "pgbouncer.ini"
    ini.write_text(
        INI.format(
            name=used["NAME"],
            host=used["HOST"],
            port=used["PORT"],
            user=used["USER"],
            password=used["PASSWORD"],
            listen=port,
            folder=home,
        )
    )
    ini.chmod(0o644)
    process = subprocess.Popen([PGBOUNCER, "-q", str(ini)], **account.popen_options)
    try:
        yield port
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(home)


@contextmanager
def behind_pgbouncer() -> Iterator[None]:
    """The shared alias goes through PgBouncer, which has to be there where all is to be proven."""
    if not PGBOUNCER:
        if os.environ.get("CI") == "true":
            pytest.fail("CI=true, and PgBouncer is missing.")
        pytest.skip("PgBouncer is not installed; its test is left out.")
    with pgbouncer() as port, shared(HOST="127.0.0.1", PORT=str(port), OPTIONS={}):
        for _attempt in range(50):
            try:
                connections[ALIAS].ensure_connection()
                break
            except OperationalError:
                time.sleep(0.1)
        assert rows() == Counter(), "PgBouncer lets us through"
        connections[ALIAS].close()
        yield


@pytest.mark.conformance("T04")
def test_requests_behind_pgbouncer_see_their_own_rows(lasting_world: World) -> None:
    everyone = askers(lasting_world)
    with behind_pgbouncer():
        assert stress(everyone, threads=8, requests=30) > 150


@pytest.mark.conformance("T04")
def test_a_setting_of_the_session_would_be_noticed_there_too(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    everyone = askers(lasting_world)
    monkeypatch.setattr(rls, "_SET_SCOPE", rls._SET_SCOPE.replace(", true)", ", false)"))
    with behind_pgbouncer(), pytest.raises(AssertionError):
        stress(everyone, threads=8, requests=40)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.conformance("T04")
def test_fifty_threads_behind_pgbouncer(lasting_world: World) -> None:
    everyone = askers(lasting_world)
    with behind_pgbouncer():
        assert stress(everyone, threads=50, requests=2_000) > 65_000
