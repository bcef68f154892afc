"""Which robots are in a team. Each change is recorded, because it changes what a robot reads."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, ReferenceNotFoundError
from orgs.models.base import new_id
from orgs.principals import Actor
from robots.errors import TeamFullError
from robots.models.robots import Robot
from robots.models.teams import Team, TeamRobot, TeamStatus
from robots.registry.robots import get_robot
from robots.teams.failover import replace_silent_robots
from robots.teams.teams import (
    check_admin,
    check_moderator,
    get_team,
    lock_team_by_reference,
    may_add_robots,
    team_robots,
)

# The most robots of a team.
MAX_ROBOTS = 1000
PERSONAL_ROBOT_REFUSED = (
    "This robot is a member's own and reads what is private to them. It is put into no team."
)


def list_team_robots(actor: Actor, reference: str) -> "QuerySet[TeamRobot]":
    """The robots of a team, for everyone in the organisation; call inside the scope.

    Raises NotFoundError.
    """
    return team_robots(get_team(actor.organisation_id, reference))


def list_addable_robots(actor: Actor, reference: str) -> list[Robot]:
    """The robots that an admin could add, by name; empty for others. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        team = get_team(actor.organisation_id, reference)
        return _addable_robots(team) if may_add_robots(actor) else []


def _addable_robots(team: Team) -> list[Robot]:
    there = TeamRobot.objects.filter(organisation_id=team.organisation_id, team_id=team.id)
    rows = Robot.objects.filter(
        organisation_id=team.organisation_id, builtin=None, retired_at=None, owner_id=None
    ).exclude(id__in=there.values("robot_id"))
    return list(rows.order_by("name", "id")[:MAX_ROBOTS])


def add_team_robot(
    actor: Actor, reference: str, robot: str, *, status: str | None = None, now: datetime
) -> tuple[TeamRobot, bool]:
    """Put a robot into a team, for admins. Returns the row and whether it is new.

    status: one of TeamStatus; left out, the first one is active and the others are passive.
    Raises PermissionError, also for a member's own robot, NotFoundError, TeamFullError, and
    AlreadyExistsError where it has another status.
    """
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        team = lock_team_by_reference(actor, reference)
        found = _require_addable_robot(actor, robot)
        present = team_robots(team)
        same = next((one for one in present if one.robot_id == found.id), None)
        if same is not None:
            if status not in (None, same.status):
                raise AlreadyExistsError(f"The robot is in the team already and is {same.status}.")
            return same, False
        if len(present) >= MAX_ROBOTS:
            raise TeamFullError(f"A team has at most {MAX_ROBOTS} robots.")
        led = any(one.status == TeamStatus.ACTIVE for one in present)
        row = TeamRobot(
            id=new_id(),
            organisation_id=team.organisation_id,
            team_id=team.id,
            robot=found,
            status=status or (TeamStatus.PASSIVE if led else TeamStatus.ACTIVE),
            status_at=now,
            joined_at=now,
        )
        row.save(force_insert=True)
        _record("team.robot_added", actor, team, found.id, now)
    return row, True


def remove_team_robot(actor: Actor, reference: str, robot: str, *, now: datetime) -> None:
    """Take a robot out of a team; what it read there is closed to it at once.

    If it was the last active one, the first passive robot becomes active. Raises PermissionError
    and NotFoundError.
    """
    check_moderator(actor)
    with organisation_scope(actor.organisation_id):
        team = lock_team_by_reference(actor, reference)
        found = get_robot(actor.organisation_id, robot)
        rows = TeamRobot.objects.filter(
            organisation_id=team.organisation_id, team_id=team.id, robot_id=found.id
        )
        if not rows.delete()[0]:
            raise ReferenceNotFoundError("robot", robot)
        _record("team.robot_removed", actor, team, found.id, now)
        if not team_robots(team).filter(status=TeamStatus.ACTIVE).exists():
            replace_silent_robots(actor, team, now=now, waiting_too=True)


def _require_addable_robot(actor: Actor, reference: str) -> Robot:
    robot = get_robot(actor.organisation_id, reference)
    if robot.builtin or robot.retired_at:
        raise ReferenceNotFoundError("robot", reference)
    if robot.owner_id:
        raise PermissionError(PERSONAL_ROBOT_REFUSED)
    return robot


def _record(action: str, actor: Actor, team: Team, robot_id: UUID, now: datetime) -> None:
    audit.record_entry(
        action, actor=actor, now=now, target=team.id, target_type="team", robot=str(robot_id)
    )
