"""Groups and members as far as a caller may know of them, and the changes that callers may make."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, GroupMembership, IngestProfile, Organisation
from orgs.names.name_check import RESERVED_GROUP_NAMES, check_name
from orgs.organisations.groups import (
    add_and_remove_members,
    add_to_group,
    check_external_id_free,
    create_group,
    may_change_settings,
    set_confidential,
    set_contradiction_policy,
    set_profile,
)
from orgs.organisations.references import (
    find_groups,
    find_members,
    get_member,
)
from orgs.principals import Actor, readable_groups
from robots.errors import KeyGroupsError, MissingScopeError
from robots.models.keys import KeyScope
from robots.models.robots import Robot, RobotGroup
from robots.registry.robots import (
    add_robot_to_groups,
    ensure_robot,
    find_robots,
    get_robot,
    remove_robot_from_group,
    update_robot,
)


def register_or_update_robot(
    actor: Actor, data: Mapping[str, Any], now: datetime
) -> tuple[Robot, bool]:
    """Register a robot, or update the one with this id. Returns it and whether it is new.

    data: id, name, purpose, personality, metadata, all optional; empty texts change nothing.
    Recorded. Admins and keys that manage register robots; any robot updates itself. Raises
    PermissionError, MissingScopeError, and what `check_name` raises.
    """
    reference = data.get("id")
    metadata = data.get("metadata")
    texts = {name: data[name] for name in ("name", "purpose", "personality") if data.get(name)}
    with organisation_scope(actor.organisation_id):
        _check_registration(actor, reference)
        robot, created = ensure_robot(
            organisation_id=actor.organisation_id,
            now=now,
            reference=reference,
            metadata=metadata,
            **texts,
        )
        if not created:
            return update_robot(
                actor, str(robot.id), {**texts, "metadata": metadata}, now=now
            ), False
        audit.record_entry(
            "robot.registered", actor=actor, now=now, target=robot.id, target_type="robot"
        )
    return robot, True


def _check_registration(actor: Actor, reference: str | None) -> None:
    if actor.is_person:
        if actor.role != Role.ADMIN:
            raise PermissionError("Admins register robots.")
    elif KeyScope.MANAGE not in actor.scopes:
        try:
            itself = reference and get_robot(actor.organisation_id, reference).id == actor.robot_id
        except NotFoundError:
            itself = False
        if not itself:
            raise MissingScopeError(KeyScope.MANAGE)


def robot_group_ids(actor: Actor) -> QuerySet[Any]:
    """The group ids in which the robot sits, as a queryset for a subquery; of a personal robot
    those in which its owner is. Beyond the limit of its key there are none."""
    tenant = {"organisation_id": actor.organisation_id}
    seats = RobotGroup.objects.filter(**tenant, robot_id=actor.robot_id)
    if actor.key_groups is not None:
        seats = seats.filter(group_id__in=actor.key_groups)
    if actor.owner_id is not None:
        theirs = GroupMembership.objects.filter(**tenant, member_id=actor.owner_id)
        seats = seats.filter(group_id__in=theirs.values("group_id"))
    return seats.values("group_id")


def visible_groups(actor: Actor) -> "QuerySet[Group]":
    """For a person the readable groups, for a robot those it sits in."""
    if actor.is_person:
        return readable_groups(actor)
    return Group.objects.filter(
        organisation_id=actor.organisation_id, id__in=robot_group_ids(actor)
    )


def manageable_groups(actor: Actor) -> "QuerySet[Group]":
    """The groups that calls about groups show. A key with `manage` has, beside those in which its
    robot sits, the ones that every admin reads."""
    if actor.is_person or not actor.administers:
        return visible_groups(actor)
    return Group.objects.filter(
        Q(confidential=False) | Q(id__in=robot_group_ids(actor)),
        organisation_id=actor.organisation_id,
    )


def find_known_groups(
    actor: Actor,
    references: Iterable[str | UUID],
    known: Callable[[Actor], "QuerySet[Group]"] = visible_groups,
) -> dict[str, Group]:
    """The known groups that these references mean, by reference; call inside the organisation's
    scope.

    Of several with one external id it is the one that the asker joined first, so that nobody can
    take a name over by seating the asker elsewhere; then the oldest. At most one statement.
    """
    tenant = {"organisation_id": actor.organisation_id, "group_id": OuterRef("id")}
    seats: QuerySet[Any] = (
        RobotGroup.objects.filter(**tenant, robot_id=actor.robot_id)
        if actor.robot_id
        else GroupMembership.objects.filter(**tenant, member_id=actor.member_id)
    )
    seat = F("seat").asc(nulls_last=True)
    among = known(actor).annotate(seat=Subquery(seats.values("id")[:1]))
    return find_groups(actor.organisation_id, references, among.order_by(seat, "id"))


def check_group_limit(actor: Actor) -> None:
    """Raise KeyGroupsError for a key that is limited to groups: the caller named one in which it
    opens nothing. It is the same for groups that are there and for what does not exist."""
    if actor.key_groups is not None:
        raise KeyGroupsError("It opens nothing in another one.")


def get_visible_group_in_scope(actor: Actor, reference: str | UUID) -> Group:
    """The one of `find_known_groups`. Raises NotFoundError, and KeyGroupsError for a key that is
    limited to others."""
    found = find_known_groups(actor, [reference])
    if not found:
        check_group_limit(actor)
        raise ReferenceNotFoundError("group", reference)
    return found[str(reference)]


def get_visible_group(actor: Actor, reference: str) -> Group:
    """The same, also outside a scope."""
    with organisation_scope(actor.organisation_id):
        return get_visible_group_in_scope(actor, reference)


def get_manageable_group(actor: Actor, reference: str | UUID) -> Group:
    """One of `manageable_groups`, also outside a scope. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        found = find_known_groups(actor, [reference], manageable_groups)
    if not found:
        raise ReferenceNotFoundError("group", reference)
    return found[str(reference)]


