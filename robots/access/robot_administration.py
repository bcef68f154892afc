"""Robots and their keys, as admins manage them: which there are, their groups, their keys.

Admins and curators look; only admins change anything, and every change is recorded. A robot can
be seated only in groups that the admin reads. Where others have seated it, whoever makes a key of
it reads there too (docs/threat-model.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Case, DateTimeField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Greatest

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.organisations import Group
from orgs.principals import Actor
from orgs.wired_functions import wired
from robots.access.keys import (
    UNLIMITED,
    KeyLimits,
    create_key,
    end_key,
    find_leaked_key,
    record_key_event,
    rotate_key,
)
from robots.models.keys import Key
from robots.models.robots import Robot, RobotGroup
from robots.models.teams import Team, TeamRobot
from robots.people.directory import manageable_groups
from robots.registry.robots import (
    add_robot_to_groups,
    ensure_robot,
    get_robot,
    remove_robot_from_group,
    update_robot,
)

PAGE_SIZE = 50
ONE_DAY = timedelta(days=1)
NEVER = datetime.min.replace(tzinfo=UTC)
ADMINS_ONLY = "Only an admin changes robots and their keys."
PERSONAL_ROBOT_KEY = (
    "This robot reads what is private to its member, so a key of it is not yours to make."
)


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """How many of the memories that the asker reads a robot wrote or took part in, and how many of
    them lately."""

    memories: int
    lately: int


NO_MEMORIES = MemoryCount(memories=0, lately=0)


@wired
def count_memories(
    actor: Actor, robots: Sequence[UUID], now: datetime
) -> Mapping[UUID, MemoryCount]:
    """By robot, what they wrote, as far as the asker reads it; without robots that wrote nothing.
    Called outside any scope."""
    raise NotImplementedError


@dataclass(slots=True)
class RobotDetails:
    """A robot with what belongs to it.

    hidden_seats counts groups that the asker does not read; written, memories that they do.
    """

    robot: Robot
    keys: list[Key] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    hidden_seats: int = 0
    written: MemoryCount = NO_MEMORIES
    teams: list[Team] = field(default_factory=list)


def list_robots(
    actor: Actor, *, now: datetime, after: UUID | None = None
) -> tuple[list[RobotDetails], UUID | None]:
    """A page of the robots, and after which the next one begins. Raises NotFoundError.

    Those of everybody stand first, what was heard from last before others; then those that serve
    one member, the newest first; then what is retired.
    """
    if not actor.moderates:
        raise NotFoundError("no such page")
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        rows = _order_robots(Robot.objects.filter(**tenant, builtin=None).select_related("owner"))
        if after:
            rows = _rows_after(rows, after)
        found = list(rows[: PAGE_SIZE + 1])
        kept = {robot.id: RobotDetails(robot) for robot in found[:PAGE_SIZE]}
        for key in Key.objects.filter(**tenant, robot_id__in=kept).order_by("-id"):
            kept[key.robot_id].keys.append(key)
        groups = {g.id: g for g in manageable_groups(actor).order_by("name")}
        for robot, group in RobotGroup.objects.filter(**tenant, robot_id__in=kept).values_list(
            "robot_id", "group_id"
        ):
            if group in groups:
                kept[robot].groups.append(groups[group])
            else:
                kept[robot].hidden_seats += 1
        seats = TeamRobot.objects.filter(
            **tenant, robot_id__in=kept, team__removed_at=None
        ).select_related("team")
        for seat in seats.order_by("team__name", "team_id"):
            kept[seat.robot_id].teams.append(seat.team)
    for robot_id, counted in count_memories(actor, list(kept), now).items():
        kept[robot_id].written = counted
    last = found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None
    return list(kept.values()), last


def _order_robots(rows: "QuerySet[Robot]") -> "QuerySet[Any]":
    """When a personal robot was heard from is not told to everybody here, so nothing is ordered by
    it."""
    rank = Case(
        When(retired_at__isnull=False, then=2), When(owner__isnull=False, then=1), default=0
    )
    keys = Key.objects.filter(organisation_id=OuterRef("organisation_id"), robot_id=OuterRef("id"))
    used = Subquery(
        keys.filter(last_used_at__isnull=False).order_by("-last_used_at").values("last_used_at")[:1]
    )
    heard = Case(
        When(owner__isnull=True, then=Coalesce(Greatest("last_active_at", used), "created_at")),
        default=Value(NEVER),
        output_field=DateTimeField(),
    )
    return rows.annotate(rank=rank, heard=heard).order_by("rank", "-heard", "-id")


def _rows_after(rows: "QuerySet[Any]", after: UUID) -> "QuerySet[Any]":
    last = rows.filter(id=after).values_list("rank", "heard").first()
    if last is None:
        raise NotFoundError("no such page")
    rank, heard = last
    same = Q(rank=rank, heard__lt=heard) | Q(rank=rank, heard=heard, id__lt=after)
    return rows.filter(Q(rank__gt=rank) | same)


def list_assignable_groups(actor: Actor) -> list[Group]:
    """The groups in which the asker may seat a robot."""
    with organisation_scope(actor.organisation_id):
        return list(manageable_groups(actor).order_by("name"))


def get_robot_groups(actor: Actor, robot_id: UUID) -> tuple[Robot, set[UUID], int]:
    """(the robot, ids of its groups that the asker reads, the number of its other groups).

    Raises NotFoundError for anybody but an admin.
    """
    if not actor.administers:
        raise NotFoundError("no such page")
    with organisation_scope(actor.organisation_id):
        robot = _get_robot(actor, robot_id)
        seats = RobotGroup.objects.filter(
            organisation_id=actor.organisation_id, robot_id=robot_id
        ).values_list("group_id", flat=True)
        known = set(manageable_groups(actor).filter(id__in=seats).values_list("id", flat=True))
        return robot, known, len(seats) - len(known)


def check_admin(actor: Actor) -> None:
    """Raise PermissionError for who does not administer the organisation."""
    if not actor.administers:
        raise PermissionError(ADMINS_ONLY)


def find_maker_id(actor: Actor) -> UUID | None:
    """Who answers for a key that the actor makes: a person themselves, for a robot who made its
    key. So no chain of keys outlasts the admin with whom it began."""
    if actor.is_person:
        return actor.member_id
    calling = Key.objects.filter(organisation_id=actor.organisation_id, id=actor.key_id).first()
    if calling is None:
        raise PermissionError(ADMINS_ONLY)
    return calling.created_by_id


def may_make_keys(actor: Actor, robot: Robot) -> bool:
    """Whether an admin makes keys of this robot: of a personal one its member alone does, and
    nobody of one that is an OAuth client."""
    return robot.owner_id in (None, actor.own_member_id) and not robot.client


def check_may_make_keys(actor: Actor, robot: Robot) -> None:
    """Raise PermissionError unless `may_make_keys`."""
    if not may_make_keys(actor, robot):
        raise PermissionError(PERSONAL_ROBOT_KEY)


def _get_robot(actor: Actor, robot_id: UUID) -> Robot:
    robot = Robot.objects.filter(
        organisation_id=actor.organisation_id, id=robot_id, builtin=None
    ).first()
    if robot is None:
        raise NotFoundError("no such robot")
    return robot


def get_key(actor: Actor, key_id: UUID) -> Key:
    """A key of the organisation with its robot; call inside its scope. Raises NotFoundError."""
    key = (
        Key.objects.filter(organisation_id=actor.organisation_id, id=key_id)
        .select_related("robot")
        .first()
    )
    if key is None:
        raise NotFoundError("no such key")
    return key


def create_robot(
    actor: Actor,
    *,
    reference: str,
    name: str,
    purpose: str,
    personality: str = "",
    groups: Iterable[UUID],
    now: datetime,
) -> Robot:
    """Register a robot and seat it; for admins. If the reference is known, return that robot.

    Raises PermissionError, NotFoundError for a group that is not on offer, and what `check_name`
    raises.
    """
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        robot, created = ensure_robot(
            organisation_id=actor.organisation_id,
            now=now,
            reference=reference,
            name=name,
            purpose=purpose,
            personality=personality,
        )
        if created:
            audit.record_entry(
                "robot.registered", actor=actor, now=now, target=robot.id, target_type="robot"
            )
            set_robot_groups(actor, robot_id=robot.id, groups=groups, now=now)
    return robot


def update_robot_description(
    actor: Actor, *, robot_id: UUID, name: str, purpose: str, personality: str, now: datetime
) -> Robot:
    """Change what a robot is called, is for, and is like.

    Raises NotFoundError, PermissionError and what `check_name` raises.
    """
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        robot = _get_robot(actor, robot_id)
    fields = {"name": name, "purpose": purpose, "personality": personality}
    return update_robot(actor, str(robot.id), fields, now=now)


def set_robot_groups(
    actor: Actor, *, robot_id: UUID, groups: Iterable[UUID], now: datetime
) -> None:
    """Seat a robot in exactly these of the groups that the admin reads; its other groups stay.

    Raises PermissionError, and NotFoundError for the robot or for a group that is not on offer.
    """
    check_admin(actor)
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        robot = _get_robot(actor, robot_id)
        offered = set(manageable_groups(actor).values_list("id", flat=True))
        wanted = set(groups)
        if wanted - offered:
            raise NotFoundError("no such group")
        seats = RobotGroup.objects.filter(**tenant, robot_id=robot.id, group_id__in=offered)
        present = set(seats.values_list("group_id", flat=True))
        if wanted == present:
            return
        add_robot_to_groups(**tenant, robot_id=robot.id, group_ids=wanted - present)
        for group_id in present - wanted:
            remove_robot_from_group(**tenant, robot_id=robot.id, group_id=group_id)
        audit.record_entry(
            "robot.seated",
            actor=actor,
            now=now,
            target=robot.id,
            target_type="robot",
            added=sorted(map(str, wanted - present)),
            removed=sorted(map(str, present - wanted)),
        )


def create_robot_key(
    actor: Actor,
    *,
    robot_id: UUID,
    key_id: UUID,
    label: str,
    scopes: Iterable[str],
    lifetime: timedelta | None,
    now: datetime,
    limits: KeyLimits = UNLIMITED,
) -> tuple[Key, str]:
    """Make a key. Returns it with its whole text, which is shown only now.

    lifetime: None for a key that never expires. limits: of `key_limits.find_key_limits`. Raises
    AlreadyExistsError if there is a key of this id, NotFoundError, and PermissionError for who is
    no admin and for another member's personal robot.
    """
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        robot = _get_robot(actor, robot_id)
        check_may_make_keys(actor, robot)
        try:
            with transaction.atomic():
                key, secret = create_key(
                    organisation_id=actor.organisation_id,
                    robot_id=robot.id,
                    key_id=key_id,
                    now=now,
                    scopes=scopes,
                    label=label,
                    expires_at=now + lifetime if lifetime else None,
                    created_by_id=find_maker_id(actor),
                    limits=limits,
                )
        except IntegrityError as error:
            raise AlreadyExistsError("This key was made already.") from error
        record_key_event("key.created", actor, key, now, scopes=key.scopes, **limits.counts())
    key.robot = robot
    return key, secret


def renew_key(
    actor: Actor, *, key_id: UUID, now: datetime, overlap: timedelta = ONE_DAY
) -> tuple[Key, str]:
    """Make a second key with the same scopes. Returns it with its whole text.

    The first key works on for `overlap`; with 0 it ends at once. Raises AlreadyExistsError for a
    key that is revoked, has expired or expires within a day (as after a renewal), NotFoundError,
    and PermissionError for who is no admin and for a key of another member's personal robot.
    """
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        Key.objects.select_for_update().filter(
            organisation_id=actor.organisation_id, id=key_id
        ).first()
        old = get_key(actor, key_id)
        check_may_make_keys(actor, old.robot)
        if not old.is_valid(now + ONE_DAY):
            raise AlreadyExistsError("This key is over or was renewed already.")
        key, secret = rotate_key(
            organisation_id=actor.organisation_id,
            key=old,
            now=now,
            created_by_id=find_maker_id(actor),
            overlap=overlap,
        )
        record_key_event(
            "key.renewed",
            actor,
            key,
            now,
            replaces=str(old.id),
            hours=overlap.total_seconds() / 3600,
        )
    key.robot = old.robot
    return key, secret


def list_robot_keys(actor: Actor, reference: str) -> "tuple[Robot, QuerySet[Key]]":
    """A robot and its keys, for those who curate or administer; evaluate inside the organisation's
    scope. Raises PermissionError and NotFoundError."""
    if not (actor.moderates or actor.administers):
        raise PermissionError("Admins and curators see the keys of robots.")
    with organisation_scope(actor.organisation_id):
        robot = _get_robot(actor, get_robot(actor.organisation_id, reference).id)
    return robot, Key.objects.filter(organisation_id=actor.organisation_id, robot_id=robot.id)


def get_robot_key(actor: Actor, reference: str, key_id: UUID) -> Key:
    """A key of this robot. Raises what `list_robot_keys` raises."""
    robot, keys = list_robot_keys(actor, reference)
    with organisation_scope(actor.organisation_id):
        key = keys.filter(id=key_id).first()
    if key is None:
        raise NotFoundError("no such key")
    key.robot = robot
    return key


@dataclass(frozen=True, slots=True)
class KeyUsage:
    """robot_id, robot: the robot and its name. at: when the key was last used. over: the key is
    revoked or has expired."""

    robot_id: UUID
    robot: str
    at: datetime | None
    over: bool


def get_key_usage(actor: Actor, *, key_id: UUID, now: datetime) -> KeyUsage:
    """When a key was last used, for an admin. Raises NotFoundError and PermissionError."""
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        key = get_key(actor, key_id)
        over = not key.is_valid(now)
        return KeyUsage(key.robot_id, key.robot.name, key.last_used_at, over)


def revoke_robot_key(actor: Actor, *, key_id: UUID, now: datetime) -> Key:
    """Revoke a key at once; a second time changes nothing. Raises NotFoundError and
    PermissionError."""
    check_admin(actor)
    with organisation_scope(actor.organisation_id):
        key = get_key(actor, key_id)
        end_key(actor, key, now)
    return key


def revoke_leaked_key(text: str, *, staff: UUID, now: datetime) -> Key:
    """Revoke the key of which a superuser (`staff`) shows the text, or its beginning. Recorded in
    its organisation. Raises NotFoundError."""
    key = find_leaked_key(text)
    if key is None:
        raise NotFoundError("no such key")
    end_key(Actor(organisation_id=key.organisation_id), key, now, staff=staff)
    return key
