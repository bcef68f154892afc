"""What may be lost with a crash of the server ends with its scope."""

from collections.abc import Iterator

import pytest
from django.db import connections, transaction

from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, pipelined_scope, scope, scope_sequence


def flush() -> str:
    [(found,)] = fetch_all("SELECT current_setting('synchronous_commit')", (), "worker")
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
        with scope_sequence(Scope(relaxed=True), "worker") as turn_to:
            turn_to(Scope(deposit=()))
            assert flush() == "local"
            turn_to(Scope(relaxed=True))
        assert flush() == "local"
        with pipelined_scope("worker", organisation=None) as opening:
            opening.note(Scope(relaxed=True))
            fetch_all("SELECT set_config('synchronous_commit', 'off', true)", (), "worker")
        assert flush() == "local"


def test_a_relaxed_scope_inside_a_relaxed_one_leaves_it_relaxed(flushing: None) -> None:
    with scope(Scope(relaxed=True), "worker"):
        with scope(Scope(), "worker"):
            assert flush() == "local"
        assert flush() == "off"
