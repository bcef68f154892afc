"""Members, invitations and groups as the pages show and change them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Count, Model, Q, QuerySet
from django.db.models.functions import Lower
from django.utils.text import slugify
from uuid_utils.compat import uuid7

from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, GroupMembership
from orgs.organisations.groups import may_change_settings
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor
from robots.models.robots import Robot, RobotGroup
from robots.people.directory import (
    create_group_with_members,
    manageable_members,
    update_group_members,
    visible_groups,
    visible_members,
)

PAGE_SIZE = 50
MAX_OFFERED = 20
# Of colleagues: the most offered by name at once, the most that can be chosen, the most words of a
# name.
MAX_COLLEAGUES = 12
MAX_CHOSEN = 200
MAX_NAME_WORDS = 5
Colleague = tuple[UUID, str]
Row = TypeVar("Row", bound=Model)


@dataclass(slots=True)
class NamePage:
    """A page of rows by name, and the id after which the next page begins."""

    rows: list[Any] = field(default_factory=list)
    after: UUID | None = None


@dataclass(slots=True)
class GroupDetails:
    """A group with its people, whom one could add, and what the asker may change."""

    group: Group
    members: NamePage
    robots: list[Robot]
    on_offer: list[Member]
    may_seat: bool
    may_open: bool


def _page_by_name(rows: "QuerySet[Row]", after: UUID | None, limit: int = PAGE_SIZE) -> NamePage:
    if after:
        last = rows.filter(pk=after).values_list("name", flat=True).first()
        if last is None:
            raise NotFoundError("no such page")
        rows = rows.filter(Q(name__gt=last) | Q(name=last, pk__gt=after))
    found = list(rows.order_by("name", "pk")[: limit + 1])
    return NamePage(found[:limit], found[limit - 1].pk if len(found) > limit else None)


def list_members(actor: Actor, *, named: str = "", after: UUID | None = None) -> NamePage:
    """Everyone in the organisation but those who are only invited, by name."""
    with organisation_scope(actor.organisation_id):
        rows = visible_members(actor).exclude(user__isnull=False, joined_at=None)
        if named:
            rows = rows.filter(name__icontains=named)
        return _page_by_name(rows.select_related("user"), after)


def open_invitations(actor: Actor) -> "QuerySet[Member]":
    """Who is invited and has not joined, with their accounts; for those who administer. Raises
    NotFoundError for others."""
    if not actor.administers:
        raise NotFoundError("no such page")
    rows = manageable_members(actor).filter(user__isnull=False, joined_at=None)
    return rows.select_related("user")


def list_invitations(actor: Actor, after: UUID | None = None) -> NamePage:
    """A page of `open_invitations`, by name."""
    with organisation_scope(actor.organisation_id):
        return _page_by_name(open_invitations(actor), after)


def list_groups(actor: Actor, after: UUID | None = None) -> NamePage:
    """The groups that the asker reads, each with `seats`, the number of people in it."""
    with organisation_scope(actor.organisation_id):
        rows = visible_groups(actor).annotate(seats=Count("memberships")).select_related("owner")
        return _page_by_name(rows, after)


def get_member_with_groups(actor: Actor, member_id: UUID) -> tuple[Member, list[Group]]:
    """A member with those of their groups that the asker reads; for admins. Raises
    NotFoundError."""
    if actor.role != Role.ADMIN:
        raise NotFoundError("no such page")
    with organisation_scope(actor.organisation_id):
        member = visible_members(actor).filter(id=member_id).select_related("user").first()
        if member is None:
            raise NotFoundError("no such member")
        seats = GroupMembership.objects.filter(
            organisation_id=actor.organisation_id, member_id=member.id
        )
        mine = visible_groups(actor).filter(id__in=seats.values("group_id"))
        return member, list(mine.order_by("name"))


def get_group_details(
    actor: Actor, group_id: UUID, *, named: str = "", after: UUID | None = None
) -> GroupDetails:
    """A group that the asker reads. named: narrows who could be added. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        group = _get_group(actor, group_id)
        tenant = {"organisation_id": actor.organisation_id}
        seated = GroupMembership.objects.filter(**tenant, group_id=group.id).values("member_id")
        robots = RobotGroup.objects.filter(**tenant, group_id=group.id).values("robot_id")
        may_seat = _may_change_members(actor, group)
        return GroupDetails(
            group,
            _page_by_name(visible_members(actor).filter(id__in=seated), after),
            list(
                Robot.objects.filter(**tenant, id__in=robots, retired_at=None)
                .order_by("name")
                .only("id", "name", "organisation_id")
            ),
            _addable_members(visible_members(actor).exclude(id__in=seated), named)
            if may_seat
            else [],
            may_seat,
            may_change_settings(actor, group),
        )


