"""Groups and members as far as a caller may know of them, and the changes that callers may make."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Lower

from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.members.invitations import create_member
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, GroupMembership, IngestProfile, Organisation
from orgs.names.name_check import RESERVED_GROUP_NAMES, check_name
from orgs.organisations.groups import (
    add_to_group,
    create_group,
    remove_from_group,
    set_confidential,
    set_profile,
)
from orgs.organisations.references import (
    find_groups,
    find_members,
    get_member,
    link_identity,
    parse_uuid,
)
from orgs.principals import Actor, member_group_ids, readable_groups
from robots.errors import MissingScopeError
from robots.models.keys import KeyScope
from robots.models.robots import Robot, RobotGroup
from robots.registry.robots import add_robot_to_groups, ensure_robot, get_robot, update_robot

# The most people offered by name at once, the most that can be chosen, the most words of a name.
MAX_OFFERED = 12
MAX_CHOSEN = 200
MAX_NAME_WORDS = 5
# The most groups that a caller is told at once.
MAX_CALLER_GROUPS = 1_000
Colleague = tuple[UUID, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """What a caller is told about itself.

    id: as the API names it. member: of a personal robot the member whom it serves. groups: those in
    which the caller is, the oldest first; more_groups: whether there are more.
    """

    kind: str
    id: str
    name: str
    role: str | None
    member: Member | None
    organisation: Organisation
    scopes: list[str]
    groups: list[Group]
    more_groups: bool


def describe_caller(actor: Actor) -> Caller:
    """Who the actor is, with its organisation, scopes and groups. Raises NotFoundError for a robot
    or member that has gone meanwhile."""
    tenant = {"organisation_id": actor.organisation_id}
    seats = member_group_ids(actor) if actor.is_person else robot_group_ids(actor)
    with organisation_scope(actor.organisation_id):
        organisation = Organisation.objects.get(id=actor.organisation_id)
        groups = list(
            Group.objects.filter(**tenant, id__in=seats).order_by("id")[: MAX_CALLER_GROUPS + 1]
        )
        who: Robot | Member | None = (
            Member.objects.filter(**tenant, id=actor.member_id).first()
            if actor.is_person
            else Robot.objects.filter(**tenant, id=actor.robot_id).select_related("owner").first()
        )
        if who is None:
            raise NotFoundError("the caller has gone")
    return Caller(
        kind="member" if actor.is_person else "robot",
        id=who.public_id if isinstance(who, Robot) else str(who.id),
        name=who.name,
        role=actor.writing_role,
        member=who.owner if isinstance(who, Robot) else None,
        organisation=organisation,
        scopes=sorted({*map(str, actor.scopes), *((KeyScope.MANAGE,) if actor.moderates else ())}),
        groups=groups[:MAX_CALLER_GROUPS],
        more_groups=len(groups) > MAX_CALLER_GROUPS,
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
    those in which its owner is."""
    tenant = {"organisation_id": actor.organisation_id}
    seats = RobotGroup.objects.filter(**tenant, robot_id=actor.robot_id)
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


def find_known_groups(actor: Actor, references: Iterable[str | UUID]) -> dict[str, Group]:
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
    among = visible_groups(actor).annotate(seat=Subquery(seats.values("id")[:1]))
    return find_groups(actor.organisation_id, references, among.order_by(seat, "id"))


def get_visible_group_in_scope(actor: Actor, reference: str | UUID) -> Group:
    """The one of `find_known_groups`. Raises NotFoundError."""
    found = find_known_groups(actor, [reference])
    if not found:
        raise ReferenceNotFoundError("group", reference)
    return found[str(reference)]


def get_visible_group(actor: Actor, reference: str) -> Group:
    """The same, also outside a scope."""
    with organisation_scope(actor.organisation_id):
        return get_visible_group_in_scope(actor, reference)


