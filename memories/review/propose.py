"""Propose a change that somebody else must decide: a correction, a report."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.access.memory_access import get_readable_memory
from memories.access.visibility import MemoryRequestError
from memories.review.models import Proposal, ProposalCause
from memories.review.review_queue import DISPLAY_RELATIONS
from memories.store.encryption.texts import check_not_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.base import id_beside
from orgs.principals import Actor, Principal, resolve_principal

VIEWER_MAY_ONLY_REPORT_MESSAGE = (
    "Your role reads. You can report what is wrong; a curator looks at it."
)


def propose_correction(
    actor: Actor, memory_id: UUID, *, content: str, reason: str = "", now: datetime
) -> Proposal:
    """Suggest another text for a memory that the asker reads.

    Raises NotFoundError, PermissionError for viewers, MemoryRequestError if nothing would change,
    AlreadyExistsError while an earlier one waits, and EncryptedTextError for a sensitive memory,
    because a suggestion is stored in plain.
    """
    if actor.only_reads:
        raise PermissionError(VIEWER_MAY_ONLY_REPORT_MESSAGE)
    principal = resolve_principal(actor)
    with principal.scope():
        memory = _get_active(principal, memory_id)
        check_not_sensitive(memory)
        if memory.content == content:
            raise MemoryRequestError("This is what it says already.")
        return create_proposal(
            principal, memory, ProposalCause.CORRECTION, reason, now, content=content
        )


def report_memory(actor: Actor, memory_id: UUID, *, reason: str, now: datetime) -> Proposal:
    """Say that a memory is wrong or should not be here. Raises NotFoundError and
    AlreadyExistsError."""
    principal = resolve_principal(actor)
    with principal.scope():
        memory = _get_active(principal, memory_id)
        return create_proposal(principal, memory, ProposalCause.REPORT, reason, now)


def _get_active(principal: Principal, memory_id: UUID) -> Memory:
    memory = get_readable_memory(principal, memory_id)
    if memory.status != Status.ACTIVE:
        raise NotFoundError("it waits or is gone")
    return memory


def create_proposal(
    principal: Principal, memory: Memory, cause: str, reason: str, now: datetime, **more: Any
) -> Proposal:
    """Add an item about a readable memory to the queue. Raises AlreadyExistsError while the same
    waits."""
    actor = principal.actor
    item = Proposal(
        id=id_beside(memory.id, now),
        organisation_id=memory.organisation_id,
        memory_id=memory.id,
        audience_id=memory.audience_id,
        kind=memory.kind,
        cause=cause,
        proposed_by_id=actor.member_id if actor.is_person else None,
        robot_id=actor.robot_id,
        reason=reason,
        seen_version=memory.version,
        created_at=now,
        **more,
    )
    try:
        with transaction.atomic():
            item.save(force_insert=True)
    except IntegrityError as error:
        raise AlreadyExistsError("You have said so already; it waits for a decision.") from error
    audit.record_entry(
        f"proposal.{cause}", actor=actor, now=now, target=memory.id, target_type="memory"
    )
    return Proposal.objects.select_related(*DISPLAY_RELATIONS).get(
        organisation_id=item.organisation_id, id=item.id
    )
