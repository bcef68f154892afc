"""Which audiences a robot may read, alone or for a member."""

from django.db.models import Q, QuerySet

from orgs.models import Audience, AudienceEntry, AudienceKind
from orgs.principals import Actor, register
from robots.models import RobotGroup


def groups_of_robot(actor: Actor) -> "QuerySet[RobotGroup]":
    """The group ids in which the robot sits, as a queryset for a subquery."""
    return RobotGroup.objects.filter(
        organisation_id=actor.organisation_id, robot_id=actor.robot_id
    ).values("group_id")


@register
def robot_audiences(actor: Actor) -> list["QuerySet[Audience]"]:
    """Its own notes; alone also its groups' rows and what is shared with it.

    Acting for a member it reads none of those: what it answers, that member hears.
    """
    if actor.robot_id is None:
        return []
    audiences = Audience.objects.filter(organisation_id=actor.organisation_id)
    parts = [audiences.filter(kind=AudienceKind.ROBOT, key=str(actor.robot_id))]
    if actor.member_id is not None:
        return parts
    groups = groups_of_robot(actor)
    entries = AudienceEntry.objects.filter(organisation_id=actor.organisation_id).filter(
        Q(kind="robot", reader=actor.robot_id) | Q(kind="group", reader__in=groups)
    )
    shared = audiences.filter(kind=AudienceKind.EXPLICIT, id__in=entries.values("audience_id"))
    if actor.group_id:
        parts.append(audiences.filter(kind=AudienceKind.GROUP, group_id=actor.group_id))
        parts.append(shared.filter(Q(group_id=actor.group_id) | Q(group_id__isnull=True)))
    else:
        parts.append(audiences.filter(kind=AudienceKind.GROUP, group_id__in=groups))
        parts.append(shared)
    return parts
