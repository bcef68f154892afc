"""What is closed when a member is removed: their delegations and their personal robots."""

from datetime import datetime

from orgs.models.memberships import Member
from orgs.principals import Actor
from robots.models.delegations import Delegation
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.models.teams import TeamRobot


def revoke_member_access(actor: Actor, member: Member, now: datetime) -> None:
    """Revoke the member's delegations; retire their personal robots and revoke their keys.

    A retired robot leaves its teams.
    """
    tenant = {"organisation_id": member.organisation_id}
    Delegation.objects.filter(**tenant, member_id=member.id, revoked_at=None).update(revoked_at=now)
    personal = Robot.objects.filter(**tenant, owner_id=member.id)
    Key.objects.filter(**tenant, robot_id__in=personal.values("id"), revoked_at=None).update(
        revoked_at=now
    )
    TeamRobot.objects.filter(**tenant, robot_id__in=personal.values("id")).delete()
    personal.filter(retired_at=None).update(retired_at=now)