def group_members(group: Group) -> "QuerySet[Member]":
    """The members of the group."""
    memberships = GroupMembership.objects.filter(
        organisation_id=group.organisation_id, group_id=group.id
    )
    return Member.objects.filter(
        organisation_id=group.organisation_id, id__in=memberships.values("member_id")
    )


def visible_members(actor: Actor) -> "QuerySet[Member]":
    """For a person everyone in the organisation, for a robot the members of its groups."""
    members = Member.objects.filter(organisation_id=actor.organisation_id, removed_at=None)
    if actor.is_person:
        return members
    seated = GroupMembership.objects.filter(
        organisation_id=actor.organisation_id, group_id__in=robot_group_ids(actor)
    )
    return members.filter(Q(id__in=seated.values("member_id")))


def visible_robots(actor: Actor) -> "QuerySet[Robot]":
    """Everyone in the organisation knows its robots. A key that is limited to groups knows those
    that sit in them, and its own."""
    rows = Robot.objects.filter(organisation_id=actor.organisation_id)
    if actor.key_groups is None:
        return rows
    seats = RobotGroup.objects.filter(
        organisation_id=actor.organisation_id, group_id__in=robot_group_ids(actor)
    )
    return rows.filter(Q(id__in=seats.values("robot_id")) | Q(id=actor.robot_id))


def manageable_members(actor: Actor) -> "QuerySet[Member]":
    """The members that calls about members show: with an admin's rights everyone."""
    if actor.administers:
        return Member.objects.filter(organisation_id=actor.organisation_id, removed_at=None)
    return visible_members(actor)


def narrow_groups(groups: "QuerySet[Group]", asked: Mapping[str, Any]) -> "QuerySet[Group]":
    """Those of the groups that have the external id that is asked for; all without one."""
    name = asked.get("external_id")
    return groups if name is None else groups.filter(external_id=name)


def narrow_members(
    actor: Actor, members: "QuerySet[Member]", asked: Mapping[str, Any]
) -> "QuerySet[Member]":
    """That of the members whom the identity that is asked for means; all without one.

    Unconfirmed identities count, as in `get_visible_member`.
    """
    name = asked.get("identity")
    if name is None:
        return members
    found = find_members(actor.organisation_id, [name], among=members, claimed=True)
    return members.filter(id__in=[member.id for member in found.values()])


