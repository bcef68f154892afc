"""Which robots are in a team. Each change is recorded, because it changes what a robot reads."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExists, NotFound
from orgs.models.base import new_id
from orgs.principals import Actor
from robots.errors import TeamFull
from robots.models.robots import Robot
from robots.models.teams import Team, TeamRobot, TeamStatus
from robots.registry.robots import find_robot
from robots.teams.succession import fill_places
from robots.teams.teams import (
    admins_only,
    find_team,
    moderators_only,
    robots_in,
    seats,
    team_locked,
)

# The most robots of a team.
MOST_ROBOTS = 1000
SOMEBODYS = (
    "This robot is a member's own and reads what is private to them. It is put into no team."
)


def robots_of(actor: Actor, reference: str) -> "QuerySet[TeamRobot]":
    """The robots of a team, for everyone in the organisation; call inside the scope.

    Raises NotFound.
    """
    return robots_in(find_team(actor.organisation_id, reference))


def robots_on_offer(actor: Actor, reference: str) -> list[Robot]:
    """The robots that an admin could add, by name; empty for others. Raises NotFound."""
    with organisation_scope(actor.organisation_id):
        team = find_team(actor.organisation_id, reference)
        return _others(team) if seats(actor) else []


def _others(team: Team) -> list[Robot]:
    there = TeamRobot.objects.filter(organisation_id=team.organisation_id, team_id=team.id)
    rows = Robot.objects.filter(
        organisation_id=team.organisation_id, builtin=None, retired_at=None, owner_id=None
    ).exclude(id__in=there.values("robot_id"))
    return list(rows.order_by("name", "id")[:MOST_ROBOTS])


def add_robot(
    actor: Actor, reference: str, robot: str, *, status: str | None = None, now: datetime
) -> tuple[TeamRobot, bool]:
    """Put a robot into a team, for admins. Returns the row and whether it is new.

    status: one of TeamStatus; left out, the first one is active and the others are passive.
    Raises PermissionError, also for a member's own robot, NotFound, TeamFull, and AlreadyExists
    where it has another status.
    """
    admins_only(actor)
    with organisation_scope(actor.organisation_id):
        team = team_locked(actor, reference)
        found = _addable(actor, robot)
        present = robots_in(team)
        same = next((one for one in present if one.robot_id == found.id), None)
        if same is not None:
            if status not in (None, same.status):
                raise AlreadyExists(f"The robot is in the team already and is {same.status}.")
            return same, False
        if len(present) >= MOST_ROBOTS:
            raise TeamFull(f"A team has at most {MOST_ROBOTS} robots.")
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
        _note("team.robot_added", actor, team, found.id, now)
    return row, True


def remove_robot(actor: Actor, reference: str, robot: str, *, now: datetime) -> None:
    """Take a robot out of a team; what it read there is closed to it at once.

    If it was the last active one, the first passive robot becomes active. Raises PermissionError
    and NotFound.
    """
    moderators_only(actor)
    with organisation_scope(actor.organisation_id):
        team = team_locked(actor, reference)
        found = find_robot(actor.organisation_id, robot)
        rows = TeamRobot.objects.filter(
            organisation_id=team.organisation_id, team_id=team.id, robot_id=found.id
        )
        if not rows.delete()[0]:
            raise NotFound("no such robot")
        _note("team.robot_removed", actor, team, found.id, now)
        if not robots_in(team).filter(status=TeamStatus.ACTIVE).exists():
            fill_places(actor, team, now=now, waiting_too=True)


def _addable(actor: Actor, reference: str) -> Robot:
    robot = find_robot(actor.organisation_id, reference)
    if robot.builtin or robot.retired_at:
        raise NotFound("no such robot")
    if robot.owner_id:
        raise PermissionError(SOMEBODYS)
    return robot


def _note(action: str, actor: Actor, team: Team, robot_id: UUID, now: datetime) -> None:
    audit.record(
        action, actor=actor, now=now, target=team.id, target_type="team", robot=str(robot_id)
    )
