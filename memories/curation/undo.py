"""Undo a decision, as long as nothing was built on it."""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.curation import merge
from memories.curation.edit import edited_memory
from memories.curation.merge_equal import BY_ITSELF
from memories.curation.supersede import CHANGED, take_back
from memories.lifecycle.consolidation.undo_summary import bring_back
from memories.lifecycle.forget import give_back, take_away
from memories.lifecycle.llm_checks.summaries import is_reworded
from memories.review.enqueue import withdraw
from memories.review.models import HELD, PAIRS, Cause, Proposal, State
from memories.review.queue import find, to_decide
from memories.review.red_line import draw, lift
from memories.store.dependents import SUMMARY
from memories.store.encryption.texts import refuse_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import Words
from memories.store.status import back_to
from orgs import audit
from orgs.errors import AlreadyExists, NotFound
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal, resolve

CHANGE_ANEW = "This decision is not undone by itself. Change what it did instead."
DECIDED = (State.APPROVED, State.MERGED, State.REJECTED)


def undo(actor: Actor, item_id: UUID, *, now: datetime) -> Proposal:
    """Reopen an item. Its decider may, or an admin; an automatic merge anybody who may decide such
    items.

    Raises NotFound, PermissionError for others, and AlreadyExists if there is nothing to undo or
    somebody has changed the result since.
    """
    principal = resolve(actor)
    with principal.scope():
        item = _decided(principal, item_id)
        rows = _locked(principal, item)
        outcome = item.outcome
        if "stays" in outcome:
            raise AlreadyExists(CHANGE_ANEW)
        if "rewritten" in outcome:
            _write_back(actor, _there(rows, outcome["rewritten"]), item, now)
        if "into" in outcome:
            merge.count(_there(rows, outcome["into"]), -outcome["times"])
        if "made" in outcome:
            _unmake(_there(rows, outcome["made"]), item, now)
        if "forgotten" in outcome:
            forgotten = _there(rows, outcome["forgotten"])
            merge.revive(forgotten, now)
            give_back(actor, [forgotten])
        if "superseded" in outcome:
            take_back(principal, _there(rows, outcome["superseded"]), outcome, now)
        if "protected" in outcome:
            _unprotect(principal, _there(rows, outcome["protected"]), item, now)
        if "unprotected" in outcome:
            _protect_again(principal, _there(rows, outcome["unprotected"]), item, now)
        if item.cause == Cause.CAPACITY and item.state == State.APPROVED:
            _bring_back(principal, item, now)
        if "shelved" in outcome:
            shelved = _there(rows, outcome["shelved"])
            back = back_to(shelved) if item.target_audience_id else Status.ACTIVE
            merge.revive(shelved, now, back)
        _reopen(item, now, actor)
        return find(principal, item_id)


def _decided(principal: Principal, item_id: UUID) -> Proposal:
    item, actor = to_decide(principal, item_id), principal.actor
    if item.state not in DECIDED:
        raise AlreadyExists("There is no decision to undo.")
    if BY_ITSELF in item.details and item.decided_by_id is None:
        return item
    if actor.member_id != item.decided_by_id and actor.role != Role.ADMIN:
        raise PermissionError("Whoever decided it undoes it, or an admin.")
    return item


def _locked(principal: Principal, item: Proposal) -> dict[UUID, Memory]:
    """Lock the memories that the decision changed, then the item; returns the memories by id."""
    named = (
        *("rewritten", "into", "made", "forgotten", "shelved", "protected", "superseded"),
        "unprotected",
    )
    ids = {UUID(item.outcome[name]) for name in named if name in item.outcome}
    rows = Memory.objects.select_for_update(of=("self",)).filter(
        organisation_id=principal.organisation_id, id__in=ids
    )
    found = {row.id: row for row in rows.order_by("id")}
    mine = Proposal.objects.select_for_update(of=("self",)).filter(
        organisation_id=principal.organisation_id, id=item.id, state=item.state
    )
    if not mine.exists():
        raise AlreadyExists("Somebody has undone it already.")
    return found


