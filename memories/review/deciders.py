"""Who may decide an item of the queue."""

from django.db.models import OuterRef, Q, Subquery

from memories.access.permissions import is_subject, may_change
from memories.review.models import HELD, PROPOSALS, Cause, Proposal
from memories.store.models.memory import Memory
from orgs.models.audiences import AudienceKind
from orgs.models.memberships import Member, Role
from orgs.principals import MODERATORS, Actor, Principal


def _theirs(actor: Actor) -> Q:
    """Items about a memory that is theirs to change; the same rule as `may_change`."""
    if actor.moderates:
        # Not Q(): an empty condition would vanish beside another one.
        return ~Q(pk__in=[])
    # What was forgotten lies where its subject alone reads.
    subject = Q(member_id=actor.member_id) | Q(speaker_member_id=actor.member_id)
    theirs = subject if actor.role == Role.VIEWER else subject | Q(author_id=actor.member_id)
    others = _about(theirs) & ~Q(cause__in=(*PROPOSALS, Cause.RED_LINE))
    # What a gate holds lies where those alone look who decide, or where curators do.
    held = Q(cause__in=HELD, audience__kind=AudienceKind.EXPLICIT)
    wishes = Q(cause=Cause.RED_LINE) & _about(subject)
    mine = Q(cause=Cause.RETURN) | others | wishes
    return mine if actor.role == Role.VIEWER else mine | held


def _about(which: Q) -> Q:
    """Items about such a memory, which is looked up for each item instead of joined."""
    memories = Memory.objects.filter(
        which, organisation_id=OuterRef("organisation_id"), id=OuterRef("memory_id")
    )
    return Q(memory_id=Subquery(memories.values("id")[:1]))


def proposed(actor: Actor) -> Q:
    """Items that the caller has put into the queue, or a robot for them."""
    if actor.robot_id:
        return Q(robot_id=actor.robot_id, proposed_by=None)
    about = Q(memory__member_id=actor.member_id) | Q(memory__speaker_member_id=actor.member_id)
    return Q(proposed_by_id=actor.member_id) | (Q(cause__in=HELD) & about)


def decidable(actor: Actor) -> Q:
    """Items that the caller may decide: a person's matter, never a robot's."""
    return _theirs(actor) if actor.is_person else Q(pk__in=[])


def may_decide(principal: Principal, item: Proposal) -> bool:
    """Whether the asker decides this item. Nobody but curators decides a proposal."""
    actor = principal.actor
    if not actor.is_person:
        return False
    if item.cause in (Cause.PUBLISH, Cause.RETURN):
        return actor.moderates or item.cause == Cause.RETURN
    if item.cause in HELD:
        alone = item.memory.audience.kind == AudienceKind.EXPLICIT
        return actor.moderates or (alone and actor.role != Role.VIEWER)
    if item.cause == Cause.RED_LINE:
        return actor.moderates or is_subject(actor, item.memory)
    if actor.role == Role.VIEWER:
        return actor.member_id in (item.memory.member_id, item.memory.speaker_member_id)
    return may_change(principal, item.memory)


def curators(actor: Actor) -> list[Member]:
    """Who may be given an item, by name; call inside a scope of the organisation."""
    rows = Member.objects.filter(
        organisation_id=actor.organisation_id, role__in=MODERATORS, removed_at=None
    )
    return list(rows.order_by("name"))