def list_colleagues(
    actor: Actor, *, named: str = "", chosen: Collection[str] = ()
) -> tuple[list[Colleague], list[Colleague], bool]:
    """(the chosen, up to OFFERED others, whether there are more): the asker's colleagues by name.

    named: the names of the others contain each of its first MOST_WORDS words. chosen: ids, of which
    the first MOST_NAMED count.
    """
    ids = [id_ for id_ in map(parse_uuid, list(chosen)[:MAX_CHOSEN]) if id_]
    with organisation_scope(actor.organisation_id):
        rows = visible_members(actor).exclude(id=actor.member_id).order_by(Lower("name"), "id")
        ticked = list(rows.filter(id__in=ids).values_list("id", "name")) if ids else []
        others = rows.exclude(id__in=ids)
        for word in named.split()[:MAX_NAME_WORDS]:
            others = others.filter(name__icontains=word)
        found = list(others.values_list("id", "name")[: MAX_OFFERED + 1])
        return ticked, found[:MAX_OFFERED], len(found) > MAX_OFFERED


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


def get_visible_member(actor: Actor, reference: str) -> Member:
    """One of the known members, by id or platform:identifier. Raises NotFoundError.

    Unconfirmed identities count, so do not decide with it who reads: use `get_member` for that.
    """
    with organisation_scope(actor.organisation_id):
        return get_member(
            actor.organisation_id, reference, among=visible_members(actor), claimed=True
        )


def create_group_with_members(actor: Actor, data: Mapping[str, Any], now: datetime) -> Group:
    """Create a group with its first members; the robot or member who makes it is in it.

    data: external_id, and perhaps name, confidential, profile, members (references). If it raises
    AlreadyExistsError, NotFoundError or what `check_name` raises, nothing is made.
    """
    organisation_id = actor.organisation_id
    with organisation_scope(organisation_id):
        known = visible_members(actor)
        named = list(data.get("members", []))
        members = _ids_of(named, find_members(organisation_id, named, among=known))
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
    """Rename a group, or change whether curators read it and who reads what is posted in it; each
    is recorded.

    data: name, confidential, profile, all optional. Raises PermissionError, MissingScopeError and
    what `check_name` raises.
    """
    if not actor.moderates and KeyScope.MANAGE not in actor.scopes:
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
        add_to_group(organisation_id=organisation_id, group_id=group.id, member_ids=joining)
        remove_from_group(organisation_id=organisation_id, group_id=group.id, member_ids=leaving)
        audit.record_entry(
            "group.members",
            actor=actor,
            now=now,
            target=group.id,
            target_type="group",
            added=[str(m) for m in joining],
            removed=[str(m) for m in leaving],
        )


def _ids_of(references: Sequence[str | UUID], found: Mapping[str, Member]) -> list[UUID]:
    """The ids of the members, each once. Raises NotFoundError if a reference means none."""
    for reference in references:
        if str(reference) not in found:
            raise ReferenceNotFoundError("member", reference)
    return list(dict.fromkeys(found[str(reference)].id for reference in references))


def create_member_without_account(actor: Actor, data: Mapping[str, Any], now: datetime) -> Member:
    """Add a member without an account. data: name, and perhaps identity (platform:identifier).

    Raises AlreadyExistsError for a known identity, and what `check_name` raises.
    """
    organisation_id = actor.organisation_id
    platform, _, identifier = data.get("identity", "").partition(":")
    with organisation_scope(organisation_id):
        if identifier:
            try:
                get_member(organisation_id, f"{platform}:{identifier}", claimed=True)
            except NotFoundError:
                pass
            else:
                raise AlreadyExistsError("This identity belongs to a member already.")
        member, _secret = create_member(
            organisation_id=organisation_id,
            name=data["name"],
            beside=visible_members(actor),
            now=now,
        )
        if identifier:
            link_identity(
                organisation_id=organisation_id,
                platform=platform,
                identifier=identifier,
                member_id=member.id,
            )
        audit.record_entry(
            "member.created", actor=actor, now=now, target=member.id, target_type="member"
        )
    return member
