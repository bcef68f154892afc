"""Holding and assigning items of the queue."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from memories.review.deciders import list_curators
from memories.review.models import Proposal, ProposalState
from memories.review.review_queue import AlreadyDecidedError, get_decidable_item, get_item_in_scope
from orgs import audit
from orgs.errors import NotFoundError
from orgs.principals import Actor, resolve_principal

LOCK_DURATION = timedelta(minutes=5)


class ItemLockedError(Exception):
    """Somebody else holds the item; `item` is as it is now."""

    def __init__(self, item: Proposal) -> None:
        name = item.locked_by.name if item.locked_by else "Somebody"
        super().__init__(f"{name} holds this. Nothing was changed; take another one.")
        self.item = item


def is_locked_by_other(item: Proposal, actor: Actor, now: datetime) -> bool:
    """Whether somebody else holds it right now."""
    held = item.locked_until is not None and item.locked_until > now
    return held and item.locked_by_id != actor.member_id


def lock_item(actor: Actor, item_id: UUID, *, now: datetime, take_over: bool = False) -> Proposal:
    """Hold an item for five minutes, so that nobody else decides it; all other items that the asker
    holds are released. take_over: also if somebody else holds it. Raises NotFoundError,
    AlreadyDecidedError and ItemLockedError."""
    principal = resolve_principal(actor)
    with principal.scope():
        item = get_decidable_item(principal, item_id)
        if item.state != ProposalState.OPEN:
            raise AlreadyDecidedError(item)
        me = actor.member_id
        waiting = {"organisation_id": item.organisation_id, "state": ProposalState.OPEN}
        free = Q(locked_until=None) | Q(locked_until__lte=now) | Q(locked_by_id=me)
        if not Proposal.objects.filter(Q() if take_over else free, id=item.id, **waiting).update(
            locked_by_id=me, locked_until=now + LOCK_DURATION
        ):
            raise ItemLockedError(get_item_in_scope(principal, item_id))
        Proposal.objects.filter(~Q(id=item.id), locked_by_id=me, **waiting).update(
            locked_by=None, locked_until=None
        )
        return get_item_in_scope(principal, item_id)


def release_lock(actor: Actor, item_id: UUID) -> Proposal:
    """Release an item if the asker holds it; holds of others stay. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        item = get_decidable_item(principal, item_id)
        Proposal.objects.filter(
            organisation_id=item.organisation_id, id=item.id, locked_by_id=actor.member_id
        ).update(locked_by=None, locked_until=None)
        return get_item_in_scope(principal, item_id)


def assign_item(actor: Actor, item_id: UUID, member_id: UUID | None, *, now: datetime) -> Proposal:
    """Assign an item to a curator or admin, or to nobody.

    Raises NotFoundError (also for a member who cannot decide it), PermissionError and
    AlreadyDecidedError.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        item = get_decidable_item(principal, item_id)
        if not actor.moderates:
            raise PermissionError("Curators and admins hand out items.")
        if item.state != ProposalState.OPEN:
            raise AlreadyDecidedError(item)
        if member_id is not None and member_id not in {m.id for m in list_curators(actor)}:
            raise NotFoundError("no such curator")
        Proposal.objects.filter(
            organisation_id=item.organisation_id, id=item.id, state=ProposalState.OPEN
        ).update(assignee_id=member_id)
        audit.record_entry(
            "proposal.assigned",
            actor=actor,
            now=now,
            target=item.id,
            target_type="proposal",
            assignee=str(member_id) if member_id else None,
        )
        return get_item_in_scope(principal, item_id)
