"""A conversation with its turns in order, and the memories made from them.

A conversation is found by one of its turns that the asker reads. Its own name often contains that
of the group, which not everybody may know.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.access.lookup import fetch
from memories.library.threads.figures import ThreadFigures, conversation_figures, figures_from
from memories.restatement.models import Restatement
from memories.store.models.choices import Kind, Status
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.errors import NotFound
from orgs.principals import Actor, Principal, resolve

PAGE = 50
# How many turns before the anchor a page shows.
LEAD = 5
MOST_LEARNT = 100


@dataclass(frozen=True, slots=True)
class Learnt:
    """A memory that was made from turns of the page. sources: the ids of these turns, in their
    order."""

    memory: Memory
    sources: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """A page of a conversation. anchor: the memory at which it was opened.

    restated: restatements by the id of the turn. earlier, later: the turns before and after which
    the neighbouring pages begin, None at an end.
    """

    anchor: Memory
    turns: list[Memory]
    figures: ThreadFigures
    restated: dict[UUID, str] = field(default_factory=dict)
    learnt: list[Learnt] = field(default_factory=list)
    earlier: UUID | None = None
    later: UUID | None = None


def thread(
    actor: Actor,
    memory_id: UUID,
    *,
    before: UUID | None = None,
    after: UUID | None = None,
    now: datetime,
) -> Thread:
    """The page of turns around a memory, or before or after another turn of its conversation.

    Raises NotFound for a memory that the asker may not read, that belongs to no conversation, or
    whose conversation has no turn left that they read.
    """
    principal = resolve(actor)
    with principal.scope():
        anchor = _anchor(principal, memory_id)
        rows = _turns(principal, anchor, now)
        figures = _figures(principal, anchor, now)
        if figures is None:
            raise NotFound("no such conversation")
        ids, earlier, later = _page(principal, anchor, rows, before, after)
        known = rows.with_names().in_bulk(ids)
        turns = [known[id_] for id_ in ids if id_ in known]
        return Thread(
            anchor,
            turns,
            figures,
            _restated(principal, ids),
            _learnt(principal, ids, now),
            ids[0] if ids and earlier else None,
            ids[-1] if ids and later else None,
        )


def _anchor(principal: Principal, memory_id: UUID) -> Memory:
    memory = fetch(principal, memory_id)
    if memory.kind == Kind.INTERNAL or memory.status == Status.FORGOTTEN:
        raise NotFound("no such memory")
    if not memory.conversation:
        raise NotFound("it belongs to no conversation")
    return memory


def _figures(principal: Principal, anchor: Memory, now: datetime) -> ThreadFigures | None:
    rows = Memory.objects.filter(organisation_id=principal.organisation_id, id=anchor.id)
    found = rows.annotate(figures=conversation_figures(now)).values_list("figures", flat=True)
    return figures_from(found.first())


def _turns(principal: Principal, anchor: Memory, now: datetime) -> MemoryQuerySet:
    rows = Memory.objects.filter(
        organisation_id=principal.organisation_id, conversation=anchor.conversation
    )
    of = Q(group_id=anchor.group_id) if anchor.group_id else Q(group_id__isnull=True)
    rows = rows.filter(of)
    return rows.active(now).for_people()


def _page(
    principal: Principal,
    anchor: Memory,
    rows: MemoryQuerySet,
    before: UUID | None,
    after: UUID | None,
) -> tuple[list[UUID], bool, bool]:
    """The ids in order, and whether there are earlier and later ones."""
    if before:
        found = _back(rows, _place(principal, anchor, before), PAGE + 1)
        return found[:PAGE][::-1], len(found) > PAGE, True
    if after:
        found = _on(rows, _place(principal, anchor, after), PAGE + 1)
        return found[:PAGE], True, len(found) > PAGE
    place = (anchor.position, anchor.id)
    lead = _back(rows, place, LEAD + 1)
    rest = _on(rows, place, PAGE + 1, itself=True)
    ids = [*lead[:LEAD][::-1], *rest]
    return ids[:PAGE], len(lead) > LEAD, len(ids) > PAGE


def _place(principal: Principal, anchor: Memory, turn_id: UUID) -> tuple[int, UUID]:
    """The (position, id) of a turn that an address names. Raises NotFound for a turn of another
    conversation."""
    turn = fetch(principal, turn_id)
    if (turn.conversation, turn.group_id) != (anchor.conversation, anchor.group_id):
        raise NotFound("no such turn")
    return turn.position, turn.id


def _back(rows: MemoryQuerySet, place: tuple[int, UUID], most: int) -> list[UUID]:
    position, id_ = place
    earlier = rows.filter(Q(position__lt=position) | Q(position=position, id__lt=id_))
    return list(earlier.order_by("-position", "-id").values_list("id", flat=True)[:most])


def _on(
    rows: MemoryQuerySet, place: tuple[int, UUID], most: int, *, itself: bool = False
) -> list[UUID]:
    position, id_ = place
    same = Q(position=position, id__gte=id_) if itself else Q(position=position, id__gt=id_)
    later = rows.filter(Q(position__gt=position) | same)
    return list(later.order_by("position", "id").values_list("id", flat=True)[:most])


def _restated(principal: Principal, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = Restatement.objects.filter(
        organisation_id=principal.organisation_id, memory_id__in=ids
    ).exclude(text="")
    return dict(rows.values_list("memory_id", "text"))


def _learnt(principal: Principal, ids: Sequence[UUID], now: datetime) -> list[Learnt]:
    """The memories made from these turns, in the order of the turns, without turns themselves."""
    links = Derivation.objects.filter(
        organisation_id=principal.organisation_id, source_id__in=ids
    ).exclude(memory_id__in=ids)
    order = {id_: place for place, id_ in enumerate(ids)}
    sources: dict[UUID, list[UUID]] = {}
    for made, source in links.order_by("-memory_id").values_list("memory_id", "source_id")[
        :MOST_LEARNT
    ]:
        sources.setdefault(made, []).append(source)
    rows = Memory.objects.filter(organisation_id=principal.organisation_id)
    known = rows.active(now).for_people().with_names().in_bulk(list(sources)) if sources else {}
    learnt = [
        Learnt(row, tuple(sorted(sources[id_], key=lambda one: order[one])))
        for id_, row in known.items()
    ]
    return sorted(learnt, key=lambda one: (order[one.sources[0]], one.memory.id))
