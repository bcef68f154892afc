"""Who may decide an item of the queue."""

from collections.abc import Callable

from django.db.models import Exists, OuterRef, Q, Subquery

from memories.access.evaluate_condition import ANY_ROW, NO_ROW, matches
from memories.access.permissions import may_change_q, may_publish, published_by
from memories.review.models import GATE_CAUSES, PUBLISHING_CAUSES, Proposal, ProposalCause
from memories.store.models.memory import Memory, subject_q
from orgs.models.audiences import AudienceEntry, AudienceType, ReaderType
from orgs.models.memberships import Member, Role
from orgs.models.organisations import GroupMembership
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


def _without_curator_q(actor: Actor) -> Q:
    """Items about two memories that disagree, of a group that the actor owns and of which no
    curator reads them: nobody else may decide about what others said there.

    A list of readers that was made in the group counts as the group's, unless it names a group.
    """
    if actor.moderates or actor.role == Role.VIEWER:
        return NO_ROW
    tenant = {"organisation_id": OuterRef("organisation_id")}
    curators = Member.objects.filter(**tenant, role__in=MODERATOR_ROLES, removed_at=None)
    seated = GroupMembership.objects.filter(
        **tenant, group_id=OuterRef("audience__group_id"), member_id__in=curators.values("id")
    )
    named = AudienceEntry.objects.filter(
        Q(kind=ReaderType.GROUP) | Q(reader__in=curators.values("id")),
        **tenant,
        audience_id=OuterRef("audience_id"),
    )
    of_group = Q(audience__kind=AudienceType.GROUP, audience__group__confidential=True)
    of_list = Q(audience__kind=AudienceType.EXPLICIT) & ~Q(Exists(named))
    owned = Q(cause=ProposalCause.CONTRADICTION, audience__group__owner_id=actor.member_id)
    return owned & ((of_group & ~Q(Exists(seated))) | of_list)


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
    for these readers. Of two memories that disagree the owner of their group decides, where no
    curator reads them.
    """
    if not actor.is_person:
        return NO_ROW
    return _own_q(actor, published_by(actor), _about_memories_q) | _without_curator_q(actor)


def concerns(actor: Actor) -> Q:
    """The condition for items about what the actor may change, also those that a curator
    decides because everybody reads it, and for those that they decide for their group."""
    if not actor.is_person:
        return NO_ROW
    return _own_q(actor, ANY_ROW, _about_memories_q) | _without_curator_q(actor)


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
    if matches(_own_q(actor, ANY_ROW, about), item) and may_publish(actor, item.memory):
        return True
    return decides_for_group(principal, item)


def decides_for_group(principal: Principal, item: Proposal) -> bool:
    """Whether the asker decides the item as the owner of its group, whoever said the memories; call
    inside a scope that reads it."""
    actor = principal.actor
    if item.cause != ProposalCause.CONTRADICTION or not actor.is_person:
        return False
    rows = Proposal.objects.filter(_without_curator_q(actor), id=item.id)
    return rows.filter(organisation_id=principal.organisation_id).exists()


def list_curators(actor: Actor) -> list[Member]:
    """The members to whom an item may be assigned, by name; call inside a scope of the
    organisation."""
    rows = Member.objects.filter(
        organisation_id=actor.organisation_id, role__in=MODERATOR_ROLES, removed_at=None
    )
    return list(rows.order_by("name"))
