"""Teams: made, found, changed, removed. Admins and curators do that; every change is recorded."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.models.memberships import Role
from orgs.names.name_check import RESERVED_TEAM_NAMES, check_name
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.references import sorted_out
from orgs.principals import Actor
from orgs.wired_functions import wired
from robots.models.teams import Team, TeamRobot, TeamStatus

ADMINS_ONLY = "Only an admin puts a robot into a team."
MODERATORS_ONLY = "Admins and curators make and change teams."
PAGE_SIZE = 50
ID_TAKEN = "This id is a team's already. Choose another."


@wired
def before_team_removal(team: Team, audience_id: UUID) -> None:
    """Delete what only the team has; raises TeamInUseError if memories are for it alone. Called
    inside the organisation's scope, before the team is removed."""
    raise NotImplementedError


def list_teams(organisation_id: UUID) -> "QuerySet[Team]":
    """The teams that are not removed, with the counts `active` and `passive`. Everyone in the
    organisation may know them."""
    here = Q(robots__robot__retired_at=None)
    rows = Team.objects.filter(organisation_id=organisation_id, removed_at=None)
    return rows.annotate(
        active=Count("robots", filter=here & Q(robots__status=TeamStatus.ACTIVE)),
        passive=Count("robots", filter=here & Q(robots__status=TeamStatus.PASSIVE)),
    )


def list_teams_page(actor: Actor, after: UUID | None = None) -> tuple[list[Team], UUID | None]:
    """(a page of the teams, newest first; the id after which the next page begins, or None).

    For curators and admins. Raises NotFoundError for others.
    """
    if not actor.moderates:
        raise NotFoundError("no such page")
    with organisation_scope(actor.organisation_id):
        rows = list_teams(actor.organisation_id)
        if after:
            rows = rows.filter(id__lt=after)
        found = list(rows.order_by("-id")[: PAGE_SIZE + 1])
    return found[:PAGE_SIZE], found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None


def visible_teams(actor: Actor) -> "QuerySet[Team]":
    """Everyone in the organisation knows the teams that are not removed. A key that is limited to
    groups knows none: a team is in no group."""
    rows = Team.objects.filter(organisation_id=actor.organisation_id, removed_at=None)
    return rows if actor.key_groups is None else rows.none()


def find_teams(
    organisation_id: UUID, references: Iterable[str | UUID], among: "QuerySet[Team] | None" = None
) -> dict[str, Team]:
    """The teams that these references mean, by reference; one that means none is left out.

    By its own id, or the one that was chosen for it; call inside the organisation's scope. among:
    the teams that the asker may know, as for groups. At most one statement.
    """
    ids, names = sorted_out(references)
    if not (ids or names):
        return {}
    wanted = Q(id__in=ids) if ids else Q()
    wanted |= Q(external_id__in=names) if names else Q()
    known = Team.objects.all() if among is None else among
    rows = known.filter(wanted, organisation_id=organisation_id, removed_at=None)
    found: dict[str, Team] = {}
    for team in rows.order_by("id"):
        found |= dict.fromkeys(ids.get(team.id, ()), team)
        if team.external_id in names:
            found.setdefault(team.external_id, team)
    return found


def get_team(
    organisation_id: UUID, reference: str | UUID, among: "QuerySet[Team] | None" = None
) -> Team:
    """The one of `find_teams`; call inside the organisation's scope. Raises NotFoundError."""
    found = find_teams(organisation_id, [reference], among)
    if not found:
        raise ReferenceNotFoundError("team", reference)
    return found[str(reference)]


def get_team_with_counts(actor: Actor, reference: str) -> Team:
    """A team with its counts. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        found = get_team(actor.organisation_id, reference)
        return list_teams(actor.organisation_id).get(id=found.id)


def get_accessible_team(actor: Actor, reference: str | UUID) -> Team:
    """A team, for its robots, curators and admins; call inside the scope.

    Raises NotFoundError for everybody else, as for what does not exist.
    """
    team = get_team(actor.organisation_id, reference)
    if not actor.moderates and not is_team_robot(actor, team.id):
        raise ReferenceNotFoundError("team", reference)
    return team


def is_team_robot(actor: Actor, team_id: UUID) -> bool:
    """Whether the robot that asks is in the team; call inside the organisation's scope."""
    return (
        actor.robot_id is not None
        and TeamRobot.objects.filter(
            organisation_id=actor.organisation_id, team_id=team_id, robot_id=actor.robot_id
        ).exists()
    )


def team_robots(team: Team) -> "QuerySet[TeamRobot]":
    """The robots of the team that are not retired, by joining; call inside the scope."""
    rows = TeamRobot.objects.filter(
        organisation_id=team.organisation_id, team_id=team.id, robot__retired_at=None
    )
    return rows.select_related("robot").order_by("joined_at", "id")