def _there(rows: dict[UUID, Memory], id_: str) -> Memory:
    row = rows.get(UUID(id_))
    if row is None:
        raise NotFound("it is gone, or out of reach")
    return row


def _write_back(actor: Actor, memory: Memory, item: Proposal, now: datetime) -> None:
    outcome = item.outcome
    if memory.version != outcome["version"] or memory.status != Status.ACTIVE:
        raise AlreadyExists(CHANGED)
    before = dict(outcome.get("fields", {}))
    words: Words | None = None
    if "before" in outcome:
        refuse_sensitive(memory)
        before["content"] = outcome["before"]
        member, robot = (UUID(id_) if id_ else None for id_ in outcome["words_of"])
        words = (member, robot)
    if before.get("expires_at"):
        before["expires_at"] = datetime.fromisoformat(before["expires_at"])
    edited_memory(actor, memory.id, before, now=now, words_of=words)


def _unmake(memory: Memory, item: Proposal, now: datetime) -> None:
    """Delete the copy that a decision made, or give an existing memory its former status. Raises
    AlreadyExists if it was changed since."""
    was = item.outcome.get("was", "")
    if was == Status.ACTIVE:
        return
    if memory.status != back_to(memory) or (not was and merge.is_built_on(memory)):
        raise AlreadyExists(CHANGED)
    if not was:
        merge.discard(memory, now)
    elif was == Status.ARCHIVED:
        merge.shelve(memory, now)
    else:
        take_away(None, memory, by_subject=item.cause == Cause.RETURN, now=now)
        withdraw(memory.organisation_id, memory.id, now, *HELD)


def _bring_back(principal: Principal, item: Proposal, now: datetime) -> None:
    """Make the memories active again that the decision archived, and delete their summaries."""
    here = Memory.objects.filter(
        organisation_id=principal.organisation_id, audience_id=item.audience_id
    ).select_for_update(of=("self",))
    made = here.filter(key__startswith=SUMMARY, created_at=item.decided_at or now)
    archived = here.filter(status=Status.ARCHIVED, archived_at=item.decided_at)
    # Locked in the order of ids: sources are older than their summaries.
    back = list(archived.order_by("id"))
    for summary in made.order_by("id"):
        if summary.status == Status.ACTIVE and not merge.is_built_on(
            summary, version=1 + is_reworded(summary)
        ):
            merge.discard(summary, now)
        elif summary.status == Status.ACTIVE:
            raise AlreadyExists(CHANGED)
    bring_back(back, now)


def _unprotect(principal: Principal, memory: Memory, item: Proposal, now: datetime) -> None:
    if not memory.red_line or memory.red_line_at != item.decided_at:
        raise AlreadyExists(CHANGED)
    lift(principal, memory, "The decision was taken back.", now)


def _protect_again(principal: Principal, memory: Memory, item: Proposal, now: datetime) -> None:
    if memory.red_line or memory.red_line_at != item.decided_at:
        raise AlreadyExists(CHANGED)
    draw(principal, memory, item.outcome["reason"], now)


def _reopen(item: Proposal, now: datetime, actor: Actor) -> None:
    made = item.outcome.get("made", "") if "was" not in item.outcome else ""
    kept = {"undone": made} if made else {}
    try:
        with transaction.atomic():
            Proposal.objects.filter(organisation_id=item.organisation_id, id=item.id).update(
                state=State.OPEN,
                outcome=kept,
                decision="",
                decided_by=None,
                decided_at=None,
                other=item.other_id if item.cause in PAIRS else None,
            )
    except IntegrityError as error:
        raise AlreadyExists("The same waits for a decision already.") from error
    audit.record(
        "proposal.reopened",
        actor=actor,
        now=now,
        target=item.id,
        target_type="proposal",
        memory=str(item.memory_id),
    )
