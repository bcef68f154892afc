"""Decide what waits in the queue: approve, reject, merge. One item is decided once.

All memories are locked first, in the order of their ids, then the item; whoever comes second finds
it decided. Each function notes what it changed in the item's `outcome`, which undo uses.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.consent import refuse_where_opted_out
from memories.access.permissions import NotYours, is_subject, may_change, may_forget, publishes_to
from memories.access.red_lines import hold_red_line, is_their_own
from memories.access.visibility import Misplaced
from memories.curation import merge as curation_merge
from memories.curation.decisions.parts import members_named
from memories.curation.edit import A_CURATOR_DECIDES, Outdated, apply_edit
from memories.curation.supersede import supersede
from memories.lifecycle.consolidation.capacity_items import bring_down_item, hold_item
from memories.lifecycle.forget import take_away
from memories.review.changes import MEMORY, Approval, act_named
from memories.review.enqueue import withdraw
from memories.review.holds import Held, taken_by_others
from memories.review.models import HELD, PAIRS, PROPOSALS, Cause, Proposal, State
from memories.review.queue import Decided, find, to_decide
from memories.review.red_line import approve_wish, pass_on
from memories.safety.gate import WITHHELD, Gate
from memories.safety.refusals import noting_refusals, refuse
from memories.safety.rules import Submission
from memories.store.encryption.texts import refuse_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import Words, words_by
from orgs import audit
from orgs.errors import NotFound
from orgs.models.audiences import AudienceKind
from orgs.principals import Actor, Principal, resolve

AS_IT_WAS = (
    "It waits for a check where it comes back. Bring it back as it was, then change its words."
)
STILL_TWO = (
    "These are still the two texts, one after the other. Make one of them. Nothing was merged."
)


class Unread(Exception):
    """The version that was read is missing: nobody publishes or rewrites what they have not
    read."""

    def __init__(self) -> None:
        super().__init__("Say which version of it you have read. Nothing was decided.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
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
class _Taken:
    """An item with its memories, locked for this decision."""

    principal: Principal
    item: Proposal
    memory: Memory
    now: datetime


def approve(actor: Actor, item_id: UUID, answer: ReviewAnswer, *, now: datetime) -> Proposal:
    """Do what an item asks, perhaps with another text.

    Publish: copy the memory to its target audience; a memory held by a gate without its personal
    data. Correction: set the new text, or apply the proposed change. Report, and mention of an
    erased person: forget the memory, or with `content` correct it. Return: bring back what its
    subject forgot. Red line: protect it, or take the protection off, with the given reason or the
    decider's. Contradiction: the newer one holds, the older one is kept as true until then. Too
    many: summarise and archive.

    Raises NotFound, Decided, Held, Unread, Outdated, Misplaced, NotYours, RedLine, AlreadyExists,
    HeldBack, and SharingOff for a memory about somebody who has opted out since.
    """
    principal = resolve(actor)
    refused = noting_refusals(actor, now, target=item_id, target_type="proposal")
    with refused, principal.scope():
        taken = _take(principal, item_id, answer, now)
        if answer.version is None:
            raise Unread
        match taken.item.cause:
            case Cause.PUBLISH | Cause.RETURN | Cause.PERSONAL_DATA | Cause.POISON:
                outcome = _publish(taken, answer)
            case Cause.CORRECTION:
                outcome = _change(taken, answer)
            case Cause.REPORT | Cause.MENTION if answer.content:
                outcome = _edit(actor, taken.memory, {"content": answer.content}, now)
            case Cause.REPORT | Cause.MENTION:
                outcome = _remove(taken)
            case Cause.RED_LINE:
                reason = answer.reason.strip() or taken.item.reason
                outcome = approve_wish(principal, taken.memory, taken.item, reason, now)
            case Cause.CONTRADICTION if taken.item.other_id:
                older = _mergeable(taken, taken.item.other_id, answer)
                outcome = supersede(principal, older, taken.memory, now)
            case Cause.CAPACITY:
                outcome = _bring_down(taken)
            case _:
                raise Misplaced("Two memories are merged, or both are kept.")
        return _close(taken, State.APPROVED, answer, outcome)


def reject(actor: Actor, item_id: UUID, answer: ReviewAnswer, *, now: datetime) -> Proposal:
    """Decline an item. Its memory stays as it is; only a proposed memory is archived.

    Raises NotFound, Decided, Held, Outdated, and Misplaced without a reason where somebody else
    proposed it.
    """
    principal = resolve(actor)
    with principal.scope():
        taken = _take(principal, item_id, answer, now)
        if not answer.reason.strip() and taken.item.proposed_by_id not in (None, actor.member_id):
            raise Misplaced("Say why, so that whoever proposed it can learn from it.")
        outcome: dict[str, Any] = {}
        if taken.item.cause in (*PROPOSALS, Cause.RETURN):
            curation_merge.shelve(taken.memory, now)
            outcome = {"shelved": str(taken.memory.id)}
        return _close(taken, State.REJECTED, answer, outcome)


def merge(actor: Actor, item_id: UUID, answer: ReviewAnswer, *, now: datetime) -> Proposal:
    """Merge a proposed memory, or the newer of a pair, into another memory of the same readers.

    content: the new text of that memory; without it the text stays. If it is the text of the newer
    one, the newer one stays and the older one is archived, so that no text exists twice. Raises
    what `approve` raises, and Misplaced if `content` is just both texts one after the other.
    """
    principal = resolve(actor)
    with principal.scope():
        item = find(principal, item_id)
        into = answer.into or item.other_id
        if item.cause not in (Cause.PUBLISH, *PAIRS) or into is None:
            raise Misplaced("Only proposals and pairs are merged; say into which memory.")
        taken = _take(principal, item_id, answer, now, into)
        if answer.version is None:
            raise Unread
        gone, kept = taken.memory, _mergeable(taken, into, answer)
        if item.cause in PAIRS and answer.content == gone.content:
            gone, kept = kept, gone
        if answer.content and answer.content.strip() == curation_merge.together(kept, gone).strip():
            raise Misplaced(STILL_TWO)
        refuse_sensitive(gone, kept)
        hold_red_line(principal, gone, "merge", now)
        outcome: dict[str, Any] = {"shelved": str(gone.id)}
        outcome |= curation_merge.join(gone, kept)
        curation_merge.shelve(gone, now)
        if answer.content and answer.content != kept.content:
            outcome |= _edit(actor, kept, {"content": answer.content}, now)
        if taken.item.cause in PAIRS:
            withdraw(kept.organisation_id, gone.id, now, *_others(taken.item))
        taken.item.other_id = into
        return _close(taken, State.MERGED, answer, outcome)


def _others(item: Proposal) -> list[str]:
    return [cause for cause in Cause.values if cause != item.cause]


def _take(
    principal: Principal,
    item_id: UUID,
    answer: ReviewAnswer,
    now: datetime,
    into: UUID | None = None,
) -> _Taken:
    item = to_decide(principal, item_id)
    if item.cause == Cause.CAPACITY:
        # Locked before any memory, in the order that the worker uses.
        hold_item(item, now)
    pair = item.other_id if item.cause in PAIRS else None
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
    item = to_decide(principal, item_id)
    if item.state != State.OPEN:
        raise Decided(item)
    if taken_by_others(item, principal.actor, now):
        raise Held(item)
    memory = locked.get(item.memory_id)
    if memory is None:
        raise NotFound("it is out of reach now")
    if answer.version is not None and answer.version != memory.version:
        raise Outdated(memory)
    return _Taken(principal, item, memory, now)


def _publish(taken: _Taken, answer: ReviewAnswer) -> dict[str, Any]:
    item, memory = taken.item, taken.memory
    waits = memory.status in (Status.PENDING_REVIEW, Status.QUARANTINED)
    if not waits or item.target_audience_id is None:
        raise NotFound("it does not wait any more")
    if item.target_audience_id not in taken.principal.audiences:
        raise Misplaced("You do not read where this would go, so you cannot send it there.")
    if item.cause in HELD:
        _pass_gates(taken, answer)
    if answer.content is not None and _goes_to_wait(item):
        raise Misplaced(AS_IT_WAS)
    if answer.content is not None and not _publishes(taken):
        raise NotYours(A_CURATOR_DECIDES)
    if item.cause in PROPOSALS:
        # They may have opted out after it was proposed. An author who proposed their own words
        # agrees.
        about = {memory.member_id, memory.speaker_member_id, *members_named(memory)}
        refuse_where_opted_out(memory.organisation_id, about - {memory.author_id})
    outcome = curation_merge.copy_to(
        memory,
        item.target_audience_id,
        content=answer.content or memory.content,
        editor=taken.principal.actor,
        by_subject=item.cause == Cause.RETURN,
        now=taken.now,
        id_=UUID(item.outcome["undone"]) if "undone" in item.outcome else None,
    )
    curation_merge.shelve(memory, taken.now)
    pass_on(memory, UUID(outcome["made"]), taken.now)
    audit.record(
        "memory.shared",
        actor=taken.principal.actor,
        now=taken.now,
        target=UUID(outcome["made"]),
        target_type="memory",
        before=str(memory.audience_id),
        after=str(item.target_audience_id),
    )
    return outcome | {"shelved": str(memory.id)}


def _publishes(taken: _Taken) -> bool:
    """Whether the decider writes for the readers to whom an item goes."""
    target = taken.item.target_audience
    return target is not None and publishes_to(taken.principal.actor, target)


def _goes_to_wait(item: Proposal) -> bool:
    """Whether the memory returns to the review of curators, because a gate held it."""
    target = item.target_audience
    return item.cause == Cause.RETURN and target is not None and target.kind == AudienceKind.REVIEW


def _pass_gates(taken: _Taken, answer: ReviewAnswer) -> None:
    """A memory held by a gate is published in its masked words, or in other words that pass the
    gates."""
    item, memory = taken.item, taken.memory
    if answer.content is None and memory.content == WITHHELD:
        raise Misplaced("Nobody could check these words. Write others, or reject it.")
    if answer.content is not None and item.target_audience:
        given = Submission(audience=item.target_audience.kind, by_robot=False)
        refuse(Gate(memory.organisation_id), answer.content, given)


def _change(taken: _Taken, answer: ReviewAnswer) -> dict[str, Any]:
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
        outcome |= act_named(act)(does)
    return outcome


def _edit(actor: Actor, memory: Memory, given: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Change a memory in the decider's own words. Returns the outcome, with the values of
    before."""
    return apply_edit(
        Approval(decider=actor, memory=memory, given=given, words_of=words_by(actor), now=now)
    )


