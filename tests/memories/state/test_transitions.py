"""The columns that say what became of a memory, before and after."""

from typing import Any

import pytest

from memories.state import transitions
from memories.store.models.choices import QuarantineGate, Status
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.world import NOW, World

STATE = ("status", "archived_at", "archived_for", "forgotten_at", "forgotten_by_subject")
ACTIVE = (Status.ACTIVE, None, "", None, False)


def stored(row: Memory) -> tuple[Any, ...]:
    """The columns as they are stored; equal to those of the object at hand."""
    [found] = Memory.objects.filter(id=row.id).values_list(*STATE)
    assert found == tuple(getattr(row, name) for name in STATE)
    return tuple(found)


@pytest.mark.parametrize("by_subject", [True, False])
def test_nothing_is_left_of_why_it_was_away(world: World, *, by_subject: bool) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_ = here.remember(aria, "The office closes at six.").id
    with resolve_principal(aria).scope():
        row = Memory.objects.select_for_update(of=("self",)).get(id=id_)
        assert stored(row) == ACTIVE
        transitions.archive_memories([row], NOW, reasons={id_: "age"})
        assert stored(row) == (Status.ARCHIVED, NOW, "age", None, False)
        transitions.forget_memories([row], NOW, by_subject=by_subject)
        assert stored(row) == (Status.FORGOTTEN, NOW, "age", NOW, by_subject)
        transitions.restore_memories([row], NOW)
        assert stored(row) == ACTIVE
        assert (row.restored_at, row.updated_at, row.version) == (NOW, NOW, 1)


def test_each_of_several_becomes_what_it_was(world: World) -> None:
    """One is held by a gate, one waits for a curator, one was active."""
    here, bob = world.here, world.here.person("bob")
    ids = [
        here.remember(bob, f"Locker {number} is mine.", visibility=audience).id
        for number, audience in enumerate(("organisation", "organisation", "private"))
    ]
    with resolve_principal(bob).scope():
        rows = list(
            Memory.objects.select_for_update(of=("self",)).filter(id__in=ids).order_by("id")
        )
        rows[0].held_for = QuarantineGate.POISON
        rows[0].save(update_fields=["held_for"])
        transitions.archive_memories(rows, NOW)
        assert {row.status for row in rows} == {Status.ARCHIVED}
        transitions.restore_memories(rows, NOW)
        now = [stored(row)[0] for row in rows]
    assert now == [Status.QUARANTINED, Status.PENDING_REVIEW, Status.ACTIVE]
