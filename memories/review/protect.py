"""Protect a memory with a red line, and remove the line; others can propose it in the queue."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.permissions import (
    ChangeForbiddenError,
    get_readable_memory,
    is_subject,
    may_publish,
    record_memory_audit,
)
from memories.access.visibility import MemoryRequestError
from memories.review.models import Proposal, ProposalCause
from memories.review.propose import build_item, create_proposal, withdraw_items
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Status, Tier
from memories.store.models.memory import Memory
from memories.store.use import MOVE_RED_LINE, move_to_tier
from orgs import audit
from orgs.database.bulk_insert import insert_rows
from orgs.database.rls import current_scope, insert_scope
from orgs.errors import AlreadyExistsError
from orgs.expiry import has_expired
from orgs.models.audiences import AudienceType
from orgs.principals import Actor, Principal, resolve_principal

RED_LINE_FIELDS = (
    "red_line",
    "red_line_reason",
    "red_line_by_id",
    "red_line_at",
    "expires_at",
    "importance",
    "updated_at",
)
# The changes of an item that asks to take a protection off.
LIFT = {"red_line": False}
# In the details of an item about a text that waits: its writer asks that it is protected.
PROTECTION = "red_line"
REASON_REQUIRED_MESSAGE = (
    "Say why it is to be protected; whoever reads the memory reads that as well."
)
LIFT_REASON_REQUIRED_MESSAGE = "Say why it needs no protection any more."
INTERNAL_NOTE_MESSAGE = "Nobody decides about a robot's own notes, so these are not protected."
DERIVED_MESSAGE = "This was made of other memories and goes with them. Protect those."


def may_protect(actor: Actor, memory: Memory) -> bool:
    """Whether the asker may protect and unprotect the memory: curators, and its subject."""
    return actor.moderates or is_subject(actor, memory)


def may_decide_protection(actor: Actor, memory: Memory) -> bool:
    """Whether the asker protects and unprotects the memory at once: it is then always at hand for
    its readers, so they have to publish to these. Call inside a scope that reads it."""
    return may_protect(actor, memory) and may_publish(actor, memory)


def protect_memory(
    actor: Actor, memory_id: UUID, *, reason: str, now: datetime
) -> Memory | Proposal:
    """Protect a memory: nobody can forget, archive, reword or share it, and it does not expire; it
    becomes glacial with importance 1. Its subject can still forget it.

    An asker who may not decide this proposes it, and gets the queue item; so does its subject who
    may not publish to its readers. Raises NotFoundError,
    MemoryRequestError without a reason or for a memory that cannot be protected, and
    AlreadyExistsError.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        memory = _require_protectable(get_readable_memory(principal, memory_id, lock=True), now)
        if not may_decide_protection(actor, memory):
            return create_proposal(principal, memory, ProposalCause.RED_LINE, reason, now)
        return set_red_line(principal, memory, reason, now)


def set_red_line(principal: Principal, memory: Memory, reason: str, now: datetime) -> Memory:
    """Protect a locked memory, without checking rights. Its expiry is removed."""
    if not reason.strip():
        raise MemoryRequestError(REASON_REQUIRED_MESSAGE)
    expired = memory.expires_at
    memory.importance = 1.0
    move_to_tier(memory, Tier.GLACIAL, reason=MOVE_RED_LINE, now=now)
    _save_red_line(memory, principal.actor, reason, now, on=True)
    _settle(memory, now)
    detail: dict[str, Any] = {"expired_at": expired.isoformat()} if expired else {}
    record_memory_audit(principal, "memory.protected", memory, now, **detail)
    return memory