def _remove(taken: _Taken) -> dict[str, Any]:
    actor, memory = taken.principal.actor, taken.memory
    if not is_their_own(actor, memory):
        hold_red_line(taken.principal, memory, "forget", taken.now)
    take_away(actor, memory, by_subject=is_subject(actor, memory), now=taken.now)
    withdraw(memory.organisation_id, memory.id, taken.now, *_others(taken.item))
    return {"forgotten": str(memory.id)}


def _bring_down(taken: _Taken) -> dict[str, Any]:
    """Summarise and archive what is too much. The decider must be allowed to forget each memory.
    Undo finds them by the time of the decision."""
    principal = taken.principal
    done = bring_down_item(
        taken.item, principal.actor, taken.now, lambda row: may_forget(principal, row)
    )
    return {"archived": len(done.archived), "summaries": len(done.made)}


def _mergeable(taken: _Taken, into: UUID, answer: ReviewAnswer) -> Memory:
    """The memory to merge into: active, with the same or the wanted readers, and the asker's to
    change."""
    item = taken.item
    kept = Memory.objects.filter(
        organisation_id=taken.principal.organisation_id, id=into, status=Status.ACTIVE
    ).first()
    place = item.target_audience_id or taken.memory.audience_id
    if kept is None or kept.audience_id != place or kept.id == taken.memory.id:
        raise NotFound("nothing to merge into")
    if not may_change(taken.principal, kept):
        raise NotYours("You may read this memory, but it is not yours to change.")
    if answer.into_version is None:
        raise Unread
    if answer.into_version != kept.version:
        raise Outdated(kept)
    return kept


def _close(taken: _Taken, state: str, answer: ReviewAnswer, outcome: dict[str, Any]) -> Proposal:
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
    audit.record(
        f"proposal.{state}",
        actor=actor,
        now=taken.now,
        target=item.id,
        target_type="proposal",
        memory=str(item.memory_id),
        edited=answer.content is not None,
    )
    return find(taken.principal, item.id)
