"""Propose a change that somebody else must decide: a correction, a report."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.access.lookup import fetch
from memories.access.visibility import Misplaced
from memories.review.models import Cause, Proposal
from memories.review.queue import NAMES
from memories.store.encryption.texts import refuse_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.errors import AlreadyExists, NotFound
from orgs.models.base import id_beside
from orgs.principals import Actor, Principal, resolve

VIEWERS_REPORT = "Your role reads. You can report what is wrong; a curator looks at it."


def propose_correction(
    actor: Actor, memory_id: UUID, *, content: str, reason: str = "", now: datetime
) -> Proposal:
    """Suggest another text for a memory that the asker reads.

    Raises NotFound, PermissionError for viewers, Misplaced if nothing would change, AlreadyExists
    while an earlier one waits, and Encrypted for a sensitive memory, because a suggestion is stored
    in plain.
    """
    if actor.only_reads:
        raise PermissionError(VIEWERS_REPORT)
    principal = resolve(actor)
    with principal.scope():
        memory = _active(principal, memory_id)
        refuse_sensitive(memory)
        if memory.content == content:
            raise Misplaced("This is what it says already.")
        return ask(principal, memory, Cause.CORRECTION, reason, now, content=content)


def report_memory(actor: Actor, memory_id: UUID, *, reason: str, now: datetime) -> Proposal:
    """Say that a memory is wrong or should not be here. Raises NotFound and AlreadyExists."""
    principal = resolve(actor)
    with principal.scope():
        memory = _active(principal, memory_id)
        return ask(principal, memory, Cause.REPORT, reason, now)


def _active(principal: Principal, memory_id: UUID) -> Memory:
    memory = fetch(principal, memory_id)
    if memory.status != Status.ACTIVE:
        raise NotFound("it waits or is gone")
    return memory


def ask(
    principal: Principal, memory: Memory, cause: str, reason: str, now: datetime, **more: Any
) -> Proposal:
    """Add an item about a readable memory to the queue. Raises AlreadyExists while the same
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
        raise AlreadyExists("You have said so already; it waits for a decision.") from error
    audit.record(f"proposal.{cause}", actor=actor, now=now, target=memory.id, target_type="memory")
    return Proposal.objects.select_related(*NAMES).get(
        organisation_id=item.organisation_id, id=item.id
    )
