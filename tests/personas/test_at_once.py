"""Many at the same moment: one robot, one persona, one block."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from django.db import IntegrityError, connection

from memories.access.consent import SharingOptOutError
from memories.access.visibility import Visibility
from memories.privacy.opt_out import set_sharing
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.principals import Actor, resolve_principal
from personas.associations.association_changes import ensure_association
from personas.associations.cohort_audiences import get_cohort_audience
from personas.associations.personal_robot import ensure_own_robot
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.models.blocks import Block, BlockRobot
from personas.models.personas import Association, Persona
from robots.models.robots import Robot
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_owner_actor,
    make_personal_robot,
)
from tests.world import NOW, World


def at_once(count: int, work: Callable[[int], object]) -> list[object]:
    """The same from so many connections, all begun together."""
    ready = Barrier(count)

    def one(number: int) -> object:
        try:
            ready.wait(timeout=30)
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


@pytest.mark.conformance("P04")
def test_two_log_ins_at_once_make_one_robot(lasting_world: World) -> None:
    here = lasting_world.here
    mina = here.person("mina")
    made = at_once(4, lambda number: ensure_own_robot(mina, now=NOW).id)
    assert len(set(made)) == 1
    with organisation_scope(here.id):
        assert Robot.objects.filter(owner=here.members["mina"]).count() == 1
        assert Block.objects.filter(member=here.members["mina"]).count() == 2


@pytest.mark.conformance("P11")
def test_sixteen_calls_at_once_make_one_persona_and_one_block(lasting_world: World) -> None:
    here = lasting_world.here
    robots: list[Actor] = [
        make_personal_robot(here, name) for name in ("mina", "bob", "ada", "chidi")
    ]

    def call(number: int) -> object:
        done = ensure_association(
            robots[number % 4], member=None, handle="food_quality", confidence=None, now=NOW
        )
        return done.association.persona_id

    assert len(set(at_once(16, call))) == 1
    with organisation_scope(here.id):
        persona = Persona.objects.get(handle="food_quality")
        assert Block.objects.filter(persona=persona).count() == 1
        assert Association.objects.filter(persona=persona).count() == 4
        assert BlockRobot.objects.filter(block__persona=persona).count() == 4
        assert Member.objects.filter(id__in=[m.id for m in here.members.values()]).count() == 5


@pytest.mark.conformance("P11")
def test_two_processes_that_both_saw_no_block_make_one(lasting_world: World) -> None:
    """Whatever a process has looked up before, the database takes one persona and one block."""
    here = lasting_world.here
    done = ensure_association(
        make_personal_robot(here, "mina"),
        member=None,
        handle="food_quality",
        confidence=None,
        now=NOW,
    )
    with organisation_scope(here.id):
        persona = Persona.objects.get(id=done.association.persona_id)
        block = Block.objects.get(persona_id=persona.id)
    for row in (persona, block):
        row.pk = new_id()
        with pytest.raises(IntegrityError, match="duplicate key"), organisation_scope(here.id):
            row.save(force_insert=True)


@pytest.mark.conformance("P09")
def test_writes_at_once_are_all_kept_and_read_by_all(lasting_world: World) -> None:
    here = lasting_world.here
    names = ("mina", "bob", "ada")
    for name in names:
        make_association(here, name)
    robots = [make_owner_actor(here, name) for name in names]
    shared = {get_block_by_label(robot).block.id for robot in robots}
    assert len(shared) == 1
    (id_,) = shared

    def call(number: int) -> object:
        line = f"Pattern {chr(97 + number)} was seen with users."
        return add_entry(robots[number % 3], id_, line, wanted=WriteOptions(), now=NOW).view.version

    versions = at_once(9, call)
    assert sorted(versions) == list(range(1, 10))
    texts = {get_block_by_label(robot).text for robot in robots}
    assert len(texts) == 1
    assert len(texts.pop().splitlines()) == 9


@pytest.mark.conformance("P19")
def test_an_opt_out_waits_for_the_write_under_way_and_stops_the_next(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    robot = make_owner_actor(here, "mina")
    before, shared = resolve_principal(robot), get_block_by_label(robot).block.id
    begun, may_end, out = Event(), Event(), Event()

    def write() -> None:
        with before.scope():
            add_entry(robot, shared, "They check visits first.", wanted=WriteOptions(), now=NOW)
            begun.set()
            assert may_end.wait(timeout=30)

    def opt_out() -> None:
        assert begun.wait(timeout=30)
        set_sharing(here.person("mina"), out=True, withdraw=True, now=NOW)
        out.set()

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(closing, one) for one in (write, opt_out)]
        assert begun.wait(timeout=30)
        # The write holds her wish: it cannot change before that has ended.
        assert not out.wait(timeout=0.5)
        may_end.set()
        for one in done:
            one.result(timeout=60)
    # What was written came back with the rest; the others never keep it.
    assert list(get_block_by_label(make_owner_actor(here, "bob")).entries) == []
    # Who was looked up before the wish writes nothing after it.
    with organisation_scope(here.id), pytest.raises(SharingOptOutError):
        get_cohort_audience(before, Visibility.PERSONA, QSR)


def closing(work: Callable[[], None]) -> None:
    try:
        work()
    finally:
        connection.close()