def get_visible_member(actor: Actor, reference: str) -> Member:
    """One of the known members, by id or platform:identifier. Raises NotFoundError.

    Unconfirmed identities count, so do not decide with it who reads: use `get_member` for that.
    """
    with organisation_scope(actor.organisation_id):
        return get_member(
            actor.organisation_id, reference, among=visible_members(actor), claimed=True
        )


def get_manageable_member(actor: Actor, reference: str, *, claimed: bool = False) -> Member:
    """One of `manageable_members`, by id or platform:identifier. Raises NotFoundError.

    claimed: unconfirmed identities count as well; not where somebody is changed.
    """
    with organisation_scope(actor.organisation_id):
        known = manageable_members(actor)
        return get_member(actor.organisation_id, reference, among=known, claimed=claimed)


def ensure_group(actor: Actor, data: Mapping[str, Any], now: datetime) -> tuple[Group, bool]:
    """The visible group with this external id, unchanged, or a new one. Tells whether it is new.

    data, raises: as in `create_group_with_members`.
    """
    try:
        return create_group_with_members(actor, data, now), True
    except AlreadyExistsError as error:
        if error.existing is None:
            raise
        return get_visible_group(actor, str(error.existing)), False


def create_group_with_members(actor: Actor, data: Mapping[str, Any], now: datetime) -> Group:
    """Create a group with its first members; the robot or member who makes it is in it.

    data: external_id, and perhaps name, confidential, profile, members (references). If it raises
    AlreadyExistsError, NotFoundError or what `check_name` raises, nothing is made.
    """
    organisation_id = actor.organisation_id
    with organisation_scope(organisation_id):
        known = manageable_members(actor)
        named = list(data.get("members", []))
        members = _ids_of(named, find_members(organisation_id, named, among=known))
        acquire_advisory_lock(organisation_id, "group")
        # Before the name: a group that is made again has both, and its id helps more.
        check_external_id_free(organisation_id, data["external_id"], visible_groups(actor))
        _check_group_name(actor, data.get("name") or data["external_id"])
        group = create_group(
            organisation_id=organisation_id,
            external_id=data["external_id"],
            name=data.get("name", ""),
            confidential=data.get("confidential", True),
            profile=data.get("profile", IngestProfile.OPEN),
            owner_id=actor.member_id,
            among=visible_groups(actor),
            now=now,
        )
        if actor.member_id:
            members.append(actor.member_id)
        if actor.robot_id:
            add_robot_to_groups(
                organisation_id=organisation_id, robot_id=actor.robot_id, group_ids=[group.id]
            )
        add_to_group(organisation_id=organisation_id, group_id=group.id, member_ids=members)
        audit.record_entry(
            "group.created", actor=actor, now=now, target=group.id, target_type="group"
        )
    return group


def _check_group_name(actor: Actor, name: str, but: UUID | None = None) -> None:
    acquire_advisory_lock(actor.organisation_id, "group")
    here = Organisation.objects.values_list("name", flat=True).get(id=actor.organisation_id)
    others = visible_groups(actor).exclude(id=but).values_list("name", flat=True)
    check_name(name, kept=(*RESERVED_GROUP_NAMES, f"Everyone in {here}"), others=others)


