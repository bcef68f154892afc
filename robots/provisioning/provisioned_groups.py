"""Groups as an identity provider keeps them: those that it made, with their people."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.organisations import Group, GroupMembership
from orgs.principals import Actor
from robots.people.directory import (
    manageable_groups,
    update_group,
    update_group_members,
    update_group_robots,
)
from robots.people.people_administration import create_named_group
from robots.provisioning.provisioned_members import check_administers, provisioned_members


def provisioned_groups(actor: Actor) -> "QuerySet[Group]":
    """The groups that a provider made, as far as the asker knows of them. Call in the
    organisation's scope. Raises PermissionError.

    A group that people made is not among them: no provider puts anybody into it or out of it.
    """
    check_administers(actor)
    return manageable_groups(actor).filter(provisioned_at__isnull=False).order_by("id")


def get_provisioned_group(actor: Actor, group_id: UUID) -> Group:
    """One of `provisioned_groups`. Raises NotFoundError and PermissionError."""
    with organisation_scope(actor.organisation_id):
        found = provisioned_groups(actor).filter(id=group_id).first()
    if found is None:
        raise NotFoundError("no such group")
    return found


def provision_group(
    actor: Actor, *, name: str, external_id: str, members: Collection[UUID], now: datetime
) -> Group:
    """Make a confidential group with these people. Raises NotFoundError for a member who is not
    here, what `check_name` raises, and PermissionError."""
    check_administers(actor)
    with organisation_scope(actor.organisation_id):
        group = create_named_group(actor, name=name, confidential=True, now=now)
        _store(group, provisioned_id=external_id, provisioned_at=now)
        _set_members(actor, group, set(members), now)
    return get_provisioned_group(actor, group.id)


def update_provisioned_group(
    actor: Actor,
    group: Group,
    *,
    name: str,
    external_id: str,
    members: Collection[UUID],
    now: datetime,
) -> Group:
    """Give a group this name and exactly these people. Raises as `provision_group`."""
    check_administers(actor)
    with organisation_scope(actor.organisation_id):
        update_group(actor, group, {"name": name}, now)
        if external_id != group.provisioned_id:
            _store(group, provisioned_id=external_id)
        _set_members(actor, group, set(members), now)
    return get_provisioned_group(actor, group.id)


def remove_provisioned_group(actor: Actor, group: Group, *, now: datetime) -> None:
    """Take everybody out of a group and let it go: what was said in it stays, and no provider has
    it any longer. Raises PermissionError."""
    check_administers(actor)
    with organisation_scope(actor.organisation_id):
        _set_members(actor, group, set(), now)
        if actor.robot_id is not None:
            update_group_robots(actor, group, [], [str(actor.robot_id)], now)
        _store(group, provisioned_id="", provisioned_at=None)


def list_group_members(actor: Actor, groups: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """The ids of the people in each group, by its id. Call in the organisation's scope."""
    found: dict[UUID, list[UUID]] = {id_: [] for id_ in groups}
    rows = GroupMembership.objects.filter(
        organisation_id=actor.organisation_id, group_id__in=groups
    ).order_by("id")
    for group_id, member_id in rows.values_list("group_id", "member_id"):
        found[group_id].append(member_id)
    return found


def _set_members(actor: Actor, group: Group, wanted: set[UUID], now: datetime) -> None:
    present = set(list_group_members(actor, [group.id])[group.id])
    joining, leaving = wanted - present, present - wanted
    known = provisioned_members(actor).filter(id__in=joining, removed_at=None)
    if known.count() != len(joining):
        raise NotFoundError("no such member")
    if joining or leaving:
        update_group_members(actor, group, sorted(joining), sorted(leaving), now)


def _store(group: Group, **values: object) -> None:
    Group.objects.filter(organisation_id=group.organisation_id, id=group.id).update(**values)
