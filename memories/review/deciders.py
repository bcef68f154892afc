"""Who may decide an item of the queue."""

from collections.abc import Callable

from django.db.models import OuterRef, Q, Subquery

from memories.access.evaluate_condition import ANY_ROW, NO_ROW, matches
from memories.access.permissions import may_change_q, may_publish, published_by
from memories.review.models import GATE_CAUSES, PUBLISHING_CAUSES, Proposal, ProposalCause
from memories.store.models.memory import Memory, subject_q
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member, Role
from orgs.principals import MODERATOR_ROLES, Actor, Principal
from robots.models.robots import Robot

# Items that are approved by removing a memory.
REMOVALS = (ProposalCause.REPORT, ProposalCause.MENTION)


def _own_q(actor: Actor, publishing: Q, about: Callable[[Q], Q]) -> Q:
    """The condition for items about a memory that the actor may change.

    publishing: further, for those that are approved by changing it. about: the condition for items
    whose memory meets a condition.
    """
    if actor.moderates:
        return ANY_ROW
    # A memory that its subject forgot waits where only the subject reads.
    subject = subject_q(actor.member_id)
    theirs = subject if actor.role == Role.VIEWER else may_change_q(actor)
    changes = about(theirs) & ~Q(cause__in=(*PUBLISHING_CAUSES, ProposalCause.RED_LINE))
    # To remove what is theirs is everybody's own right; what others read instead is not.
    others = changes & (Q(cause__in=REMOVALS) | publishing)
    # A memory held by a gate waits where only its deciders or curators read.
    held = Q(cause__in=GATE_CAUSES, audience__kind=AudienceType.EXPLICIT)
    wishes = Q(cause=ProposalCause.RED_LINE) & about(subject) & publishing
    mine = Q(cause=ProposalCause.RETURN) | others | wishes
    return mine if actor.role == Role.VIEWER else mine | held


def _about_memories_q(which: Q) -> Q:
    """Items about memories that meet the condition; by a subquery instead of a join."""
    memories = Memory.objects.filter(
        which, organisation_id=OuterRef("organisation_id"), id=OuterRef("memory_id")
    )
    return Q(memory_id=Subquery(memories.values("id")[:1]))


def proposed_q(actor: Actor) -> Q:
    """The condition for items that the actor proposed, or a robot for them; their personal robot's
    are theirs."""
    if actor.robot_id:
        return Q(robot_id=actor.robot_id, proposed_by=None)
    about_them = subject_q(actor.member_id, "memory__")
    own = Robot.objects.filter(organisation_id=actor.organisation_id, owner_id=actor.member_id)
    theirs = Q(proposed_by=None, robot_id__in=own.values("id"))
    return Q(proposed_by_id=actor.member_id) | theirs | (Q(cause__in=GATE_CAUSES) & about_them)


def decidable_q(actor: Actor) -> Q:
    """The condition for items that the actor may decide; robots decide nothing.

    Only curators and admins decide proposals, and changes of what others read only who may write
    for these readers.
    """
    return _own_q(actor, published_by(actor), _about_memories_q) if actor.is_person else NO_ROW


def concerns(actor: Actor) -> Q:
    """The condition for items about what the actor may change, also those that a curator
    decides because everybody reads it."""
    return _own_q(actor, ANY_ROW, _about_memories_q) if actor.is_person else NO_ROW


def may_decide(principal: Principal, item: Proposal) -> bool:
    """`decidable_q` for one item with its memory; call inside a scope that reads it."""
    actor = principal.actor
    if not actor.is_person:
        return False

    # They have one audience, by a composite key, and the memory's is loaded.
    item.audience = item.memory.audience

    def about(which: Q) -> Q:
        return ANY_ROW if matches(which, item.memory) else NO_ROW

    if matches(_own_q(actor, NO_ROW, about), item):
        return True
    # Who publishes may take a query, so it is asked only where it decides.
    return matches(_own_q(actor, ANY_ROW, about), item) and may_publish(actor, item.memory)


def list_curators(actor: Actor) -> list[Member]:
    """The members to whom an item may be assigned, by name; call inside a scope of the
    organisation."""
    rows = Member.objects.filter(
        organisation_id=actor.organisation_id, role__in=MODERATOR_ROLES, removed_at=None
    )
    return list(rows.order_by("name"))
