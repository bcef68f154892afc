"""The machine of attacks with one of the two organisations on another server, beside the home
server's own test (`tests/isolation/test_attacks.py`)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from orgs.database.driver.servers import server_of
from orgs.organisations.organisation_removal import remove_organisation
from orgs.placement.placements import find_server
from tests.isolation import canaries, comparable_responses, test_attacks
from tests.isolation.api_surface import mem0_operations, tool_operations
from tests.sampling import ALL, run_seed
from tests.world import World, make_tenant


class OnBothServers:
    """In place of `transaction` where an attempt is undone: transactions of the test on both
    servers, which are none of the product's."""

    @staticmethod
    @contextmanager
    def atomic() -> Iterator[None]:
        with ExitStack() as stack:
            for alias in ("default", "default@north"):
                block = transaction.atomic(using=alias)
                block._from_testcase = True
                stack.enter_context(block)
            yield

    @staticmethod
    def set_rollback(rollback: bool) -> None:
        for alias in ("default", "default@north"):
            transaction.set_rollback(rollback, using=alias)


def undo_on_both_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (test_attacks, comparable_responses):
        monkeypatch.setattr(module, "transaction", OnBothServers)


@pytest.fixture(autouse=True)
def planted_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """Canaries are planted past the API and the pages, which choose the server of their caller."""

    def on_its_server(plant: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(plant)
        def planted(actor: Any, *given: Any, **named: Any) -> Any:
            with server_of(getattr(actor, "organisation_id", None)):
                return plant(actor, *given, **named)

        return planted

    for name in (
        "add_dissent", "add_entity", "add_entry", "add_task", "ensure_conversation", "open_debate",
        "post_messages", "record_decision", "write_preference",
    ):  # fmt: skip
        monkeypatch.setattr(canaries, name, on_its_server(getattr(canaries, name)))


@pytest.fixture(params=["attackers", "attacked"])
def divided_world(request: pytest.FixtureRequest, north: str) -> Iterator[World]:
    """Two organisations on two servers: that of most attackers on the other one, or the one that
    they attack."""
    servers = (north, "") if request.param == "attackers" else ("", north)
    here, there = (make_tenant(name, server=on) for name, on in zip("HT", servers, strict=True))
    yield World(here, lambda: there)
    for tenant in (here, there):
        remove_organisation(tenant.id, now=timezone.now())


@pytest.mark.slow
@pytest.mark.conformance("A14", "T05", "T06")
@pytest.mark.timeout(3600)
def test_no_attempt_finds_anything_on_two_servers(
    divided_world: World, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_server(divided_world.here.id) != find_server(divided_world.there.id)
    undo_on_both_servers(monkeypatch)
    tools, mem0 = (sum(len(o.slots) for o in some()) for some in (tool_operations, mem0_operations))
    rounds = ((1, "", ALL), (60, "/recall", ALL), (tools, "TOOL ", ALL))
    rounds += ((mem0, "/mem0/", ALL), (60, "/scim/", ALL))
    done = test_attacks.attack(divided_world, run_seed(request), *rounds)
    assert done[0] >= 200
    assert done[1:] == [count for count, _, _ in rounds[1:]]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_machine_notices_a_leak_on_two_servers(
    divided_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    undo_on_both_servers(monkeypatch)
    monkeypatch.setattr("orgs.principals.Principal.scope", test_attacks.everything_open)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        test_attacks.attack(divided_world, 1, (1_000, "", ALL))
