"""Ids of what the asker may not see, in every place of every call (T05, T06)."""

import copy
import difflib
import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from uuid import UUID

import pytest
import time_machine
from django.db import transaction
from django.http import HttpResponse
from django.utils import timezone

from memories.api.mem0.base import Mem0View, NotHereView
from memories.indexing import exact_scan
from orgs.database.rls import Scope, scope
from orgs.models.audiences import Audience
from orgs.models.organisations import Group
from orgs.principals import Principal
from robots.api.scim import base as scim_base
from robots.api.scim.base import ScimView
from tests.isolation.api_surface import (
    MEM0_ROUTE,
    SCIM_ROUTE,
    TOOLS,
    UNDESCRIBED,
    Operation,
    Slot,
    api_operations,
    iter_url_patterns,
    mem0_operations,
    openapi_path,
    page_operations,
    scim_operations,
    tool_operations,
)
from tests.isolation.canaries import (
    OWN,
    CanaryWorld,
    absent_reference,
    memory_states,
    plant_canaries,
)
from tests.isolation.comparable_responses import (
    fast_path_answer,
    normalise_response,
    response_text,
    send,
)
from tests.large_scopes import force_index_search
from tests.sampling import ALL, run_seed, sample_slice
from tests.world import PEOPLE, World

Attempt = tuple[str, Operation, Slot, str]


def operations_of(caller: str) -> list[Operation]:
    """What a caller can send: people and strangers have the pages too, robots the tools."""
    pages = page_operations() if caller in PEOPLE or caller == "nobody" else []
    doors = tool_operations() + mem0_operations() + scim_operations()
    programs = doors if caller not in PEOPLE else []
    return api_operations() + pages + programs


def attempts(stage: CanaryWorld, about: str, part: slice, caller: str = "") -> list[Attempt]:
    """Everyone, or one caller, x every operation of a part of those that `about` is in the name of
    x every slot x every id that is not theirs to know."""
    found = []
    for name in [caller] if caller else stage.callers:
        hidden = stage.hidden_from(name)
        some = [operation for operation in operations_of(name) if about in str(operation)]
        for operation in sorted(some, key=str)[part]:
            for slot in operation.slots:
                for secret in hidden:
                    found.append((name, operation, slot, secret))
    return found


# Texts that are looked for by words and by meaning.
SOUGHT = ("q", "query", "question", "text", "topic")


def chosen(everything: list[Attempt], count: int, seed: int) -> Iterator[Attempt]:
    """One attempt for each operation, however many they are; then for each slot, then at random."""
    shuffled = random.Random(seed).sample(everything, len(everything))  # noqa: S311
    operations: dict[str, Attempt] = {}
    slots: dict[tuple[str, Slot], Attempt] = {}
    for attempt in shuffled:
        operations.setdefault(str(attempt[1]), attempt)
        slots.setdefault((str(attempt[1]), attempt[2]), attempt)
    ordered = [*operations.values(), *slots.values(), *shuffled]
    distinct = {id(attempt): attempt for attempt in ordered}
    yield from islice(distinct.values(), max(count, len(operations)))


