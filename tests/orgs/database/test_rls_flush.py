"""What may be lost with a crash of the server ends with its scope; an address keeps its options."""

from collections.abc import Iterator

import pytest
from django.db import connections, transaction

from config.settings.services import databases
from orgs.database.prepared_statements import fetched
from orgs.database.rls import Scope, message_scope, scope, scopes


def flush() -> str:
    [(found,)] = fetched("SELECT current_setting('synchronous_commit')", (), "worker")
    return str(found)


@pytest.fixture
def flushing(committed: None) -> Iterator[None]:
    """A connection of a server that flushes; that of the tests does not."""
    connection = connections["worker"]
    connection.close()
    before = connection.settings_dict["OPTIONS"]
    connection.settings_dict["OPTIONS"] = {**before, "options": "-c synchronous_commit=local"}
    yield
    connection.settings_dict["OPTIONS"] = before
    connection.close()


def test_after_a_relaxed_scope_the_rest_of_the_transaction_is_flushed(flushing: None) -> None:
    with transaction.atomic(using="worker"):
        assert flush() == "local"
        with scope(Scope(relaxed=True), "worker"):
            assert flush() == "off"
        assert flush() == "local"
        with scopes(Scope(relaxed=True), "worker") as turn_to:
            turn_to(Scope(deposit=()))
            assert flush() == "local"
            turn_to(Scope(relaxed=True))
        assert flush() == "local"
        with message_scope("worker"):
            fetched("SELECT set_config('synchronous_commit', 'off', true)", (), "worker")
        assert flush() == "local"


def test_a_relaxed_scope_inside_a_relaxed_one_leaves_it_relaxed(flushing: None) -> None:
    with scope(Scope(relaxed=True), "worker"):
        with scope(Scope(), "worker"):
            assert flush() == "local"
        assert flush() == "off"


def test_an_address_keeps_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "DATABASE_WORKER_URL"):
        monkeypatch.setenv(name, "postgresql://a:b@c/d?sslmode=verify-full&sslrootcert=/x")
    found = databases(pool_size=3)
    assert found["worker"]["OPTIONS"] == {
        "sslmode": "verify-full", "sslrootcert": "/x", "prepare_threshold": 0,
    }  # fmt: skip
    assert found["default"]["OPTIONS"]["sslmode"] == "verify-full"
    assert found["default"]["OPTIONS"]["pool"]["max_size"] == 3
