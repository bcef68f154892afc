"""The review queue: what waits for whom, one item, who has it open, whom it is given to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from memories.models import Cause, Memory, Proposal, State, Status, Version
from memories.services.managing import is_subject, may_change, restorable
from orgs import audit
from orgs.models import Member, Role
from orgs.principals import MODERATORS, Actor, Principal, resolve
from orgs.services import NotFound

HOLD = timedelta(minutes=5)
NAMES = (
    "other",
    "memory__audience", "memory__robot", "memory__author", "memory__member", "memory__group",
    "memory__speaker_member", "memory__reworded_by", "memory__reworded_by_robot",
    "proposed_by", "robot", "assignee", "locked_by", "decided_by",
    "target_audience",
)  # fmt: skip


class Held(Exception):
    """Somebody else has the item open; `item` is as it is now."""

    def __init__(self, item: Proposal) -> None:
        name = item.locked_by.name if item.locked_by else "Somebody"
        super().__init__(f"{name} has this open. Nothing was changed; take another one.")
        self.item = item


class Decided(Exception):
    """Somebody was faster; `item` is as it is now."""

    def __init__(self, item: Proposal) -> None:
        words = {State.WITHDRAWN: "This was taken back"}
        who = f" by {item.decided_by.name}" if item.decided_by else ""
        said = words.get(State(item.state), f"This was {State(item.state).label.lower()}{who}")
        super().__init__(f"{said} already. Nothing was changed.")
        self.item = item


@dataclass(frozen=True, slots=True)
class Count:
    """How much waits (at most CAPPED) and how much this member has decided since `since`."""

    waiting: int
    done: int


CAPPED = 1000


def _theirs(actor: Actor) -> Q:
    """Items about a memory that is theirs to change; the same rule as `may_change`."""
    if actor.moderates:
        # Not Q(): an empty condition would vanish beside another one.
        return ~Q(pk__in=[])
    about = Q(memory__member_id=actor.member_id) | Q(memory__speaker_member_id=actor.member_id)
    if actor.role != Role.VIEWER:
        about |= Q(memory__author_id=actor.member_id)
    # What was forgotten lies where its subject alone reads.
    subject = Q(memory__member_id=actor.member_id) | Q(memory__speaker_member_id=actor.member_id)
    others = about & ~Q(cause__in=(Cause.PUBLISH, Cause.RED_LINE))
    return Q(cause=Cause.RETURN) | others | (subject & Q(cause=Cause.RED_LINE))


def proposed(actor: Actor) -> Q:
    """Items that the caller has put into the queue."""
    if actor.robot_id:
        return Q(robot_id=actor.robot_id, proposed_by=None)
    return Q(proposed_by_id=actor.member_id)


def decidable(actor: Actor) -> Q:
    """Items that the caller may decide: a person's matter, never a robot's."""
    return _theirs(actor) if actor.is_person else Q(pk__in=[])


def items(principal: Principal) -> "QuerySet[Proposal, Proposal]":
    """What the asker decides or has proposed; evaluate inside the principal's scope.

    An item whose memory is not readable does not exist, and so with the twin of a duplicate. What
    is forgotten is for who may bring it back, here as well. What was written for other readers than
    those of today is for who reads both, as with the versions of the memory.
    """
    rows = standing(principal.actor).filter(decidable(principal.actor) | proposed(principal.actor))
    return rows.select_related(*NAMES)


def standing(actor: Actor) -> "QuerySet[Proposal, Proposal]":
    """What exists for the asker, whoever decides it; evaluate inside the asker's scope."""
    tenant = {"organisation_id": actor.organisation_id}
    there = Memory.objects.filter(~Q(status=Status.FORGOTTEN) | restorable(actor), **tenant)
    # Looked up one by one: a list of all that is readable would be made for the sake of a few.
    twins = Q(other=None) | Exists(there.filter(id=OuterRef("other_id")))
    seen = Version.objects.filter(
        **tenant, memory_id=OuterRef("memory_id"), number=OuterRef("seen_version")
    )
    then = Q(seen_version=None) | Q(seen_version=F("memory__version")) | Exists(seen)
    rows = Proposal.objects.filter(**tenant)
    return rows.filter(twins, then, memory_id__in=there.values("id"))


def queue(principal: Principal, filters: Mapping[str, Any]) -> "QuerySet[Proposal, Proposal]":
    """Items that match: state, cause, mine (proposed by the asker), assigned (me or nobody),
    decided (by whoever could)."""
    actor, rows = principal.actor, items(principal)
    if state := filters.get("state"):
        rows = rows.filter(state=state)
    if filters.get("decided"):
        rows = rows.filter(decidable(actor)).exclude(state__in=(State.OPEN, State.WITHDRAWN))
    if cause := filters.get("cause"):
        rows = rows.filter(cause=cause)
    match filters.get("mine"):
        case True:
            rows = rows.filter(proposed(actor))
        case False:
            rows = rows.filter(decidable(actor))
    match filters.get("assigned"):
        case "me":
            rows = rows.filter(assignee_id=actor.member_id)
        case "nobody":
            rows = rows.filter(assignee=None)
    return rows


