"""What the pages show: the newest memories, one memory with where it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.models import Contribution, Kind, Memory, Status
from memories.querysets import MemoryQuerySet
from memories.services.managing import NotYours, may_change, may_restore
from memories.services.readers import Readers, readers_of
from orgs.models import Group
from orgs.principals import Actor, Principal, resolve
from orgs.rls import organisation_scope
from orgs.services import NotFound
from robots.services import act
from robots.services.directory import known_groups

PAGE = 30
TURNS_AROUND = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory with its readers and whether the asker may change it."""

    memory: Memory
    readers: Readers
    changeable: bool


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the newest; `older_than` continues after the last one, None at the end."""

    rows: list[Shown]
    older_than: UUID | None = None


@dataclass(frozen=True, slots=True)
class Detail:
    """One memory with the robots that said it and the turns around it, oldest first."""

    shown: Shown
    contributions: list[Contribution]
    before: list[Memory]
    after: list[Memory]
    restorable: bool


def show(principal: Principal, rows: Sequence[Memory], organisation: str) -> list[Shown]:
    """Put the readers to each memory; call inside the principal's scope."""
    readers = readers_of(principal, rows, organisation)
    return [Shown(row, readers[row.audience_id], _may_touch(principal, row)) for row in rows]


def _may_touch(principal: Principal, memory: Memory) -> bool:
    return principal.actor.role != "viewer" and may_change(principal, memory)


def _here(principal: Principal, rows: MemoryQuerySet) -> MemoryQuerySet:
    """In a group: what recall would consider there, the same rule as its filters have."""
    actor = principal.actor
    if actor.group_id is None:
        return rows
    return rows.filter(
        Q(audience_id=principal.organisation_audience)
        | ~Q(kind=Kind.DIRECT) & (Q(group_id=None) | Q(group_id=actor.group_id))
    )


def newest(
    actor: Actor,
    *,
    organisation: str,
    now: datetime,
    group: str | None = None,
    older_than: UUID | None = None,
) -> Page:
    """The newest readable memories, a page at a time. Raises NotFound for an unknown group."""
    principal = resolve(act(actor, group=group))
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id)
        rows = _here(principal, rows.active(now).for_people())
        if older_than:
            rows = rows.filter(id__lt=older_than)
        found = list(rows.with_names().order_by("-id")[: PAGE + 1])
        more = len(found) > PAGE
        found = found[:PAGE]
        shown = show(principal, found, organisation)
    return Page(shown, found[-1].id if more else None)


def present(
    actor: Actor, memories: Sequence[Memory], *, organisation: str, group: str | None = None
) -> list[Shown]:
    """The same for memories that a recall has found."""
    principal = resolve(act(actor, group=group))
    with principal.scope():
        return show(principal, memories, organisation)


def detail(actor: Actor, memory_id: UUID, *, organisation: str) -> Detail:
    """One memory. Raises NotFound; a forgotten one exists only for those who may bring it back."""
    principal = resolve(actor)
    with principal.scope():
        memory = (
            Memory.objects.filter(organisation_id=principal.organisation_id, id=memory_id)
            .for_people()
            .with_names()
            .first()
        )
        if memory is None:
            raise NotFound("no such memory")
        shown = show(principal, [memory], organisation)[0]
        if memory.status == Status.FORGOTTEN and not may_restore(principal, memory):
            raise NotFound("no such memory")
        contributions = Contribution.objects.filter(
            organisation_id=principal.organisation_id, memory_id=memory.id
        ).select_related("robot", "member")
        before, after = _around(memory)
        return Detail(
            shown,
            list(contributions.order_by("first_at", "id")),
            before,
            after,
            restorable=shown.changeable
            and memory.status in (Status.FORGOTTEN, Status.ARCHIVED)
            and may_restore(principal, memory),
        )


def _around(memory: Memory) -> tuple[list[Memory], list[Memory]]:
    """The readable turns next to it in the same conversation."""
    if memory.conversation is None:
        return [], []
    turns = (
        Memory.objects.filter(
            organisation_id=memory.organisation_id,
            conversation=memory.conversation,
            group=memory.group,
            status=Status.ACTIVE,
        )
        .exclude(id=memory.id)
        .with_names()
    )
    before = turns.filter(position__lte=memory.position).order_by("-position", "-id")
    after = turns.filter(position__gt=memory.position).order_by("position", "id")
    return list(before[:TURNS_AROUND])[::-1], list(after[:TURNS_AROUND])


def editable(actor: Actor, memory_id: UUID, *, organisation: str) -> Shown:
    """An active memory that the asker may change. Raises NotFound and NotYours."""
    shown = detail(actor, memory_id, organisation=organisation).shown
    if not shown.changeable:
        raise NotYours("You may read this memory, but it is not yours to change.")
    return shown


def groups_to_ask_in(actor: Actor) -> list[Group]:
    """The groups that the asker reads, by name."""
    with organisation_scope(actor.organisation_id):
        return list(known_groups(actor).order_by("name"))
