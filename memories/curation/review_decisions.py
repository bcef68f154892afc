"""Decide what waits in the queue: approve, reject, merge. One item is decided once.

All memories are locked first, in the order of their ids, then the item; whoever comes second finds
it decided. Each function notes what it changed in the item's `outcome`, which undo uses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.consent import check_sharing_allowed
from memories.access.permissions import (
    ChangeForbiddenError,
    check_red_line,
    is_red_line_exempt,
    is_subject,
    may_change,
    may_forget,
    publishes_to,
)
from memories.access.visibility import MemoryRequestError
from memories.action_items.add_task import apply_approved_task
from memories.curation import copy_and_merge as curation_merge
from memories.curation.decision_records.dissents import apply_approved_answer
from memories.curation.decision_records.record_parts import list_named_members
from memories.curation.edit_memory import A_CURATOR_DECIDES, OutdatedVersionError, apply_edit
from memories.curation.split_memory import apply_approved_split
from memories.knowledge_graph.entities import apply_approved_entity
from memories.lifecycle.consolidation.capacity_items import archive_item_excess, lock_item
from memories.review.changes import DISSENT, ENTITY, MEMORY, SPLIT, TASK, Approval
from memories.review.deciders import decides_for_group
from memories.review.item_locks import ItemLockedError, is_locked_by_other
from memories.review.models import (
    GATE_CAUSES,
    NEW_TEXT_CAUSES,
    PAIR_CAUSES,
    PUBLISHING_CAUSES,
    Proposal,
    ProposalCause,
    ProposalState,
)
from memories.review.propose import move_open_request
from memories.review.protect import approve_protection
from memories.review.review_queue import AlreadyDecidedError, get_decidable_item, get_item_in_scope
from memories.safety.check_text import WITHHELD_TEXT, Gate
from memories.safety.gate_refusals import record_refusals, require_passing
from memories.safety.required_checks import Submission
from memories.state.supersede_memory import supersede_memory
from memories.state.supersede_wishes import WISHES, fulfil_wishes
from memories.state.transitions import archive_memories, forget_memories
from memories.store.encryption.texts import check_not_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import Words, words_by
from orgs import audit
from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.principals import Actor, Principal, resolve_principal

# What approving a proposed change does, by its name. Each act returns what undoing it needs.
ACTS: dict[str, Callable[[Approval], dict[str, Any]]] = {
    MEMORY: apply_edit,
    SPLIT: apply_approved_split,
    TASK: apply_approved_task,
    ENTITY: apply_approved_entity,
    DISSENT: apply_approved_answer,
}
REWORDING_DENIED = (
    "It waits for a check where it comes back. Bring it back as it was, then change its words."
)
TEXTS_NOT_MERGED = (
    "These are still the two texts, one after the other. Make one of them. Nothing was merged."
)


class VersionRequiredError(Exception):
    """The version that was read is missing: nobody publishes or rewrites what they have not
    read."""

    def __init__(self) -> None:
        super().__init__("Say which version of it you have read. Nothing was decided.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDecision:
    """What somebody decided.

    content: another text than the proposed one. reason: for whoever proposed it. version: the
    memory's version that was read; into, into_version: the memory to merge into and its version.
    Approving and merging need the versions, rejecting does not. act: the id of the act that decides
    several items at once.
    """

    content: str | None = None
    reason: str = ""
    version: int | None = None
    into: UUID | None = None
    into_version: int | None = None
    act: UUID | None = None


@dataclass(frozen=True, slots=True)
class _LockedItem:
    """An item with its memories, locked for this decision."""

    principal: Principal
    item: Proposal
    memory: Memory
    now: datetime


def approve_item(actor: Actor, item_id: UUID, answer: ReviewDecision, *, now: datetime) -> Proposal:
    """Do what an item asks, perhaps with another text.

    Publish: copy the memory to its target audience; a memory held by a gate without its personal
    data. What the text wishes to replace ends or is proposed (`fulfil_wishes`). Correction: set the
    new text, or apply the proposed change. Report, and mention of an erased person: forget the
    memory, or with `content` correct it. Return: bring back what its subject forgot. Red line:
    protect it, or take the protection off, with the given reason or the decider's. Contradiction:
    the newer one holds, the older one is kept as true until then. Too many: summarise and archive.

    Raises NotFoundError, AlreadyDecidedError, ItemLockedError, VersionRequiredError,
    OutdatedVersionError, MemoryRequestError, ChangeForbiddenError, RedLineError,
    AlreadyExistsError, GateRefusedError, and SharingOptOutError for a memory about somebody who has
    opted out since.
    """
    principal = resolve_principal(actor)
    refused = record_refusals(actor, now, target=item_id, target_type="proposal")
    with refused, principal.scope():
        taken = _lock_item(principal, item_id, answer, now)
        if answer.version is None:
            raise VersionRequiredError
        match taken.item.cause:
            case (
                ProposalCause.PUBLISH
                | ProposalCause.RETURN
                | ProposalCause.PERSONAL_DATA
                | ProposalCause.POISON
            ):
                outcome = _copy_to_target(taken, answer)
            case ProposalCause.CORRECTION:
                outcome = _change(taken, answer)
            case ProposalCause.REPORT | ProposalCause.MENTION if answer.content:
                outcome = _edit(actor, taken.memory, {"content": answer.content}, now)
            case ProposalCause.REPORT | ProposalCause.MENTION:
                outcome = _forget_memory(taken)
            case ProposalCause.RED_LINE:
                reason = answer.reason.strip() or taken.item.reason
                outcome = approve_protection(principal, taken.memory, taken.item, reason, now)
            case ProposalCause.CONTRADICTION if taken.item.other_id:
                older = _get_merge_target(taken, taken.item.other_id, answer, for_group=True)
                outcome = supersede_memory(principal, older, taken.memory, now)
            case ProposalCause.CAPACITY:
                outcome = _archive_excess(taken)
            case _:
                raise MemoryRequestError("Two memories are merged, or both are kept.")
        return _close_item(taken, ProposalState.APPROVED, answer, outcome)


def reject_item(actor: Actor, item_id: UUID, answer: ReviewDecision, *, now: datetime) -> Proposal:
    """Decline an item. Its memory stays as it is; only a proposed memory is archived.

    Raises NotFoundError, AlreadyDecidedError, ItemLockedError, OutdatedVersionError, and
    MemoryRequestError without a reason where somebody else proposed it.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        taken = _lock_item(principal, item_id, answer, now)
        if not answer.reason.strip() and taken.item.proposed_by_id not in (None, actor.member_id):
            raise MemoryRequestError("Say why, so that whoever proposed it can learn from it.")
        outcome: dict[str, Any] = {}
        if taken.item.cause in NEW_TEXT_CAUSES:
            archive_memories([taken.memory], now)
            outcome = {"shelved": str(taken.memory.id)}
        return _close_item(taken, ProposalState.REJECTED, answer, outcome)