def unprotect_memory(
    actor: Actor, memory_id: UUID, *, reason: str, now: datetime
) -> Memory | Proposal:
    """Remove the red line, with a reason that is stored with the memory. Its subject who may not
    publish to its readers proposes it.

    Raises NotFoundError, ChangeForbiddenError, MemoryRequestError without a reason, and
    AlreadyExistsError where there is none.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        memory = get_readable_memory(principal, memory_id, lock=True)
        if not may_protect(actor, memory):
            raise ChangeForbiddenError(
                "A curator takes the protection off, or whom the memory is about."
            )
        if not memory.red_line:
            raise AlreadyExistsError("The memory is not protected.")
        if not reason.strip():
            raise MemoryRequestError(LIFT_REASON_REQUIRED_MESSAGE)
        if not may_publish(actor, memory):
            return create_proposal(
                principal, memory, ProposalCause.RED_LINE, reason, now, changes=LIFT
            )
        remove_red_line(principal, memory, reason, now)
    return memory


def remove_red_line(principal: Principal, memory: Memory, reason: str, now: datetime) -> None:
    """Remove the red line of a locked memory, without checking rights."""
    _save_red_line(memory, principal.actor, reason, now, on=False)
    _settle(memory, now)
    record_memory_audit(principal, "memory.unprotected", memory, now)


def _settle(memory: Memory, now: datetime) -> None:
    """Withdraw what waits about the protection of a memory."""
    withdraw_items(memory.organisation_id, memory.id, now, ProposalCause.RED_LINE)


def approve_protection(
    principal: Principal, memory: Memory, item: Proposal, reason: str, now: datetime
) -> dict[str, Any]:
    """Protect a locked memory as proposed, or take the protection off. Returns the outcome for
    undo."""
    if item.changes == LIFT:
        if not memory.red_line:
            raise AlreadyExistsError("The memory is not protected.")
        before = memory.red_line_reason
        remove_red_line(principal, memory, reason, now)
        return {"unprotected": str(memory.id), "reason": before}
    set_red_line(principal, _require_protectable(memory, now), reason, now)
    return {"protected": str(memory.id)}


def check_protection_request(actor: Actor, reason: str, *, internal: bool) -> None:
    """Raise MemoryRequestError if a new memory may not ask for protection."""
    if internal:
        raise MemoryRequestError(INTERNAL_NOTE_MESSAGE)
    if actor.is_person and not reason.strip():
        raise MemoryRequestError(REASON_REQUIRED_MESSAGE)


def apply_protection_requests(
    principal: Principal, fresh: Sequence[tuple[Memory, str]], now: datetime
) -> None:
    """Protect new memories that ask for it, or propose it. fresh: (memory, reason).

    Call after they are stored, inside a scope of their writer.
    """
    actor = principal.actor
    unread = {memory.audience_id for memory, _ in fresh} - set(current_scope().audiences)
    wishes = []
    for memory, reason in fresh:
        if memory.status == Status.ACTIVE and actor.is_person and may_protect(actor, memory):
            set_red_line(principal, memory, reason, now)
        else:
            wishes.append((memory, reason))
    if wishes:
        with insert_scope(sorted(unread | set(current_scope().deposit))):
            _propose_protection(wishes, actor, now)


def _propose_protection(rows: Sequence[tuple[Memory, str]], actor: Actor, now: datetime) -> None:
    items = []
    for memory, reason in rows:
        item = build_item(memory, ProposalCause.RED_LINE, now)
        item.target_audience_id, item.reason, item.seen_version = None, reason, memory.version
        items.append(item)
        audit.record_entry(
            "proposal.red_line", actor=actor, now=now, target=memory.id, target_type="memory"
        )
    insert_rows(items)


def _require_protectable(memory: Memory, now: datetime) -> Memory:
    if memory.red_line:
        raise AlreadyExistsError("The memory is protected already.")
    if memory.audience.kind in (AudienceType.ROBOT, AudienceType.TEAM):
        raise MemoryRequestError(INTERNAL_NOTE_MESSAGE)
    pattern = "pattern" in memory.metadata and memory.robot.builtin
    if is_proposition(memory) or is_summary(memory) or pattern:
        raise MemoryRequestError(DERIVED_MESSAGE)
    if memory.status != Status.ACTIVE:
        raise AlreadyExistsError(f"The memory is {memory.status}, not active.")
    if has_expired(memory.expires_at, now):
        raise AlreadyExistsError("The memory has expired. Give it more time first.")
    return memory


def _save_red_line(memory: Memory, actor: Actor, reason: str, now: datetime, *, on: bool) -> None:
    memory.red_line, memory.red_line_reason = on, reason.strip()
    memory.red_line_by_id, memory.red_line_at, memory.updated_at = actor.member_id, now, now
    if on:
        memory.expires_at = None
    # By its id, because Django would insert a row again that was just stored in bulk.
    Memory.objects.filter(organisation_id=memory.organisation_id, id=memory.id).update(
        **{name: getattr(memory, name) for name in RED_LINE_FIELDS}
    )
