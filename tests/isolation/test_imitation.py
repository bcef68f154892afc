"""Who can make whose messages and private deposits arrive at whom: nobody (T23)."""

import random
from collections.abc import Callable

import pytest
from django.db import transaction

from robots.access import acting_for_members
from robots.identities import identity_links
from tests.isolation.impersonation import (
    ATTACKERS,
    ImpersonationWorld,
    list_differences,
    observed_identity,
    sample_calls,
    send,
)
from tests.sampling import run_seed, sample_slice
from tests.world import World


def attack(
    world: World, count: int, seed: int, who: tuple[str, ...] = ATTACKERS, about: str = ""
) -> int:
    """`count` calls of each attacker, one after the other and looked at as they come.

    about: only on operations whose name has this.
    """
    trap, done = ImpersonationWorld(world.here), 0
    for attacker in who:
        rng = random.Random(seed)  # noqa: S311
        with transaction.atomic():
            before, made = observed_identity(trap), []
            for number, call in enumerate(sample_calls(trap, attacker, count, seed, about)):
                status = send(trap, call, rng)
                assert status < 500, call
                made.append((status, str(call[1]), call[2].path, call[3]))
                done += 1
                if status < 300 and number % 4 == 0:
                    look(trap, attacker, before, made)
            look(trap, attacker, before, made)
            transaction.set_rollback(True)
    return done


def look(
    trap: ImpersonationWorld, attacker: str, before: dict[str, object], made: list[object]
) -> None:
    found = list_differences(before, observed_identity(trap), manages=attacker == "dora")
    assert not found, (attacker, found, made[-12:])


@pytest.mark.conformance("T23")
@pytest.mark.timeout(300)
def test_nobody_stands_in_for_bob(world: World, request: pytest.FixtureRequest) -> None:
    seed = run_seed(request)
    part = ATTACKERS[sample_slice(request, 3)]
    assert attack(world, 4, seed, part) >= 4 * len(part)


@pytest.mark.slow
@pytest.mark.conformance("T23")
@pytest.mark.timeout(3600)
def test_nobody_stands_in_for_bob_at_length(world: World, request: pytest.FixtureRequest) -> None:
    seed = run_seed(request)
    assert attack(world, 2_000, seed + 1) >= 5_000


def prefixes_are_groups(patch: pytest.MonkeyPatch) -> None:
    """The hole that was: what stood before the slash was the group, and the nearer name won."""
    exact = "AND i.platform = %(platform)s AND i.identifier = %(identifier)s"
    loose = exact.replace("= %(identifier)s", "LIKE '%%' || %(identifier)s")
    assert exact in acting_for_members._ACTING_STATEMENT
    holed = acting_for_members._ACTING_STATEMENT.replace(exact, loose)
    order = "i.confirmed_at IS NULL, i.group_id IS NULL"
    patch.setattr(
        acting_for_members, "_ACTING_STATEMENT", holed.replace(order, "length(i.identifier) DESC")
    )


def everybody_decides(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(identity_links, "_is_admin", lambda actor: True)


@pytest.mark.slow
@pytest.mark.parametrize("leak", [prefixes_are_groups, everybody_decides])
def test_the_machine_notices_a_leak(
    world: World, monkeypatch: pytest.MonkeyPatch, leak: Callable[[pytest.MonkeyPatch], None]
) -> None:
    leak(monkeypatch)
    with pytest.raises(AssertionError, match="became"):
        attack(world, 400, seed=1, who=("carl",), about="/identities")
