"""An item of the review queue for its page: the item, its readers and similar memories."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import (
    load_audience_summaries,
    load_new_readers_summary,
)
from memories.access.permissions import may_change
from memories.access.reader_list.reader_list import ReaderList, build_reader_list
from memories.access.reader_list.reader_query import ReaderPageQuery
from memories.browsing.memory_versions import load_versions
from memories.curation.decision_records.decision_queries import (
    DecisionRecord,
    load_record,
)
from memories.curation.decision_records.record_parts import is_decision
from memories.curation.undo_review_decision import may_undo_by_itself
from memories.knowledge_graph.models import Task
from memories.lifecycle.consolidation.capacity_items import preview_item
from memories.retrieval.explanation.explain import find_similar
from memories.review.deciders import list_curators, may_decide
from memories.review.item_locks import is_locked_by_other
from memories.review.models import (
    GATE_CAUSES,
    NEW_TEXT_CAUSES,
    PAIR_CAUSES,
    Proposal,
    ProposalCause,
    ProposalState,
)
from memories.review.review_queue import (
    QueueProgress,
    count_progress,
    filter_items,
    find_next_item_id,
    get_item_in_scope,
    list_window,
)
from memories.safety.memory_submissions import load_originals
from memories.state.supersede_wishes import NO_WISHES, SupersedeWishes, load_wishes
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.errors import NotFoundError
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve_principal

PAGE_SIZE = 30
ARCHIVE_SAMPLE_SIZE = 10
_TARGET_READER_STATES = (ProposalState.OPEN, ProposalState.APPROVED, ProposalState.MERGED)


@dataclass(frozen=True, slots=True)
class ReviewItemPage:
    """An item with its surroundings.

    readers: for an open proposal who would be added, else the present ones. similar: for a proposal
    known memories, for a pair the older one; unlike: the ids of those that have little to do with
    it. decides: whether the asker may decide it now; merges: of a pair also by merging it;
    undoes: whether they may undo what nobody decided; held: somebody else holds it; mine: the asker
    does. going: for an item about too many memories, the first GOING that would be archived now;
    going_count: how many would. original: for a memory held by a gate, the words as they were
    written, given only to the member for whom they were. beside: waiting items around it. seen:
    the text that a report or a wish was about, if it is another one now. record: of a decision that
    would be published, what was said for and against it; tasks: the tasks that go with a text.
    """

    item: Proposal
    readers: AudienceSummary
    decides: bool
    held: bool
    mine: bool = False
    merges: bool = False
    undoes: bool = False
    similar: list[Memory] = field(default_factory=list)
    unlike: frozenset[UUID] = frozenset()
    curators: list[Member] = field(default_factory=list)
    count: QueueProgress | None = None
    going: list[Memory] = field(default_factory=list)
    going_count: int = 0
    original: str | None = None
    wishes: SupersedeWishes = NO_WISHES
    listeners: list[Member] = field(default_factory=list)
    beside: list[Proposal] = field(default_factory=list)
    seen: str = ""
    record: DecisionRecord | None = None
    tasks: list[Task] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue; `after` continues it."""

    items: list[Proposal]
    readers: dict[UUID, AudienceSummary]
    count: QueueProgress
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
) -> ReviewItemPage:
    """An item as its page shows it. Raises NotFoundError.

    filters: of the queue that the asker works through, for `beside`. handing_out: whether to list
    the curators to assign it to. moving: the asker comes from another item; `beside` stays empty,
    because it is on their screen.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        beside = [] if moving else list_window(principal, filters or {}, item_id)
        item = next((row for row in beside if row.id == item_id), None) or get_item_in_scope(
            principal, item_id
        )
        decides = item.state == ProposalState.OPEN and may_decide(principal, item)
        held = decides and is_locked_by_other(item, actor, now)
        going, going_count = _preview_archiving(item, now) if decides else ([], 0)
        undoes = may_undo_by_itself(principal, item)
        similar = _list_similar(principal, item, now) if decides or undoes else []
        held_texts = [item.memory_id] if item.cause in GATE_CAUSES else []
        return ReviewItemPage(
            item=item,
            original=load_originals(actor.organisation_id, held_texts).get(item.memory_id),
            wishes=load_wishes(principal, item),
            listeners=_load_listeners(item),
            going=going,
            going_count=going_count,
            readers=_load_readers(principal, item, organisation),
            decides=decides and not held,
            held=held,
            mine=decides and not held and item.locked_until is not None and item.locked_until > now,
            undoes=undoes,
            merges=item.cause in PAIR_CAUSES
            and all(may_change(principal, one) for one in (item.memory, *(m for m, _ in similar))),
            similar=[memory for memory, _ in similar],
            unlike=frozenset(memory.id for memory, folded in similar if folded),
            curators=list_curators(actor) if decides and handing_out else [],
            count=count_progress(principal, _midnight(now)) if decides else None,
            beside=beside,
            seen=_load_seen_text(principal, item),
            record=_load_record(principal, item),
            tasks=_load_tasks(item),
        )


def _load_record(principal: Principal, item: Proposal) -> DecisionRecord | None:
    if item.cause not in NEW_TEXT_CAUSES or not is_decision(item.memory):
        return None
    return load_record(principal, item.memory)


def _load_tasks(item: Proposal) -> list[Task]:
    """The tasks that are published with a new text, the first due first."""
    if item.cause not in NEW_TEXT_CAUSES:
        return []
    rows = Task.objects.filter(organisation_id=item.organisation_id, memory_id=item.memory_id)
    return list(rows.select_related("assignee").order_by("due_at", "id"))


def _load_seen_text(principal: Principal, item: Proposal) -> str:
    if item.cause in PAIR_CAUSES or not item.text_changed or item.seen_version is None:
        return ""
    return _version_text(principal, item.memory, item.seen_version)


def _load_listeners(item: Proposal) -> list[Member]:
    """The members to whom the words of a memory were said, by name."""
    ids = item.memory.listeners
    rows = Member.objects.filter(organisation_id=item.organisation_id, id__in=ids)
    return list(rows.order_by("name")) if ids else []


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _load_readers(principal: Principal, item: Proposal, organisation: str) -> AudienceSummary:
    """For an open proposal the readers who would be added; otherwise the present readers."""
    place, target = item.memory.audience, item.target_audience
    if target and target.id in principal.audiences:
        if item.state == ProposalState.OPEN:
            return load_new_readers_summary(principal, target, place, organisation)
        if item.state in (ProposalState.APPROVED, ProposalState.MERGED):
            place = target
    return load_audience_summaries(principal, [place], organisation)[place.id]


def list_item_readers(
    actor: Actor, item_id: UUID, *, organisation: str, start: int = 0, most: int
) -> ReaderList:
    """The readers of an item one by one: `most` of each kind after `start`. Raises
    NotFoundError, also for a forgotten memory, which nobody reads."""
    principal = resolve_principal(actor)
    with principal.scope():
        item = get_item_in_scope(principal, item_id)
        if item.memory.status == Status.FORGOTTEN:
            raise NotFoundError("nobody reads it")
        place, target = item.memory.audience, item.target_audience
        before: tuple[UUID, ...] = ()
        if target and target.id in principal.audiences and item.state in _TARGET_READER_STATES:
            before = (place.id,) if item.state == ProposalState.OPEN else ()
            place = target
        return build_reader_list(
            principal,
            place,
            organisation=organisation,
            memory=item.memory,
            before=before,
            part=ReaderPageQuery(start, most),
        )


def _preview_archiving(item: Proposal, now: datetime) -> tuple[list[Memory], int]:
    """The memories that approving would archive now, and how many; the asker reads the audience."""
    if item.cause != ProposalCause.CAPACITY:
        return [], 0
    choice = preview_item(item, now)
    rows = Memory.objects.filter(organisation_id=item.organisation_id).in_bulk(
        choice.ids[:ARCHIVE_SAMPLE_SIZE]
    )
    return [rows[id_] for id_ in choice.ids[:ARCHIVE_SAMPLE_SIZE] if id_ in rows], len(choice.ids)


def _list_similar(principal: Principal, item: Proposal, now: datetime) -> list[tuple[Memory, bool]]:
    """Similar memories, each with whether it has little to do with the item."""
    if item.cause in PAIR_CAUSES and item.other_id:
        tenant = {"organisation_id": principal.organisation_id}
        found = Memory.objects.filter(**tenant, id=item.other_id).with_names()
        return [(memory, False) for memory in found]
    if item.cause != ProposalCause.PUBLISH or item.target_audience_id not in principal.audiences:
        return [(item.other, False)] if item.other else []
    return find_similar(principal, item.memory.content, item.target_audience_id, now=now)


def get_version_text(actor: Actor, memory: Memory, version: int) -> str:
    """The text of a version of a memory; empty if the asker may not read that version."""
    principal = resolve_principal(actor)
    with principal.scope():
        return _version_text(principal, memory, version)


def _version_text(principal: Principal, memory: Memory, version: int) -> str:
    found = load_versions(principal, memory, limit=1, before=version + 1).versions
    return found[0].content if found and found[0].number == version else ""


def find_next_item(
    actor: Actor, after: UUID | None, *, now: datetime, filters: dict[str, object] | None = None
) -> UUID | None:
    """The next item that waits for the asker, with the filters of their queue."""
    principal = resolve_principal(actor)
    with principal.scope():
        return find_next_item_id(principal, after, now, filters or {})


def get_queue_page(
    actor: Actor,
    filters: dict[str, object],
    *,
    organisation: str,
    after: UUID | None,
    now: datetime,
) -> QueuePage:
    """A page of items: waiting ones from the oldest on, all others from the newest on."""
    principal = resolve_principal(actor)
    oldest_first = filters.get("state") == ProposalState.OPEN and not filters.get("mine")
    with principal.scope():
        rows = filter_items(principal, filters).order_by("id" if oldest_first else "-id")
        if after:
            rows = rows.filter(id__gt=after) if oldest_first else rows.filter(id__lt=after)
        # Ids first: otherwise the names of all matches would be joined before they are sorted.
        found = list(rows.values_list("id", flat=True)[: PAGE_SIZE + 1])
        known = rows.in_bulk(found[:PAGE_SIZE]) if found else {}
        shown = [known[id_] for id_ in found[:PAGE_SIZE] if id_ in known]
        places = [item.memory.audience for item in shown]
        return QueuePage(
            shown,
            load_audience_summaries(principal, places, organisation),
            count_progress(principal, _midnight(now)),
            shown[-1].id if len(found) > PAGE_SIZE else None,
        )
