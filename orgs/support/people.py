"""Members and groups of the organisation that is looked at, as the role `support` reads them."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet

from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership
from orgs.support.looks import ALIAS

# The only columns that the role may read.
MEMBER = ("id", "name", "role", "user_id", "time_zone", "created_at", "joined_at", "removed_at")
GROUP = ("id", "name", "external_id", "confidential", "owner_id", "created_at")


def members_of(organisation_id: UUID) -> "QuerySet[Member]":
    """All members: present, removed and invited."""
    rows = Member.objects.using(ALIAS).only(*MEMBER, "organisation_id")
    return rows.filter(organisation_id=organisation_id)


def names_of(organisation_id: UUID, ids: "Iterable[UUID | None]") -> dict[UUID, str]:
    """The names of these members by id; no query if there are no ids."""
    wanted = {id_ for id_ in ids if id_}
    if not wanted:
        return {}
    return dict(members_of(organisation_id).filter(id__in=wanted).values_list("id", "name"))


def groups_of(organisation_id: UUID) -> "QuerySet[Group]":
    """Every group of it."""
    rows = Group.objects.using(ALIAS).only(*GROUP, "organisation_id")
    return rows.filter(organisation_id=organisation_id)


def seats_of(organisation_id: UUID) -> "QuerySet[GroupMembership]":
    """All memberships of groups."""
    return GroupMembership.objects.using(ALIAS).filter(organisation_id=organisation_id)
