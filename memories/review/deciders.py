"""Who may decide an item of the queue."""

from django.db.models import OuterRef, Q, Subquery

from memories.access.permissions import is_subject, may_change, may_publish, published_by
from memories.review.models import GATE_CAUSES, PUBLISHING_CAUSES, Proposal, ProposalCause
from memories.store.models.memory import Memory, subject_q
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member, Role
from orgs.principals import MODERATOR_ROLES, Actor, Principal
from robots.models.robots import Robot

# Items that are approved by removing a memory.
REMOVALS = (ProposalCause.REPORT, ProposalCause.MENTION)


def _own_q(actor: Actor, publishing: Q) -> Q:
    """The condition for items about a memory that the actor may change; the same rule as
    `may_change`. publishing: further, for those that are approved by changing it."""
    if actor.moderates:
        # Not Q(), which would vanish in a combination.
        return ~Q(pk__in=[])
    # A memory that its subject forgot waits where only the subject reads.
    subject = subject_q(actor.member_id)
    theirs = subject if actor.role == Role.VIEWER else subject | Q(author_id=actor.member_id)
    about = _about_memories_q(theirs) & ~Q(cause__in=(*PUBLISHING_CAUSES, ProposalCause.RED_LINE))
    # To remove what is theirs is everybody's own right; what others read instead is not.
    others = about & (Q(cause__in=REMOVALS) | publishing)
    # A memory held by a gate waits where only its deciders or curators read.
    held = Q(cause__in=GATE_CAUSES, audience__kind=AudienceType.EXPLICIT)
    wishes = Q(cause=ProposalCause.RED_LINE) & _about_memories_q(subject) & publishing
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
    """The condition for items that the actor may decide; robots decide nothing."""
    return _own_q(actor, published_by(actor)) if actor.is_person else Q(pk__in=[])


def concerns(actor: Actor) -> Q:
    """The condition for items about what the actor may change, also those that a curator
    decides because everybody reads it."""
    return _own_q(actor, ~Q(pk__in=[])) if actor.is_person else Q(pk__in=[])


def may_decide(principal: Principal, item: Proposal) -> bool:
    """Whether the asker may decide this item. Only curators and admins decide proposals, and
    changes of what others read only who may write for these readers."""
    actor = principal.actor
    if not actor.is_person:
        return False
    if item.cause in (ProposalCause.PUBLISH, ProposalCause.RETURN):
        return actor.moderates or item.cause == ProposalCause.RETURN
    if item.cause in GATE_CAUSES:
        alone = item.memory.audience.kind == AudienceType.EXPLICIT
        return actor.moderates or (alone and actor.role != Role.VIEWER)
    theirs = is_subject(actor, item.memory)
    if item.cause == ProposalCause.RED_LINE:
        theirs = theirs or actor.moderates
    elif actor.role != Role.VIEWER:
        theirs = may_change(principal, item.memory)
    return theirs and (item.cause in REMOVALS or may_publish(actor, item.memory))


def list_curators(actor: Actor) -> list[Member]:
    """The members to whom an item may be assigned, by name; call inside a scope of the
    organisation."""
    rows = Member.objects.filter(
        organisation_id=actor.organisation_id, role__in=MODERATOR_ROLES, removed_at=None
    )
    return list(rows.order_by("name"))
