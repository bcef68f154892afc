"""Undo a decision, as long as nothing was built on it."""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.access.permissions import is_subject
from memories.curation import copy_and_merge
from memories.curation.edit_memory import edited_memory
from memories.lifecycle.llm_checks.reword_summaries import is_reworded
from memories.review.changes import from_json
from memories.review.deciders import may_decide
from memories.review.models import (
    BY_POLICY,
    PAIR_CAUSES,
    Proposal,
    ProposalCause,
    ProposalState,
)
from memories.review.protect import remove_red_line, set_red_line
from memories.review.review_queue import get_item_in_scope
from memories.state.supersede_memory import CHANGED_SINCE_DECISION, undo_supersede
from memories.state.transitions import (
    archive_memories,
    delete_memories,
    forget_memories,
    restore_memories,
)
from memories.store.dependents import SUMMARY_KEY_PREFIX, restored_status
from memories.store.encryption.texts import check_not_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import Words, speaking_member_id
from orgs import audit
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal, resolve_principal

CHANGE_ANEW = "This decision is not undone by itself. Change what it did instead."
DECIDED_STATES = (ProposalState.APPROVED, ProposalState.MERGED, ProposalState.REJECTED)


def undo_review_decision(actor: Actor, item_id: UUID, *, now: datetime) -> Proposal:
    """Reopen an item. Its decider may, or an admin; what was decided by itself anybody who may
    decide such items, and what a policy decided whoever said it.

    Raises NotFoundError, PermissionError for others, and AlreadyExistsError if there is nothing to
    undo or somebody has changed the result since.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        item = _get_decided_item(principal, item_id)
        rows = _lock_memories(principal, item)
        outcome = item.outcome
        if "stays" in outcome:
            raise AlreadyExistsError(CHANGE_ANEW)
        if "rewritten" in outcome:
            _restore_text(actor, _require_memory(rows, outcome["rewritten"]), item, now)
        if "into" in outcome:
            copy_and_merge.add_remember_count(
                _require_memory(rows, outcome["into"]), -outcome["times"]
            )
        for one in outcome.get("replaced", ()):
            undo_supersede(principal, _require_memory(rows, one["superseded"]), one, now)
        if outcome.get("asked"):
            _withdraw_asked(item, now)
        if "made" in outcome:
            _undo_copy(_require_memory(rows, outcome["made"]), item, now)
        if "forgotten" in outcome:
            forgotten = _require_unchanged(actor, rows, outcome["forgotten"], Status.FORGOTTEN)
            restore_memories([forgotten], now, status=Status.ACTIVE, actor=actor)
        if "superseded" in outcome:
            undo_supersede(principal, _require_memory(rows, outcome["superseded"]), outcome, now)
        if "protected" in outcome:
            _lift_red_line(principal, _require_memory(rows, outcome["protected"]), item, now)
        if "unprotected" in outcome:
            _protect_again(principal, _require_memory(rows, outcome["unprotected"]), item, now)
        if item.cause == ProposalCause.CAPACITY and item.state == ProposalState.APPROVED:
            _restore_archived(principal, item, now)
        # Before the memory waits again, so that it gets no second item.
        _reopen_item(item, now, actor)
        if "shelved" in outcome:
            shelved = _require_unchanged(actor, rows, outcome["shelved"], Status.ARCHIVED)
            back = restored_status(shelved) if item.target_audience_id else Status.ACTIVE
            restore_memories([shelved], now, status=back)
        return get_item_in_scope(principal, item_id)


def _get_decided_item(principal: Principal, item_id: UUID) -> Proposal:
    item, actor = get_item_in_scope(principal, item_id), principal.actor
    if may_undo_by_itself(principal, item):
        return item
    if not may_decide(principal, item):
        raise NotFoundError("not the asker's to decide")
    if item.state not in DECIDED_STATES:
        raise AlreadyExistsError("There is no decision to undo.")
    if actor.member_id != item.decided_by_id and actor.role != Role.ADMIN:
        raise PermissionError("Whoever decided it undoes it, or an admin.")
    return item


def may_undo_by_itself(principal: Principal, item: Proposal) -> bool:
    """Whether nobody decided the item and the asker may undo what was done; call inside a scope
    that reads it."""
    how, actor = item.decided_by_itself, principal.actor
    if not how or may_decide(principal, item):
        return bool(how)
    spoke = speaking_member_id(item.memory) == actor.member_id
    return how == BY_POLICY and actor.is_person and spoke


def _lock_memories(principal: Principal, item: Proposal) -> dict[UUID, Memory]:
    """Lock the memories that the decision changed, then the item; returns the memories by id."""
    named = (
        *("rewritten", "into", "made", "forgotten", "shelved", "protected", "superseded"),
        "unprotected",
    )
    ids = {UUID(item.outcome[name]) for name in named if name in item.outcome}
    ids |= {UUID(one["superseded"]) for one in item.outcome.get("replaced", ())}
    rows = Memory.objects.select_for_update(of=("self",)).filter(
        organisation_id=principal.organisation_id, id__in=ids
    )
    found = {row.id: row for row in rows.order_by("id")}
    mine = Proposal.objects.select_for_update(of=("self",)).filter(
        organisation_id=principal.organisation_id, id=item.id, state=item.state
    )
    if not mine.exists():
        raise AlreadyExistsError("Somebody has undone it already.")
    return found


def _require_unchanged(actor: Actor, rows: dict[UUID, Memory], id_: str, status: Status) -> Memory:
    """The memory that a decision took away. What its subject has forgotten comes back by nobody
    else. Raises AlreadyExistsError."""
    row = _require_memory(rows, id_)
    if row.status != status or (row.forgotten_by_subject and not is_subject(actor, row)):
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    return row


def _require_memory(rows: dict[UUID, Memory], id_: str) -> Memory:
    row = rows.get(UUID(id_))
    if row is None:
        raise NotFoundError("it is gone, or out of reach")
    return row


def _restore_text(actor: Actor, memory: Memory, item: Proposal, now: datetime) -> None:
    outcome = item.outcome
    if memory.version != outcome["version"] or memory.status != Status.ACTIVE:
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    before = from_json(outcome.get("fields", {}))
    words: Words | None = None
    if "before" in outcome:
        check_not_sensitive(memory)
        before["content"] = outcome["before"]
        member, robot = (UUID(id_) if id_ else None for id_ in outcome["words_of"])
        words = (member, robot)
    edited_memory(actor, memory.id, before, now=now, words_of=words)


def _withdraw_asked(item: Proposal, now: datetime) -> None:
    """Withdraw what the decision proposed in the name of whoever wrote the text. Raises
    AlreadyExistsError if one of it was decided since."""
    asked = Proposal.objects.filter(
        organisation_id=item.organisation_id, id__in=item.outcome["asked"]
    )
    if asked.filter(state__in=(ProposalState.APPROVED, ProposalState.MERGED)).exists():
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    asked.filter(state=ProposalState.OPEN, created_at=item.decided_at or now).update(
        state=ProposalState.WITHDRAWN, decided_at=now, locked_by=None, locked_until=None
    )


def _undo_copy(memory: Memory, item: Proposal, now: datetime) -> None:
    """Delete the copy that a decision made, or give an existing memory its former status. Raises
    AlreadyExistsError if it was changed since."""
    was = item.outcome.get("was", "")
    if was == Status.ACTIVE:
        return
    if memory.status != restored_status(memory) or (
        not was and copy_and_merge.is_changed_or_used(memory)
    ):
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    if not was:
        delete_memories([memory], now)
    elif was == Status.ARCHIVED:
        archive_memories([memory], now)
    else:
        forget_memories([memory], now, by_subject=item.cause == ProposalCause.RETURN)


def _restore_archived(principal: Principal, item: Proposal, now: datetime) -> None:
    """Make the memories active again that the decision archived, and delete their summaries."""
    here = Memory.objects.filter(
        organisation_id=principal.organisation_id, audience_id=item.audience_id
    ).select_for_update(of=("self",))
    made = here.filter(key__startswith=SUMMARY_KEY_PREFIX, created_at=item.decided_at or now)
    archived = here.filter(status=Status.ARCHIVED, archived_at=item.decided_at)
    # Locked in the order of ids: sources are older than their summaries.
    back = list(archived.order_by("id"))
    for summary in made.order_by("id"):
        if summary.status == Status.ACTIVE and not copy_and_merge.is_changed_or_used(
            summary, version=1 + is_reworded(summary)
        ):
            delete_memories([summary], now)
        elif summary.status == Status.ACTIVE:
            raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    restore_memories(back, now, status=Status.ACTIVE)


def _lift_red_line(principal: Principal, memory: Memory, item: Proposal, now: datetime) -> None:
    if not memory.red_line or memory.red_line_at != item.decided_at:
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    remove_red_line(principal, memory, "The decision was taken back.", now)


def _protect_again(principal: Principal, memory: Memory, item: Proposal, now: datetime) -> None:
    if memory.red_line or memory.red_line_at != item.decided_at:
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    set_red_line(principal, memory, item.outcome["reason"], now)


def _reopen_item(item: Proposal, now: datetime, actor: Actor) -> None:
    made = item.outcome.get("made", "") if "was" not in item.outcome else ""
    kept = {"undone": made} if made else {}
    try:
        with transaction.atomic():
            Proposal.objects.filter(organisation_id=item.organisation_id, id=item.id).update(
                state=ProposalState.OPEN,
                outcome=kept,
                decision="",
                decided_by=None,
                decided_at=None,
                other=item.other_id if item.cause in PAIR_CAUSES else None,
            )
    except IntegrityError as error:
        raise AlreadyExistsError("The same waits for a decision already.") from error
    audit.record_entry(
        "proposal.reopened",
        actor=actor,
        now=now,
        target=item.id,
        target_type="proposal",
        memory=str(item.memory_id),
    )