def merge_item(actor: Actor, item_id: UUID, answer: ReviewDecision, *, now: datetime) -> Proposal:
    """Merge a proposed memory, or the newer of a pair, into another memory of the same readers.

    content: the new text of that memory; without it the text stays. If it is the text of the newer
    one, the newer one stays and the older one is archived, so that no text exists twice. Raises
    what `approve` raises, and MemoryRequestError if `content` is just both texts one after the
    other.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        item = get_item_in_scope(principal, item_id)
        into = answer.into or item.other_id
        if item.cause not in (ProposalCause.PUBLISH, *PAIR_CAUSES) or into is None:
            raise MemoryRequestError("Only proposals and pairs are merged; say into which memory.")
        taken = _lock_item(principal, item_id, answer, now, into)
        if answer.version is None:
            raise VersionRequiredError
        gone, kept = taken.memory, _get_merge_target(taken, into, answer)
        if item.cause in PAIR_CAUSES and answer.content == gone.content:
            gone, kept = kept, gone
        if (
            answer.content
            and answer.content.strip() == curation_merge.joined_text(kept, gone).strip()
        ):
            raise MemoryRequestError(TEXTS_NOT_MERGED)
        check_not_sensitive(gone, kept)
        check_red_line(principal, gone, "merge", now)
        outcome: dict[str, Any] = {"shelved": str(gone.id)}
        outcome |= curation_merge.merge_contributions(gone, kept)
        archive_memories([gone], now)
        if answer.content and answer.content != kept.content:
            outcome |= _edit(actor, kept, {"content": answer.content}, now)
        taken.item.other_id = into
        return _close_item(taken, ProposalState.MERGED, answer, outcome)


def _lock_item(
    principal: Principal,
    item_id: UUID,
    answer: ReviewDecision,
    now: datetime,
    into: UUID | None = None,
) -> _LockedItem:
    item = get_decidable_item(principal, item_id)
    if item.cause == ProposalCause.CAPACITY:
        # Locked before any memory, in the order that the worker uses.
        lock_item(item, now)
    pair = item.other_id if item.cause in PAIR_CAUSES else None
    ids = {id_ for id_ in (item.memory_id, pair, into) if id_}
    locked = {
        row.id: row
        for row in Memory.objects.select_for_update(of=("self",))
        .filter(organisation_id=principal.organisation_id, id__in=ids)
        .with_names()
        .order_by("id")
    }
    # Read again under its lock: from here on nobody else can decide it.
    Proposal.objects.select_for_update(of=("self",)).get(
        organisation_id=principal.organisation_id, id=item.id
    )
    item = get_decidable_item(principal, item_id)
    if item.state != ProposalState.OPEN:
        raise AlreadyDecidedError(item)
    if is_locked_by_other(item, principal.actor, now):
        raise ItemLockedError(item)
    memory = locked.get(item.memory_id)
    if memory is None:
        raise NotFoundError("it is out of reach now")
    if answer.version is not None and answer.version != memory.version:
        raise OutdatedVersionError(memory)
    return _LockedItem(principal, item, memory, now)


def _copy_to_target(taken: _LockedItem, answer: ReviewDecision) -> dict[str, Any]:
    item, memory = taken.item, taken.memory
    waits = memory.status in (Status.PENDING_REVIEW, Status.QUARANTINED)
    if not waits or item.target_audience_id is None:
        raise NotFoundError("it does not wait any more")
    if item.target_audience_id not in taken.principal.audiences:
        raise MemoryRequestError(
            "You do not read where this would go, so you cannot send it there."
        )
    if item.cause in GATE_CAUSES:
        _check_gates(taken, answer)
    if answer.content is not None and _returns_to_review(item):
        raise MemoryRequestError(REWORDING_DENIED)
    if (answer.content is not None or memory.version > 1) and not _publishes(taken):
        # Also what they changed while it waited with them: it comes back as it was said, or not.
        raise ChangeForbiddenError(A_CURATOR_DECIDES)
    if item.cause in PUBLISHING_CAUSES:
        # They may have opted out after it was proposed. An author who proposed their own words
        # agrees.
        about = {memory.member_id, memory.speaker_member_id, *list_named_members(memory)}
        check_sharing_allowed(memory.organisation_id, about - {memory.author_id})
    outcome = curation_merge.copy_to_audience(
        memory,
        item.target_audience_id,
        content=answer.content or memory.content,
        editor=taken.principal.actor,
        by_subject=item.cause == ProposalCause.RETURN,
        now=taken.now,
        id_=UUID(item.outcome["undone"]) if "undone" in item.outcome else None,
    )
    move_open_request(memory, UUID(outcome["made"]), taken.now)
    archive_memories([memory], taken.now)
    audit.record_entry(
        "memory.shared",
        actor=taken.principal.actor,
        now=taken.now,
        target=UUID(outcome["made"]),
        target_type="memory",
        before=str(memory.audience_id),
        after=str(item.target_audience_id),
    )
    outcome |= {"shelved": str(memory.id)}
    if WISHES in item.details:
        done = fulfil_wishes(taken.principal, item, UUID(outcome["made"]), taken.now)
        outcome["replaced"] = list(done.undo)
        outcome["asked"] = [str(asked.id) for asked in done.waiting]
    return outcome


def _publishes(taken: _LockedItem) -> bool:
    """Whether the decider writes for the readers to whom an item goes."""
    target = taken.item.target_audience
    return target is not None and publishes_to(taken.principal.actor, target)


def _returns_to_review(item: Proposal) -> bool:
    """Whether the memory returns to the review of curators, because a gate held it."""
    target = item.target_audience
    return (
        item.cause == ProposalCause.RETURN
        and target is not None
        and target.kind == AudienceType.REVIEW
    )


def _check_gates(taken: _LockedItem, answer: ReviewDecision) -> None:
    """A memory held by a gate is published in its masked words, or in other words that pass the
    gates."""
    item, memory = taken.item, taken.memory
    if answer.content is None and memory.content == WITHHELD_TEXT:
        raise MemoryRequestError("Nobody could check these words. Write others, or reject it.")
    if answer.content is not None and item.target_audience:
        given = Submission(audience=item.target_audience.kind, by_robot=False)
        require_passing(Gate(memory.organisation_id), answer.content, given)


def _change(taken: _LockedItem, answer: ReviewDecision) -> dict[str, Any]:
    """Apply a proposed change by the acts that it names, perhaps with another text. The proposer
    counts as the author of what they proposed."""
    item, actor = taken.item, taken.principal.actor
    changes = item.changes or {MEMORY: {"content": item.content}}
    theirs: Words = (item.proposed_by_id, item.robot_id)
    outcome: dict[str, Any] = {}
    if answer.content and answer.content != item.content:
        edit = {**changes.get(MEMORY, {}), "content": answer.content}
        outcome = _edit(actor, taken.memory, edit, taken.now)
        changes = {act: given for act, given in changes.items() if act != MEMORY}
    for act, given in changes.items():
        does = Approval(
            decider=actor, memory=taken.memory, given=given, words_of=theirs, now=taken.now
        )
        outcome |= ACTS[act](does)
    return outcome


def _edit(actor: Actor, memory: Memory, given: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Change a memory in the decider's own words. Returns the outcome, with the values of
    before."""
    return apply_edit(
        Approval(decider=actor, memory=memory, given=given, words_of=words_by(actor), now=now)
    )


