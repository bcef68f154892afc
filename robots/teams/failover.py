"""Which robots of a team are active: heartbeats, replacement of silent robots, demotion.

Every change holds the lock of the team's row. So if two callers see the same robot silent, one
promotes and the other finds it done. None of this changes the team's working memory.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.principals import Actor
from robots.errors import LastActiveRobotError, NoPassiveRobotError, NoSilentRobotError
from robots.models.teams import Team, TeamRobot, TeamStatus
from robots.registry.robots import get_robot
from robots.teams.failover_rules import TeamRobotState, is_silent, select_replacements
from robots.teams.teams import get_accessible_team, get_team, lock_team, team_robots


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """promoted: now active. fallen: the silent robot that it replaced; None if none was
    replaced."""

    promoted: TeamRobot
    fallen: TeamRobot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRoster:
    """The robots of a team by status, in the order of joining. silent: ids of silent robots.

    in_sync: whether some robot is active and no active robot is silent. The team's working memory
    is one set of rows, so all who read it see the same; but a silent active robot may still use
    what it read before.
    """

    active: list[TeamRobot]
    passive: list[TeamRobot]
    silent: frozenset[UUID]

    @property
    def in_sync(self) -> bool:
        return bool(self.active) and not any(one.robot_id in self.silent for one in self.active)


def silence_limit() -> timedelta:
    """How long an active robot may be silent."""
    return timedelta(seconds=settings.TEAM_SILENT_SECONDS)


def load_team_roster(team: Team, *, now: datetime) -> TeamRoster:
    """The robots of a team now; call inside the organisation's scope. One query."""
    rows = list(team_robots(team))
    limit = silence_limit()
    return TeamRoster(
        active=[row for row in rows if row.status == TeamStatus.ACTIVE],
        passive=[row for row in rows if row.status == TeamStatus.PASSIVE],
        silent=frozenset(
            row.robot_id for row in rows if is_silent(_last_heartbeat_at(row), limit=limit, now=now)
        ),
    )


def record_heartbeat(
    actor: Actor, reference: str, *, now: datetime
) -> tuple[TeamRobot, list[Promotion]]:
    """Note a heartbeat of the asking robot. Returns its row as it is now, and the promotions.

    Each silent active robot is replaced by a passive one that is not silent. Raises PermissionError
    for a person, and NotFoundError where the robot is not in the team.
    """
    if actor.robot_id is None:
        raise PermissionError("Robots send heartbeats.")
    # Relaxed: if a crash loses a heartbeat, the next one makes up for it.
    with scope(Scope(organisation=actor.organisation_id, relaxed=True)):
        team = get_team(actor.organisation_id, reference)
        _set_last_seen(actor, team, now)
        if not _needs_promotion(team, now):
            return _get_own_row(actor, team), []
    with organisation_scope(actor.organisation_id):
        team = lock_team(team)
        done = replace_silent_robots(actor, team, now=now)
        return _get_own_row(actor, team), done


def promote_robot(
    actor: Actor, reference: str, robot: str | None = None, *, now: datetime
) -> list[Promotion]:
    """Make the named robot active, or, without a name, replace the silent active robots.

    Returns the promotions: none for a robot that is active already. Raises NotFoundError; without a
    name also NoSilentRobotError if no active robot is silent, and NoPassiveRobotError if no robot
    could take over.
    """
    with organisation_scope(actor.organisation_id):
        team = lock_team(get_accessible_team(actor, reference))
        if actor.robot_id is not None:
            _set_last_seen(actor, team, now)
        if robot is not None:
            row = _get_team_robot(actor, team, robot)
            if row.status == TeamStatus.ACTIVE:
                return []
            done = [Promotion(promoted=row)]
            _apply_promotions(actor, team, done, now)
            return done
        if not _needs_promotion(team, now):
            raise NoSilentRobotError
        done = replace_silent_robots(actor, team, now=now, waiting_too=True)
        if not done:
            raise NoPassiveRobotError
        return done


