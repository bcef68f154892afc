"""Which audiences a robot may read, alone or for a member."""

from django.db.models import QuerySet

from orgs.principals import Actor, register
from robots.models import RobotGroup


def groups_of_robot(actor: Actor) -> "QuerySet[RobotGroup]":
    """The group ids in which the robot sits, as a queryset for a subquery."""
    return RobotGroup.objects.filter(
        organisation_id=actor.organisation_id, robot_id=actor.robot_id
    ).values("group_id")


_SEATS = (
    "SELECT group_id FROM robots_robotgroup "
    "WHERE organisation_id = %(organisation)s AND robot_id = %(robot)s"
)
_SHARED = (
    "a.kind = 'explicit' AND a.id IN (SELECT e.audience_id FROM orgs_audienceentry e "
    "WHERE e.organisation_id = %(organisation)s AND ((e.kind = 'robot' AND e.reader = %(robot)s) "
    f"OR (e.kind = 'group' AND e.reader IN ({_SEATS}))))"
)


@register
def robot_audiences(actor: Actor) -> list[str]:
    """Its own notes; alone also its groups' rows and what is shared with it.

    Acting for a member it reads none of those: what it answers, that member hears.
    """
    if actor.robot_id is None:
        return []
    found = ["a.kind = 'robot' AND a.key = %(robot)s::text"]
    if actor.member_id is not None:
        return found
    if actor.group_id:
        found.append("a.kind = 'group' AND a.group_id = %(group)s")
        found.append(f"(a.group_id = %(group)s OR a.group_id IS NULL) AND {_SHARED}")
    else:
        found.append(f"a.kind = 'group' AND a.group_id IN ({_SEATS})")
        found.append(_SHARED)
    return found