def _forget_memory(taken: _LockedItem) -> dict[str, Any]:
    actor, memory = taken.principal.actor, taken.memory
    if not is_red_line_exempt(actor, memory):
        check_red_line(taken.principal, memory, "forget", taken.now)
    forget_memories([memory], taken.now, by_subject=is_subject(actor, memory), actor=actor)
    return {"forgotten": str(memory.id)}


def _archive_excess(taken: _LockedItem) -> dict[str, Any]:
    """Summarise and archive what is too much. The decider must be allowed to forget each memory.
    Undo finds them by the time of the decision."""
    principal = taken.principal
    done = archive_item_excess(
        taken.item, principal.actor, taken.now, lambda row: may_forget(principal, row)
    )
    return {"archived": len(done.archived), "summaries": len(done.made)}


def _get_merge_target(
    taken: _LockedItem, into: UUID, answer: ReviewDecision, *, for_group: bool = False
) -> Memory:
    """The memory to merge into, or the older of a pair: active, with the same or the wanted
    readers, and the asker's to change, as the one of a pair that goes.

    for_group: the owner of their group may also decide about what others said there.
    """
    item = taken.item
    kept = Memory.objects.filter(
        organisation_id=taken.principal.organisation_id, id=into, status=Status.ACTIVE
    ).first()
    place = item.target_audience_id or taken.memory.audience_id
    if kept is None or kept.audience_id != place or kept.id == taken.memory.id:
        raise ReferenceNotFoundError("memory", into)
    changed = (kept, taken.memory) if item.cause in PAIR_CAUSES else (kept,)
    if not all(may_change(taken.principal, memory) for memory in changed) and not (
        for_group and decides_for_group(taken.principal, item)
    ):
        raise ChangeForbiddenError("You may read this memory, but it is not yours to change.")
    if answer.into_version is None:
        raise VersionRequiredError
    if answer.into_version != kept.version:
        raise OutdatedVersionError(kept)
    return kept


def _close_item(
    taken: _LockedItem, state: str, answer: ReviewDecision, outcome: dict[str, Any]
) -> Proposal:
    item, actor = taken.item, taken.principal.actor
    if answer.act:
        outcome = outcome | {"act": str(answer.act)}
    item.state, item.outcome, item.decision = state, outcome, answer.reason
    item.decided_by_id, item.decided_at = actor.member_id, taken.now
    item.locked_by_id = item.locked_until = None
    item.save(
        update_fields=[
            "state", "outcome", "decision", "decided_by", "decided_at", "locked_by",
            "locked_until", "other",
        ]
    )  # fmt: skip
    audit.record_entry(
        f"proposal.{state}",
        actor=actor,
        now=taken.now,
        target=item.id,
        target_type="proposal",
        memory=str(item.memory_id),
        edited=answer.content is not None,
    )
    return get_item_in_scope(taken.principal, item.id)
