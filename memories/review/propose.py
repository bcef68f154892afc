"""Propose a change that somebody else must decide: a correction, a report."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from memories.access.permissions import get_readable_memory
from memories.access.visibility import MemoryRequestError
from memories.review.models import PAIR_CAUSES, Proposal, ProposalCause, ProposalState
from memories.review.review_queue import DISPLAY_RELATIONS
from memories.store.encryption.texts import check_not_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.bulk_insert import insert_rows
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.models.base import id_like
from orgs.principals import Actor, Principal, resolve_principal

# Add items to the review queue, and withdraw those that need no decision any more.
# Call inside a scope that may write in the memory's audience. A memory is always locked before
# its items, so that two transactions never deadlock.


def build_item(memory: Memory, cause: str, now: datetime) -> Proposal:
    """An open item about a memory, proposed by its writer; not stored yet."""
    return Proposal(
        id=id_like(memory.id, now),
        organisation_id=memory.organisation_id,
        memory_id=memory.id,
        audience_id=memory.audience_id,
        kind=memory.kind,
        cause=cause,
        target_audience_id=memory.proposed_audience_id,
        proposed_by_id=memory.author_id,
        robot_id=memory.robot_id,
        created_at=now,
    )


def enqueue_items(
    rows: Sequence[Memory], now: datetime, details: Mapping[UUID, Mapping[str, Any]] | None = None
) -> None:
    """Add an item for each memory that waits for a curator or for its subject.

    details: of the items, by memory id.
    """
    waiting = [row for row in rows if row.proposed_audience_id]
    if not waiting:
        return
    kinds = dict(
        Audience.objects.filter(
            organisation_id=waiting[0].organisation_id, id__in={row.audience_id for row in waiting}
        ).values_list("id", "kind")
    )
    causes = {
        id_: ProposalCause.PUBLISH if kind == AudienceType.REVIEW else ProposalCause.RETURN
        for id_, kind in kinds.items()
    }
    items = [build_item(row, row.held_for or causes[row.audience_id], now) for row in waiting]
    for item in items:
        item.details = dict((details or {}).get(item.memory_id, {}))
    insert_rows(items)


def reenqueue_items(rows: Sequence[Memory], now: datetime) -> None:
    """Add an item again for each memory that was withdrawn and waits once more, unless one is open.
    It has the details of the last one."""
    waiting = {row.id: row for row in rows if row.proposed_audience_id}
    if not waiting:
        return
    items = Proposal.objects.filter(
        organisation_id=next(iter(waiting.values())).organisation_id, memory_id__in=waiting
    )
    details: dict[UUID, Mapping[str, Any]] = {}
    found = items.order_by("id").values_list("memory_id", "cause", "state", "details")
    for memory_id, cause, state, said in found:
        if state == ProposalState.OPEN:
            waiting.pop(memory_id, None)
        elif memory_id in waiting and cause == waiting[memory_id].held_for:
            details[memory_id] = said or {}
    enqueue_items(list(waiting.values()), now, details)


def withdraw_items(organisation_id: UUID, memory_id: UUID, now: datetime, *causes: str) -> None:
    """Withdraw the open items about a memory that is gone, has moved or was decided otherwise.

    causes: only items of these causes; by default all.
    """
    withdraw_items_of(organisation_id, [memory_id], now, *causes)


def withdraw_items_of(
    organisation_id: UUID, memory_ids: Sequence[UUID], now: datetime, *causes: str
) -> None:
    """`withdraw` for several memories."""
    about = Q(memory_id__in=memory_ids) | Q(other_id__in=memory_ids)
    rows = Proposal.objects.filter(about, organisation_id=organisation_id, state=ProposalState.OPEN)
    if causes:
        rows = rows.filter(cause__in=causes)
    rows.update(state=ProposalState.WITHDRAWN, decided_at=now, locked_by=None, locked_until=None)


def withdraw_found_pairs(organisation_id: UUID, memory_id: UUID, now: datetime) -> None:
    """Withdraw the open pairs that the service found with a memory whose text changes: it looks
    again once the new text is indexed. What somebody said about two of them stays."""
    rows = Proposal.objects.filter(
        Q(memory_id=memory_id) | Q(other_id=memory_id),
        organisation_id=organisation_id,
        state=ProposalState.OPEN,
        cause__in=PAIR_CAUSES,
        proposed_by=None,
        robot=None,
    )
    rows.update(state=ProposalState.WITHDRAWN, decided_at=now, locked_by=None, locked_until=None)


def move_open_request(memory: Memory, to: UUID, now: datetime) -> None:
    """Move an open wish for protection from a proposed memory to its published copy."""
    open_ = Q(memory_id=memory.id, cause=ProposalCause.RED_LINE, state=ProposalState.OPEN)
    for item in Proposal.objects.filter(open_, organisation_id=memory.organisation_id):
        copied = Memory.objects.filter(organisation_id=memory.organisation_id, id=to).first()
        if copied is not None and not copied.red_line:
            again = build_item(copied, ProposalCause.RED_LINE, now)
            again.target_audience_id, again.seen_version = None, copied.version
            again.reason, again.proposed_by_id = item.reason, item.proposed_by_id
            again.robot_id = item.robot_id
            insert_rows([again])
        item.state, item.decided_at = ProposalState.WITHDRAWN, now
        item.save(update_fields=["state", "decided_at"])


def close_by_itself(
    service: Actor,
    item: Proposal,
    state: str,
    outcome: Mapping[str, Any],
    details: Mapping[str, Any],
    now: datetime,
) -> None:
    """Close a locked item that nobody decided, in the name of the service.

    outcome: what undo needs; details: kept also after an undo, and told in the audit trail.
    """
    Proposal.objects.filter(organisation_id=item.organisation_id, id=item.id).update(
        state=state,
        outcome=outcome,
        details=item.details | details,
        decided_at=now,
        locked_by=None,
        locked_until=None,
    )
    audit.record_entry(
        f"proposal.{state}",
        actor=service,
        now=now,
        target=item.id,
        target_type="proposal",
        memory=str(item.memory_id),
        edited=False,
        by_itself=True,
        **details,
    )


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
    [item] = create_proposals(principal, [(memory, more)], cause, reason, now)
    return Proposal.objects.select_related(*DISPLAY_RELATIONS).get(
        organisation_id=item.organisation_id, id=item.id
    )


def create_proposals(
    principal: Principal,
    about: Sequence[tuple[Memory, Mapping[str, Any]]],
    cause: str,
    reason: str,
    now: datetime,
) -> list[Proposal]:
    """`create_proposal` for several, in their order, without what a page shows of them. about:
    memories, each with further values of the item. Statements do not grow with their number."""
    actor = principal.actor
    items = [
        Proposal(
            id=id_like(memory.id, now),
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
        for memory, more in about
    ]
    if not items:
        return []
    try:
        with transaction.atomic():
            insert_rows(items)
    except IntegrityError as error:
        raise AlreadyExistsError("You have said so already; it waits for a decision.") from error
    audit.record_entries(
        f"proposal.{cause}",
        actor=actor,
        now=now,
        target_type="memory",
        targets={memory.id: {} for memory, _ in about},
    )
    return items