def demote_robot(actor: Actor, reference: str, robot: str, *, now: datetime) -> TeamRobot:
    """Make an active robot passive. Raises NotFoundError, and LastActiveRobotError where no other
    is active."""
    with organisation_scope(actor.organisation_id):
        team = lock_team(get_accessible_team(actor, reference))
        row = _get_team_robot(actor, team, robot)
        if row.status == TeamStatus.PASSIVE:
            return row
        if sum(one.status == TeamStatus.ACTIVE for one in team_robots(team)) == 1:
            raise LastActiveRobotError
        _set_status(row, TeamStatus.PASSIVE, now)
        audit.record_entry(
            "team.demoted",
            actor=actor,
            now=now,
            target=team.id,
            target_type="team",
            robot=str(row.robot_id),
        )
    return row


def replace_silent_robots(
    actor: Actor, team: Team, *, now: datetime, waiting_too: bool = False
) -> list[Promotion]:
    """Replace silent active robots by passive ones; call with the team locked.

    waiting_too: see `silence.successors`.
    """
    rows = {row.robot_id: row for row in team_robots(team)}
    mates = [
        TeamRobotState(
            id=row.robot_id,
            active=row.status == TeamStatus.ACTIVE,
            heard_at=_last_heartbeat_at(row),
            joined_at=row.joined_at,
        )
        for row in rows.values()
    ]
    pairs = select_replacements(mates, limit=silence_limit(), now=now, waiting_too=waiting_too)
    done = [
        Promotion(promoted=rows[one], fallen=rows[fallen] if fallen else None)
        for fallen, one in pairs
    ]
    _apply_promotions(actor, team, done, now)
    return done


def _apply_promotions(actor: Actor, team: Team, done: list[Promotion], now: datetime) -> None:
    for one in done:
        _set_status(one.promoted, TeamStatus.ACTIVE, now)
        if one.fallen is not None:
            _set_status(one.fallen, TeamStatus.PASSIVE, now)
        audit.record_entry(
            "team.promoted",
            actor=actor,
            now=now,
            target=team.id,
            target_type="team",
            robot=str(one.promoted.robot_id),
            **({"fallen": str(one.fallen.robot_id)} if one.fallen else {}),
        )


def _set_status(row: TeamRobot, status: str, now: datetime) -> None:
    row.status, row.status_at = status, now
    row.save(update_fields=["status", "status_at"])


def _last_heartbeat_at(row: TeamRobot) -> datetime:
    """The last heartbeat; one that just became active has the whole limit for its first."""
    said = row.last_seen_at or row.joined_at
    return max(said, row.status_at) if row.status == TeamStatus.ACTIVE else said


def _set_last_seen(actor: Actor, team: Team, now: datetime) -> None:
    changed = TeamRobot.objects.filter(
        organisation_id=team.organisation_id, team_id=team.id, robot_id=actor.robot_id
    ).update(last_seen_at=now)
    if not changed:
        raise NotFoundError("no such team")


def _needs_promotion(team: Team, now: datetime) -> bool:
    """Whether an active robot is silent, or none is active; two small queries and no lock."""
    active = TeamRobot.objects.filter(
        organisation_id=team.organisation_id,
        team_id=team.id,
        status=TeamStatus.ACTIVE,
        robot__retired_at=None,
    )
    since = now - silence_limit()
    heard = Q(last_seen_at__gt=since) | Q(status_at__gt=since)
    return active.exclude(heard).exists() or not active.exists()


def _get_own_row(actor: Actor, team: Team) -> TeamRobot:
    return TeamRobot.objects.get(
        organisation_id=team.organisation_id, team_id=team.id, robot_id=actor.robot_id
    )


def _get_team_robot(actor: Actor, team: Team, reference: str) -> TeamRobot:
    robot = get_robot(actor.organisation_id, reference)
    row = next((one for one in team_robots(team) if one.robot_id == robot.id), None)
    if row is None:
        raise ReferenceNotFoundError("robot", reference)
    return row
