"""The registry of robots: built-in ones, registered ones, and their groups."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.rls import organisation_scope
from orgs.errors import InvalidNameError, NotFoundError, ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.models.memberships import Role
from orgs.models.organisations import Organisation
from orgs.names.name_check import RESERVED_ROBOT_NAMES, check_name
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.references import sorted_out
from orgs.principals import Actor
from robots.models.keys import KeyScope
from robots.models.robots import Robot, RobotGroup

WEB, IMPORT = "web", "import"
PERSONAL_NAME_FIXED = "A personal robot keeps its name, which says nothing of its member."


def create_builtin_robots(organisation: Organisation, now: datetime) -> None:
    """Add the robots through which people (`web`) and imports (`import`) write."""
    for name in (WEB, IMPORT):
        ensure_builtin_robot(organisation.id, name, now)


def ensure_builtin_robot(organisation_id: UUID, name: str, now: datetime) -> Robot:
    """The organisation's built-in robot of this name, made if need be; call inside its scope."""
    robot = Robot.objects.filter(organisation_id=organisation_id, builtin=name).first()
    if robot is None:
        robot = Robot(organisation_id=organisation_id, name=name, builtin=name, created_at=now)
        Robot.objects.bulk_create([robot], ignore_conflicts=True)
        robot = Robot.objects.get(organisation_id=organisation_id, builtin=name)
        ensure_audience(organisation_id, AudienceType.ROBOT, str(robot.id))
    return robot


def find_robots(
    organisation_id: UUID, references: Iterable[str], among: "QuerySet[Robot] | None" = None
) -> dict[str, Robot]:
    """The robots that these references mean, by reference; one that means none is left out.

    By its own id or the id that it was registered with; its own id wins. among: the robots that the
    asker may know, as for groups. At most one statement.
    """
    ids, names = sorted_out(references)
    # An id may also be the one with which a robot was registered.
    names |= {reference for same in ids.values() for reference in same}
    if not names:
        return {}
    wanted = Q(external_id__in=names) | Q(id__in=ids) if ids else Q(external_id__in=names)
    known = Robot.objects.all() if among is None else among
    robots = list(known.filter(wanted, organisation_id=organisation_id))
    found = {robot.external_id: robot for robot in robots if robot.external_id in names}
    for robot in robots:
        found |= dict.fromkeys(ids.get(robot.id, ()), robot)
    return found


def get_robot(
    organisation_id: UUID, reference: str | UUID, among: "QuerySet[Robot] | None" = None
) -> Robot:
    """The one of `find_robots`. Raises NotFoundError."""
    found = find_robots(organisation_id, [str(reference)], among)
    if not found:
        raise ReferenceNotFoundError("robot", reference)
    return found[str(reference)]


def may_see_work(robot: Robot, actor: Actor) -> bool:
    """Whether the actor may know what this robot asks for and has at hand.

    For a personal robot this shows what its member works on, so only the two of them may know.
    """
    return (
        robot.owner_id is None
        or actor.robot_id == robot.id
        or (actor.is_person and actor.member_id == robot.owner_id)
    )


def may_see_activity(actor: Actor, robot: Robot) -> bool:
    """Whether the actor may know when this robot was last heard from and whom it serves.

    For a personal robot the time would reveal who taught what a profession reads (see
    `personal_robot_privacy`). So only the two of them may know, and admins, who manage its keys.
    """
    return may_see_work(robot, actor) or (actor.is_person and actor.role == Role.ADMIN)


def robot_heading(actor: Actor, robot: Robot) -> str:
    """What heads a place about this robot alone: whose it is, for those who may know that.

    Its name stays what it is elsewhere, since it says nothing of its member. The owner is fetched.
    """
    if robot.owner is None or not may_see_activity(actor, robot):
        return robot.name
    if robot.owner_id == actor.member_id:
        return gettext("Your robot")
    return gettext("%(name)s’s robot") % {"name": robot.owner.name}


