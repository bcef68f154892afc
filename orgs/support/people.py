"""Members and groups of the organisation that is looked at, as the role `support` reads them."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet

from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership
from orgs.support.support_sessions import SUPPORT_ALIAS

# The only columns that the role may read.
MEMBER_COLUMNS = (
    "id",
    "name",
    "role",
    "user_id",
    "time_zone",
    "created_at",
    "joined_at",
    "removed_at",
)
GROUP_COLUMNS = ("id", "name", "external_id", "confidential", "owner_id", "created_at")


def support_members(organisation_id: UUID) -> "QuerySet[Member]":
    """All members: present, removed and invited."""
    rows = Member.objects.using(SUPPORT_ALIAS).only(*MEMBER_COLUMNS, "organisation_id")
    return rows.filter(organisation_id=organisation_id)


def member_names(organisation_id: UUID, ids: "Iterable[UUID | None]") -> dict[UUID, str]:
    """The names of these members by id; no query if there are no ids."""
    wanted = {id_ for id_ in ids if id_}
    if not wanted:
        return {}
    return dict(support_members(organisation_id).filter(id__in=wanted).values_list("id", "name"))


def support_groups(organisation_id: UUID) -> "QuerySet[Group]":
    """Every group of it."""
    rows = Group.objects.using(SUPPORT_ALIAS).only(*GROUP_COLUMNS, "organisation_id")
    return rows.filter(organisation_id=organisation_id)


def support_group_memberships(organisation_id: UUID) -> "QuerySet[GroupMembership]":
    """All memberships of groups."""
    return GroupMembership.objects.using(SUPPORT_ALIAS).filter(organisation_id=organisation_id)
