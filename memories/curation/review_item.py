"""An item of the review queue for its page: the item, its readers and similar memories."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.access.reader_sentences import AudienceSentence
from memories.access.readers import newly_in, readers_in
from memories.access.sheet.reader_rows import Part
from memories.access.sheet.reader_sheet import ReaderSheet, sheet_in
from memories.library.history import versions_of
from memories.lifecycle.consolidation.capacity_items import foresee_item
from memories.retrieval.explanation.similar_memories import resembling
from memories.review.deciders import curators, may_decide
from memories.review.holds import let_go_of_others, take_hold
from memories.review.models import HELD, PAIRS, Cause, Proposal, State
from memories.review.queue import Count, count, find, following, queue, window
from memories.safety.stored import originals_of
from memories.store.models.memory import Memory
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve

PAGE = 30
GOING = 10
_GOES_THERE = (State.OPEN, State.APPROVED, State.MERGED)


@dataclass(frozen=True, slots=True)
class Inspected:
    """An item with its surroundings.

    readers: for an open proposal who would be added, else the present ones. similar: for a proposal
    known memories, for a pair the older one; unlike: the ids of those that have little to do with
    it. decides: whether the asker may decide it now; held: somebody else has it open. going: for an
    item about too many memories, the first GOING that would be archived now; going_count: how many
    would. original: for a memory held by a gate, the words as they were written, given only to the
    member for whom they were. beside: waiting items around it.
    """

    item: Proposal
    readers: AudienceSentence
    decides: bool
    held: bool
    similar: list[Memory] = field(default_factory=list)
    unlike: frozenset[UUID] = frozenset()
    curators: list[Member] = field(default_factory=list)
    count: Count | None = None
    going: list[Memory] = field(default_factory=list)
    going_count: int = 0
    original: str | None = None
    beside: list[Proposal] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue; `after` continues it."""

    items: list[Proposal]
    readers: dict[UUID, AudienceSentence]
    count: Count
    after: UUID | None = None


def open_item(
    actor: Actor,
    item_id: UUID,
    *,
    organisation: str,
    now: datetime,
    filters: dict[str, object] | None = None,
    handing_out: bool = False,
    moving: bool = False,
) -> Inspected:
    """Open an item. If the asker may decide it, they hold it from then on. Raises NotFound.

    filters: of the queue that the asker works through, for `beside`. handing_out: whether to list
    the curators to assign it to. moving: the asker comes from another item, which is released;
    `beside` stays empty, because it is on their screen.
    """
    principal = resolve(actor)
    with principal.scope():
        beside = [] if moving else window(principal, filters or {}, item_id)
        item = next((row for row in beside if row.id == item_id), None) or find(principal, item_id)
        # Decided items and one's own proposals are shown without being held.
        decides = item.state == State.OPEN and may_decide(principal, item)
        held = decides and not take_hold(principal, item, now)
        if moving:
            let_go_of_others(principal, item)
        going, going_count = _going(item, now) if decides else ([], 0)
        similar = _similar(principal, item, now) if decides else []
        held_texts = [item.memory_id] if item.cause in HELD else []
        return Inspected(
            item=item,
            original=originals_of(actor.organisation_id, held_texts).get(item.memory_id),
            going=going,
            going_count=going_count,
            readers=_readers(principal, item, organisation),
            decides=decides and not held,
            held=held,
            similar=[memory for memory, _ in similar],
            unlike=frozenset(memory.id for memory, folded in similar if folded),
            curators=curators(actor) if decides and handing_out else [],
            count=count(principal, _midnight(now)) if decides else None,
            beside=beside,
        )


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _readers(principal: Principal, item: Proposal, organisation: str) -> AudienceSentence:
    """For an open proposal the readers who would be added; otherwise the present readers."""
    place, target = item.memory.audience, item.target_audience
    if target and target.id in principal.audiences:
        if item.state == State.OPEN:
            return newly_in(principal, target, place, organisation)
        if item.state in (State.APPROVED, State.MERGED):
            place = target
    return readers_in(principal, [place], organisation)[place.id]


def item_sheet(
    actor: Actor, item_id: UUID, *, organisation: str, start: int = 0, most: int
) -> ReaderSheet:
    """The readers of an item one by one: `most` of each kind after `start`. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        item = find(principal, item_id)
        place, target = item.memory.audience, item.target_audience
        before: tuple[UUID, ...] = ()
        if target and target.id in principal.audiences and item.state in _GOES_THERE:
            before = (place.id,) if item.state == State.OPEN else ()
            place = target
        return sheet_in(
            principal,
            place,
            organisation=organisation,
            memory=item.memory,
            before=before,
            part=Part(start, most),
        )


def _going(item: Proposal, now: datetime) -> tuple[list[Memory], int]:
    """The memories that approving would archive now, and how many; the asker reads the audience."""
    if item.cause != Cause.CAPACITY:
        return [], 0
    choice = foresee_item(item, now)
    rows = Memory.objects.filter(organisation_id=item.organisation_id).in_bulk(choice.ids[:GOING])
    return [rows[id_] for id_ in choice.ids[:GOING] if id_ in rows], len(choice.ids)


def _similar(principal: Principal, item: Proposal, now: datetime) -> list[tuple[Memory, bool]]:
    """Similar memories, each with whether it has little to do with the item."""
    if item.cause in PAIRS and item.other_id:
        tenant = {"organisation_id": principal.organisation_id}
        found = Memory.objects.filter(**tenant, id=item.other_id).with_names()
        return [(memory, False) for memory in found]
    if item.cause != Cause.PUBLISH or item.target_audience_id not in principal.audiences:
        return [(item.other, False)] if item.other else []
    return resembling(principal, item.memory.content, item.target_audience_id, now=now)


def before_change(actor: Actor, memory: Memory, version: int) -> str:
    """The text of a version of a memory; empty if the asker may not read that version."""
    principal = resolve(actor)
    with principal.scope():
        found = versions_of(principal, memory, limit=1, before=version + 1).versions
    return found[0].content if found and found[0].number == version else ""


def next_item(
    actor: Actor, after: UUID | None, *, now: datetime, filters: dict[str, object] | None = None
) -> UUID | None:
    """The next item that waits for the asker, with the filters of their queue."""
    principal = resolve(actor)
    with principal.scope():
        return following(principal, after, now, filters or {})


def listed(
    actor: Actor,
    filters: dict[str, object],
    *,
    organisation: str,
    after: UUID | None,
    now: datetime,
) -> QueuePage:
    """A page of items: waiting ones from the oldest on, all others from the newest on."""
    principal = resolve(actor)
    oldest_first = filters.get("state") == State.OPEN and not filters.get("mine")
    with principal.scope():
        rows = queue(principal, filters).order_by("id" if oldest_first else "-id")
        if after:
            rows = rows.filter(id__gt=after) if oldest_first else rows.filter(id__lt=after)
        # Ids first: otherwise the names of all matches would be joined before they are sorted.
        found = list(rows.values_list("id", flat=True)[: PAGE + 1])
        known = rows.in_bulk(found[:PAGE]) if found else {}
        shown = [known[id_] for id_ in found[:PAGE] if id_ in known]
        places = [item.memory.audience for item in shown]
        return QueuePage(
            shown,
            readers_in(principal, places, organisation),
            count(principal, _midnight(now)),
            shown[-1].id if len(found) > PAGE else None,
        )