def ensure_robot(
    *,
    organisation_id: UUID,
    now: datetime,
    reference: str | None = None,
    name: str = "",
    purpose: str = "",
    personality: str = "",
    metadata: dict[str, Any] | None = None,
    owner_id: UUID | None = None,
) -> tuple[Robot, bool]:
    """Register a robot, or return the one with this id unchanged. Returns it and whether it is new.

    Names of robots are known to everyone in the organisation. Raises what `check_name` raises.

    The id that a caller chooses (`reference`) is stored beside the row's own. It is unique in the
    organisation only, so it tells nothing of other organisations.
    """
    with organisation_scope(organisation_id):
        acquire_advisory_lock(organisation_id, "robot")
        if reference:
            try:
                return get_robot(organisation_id, reference), False
            except NotFoundError:
                pass
        if name:
            _check_robot_name(organisation_id, name)
        robot = Robot(
            id=new_id(),
            organisation_id=organisation_id,
            external_id=reference or None,
            name=name or f"robot_{secrets.token_hex(4)}",
            purpose=purpose,
            personality=personality,
            metadata=metadata or {},
            owner_id=owner_id,
            created_at=now,
        )
        robot.save(force_insert=True)
        ensure_audience(organisation_id, AudienceType.ROBOT, str(robot.id))
    return robot, True


def _check_robot_name(organisation_id: UUID, name: str, but: UUID | None = None) -> None:
    others = Robot.objects.filter(organisation_id=organisation_id, builtin=None, retired_at=None)
    check_name(
        name,
        kept=RESERVED_ROBOT_NAMES,
        others=others.exclude(id=but).values_list("name", flat=True),
    )


def _apply_changes(robot: Robot, fields: Mapping[str, Any]) -> list[str]:
    """Set the fields that are not None and differ. Returns their names, sorted."""
    changed = {k: v for k, v in fields.items() if v is not None and getattr(robot, k) != v}
    if "name" in changed:
        if robot.owner_id is not None:
            raise InvalidNameError(PERSONAL_NAME_FIXED)
        acquire_advisory_lock(robot.organisation_id, "robot")
        _check_robot_name(robot.organisation_id, changed["name"], but=robot.id)
    if changed:
        for field, value in changed.items():
            setattr(robot, field, value)
        Robot.objects.filter(organisation_id=robot.organisation_id, id=robot.id).update(**changed)
    return sorted(changed)


def add_robot_to_groups(
    *, organisation_id: UUID, robot_id: UUID, group_ids: Iterable[UUID]
) -> None:
    """Seat a robot in groups; those it sits in already stay."""
    with organisation_scope(organisation_id):
        RobotGroup.objects.bulk_create(
            [
                RobotGroup(organisation_id=organisation_id, robot_id=robot_id, group_id=group_id)
                for group_id in dict.fromkeys(group_ids)
            ],
            ignore_conflicts=True,
        )


def remove_robot_from_group(*, organisation_id: UUID, robot_id: UUID, group_id: UUID) -> None:
    """Take a robot out of a group; what it read there is closed to it at once."""
    with organisation_scope(organisation_id):
        RobotGroup.objects.filter(
            organisation_id=organisation_id, robot_id=robot_id, group_id=group_id
        ).delete()


def update_robot(
    actor: Actor, reference: str, fields: Mapping[str, Any], *, now: datetime
) -> Robot:
    """Change name, purpose, personality, metadata or the budget of its working memory; recorded.

    A robot changes itself; curators, admins and keys that manage change any. An empty text removes
    a purpose or personality. Raises NotFoundError, PermissionError, InvalidNameError for a new name
    of a personal robot, and what `check_name` raises.
    """
    with organisation_scope(actor.organisation_id):
        robot = get_robot(actor.organisation_id, reference)
        manages = actor.moderates or KeyScope.MANAGE in actor.scopes
        if actor.robot_id != robot.id and not manages:
            raise PermissionError("A robot changes itself; a curator changes any.")
        if changed := _apply_changes(robot, fields):
            audit.record_entry(
                "robot.changed",
                actor=actor,
                now=now,
                target=robot.id,
                target_type="robot",
                fields=changed,
            )
    return robot