class Attack:
    """Sends attempts, each in a transaction that is undone, beside its absent twin."""

    def __init__(self, stage: CanaryWorld) -> None:
        self.stage = stage
        self.before = memory_states(stage)
        self.clients = {name: make() for name, make in stage.callers.items()}
        self.cookies = {name: copy.deepcopy(c.cookies) for name, c in self.clients.items()}
        self.known = frozenset(
            str(thing)
            for thing in (
                *stage.memories.values(),
                *stage.secrets["here"],
                *stage.secrets["stranger"],
            )
        )
        self.twins: dict[tuple[str, str, Slot, str, int], str] = {}
        self.straight = 0

    def answer(self, attempt: Attempt) -> tuple[str, str]:
        """(comparable, whole) of the answer; a changed memory fails at once."""
        caller, operation, slot, value = attempt
        with transaction.atomic():
            path, query, body = operation.call(slot, value, self.stage.own_things(caller))
            client = self.clients[caller]
            # A page may sign out or leave a message: every call starts from the same cookies.
            client.cookies = copy.deepcopy(self.cookies[caller])
            straight = fast_path_answer(client, path, query, body)
            answer = send(client, operation, path, query, body)
            whole = response_text(answer)
            if straight is not None:
                self.straight += 1
                assert answer.status_code == 200, (attempt, whole)
                told = HttpResponse(straight, headers=dict(answer.headers))
                assert normalise_response(told, value, self.known) == normalise_response(
                    answer, value, self.known
                )
            if operation.method != "get" and answer.status_code < 400:
                self.unchanged(attempt)
            transaction.set_rollback(True)
        return normalise_response(answer, value, self.known), whole

    def unchanged(self, attempt: Attempt) -> None:
        hidden = set(self.stage.hidden_from(attempt[0]))
        after = {str(row[0]): row for row in memory_states(self.stage)}
        for row in self.before:
            if str(row[0]) in hidden:
                assert after.get(str(row[0])) == row, f"{attempt} changed a hidden memory"

    def run(self, attempt: Attempt) -> None:
        caller, operation, slot, secret = attempt
        told, whole = self.answer(attempt)
        assert not whole.startswith("5"), (attempt, whole)
        for word in self.stage.forbidden_words(caller):
            # What was sent may come back; nothing else of the hidden may.
            if word != secret:
                assert word not in whole.replace(secret, ""), (attempt, word, whole)
        twin = absent_reference(secret)
        if slot.path[-1] in SOUGHT:
            # Other words bring rows in another order; tests/isolation/test_traces.py asks the same
            # words with and without the hidden rows.
            return
        key = (caller, str(operation), slot, twin, exact_scan.EXACT_SCAN_LIMIT)
        if key not in self.twins:
            self.twins[key] = self.answer((caller, operation, slot, twin))[0]
        if told != self.twins[key]:
            lines = difflib.unified_diff(
                self.twins[key].split("\n"), told.split("\n"), "absent", n=0
            )
            pytest.fail(f"{caller}: {operation} {slot} tells {secret}:\n" + "\n".join(lines))


# What of a round is attacked: (how many attempts at most, what is in the names of the operations,
# which of these operations).
Round = tuple[int, str, slice]


@contextmanager
def attacking(world: World) -> Iterator[Attack]:
    """The machine, with a vector for every row, and the indexes of a large scope at hand."""
    machine = Attack(plant_canaries(world))
    for tenant in (world.here, world.there):
        tenant.embed()
    # Time stands still, so that strength and signatures are equal in equal answers.
    with (
        time_machine.travel(timezone.now(), tick=False),
        pytest.MonkeyPatch.context() as patch,
    ):
        force_index_search(patch, world.here.id, world.there.id)
        yield machine


def attack(world: World, seed: int, *rounds: Round, caller: str = "") -> list[int]:
    """Attempts as many as each round says, at least one for each operation, by one caller or all;
    returns their numbers. Every other question is served by the indexes of a large scope."""
    done = [0 for _ in rounds]
    with attacking(world) as machine:
        for number, (count, about, part) in enumerate(rounds):
            for attempt in chosen(attempts(machine.stage, about, part, caller), count, seed):
                exact_scan.EXACT_SCAN_LIMIT = 0 if done[number] % 2 else 20_000
                machine.run(attempt)
                done[number] += 1
    if any("recall" in about for _, about, _ in rounds):
        assert machine.straight, "recalls by key were asked on both ways"
    return done


