"""Groups: made and changed, and who is in them."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, InvalidNameError
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership, IngestProfile
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.references import LOOKS_LIKE_ID, parse_uuid
from orgs.principals import Actor


def create_group(
    *,
    organisation_id: UUID,
    external_id: str,
    now: datetime,
    name: str = "",
    confidential: bool = True,
    owner_id: UUID | None = None,
    profile: str = IngestProfile.OPEN,
    among: "QuerySet[Group] | None" = None,
) -> Group:
    """Create a group with its audience; one at a time in an organisation.

    among: the groups that the maker may know, None for all. A group outside them may have the same
    external id. Raises AlreadyExistsError if one of them has it, InvalidNameError for one that
    could be an id.
    """
    group = Group(
        organisation_id=organisation_id,
        external_id=external_id,
        name=name or external_id,
        confidential=confidential,
        profile=profile,
        owner_id=owner_id,
        created_at=now,
    )
    if parse_uuid(external_id):
        raise InvalidNameError(LOOKS_LIKE_ID)
    with organisation_scope(organisation_id):
        acquire_advisory_lock(organisation_id, "group")
        check_external_id_free(organisation_id, external_id, among)
        group.save(force_insert=True)
        ensure_audience(organisation_id, AudienceType.GROUP, str(group.id), group.id)
    return group


def check_external_id_free(
    organisation_id: UUID, external_id: str, among: "QuerySet[Group] | None" = None
) -> None:
    """Raise AlreadyExistsError if one of the groups has this external id, by default of all."""
    known = Group.objects.all() if among is None else among
    same = known.filter(organisation_id=organisation_id, external_id=external_id)
    if taken := same.values_list("id", flat=True).first():
        raise AlreadyExistsError(
            f"There is a group with the external id {external_id}.", existing=taken
        )


def set_confidential(*, actor: Actor, group: Group, confidential: bool, now: datetime) -> None:
    """Change whether curators read a group; recorded. Raises PermissionError.

    Admins and the group's owner may do it.
    """
    _change_group(actor, group, now, confidential=confidential)


def set_profile(*, actor: Actor, group: Group, profile: str, now: datetime) -> None:
    """Change who reads what is posted in a group from now on; recorded. Raises PermissionError.

    Admins and the group's owner may do it.
    """
    _change_group(actor, group, now, profile=profile)


def set_contradiction_policy(*, actor: Actor, group: Group, policy: str, now: datetime) -> None:
    """Change which contradictions of a group are decided by themselves from now on; recorded.
    Raises PermissionError.

    policy: of ContradictionPolicy. Admins and the group's owner may do it.
    """
    _change_group(actor, group, now, contradiction_policy=policy)


def may_change_settings(actor: Actor, group: Group) -> bool:
    """Whether the actor decides who reads a group and what happens in it by itself."""
    return actor.administers or (actor.is_person and actor.member_id == group.owner_id)


def _change_group(actor: Actor, group: Group, now: datetime, **change: Any) -> None:
    if not may_change_settings(actor, group):
        raise PermissionError("only an admin or the group's owner changes this")
    with organisation_scope(actor.organisation_id):
        Group.objects.filter(organisation_id=actor.organisation_id, id=group.id).update(**change)
        audit.record_entry(
            f"group.{next(iter(change))}",
            actor=actor,
            now=now,
            target=group.id,
            target_type="group",
            **change,
        )


def add_to_group(*, organisation_id: UUID, group_id: UUID, member_ids: Iterable[UUID]) -> int:
    """Put members into a group; removed members are left out.

    Returns how many were added.
    """
    with organisation_scope(organisation_id):
        wanted = list(dict.fromkeys(member_ids))
        standing = set(
            Member.objects.filter(
                organisation_id=organisation_id, id__in=wanted, removed_at=None
            ).values_list("id", flat=True)
        )
        present = set(
            GroupMembership.objects.filter(
                organisation_id=organisation_id, group_id=group_id
            ).values_list("member_id", flat=True)
        )
        new = [m for m in wanted if m in standing and m not in present]
        GroupMembership.objects.bulk_create(
            [
                GroupMembership(organisation_id=organisation_id, group_id=group_id, member_id=m)
                for m in new
            ],
            ignore_conflicts=True,
        )
    return len(new)


def remove_from_group(
    *, organisation_id: UUID, group_id: UUID, member_ids: Collection[UUID]
) -> None:
    """Remove members from a group; they stop reading what it reads at once."""
    with organisation_scope(organisation_id):
        GroupMembership.objects.filter(
            organisation_id=organisation_id, group_id=group_id, member_id__in=member_ids
        ).delete()


def add_and_remove_members(
    actor: Actor,
    group_id: UUID,
    *,
    joining: Collection[UUID],
    leaving: Collection[UUID],
    now: datetime,
    **detail: str,
) -> None:
    """Put members into a group and take others out; recorded, because it changes who reads. The
    caller has checked that the actor may. detail: what the entry says beside who it was."""
    organisation_id = actor.organisation_id
    with organisation_scope(organisation_id):
        add_to_group(organisation_id=organisation_id, group_id=group_id, member_ids=joining)
        remove_from_group(organisation_id=organisation_id, group_id=group_id, member_ids=leaving)
        audit.record_entry(
            "group.members",
            actor=actor,
            now=now,
            target=group_id,
            target_type="group",
            added=[str(m) for m in joining],
            removed=[str(m) for m in leaving],
            **detail,
        )
