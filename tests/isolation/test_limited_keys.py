"""A key that is limited to a group reads and writes what is in it, by every call of the API."""

import random
from dataclasses import replace
from typing import Any

import pytest
from django.urls import resolve

from orgs.principals import Actor
from robots.access.keys import AuthenticatedRobot
from tests.isolation.api_surface import (
    ABSENT_FILLER,
    Operation,
    api_operations,
    mem0_operations,
    scim_operations,
)
from tests.isolation.canaries import NARROW, READERS, CanaryWorld, plant_canaries
from tests.isolation.comparable_responses import send
from tests.isolation.test_attacks import attack, attacking
from tests.sampling import ALL, run_seed
from tests.world import World

CODE = "urn:commonmind:problem:key-groups"
# What such a key does not open for another reason, which is said first.
OTHERWISE = {"missing-scope", "unauthenticated", "forbidden"}


def is_open(operation: Operation) -> bool:
    """Whether the view says that such a key opens it."""
    address = operation.address
    for slot in operation.slots:
        if slot.where == "path":
            address = address.replace(f"{{{slot.path[0]}}}", ABSENT_FILLER)
    view: Any = resolve(address).func
    return operation.method.upper() in getattr(view.view_class, "within_groups", ())


# Slots for texts, ids of other things, and pages of lists.
NAMES_NOBODY = {
    *("content", "conclusion", "reasoning", "reason", "text", "topic", "topics", "query", "q"),
    *("tags", "keywords", "entities", "cursor", "limit", "metadata", "title", "description"),
    *("conversation_id", "decision_id", "entity_id", "memory_id", "task_id", "external_id"),
}
OPEN = [operation for operation in api_operations() if is_open(operation)]


@pytest.fixture
def stage(lasting_world: World) -> CanaryWorld:
    return plant_canaries(lasting_world)


@pytest.mark.conformance("T05")
@pytest.mark.timeout(300)
def test_every_place_of_what_it_opens_finds_nothing(
    lasting_world: World, request: pytest.FixtureRequest
) -> None:
    places = sum(len(operation.slots) for operation in OPEN)
    assert len(OPEN) >= 40, "it would be of no use"
    assert places >= 150
    done = attack(lasting_world, run_seed(request), (places, "/api/v1/", ALL), caller=NARROW)
    assert done == [places]


@pytest.mark.conformance("T05")
@pytest.mark.timeout(300)
def test_who_is_outside_of_its_groups_is_nobody_wherever_somebody_is_named(
    lasting_world: World, request: pytest.FixtureRequest
) -> None:
    """A member, a robot and a team, by id and by name: as what does not exist."""
    draw, done = random.Random(run_seed(request)), 0  # noqa: S311
    with attacking(lasting_world) as machine:
        outside = machine.stage.outside_the_groups(NARROW)
        for operation, slot in [(one, slot) for one in OPEN for slot in one.slots]:
            if {*map(str, slot.path)} & NAMES_NOBODY:
                continue
            for secrets in outside.values():
                machine.run((NARROW, operation, slot, draw.choice(secrets)))
                done += 1
    assert done >= 500


@pytest.mark.conformance("T05")
def test_every_other_call_is_closed(stage: CanaryWorld) -> None:
    client, closed = stage.callers[NARROW](), 0
    for operation in [*api_operations(), *mem0_operations(), *scim_operations()]:
        if operation in OPEN:
            continue
        slots = [slot for slot in operation.slots if slot.where == "path"]
        address = operation.address
        for slot in slots:
            address = address.replace(f"{{{slot.path[0]}}}", ABSENT_FILLER)
        answer = send(client, operation, address, {}, operation.body)
        assert answer.status_code in (401, 403), (operation, answer.content)
        kind = answer.json().get("type", "")
        if kind.rpartition(":")[2] not in OTHERWISE and kind:
            assert kind == CODE, (operation, kind)
            closed += 1
    assert closed >= 80


@pytest.mark.conformance("T05")
def test_what_it_lists_is_in_its_group(stage: CanaryWorld) -> None:
    """Whole answers, without any id that could give a hint."""
    client, read = stage.callers[NARROW](), set()
    for operation in OPEN:
        if any(slot.where == "path" for slot in operation.slots):
            continue
        body = operation.body
        if isinstance(body, dict) and operation.address.endswith(("recall", "context", "answer")):
            body = {"query": "canary word"}
        query = {"topic": "canary"} if operation.address.endswith(("experts", "similar")) else {}
        if operation.method == "get" or operation.address.endswith(("recall", "context", "answer")):
            answer = send(client, operation, operation.address, query, body)
            text = answer.content.decode()
            assert answer.status_code in (200, 400), (operation, text)
            for canary, readers in READERS.items():
                if f"{canary}." in text:
                    assert NARROW in readers, (operation, canary)
                    read.add(canary)
    assert read >= {"canary-launch", "canary-task-launch", "canary-decision-launch"}


@pytest.mark.slow
@pytest.mark.conformance("T05")
@pytest.mark.timeout(600)
def test_the_machine_notices_a_key_that_forgets_its_limit(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = AuthenticatedRobot.actor

    def unlimited(caller: AuthenticatedRobot) -> Actor:
        return replace(plain(caller), key_groups=None)

    monkeypatch.setattr(AuthenticatedRobot, "actor", unlimited)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        attack(lasting_world, 1, (400, "/api/v1/memories", ALL), caller=NARROW)