@pytest.mark.conformance("A14", "T05", "T06")
@pytest.mark.timeout(300)
def test_no_attempt_finds_anything(lasting_world: World, request: pytest.FixtureRequest) -> None:
    """A part of the operations once each, a part of the places of each other door, and recalls,
    which have a straight way."""
    part = sample_slice(request, 4)
    tools, mem0 = (sum(len(o.slots) for o in some()) for some in (tool_operations, mem0_operations))
    at_least = [50, 24, tools, mem0 // 2, 17]
    done = attack(
        lasting_world,
        run_seed(request),
        (1, "", part),
        (24, "/recall", ALL),
        (tools, "TOOL ", ALL),
        (mem0 // 2, "/mem0/", ALL),
        (24, "/scim/", ALL),
    )
    assert all(n >= least for n, least in zip(done, at_least, strict=True)), done


@pytest.mark.slow
@pytest.mark.conformance("A14", "T05", "T06")
@pytest.mark.timeout(3600)
def test_ten_thousand_attempts_find_nothing(
    lasting_world: World, request: pytest.FixtureRequest
) -> None:
    tools, mem0 = (sum(len(o.slots) for o in some()) for some in (tool_operations, mem0_operations))
    rounds = ((10_000, "", ALL), (60, "/recall", ALL), (6 * tools, "TOOL ", ALL))
    rounds += ((3 * mem0, "/mem0/", ALL), (200, "/scim/", ALL))
    done = attack(lasting_world, run_seed(request) + 1, *rounds)
    assert done == [count for count, _, _ in rounds]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("one_of", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_two_equal_calls_are_answered_alike(
    lasting_world: World, request: pytest.FixtureRequest, one_of: int
) -> None:
    """Else an attempt that is compared fails by the draw: whoever may do it does it twice."""
    machine = Attack(plant_canaries(lasting_world))
    done: dict[str, str] = {}
    with time_machine.travel(timezone.now(), tick=False):
        for caller in (OWN, "ada", "dora"):
            for operation in operations_of(caller)[sample_slice(request, one_of)]:
                # An address with an id in it is asked of what is absent, and tells nothing.
                in_path = any(slot.where == "path" for slot in operation.slots)
                for slot in () if in_path else operation.slots[-2:]:
                    twin = (caller, operation, slot, absent_reference(str(UUID(int=7))))
                    told, whole = machine.answer(twin)
                    assert told == machine.answer(twin)[0], (caller, operation, slot)
                    if whole.startswith("2"):
                        done.setdefault(str(operation), caller)
    assert len(done) >= 60 // one_of // 3


@pytest.mark.conformance("T05")
def test_every_tool_has_arguments_that_are_attacked() -> None:
    tools = tool_operations()
    assert {operation.address for operation in tools} == set(TOOLS)
    assert all(operation.slots for operation in tools)


@pytest.mark.conformance("T05")
def test_every_address_of_the_api_is_attacked() -> None:
    known = {operation.address for operation in api_operations()}
    for route, pattern in iter_url_patterns():
        if not route.startswith("api/") or route in UNDESCRIBED:
            continue
        assert openapi_path(route) in known, f"{route} is not described, so nothing attacks it"
        methods = {o.method for o in api_operations() if o.address == openapi_path(route)}
        offered = set(getattr(pattern.callback.view_class, "http_method_names", []))
        written = {m for m in offered if hasattr(pattern.callback.view_class, m)} - {"options"}
        assert written - {"head"} <= methods, f"{route}: {written - methods} are not described"
    for operation in api_operations():
        if "{" in operation.address:
            assert any(slot.where == "path" for slot in operation.slots), operation


@pytest.mark.conformance("T05")
def test_every_address_of_the_mem0_door_is_attacked() -> None:
    known = {(o.address, o.method) for o in mem0_operations()}
    refused = 0
    for route, pattern in iter_url_patterns(mem0=True):
        if not route.startswith(MEM0_ROUTE):
            continue
        view = pattern.callback.view_class
        assert issubclass(view, Mem0View), f"{route}: it takes keys of robots alone"
        if view is NotHereView:
            refused += 1
            continue
        offered = {m for m in ("get", "post", "put", "patch", "delete") if hasattr(view, m)}
        assert {(openapi_path(route), m) for m in offered} <= known, route
    assert (refused, len(known)) == (4, 29)


@pytest.mark.conformance("N23")
def test_every_address_of_scim_is_attacked() -> None:
    known, refused = {(o.address, o.method) for o in scim_operations()}, 0
    for route, pattern in iter_url_patterns(mem0=True):
        if not route.startswith(SCIM_ROUTE):
            continue
        view = pattern.callback.view_class
        assert issubclass(view, ScimView), f"{route}: it takes keys that manage alone"
        if view in (scim_base.NotHereView, scim_base.NotBuiltView):
            refused += 1
            continue
        offered = {m for m in ("get", "post", "put", "patch", "delete") if hasattr(view, m)}
        assert {(openapi_path(route), m) for m in offered} <= known, route
    assert (refused, len(known)) == (5, 17)


@contextmanager
def everything_open(
    principal: Principal, deposit: tuple[UUID, ...] = (), *, relaxed: bool = False
) -> Iterator[None]:
    """A scope that forgets whom it is for."""
    with scope(Scope(organisation=principal.organisation_id)):
        every = tuple(Audience.objects.values_list("id", flat=True))
    reader = principal.reader
    opened = Scope(principal.organisation_id, audiences=every, deposit=deposit, reader=reader)
    with scope(opened):
        yield


@pytest.mark.slow
@pytest.mark.conformance("T05", "T06")
@pytest.mark.parametrize(
    ("place", "leak", "about"),
    [
        ("orgs.principals.Principal.scope", everything_open, ""),
        (
            "robots.people.directory.visible_groups",
            lambda actor: Group.objects.all(),
            "GET /api/v1/groups",
        ),
    ],
)
def test_the_machine_notices_a_leak(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, place: str, leak: object, about: str
) -> None:
    monkeypatch.setattr(place, leak)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        attack(lasting_world, 1, (1_000, about, ALL))