def _addable_members(rows: "QuerySet[Member]", named: str) -> list[Member]:
    if named:
        rows = rows.filter(name__icontains=named)
    return list(rows.order_by("name", "pk")[:MAX_OFFERED])


def _get_group(actor: Actor, group_id: UUID) -> Group:
    group = visible_groups(actor).filter(id=group_id).select_related("owner").first()
    if group is None:
        raise NotFoundError("no such group")
    return group


def _may_change_members(actor: Actor, group: Group) -> bool:
    return actor.moderates or (actor.role != Role.VIEWER and actor.member_id == group.owner_id)


def get_group(actor: Actor, group_id: UUID) -> Group:
    """A group that the asker reads. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        return _get_group(actor, group_id)


def create_named_group(actor: Actor, *, name: str, confidential: bool, now: datetime) -> Group:
    """Make a group with its maker in it. Raises PermissionError and what
    `create_group_with_members` raises.

    Its external id is made of the name, with a random suffix if that is taken.
    """
    if not (actor.moderates or actor.administers):
        raise PermissionError("Admins and curators make groups.")
    stem = slugify(name)[:80] or "group"
    if parse_uuid(stem):
        stem = f"group-{stem}"[:80]
    data = {"name": name, "confidential": confidential}
    try:
        return create_group_with_members(actor, data | {"external_id": stem}, now)
    except AlreadyExistsError:
        return create_group_with_members(
            actor, data | {"external_id": f"{stem}-{uuid7().hex[-8:]}"}, now
        )


def change_group_members(
    actor: Actor,
    *,
    group_id: UUID,
    now: datetime,
    add: Sequence[UUID] = (),
    remove: Sequence[UUID] = (),
) -> Group:
    """Put members into a group or take them out; what they read changes at once.

    Raises NotFoundError, and PermissionError for who may not change this group's people.
    """
    with organisation_scope(actor.organisation_id):
        group = _get_group(actor, group_id)
        if not _may_change_members(actor, group):
            raise PermissionError("Admins, curators and the group's owner change its people.")
        for member_id in (*add, *remove):
            if not visible_members(actor).filter(id=member_id).exists():
                raise NotFoundError("no such member")
        update_group_members(actor, group, add, remove, now)
    return group


def list_colleagues(
    actor: Actor, *, named: str = "", chosen: Collection[str] = ()
) -> tuple[list[Colleague], list[Colleague], bool]:
    """(the chosen, up to MAX_COLLEAGUES others, whether there are more): colleagues by name.

    named: the names of the others contain each of its first MAX_NAME_WORDS words. chosen: ids, of
    which the first MAX_CHOSEN count.
    """
    ids = [id_ for id_ in map(parse_uuid, list(chosen)[:MAX_CHOSEN]) if id_]
    with organisation_scope(actor.organisation_id):
        rows = visible_members(actor).exclude(id=actor.member_id).order_by(Lower("name"), "id")
        ticked = list(rows.filter(id__in=ids).values_list("id", "name")) if ids else []
        others = rows.exclude(id__in=ids)
        for word in named.split()[:MAX_NAME_WORDS]:
            others = others.filter(name__icontains=word)
        found = list(others.values_list("id", "name")[: MAX_COLLEAGUES + 1])
        return ticked, found[:MAX_COLLEAGUES], len(found) > MAX_COLLEAGUES
