"""Holding and assigning items of the queue."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from memories.review.deciders import curators
from memories.review.models import Proposal, State
from memories.review.queue import Decided, find, to_decide
from orgs import audit
from orgs.errors import NotFound
from orgs.principals import Actor, Principal, resolve

HOLD = timedelta(minutes=5)


class Held(Exception):
    """Somebody else has the item open; `item` is as it is now."""

    def __init__(self, item: Proposal) -> None:
        name = item.locked_by.name if item.locked_by else "Somebody"
        super().__init__(f"{name} has this open. Nothing was changed; take another one.")
        self.item = item


def taken_by_others(item: Proposal, actor: Actor, now: datetime) -> bool:
    """Whether somebody else has it open right now."""
    held = item.locked_until is not None and item.locked_until > now
    return held and item.locked_by_id != actor.member_id


def hold(actor: Actor, item_id: UUID, *, now: datetime) -> Proposal:
    """Hold an item for five minutes, so that nobody else decides it. Raises NotFound, Decided and
    Held."""
    principal = resolve(actor)
    with principal.scope():
        item = to_decide(principal, item_id)
        if item.state != State.OPEN:
            raise Decided(item)
        if not take_hold(principal, item, now):
            raise Held(find(principal, item_id))
        return find(principal, item_id)


def take_hold(principal: Principal, item: Proposal, now: datetime) -> bool:
    """Hold an item for five minutes. Returns whether the asker holds it now; call inside the
    principal's scope."""
    me = principal.actor.member_id
    free = Q(locked_until=None) | Q(locked_until__lte=now) | Q(locked_by_id=me)
    changed = Proposal.objects.filter(
        free, organisation_id=item.organisation_id, id=item.id, state=State.OPEN
    ).update(locked_by_id=me, locked_until=now + HOLD)
    return bool(changed)


def let_go_of_others(principal: Principal, item: Proposal) -> None:
    """Release all other items that the asker holds; call inside the principal's scope."""
    Proposal.objects.filter(
        organisation_id=item.organisation_id,
        state=State.OPEN,
        locked_by_id=principal.actor.member_id,
    ).exclude(id=item.id).update(locked_by=None, locked_until=None)


def release(actor: Actor, item_id: UUID) -> Proposal:
    """Release an item if the asker holds it; holds of others stay. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        item = to_decide(principal, item_id)
        Proposal.objects.filter(
            organisation_id=item.organisation_id, id=item.id, locked_by_id=actor.member_id
        ).update(locked_by=None, locked_until=None)
        return find(principal, item_id)


def assign(actor: Actor, item_id: UUID, member_id: UUID | None, *, now: datetime) -> Proposal:
    """Assign an item to a curator or admin, or to nobody.

    Raises NotFound (also for a member who cannot decide it), PermissionError and Decided.
    """
    principal = resolve(actor)
    with principal.scope():
        item = to_decide(principal, item_id)
        if not actor.moderates:
            raise PermissionError("Curators and admins hand out items.")
        if item.state != State.OPEN:
            raise Decided(item)
        if member_id is not None and member_id not in {m.id for m in curators(actor)}:
            raise NotFound("no such curator")
        Proposal.objects.filter(
            organisation_id=item.organisation_id, id=item.id, state=State.OPEN
        ).update(assignee_id=member_id)
        audit.record(
            "proposal.assigned",
            actor=actor,
            now=now,
            target=item.id,
            target_type="proposal",
            assignee=str(member_id) if member_id else None,
        )
        return find(principal, item_id)