def check_moderator(actor: Actor) -> None:
    """Raises PermissionError for everybody else."""
    if not actor.moderates:
        raise PermissionError(MODERATORS_ONLY)


def may_add_robots(actor: Actor) -> bool:
    """Whether the asker may put robots into teams: admins may.

    Whoever does it decides who reads the team's notes and the lists that name the team. Admins
    decide that already when they make keys and seat robots in groups.
    """
    return actor.is_person and actor.role == Role.ADMIN


def check_admin(actor: Actor) -> None:
    """Raises PermissionError for everybody else."""
    if not may_add_robots(actor):
        raise PermissionError(ADMINS_ONLY)


def lock_team_by_reference(actor: Actor, reference: str | UUID) -> Team:
    """A team, locked until the transaction ends, so that changes of its robots take turns.

    It does not check who asks. Call inside the scope. Raises NotFoundError.
    """
    return lock_team(get_team(actor.organisation_id, reference))


def lock_team(team: Team) -> Team:
    """The team, locked until the transaction ends. Raises NotFoundError if it was removed
    meanwhile."""
    rows = Team.objects.select_for_update().filter(
        organisation_id=team.organisation_id, id=team.id, removed_at=None
    )
    locked = rows.first()
    if locked is None:
        raise NotFoundError("no such team")
    return locked


def ensure_team_audience(team: Team) -> UUID:
    """The id of the audience of the team's robots; call inside the scope."""
    return ensure_audience(team.organisation_id, AudienceType.TEAM, str(team.id))


def create_team(actor: Actor, data: Mapping[str, Any], *, now: datetime) -> Team:
    """A team without robots. data: name, and id, purpose, working_memory_tokens (the budget).

    Raises PermissionError, AlreadyExistsError for an id that is taken, and what `check_name`
    raises.
    """
    check_moderator(actor)
    reference = data.get("id") or None
    with organisation_scope(actor.organisation_id):
        _check_team_name(actor, data["name"])
        rows = Team.objects.filter(organisation_id=actor.organisation_id, removed_at=None)
        if reference and rows.filter(external_id=reference).exists():
            raise AlreadyExistsError(ID_TAKEN, existing=reference)
        team = Team(
            id=new_id(),
            organisation_id=actor.organisation_id,
            external_id=reference,
            name=data["name"],
            purpose=data.get("purpose", ""),
            working_memory_tokens=data.get("working_memory_tokens"),
            created_at=now,
        )
        team.save(force_insert=True)
        ensure_team_audience(team)
        audit.record_entry("team.created", actor=actor, now=now, target=team.id, target_type="team")
    return team


def update_team(actor: Actor, reference: str, data: Mapping[str, Any], *, now: datetime) -> Team:
    """Change name, purpose or budget.

    Raises PermissionError, NotFoundError, and what `check_name` raises.
    """
    check_moderator(actor)
    with organisation_scope(actor.organisation_id):
        team = lock_team_by_reference(actor, reference)
        changed = {name: value for name, value in data.items() if getattr(team, name) != value}
        if "name" in changed:
            _check_team_name(actor, changed["name"], but=team.id)
        if changed:
            for name, value in changed.items():
                setattr(team, name, value)
            team.save(update_fields=list(changed))
            audit.record_entry(
                "team.changed",
                actor=actor,
                now=now,
                target=team.id,
                target_type="team",
                fields=sorted(changed),
            )
        return list_teams(actor.organisation_id).get(id=team.id)


def remove_team(actor: Actor, reference: str, *, now: datetime) -> None:
    """Remove a team; what its robots read through it is closed to them at once.

    Raises PermissionError, NotFoundError, and TeamInUseError: then nothing changes.
    """
    check_moderator(actor)
    with organisation_scope(actor.organisation_id):
        team = lock_team_by_reference(actor, reference)
        before_team_removal(team, ensure_team_audience(team))
        TeamRobot.objects.filter(organisation_id=team.organisation_id, team_id=team.id).delete()
        team.removed_at = now
        team.save(update_fields=["removed_at"])
        audit.record_entry("team.removed", actor=actor, now=now, target=team.id, target_type="team")


def _check_team_name(actor: Actor, name: str, but: UUID | None = None) -> None:
    acquire_advisory_lock(actor.organisation_id, "team")
    rows = Team.objects.filter(organisation_id=actor.organisation_id, removed_at=None)
    others = rows.exclude(id=but).values_list("name", flat=True)
    check_name(name, kept=RESERVED_TEAM_NAMES, others=others)