def update_group(actor: Actor, group: Group, data: Mapping[str, Any], now: datetime) -> Group:
    """Rename a group, or change whether curators read it, who reads what is posted in it and which
    contradictions are decided by themselves; each is recorded.

    data: name, confidential, profile, contradiction_policy, all optional. Its owner changes all but
    the name. Raises PermissionError, MissingScopeError and what `check_name` raises.
    """
    manages = actor.moderates or KeyScope.MANAGE in actor.scopes
    if not manages and ("name" in data or not may_change_settings(actor, group)):
        raise MissingScopeError(KeyScope.MANAGE)
    with organisation_scope(actor.organisation_id):
        if (name := data.get("name")) and name != group.name:
            _check_group_name(actor, name, but=group.id)
            Group.objects.filter(organisation_id=group.organisation_id, id=group.id).update(
                name=name
            )
            group.name = name
            # Without the names: not every admin may know a hidden group's.
            audit.record_entry(
                "group.renamed", actor=actor, now=now, target=group.id, target_type="group"
            )
        if "confidential" in data and data["confidential"] != group.confidential:
            set_confidential(actor=actor, group=group, confidential=data["confidential"], now=now)
            group.confidential = data["confidential"]
        if "profile" in data and data["profile"] != group.profile:
            set_profile(actor=actor, group=group, profile=data["profile"], now=now)
            group.profile = data["profile"]
        policy = data.get("contradiction_policy", group.contradiction_policy)
        if policy != group.contradiction_policy:
            set_contradiction_policy(actor=actor, group=group, policy=policy, now=now)
            group.contradiction_policy = policy
    return group


def update_group_members(
    actor: Actor,
    group: Group,
    add: Sequence[str | UUID],
    remove: Sequence[str | UUID],
    now: datetime,
) -> None:
    """Add and remove members by reference; recorded, because it changes who reads. Raises
    NotFoundError."""
    organisation_id = actor.organisation_id
    with organisation_scope(organisation_id):
        joining = _ids_of(add, find_members(organisation_id, add))
        leaving = _ids_of(remove, find_members(organisation_id, remove, group))
        add_and_remove_members(actor, group.id, joining=joining, leaving=leaving, now=now)


def group_robots(group: Group) -> "QuerySet[Robot]":
    """The robots that sit in the group, without built-in, retired and personal ones: a seat would
    tell whom a personal robot may serve."""
    seats = RobotGroup.objects.filter(organisation_id=group.organisation_id, group_id=group.id)
    return Robot.objects.filter(
        organisation_id=group.organisation_id,
        id__in=seats.values("robot_id"),
        builtin=None,
        retired_at=None,
        owner=None,
    )


def update_group_robots(
    actor: Actor, group: Group, add: Sequence[str], remove: Sequence[str], now: datetime
) -> None:
    """Seat robots in a group and take others out, by reference; what they read there changes at
    once. Recorded for each robot that is concerned.

    Robots are known to everyone in the organisation. Raises NotFoundError, also for a built-in,
    retired or personal one.
    """
    tenant = {"organisation_id": actor.organisation_id}
    with organisation_scope(actor.organisation_id):
        found = find_robots(actor.organisation_id, [*add, *remove])
        for reference in (*add, *remove):
            robot = found.get(reference)
            if robot is None or robot.builtin or robot.retired_at or robot.owner_id:
                raise ReferenceNotFoundError("robot", reference)
        joining, leaving = ({found[one].id for one in some} for some in (add, remove))
        seats = RobotGroup.objects.filter(**tenant, group_id=group.id)
        seated = set(seats.values_list("robot_id", flat=True))
        for robot_id in sorted(joining - seated - leaving):
            add_robot_to_groups(**tenant, robot_id=robot_id, group_ids=[group.id])
            _record_seat(actor, robot_id, now, added=[str(group.id)], removed=[])
        for robot_id in sorted(leaving & seated):
            remove_robot_from_group(**tenant, robot_id=robot_id, group_id=group.id)
            _record_seat(actor, robot_id, now, added=[], removed=[str(group.id)])


def _record_seat(actor: Actor, robot_id: UUID, now: datetime, **groups: list[str]) -> None:
    audit.record_entry(
        "robot.seated", actor=actor, now=now, target=robot_id, target_type="robot", **groups
    )


def _ids_of(references: Sequence[str | UUID], found: Mapping[str, Member]) -> list[UUID]:
    """The ids of the members, each once. Raises NotFoundError if a reference means none."""
    for reference in references:
        if str(reference) not in found:
            raise ReferenceNotFoundError("member", reference)
    return list(dict.fromkeys(found[str(reference)].id for reference in references))