def may_decide(principal: Principal, item: Proposal) -> bool:
    """Whether the asker decides this item. Nobody but curators decides a proposal."""
    actor = principal.actor
    if not actor.is_person:
        return False
    if item.cause in (Cause.PUBLISH, Cause.RETURN):
        return actor.moderates or item.cause == Cause.RETURN
    if item.cause == Cause.RED_LINE:
        return actor.moderates or is_subject(actor, item.memory)
    if actor.role == Role.VIEWER:
        return actor.member_id in (item.memory.member_id, item.memory.speaker_member_id)
    return may_change(principal, item.memory)


def find(principal: Principal, item_id: UUID) -> Proposal:
    """One item; call inside the principal's scope. Raises NotFound."""
    item = items(principal).filter(id=item_id).first()
    if item is None or (item.memory.status == Status.FORGOTTEN and item.state == State.OPEN):
        raise NotFound("no such item")
    return item


def to_decide(principal: Principal, item_id: UUID) -> Proposal:
    """One item that the asker may decide, unlocked. Raises NotFound."""
    item = find(principal, item_id)
    if not may_decide(principal, item):
        raise NotFound("not the asker's to decide")
    return item


def get_item(actor: Actor, item_id: UUID) -> Proposal:
    """One item that the asker decides or has proposed. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        return find(principal, item_id)


def taken_by_others(item: Proposal, actor: Actor, now: datetime) -> bool:
    """Whether somebody else has it open right now."""
    held = item.locked_until is not None and item.locked_until > now
    return held and item.locked_by_id != actor.member_id


def hold(actor: Actor, item_id: UUID, *, now: datetime) -> Proposal:
    """Keep the item from others for five minutes. Raises NotFound, Decided and Held."""
    principal = resolve(actor)
    with principal.scope():
        item = to_decide(principal, item_id)
        if item.state != State.OPEN:
            raise Decided(item)
        if not take_hold(principal, item, now):
            raise Held(find(principal, item_id))
        return find(principal, item_id)


def take_hold(principal: Principal, item: Proposal, now: datetime) -> bool:
    """Whether the item is now the asker's for five minutes; call inside the principal's scope."""
    me = principal.actor.member_id
    free = Q(locked_until=None) | Q(locked_until__lte=now) | Q(locked_by_id=me)
    changed = Proposal.objects.filter(
        free, organisation_id=item.organisation_id, id=item.id, state=State.OPEN
    ).update(locked_by_id=me, locked_until=now + HOLD)
    return bool(changed)


def release(actor: Actor, item_id: UUID) -> Proposal:
    """Let go of an item that the asker holds; of others' holds nothing changes. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        item = to_decide(principal, item_id)
        Proposal.objects.filter(
            organisation_id=item.organisation_id, id=item.id, locked_by_id=actor.member_id
        ).update(locked_by=None, locked_until=None)
        return find(principal, item_id)


def assign(actor: Actor, item_id: UUID, member_id: UUID | None, *, now: datetime) -> Proposal:
    """Give an item to a curator or admin, or to nobody.

    Raises NotFound (also for who cannot decide it), PermissionError and Decided.
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


def curators(actor: Actor) -> list[Member]:
    """Who may be given an item, by name; call inside a scope of the organisation."""
    rows = Member.objects.filter(
        organisation_id=actor.organisation_id, role__in=MODERATORS, removed_at=None
    )
    return list(rows.order_by("name"))


def following(principal: Principal, after: UUID | None, now: datetime) -> UUID | None:
    """The next item that waits for the asker: the oldest after `after`, then from the start."""
    me = principal.actor.member_id
    rows = queue(principal, {"state": State.OPEN, "mine": False})
    free = Q(locked_until=None) | Q(locked_until__lte=now) | Q(locked_by_id=me)
    given = Q(assignee=None) | Q(assignee_id=me)
    rows = rows.filter(free & given).exclude(memory__status=Status.FORGOTTEN)
    ids = rows.order_by("id").values_list("id", flat=True)
    if after is None:
        return ids.first()
    return ids.filter(id__gt=after).first() or ids.exclude(id=after).first()


def count(principal: Principal, since: datetime) -> Count:
    """Progress; counted over what the asker may decide and no further than CAPPED."""
    me = principal.actor.member_id
    waits = Q(state=State.OPEN) & decidable(principal.actor)
    done = Q(decided_by_id=me, decided_at__gte=since)
    states = standing(principal.actor).filter(waits | done).order_by("-state")
    found = list(states.values_list("state", "memory__status")[:CAPPED])
    waiting = [s for s, memory in found if s == State.OPEN and memory != Status.FORGOTTEN]
    return Count(len(waiting), len([s for s, _ in found if s != State.OPEN]))
