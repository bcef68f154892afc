"""Roles of members, and taking a member out."""

from datetime import datetime
from uuid import UUID

from django.db.models import Q

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.members.invitations import withdraw_invitations_of
from orgs.models.memberships import Member, Role, can_sign_in_q
from orgs.models.organisations import Group, GroupMembership
from orgs.principals import Actor
from orgs.wired_functions import wired

LAST_ADMIN = "Somebody must stay admin. Make another member admin first."


@wired
def on_member_removed(actor: Actor, member: Member, now: datetime) -> None:
    """Close what a removed member had opened in higher apps, such as delegations."""
    raise NotImplementedError


def change_role(actor: Actor, *, member_id: UUID, role: str, now: datetime) -> Member:
    """Give a member another role; recorded, since it changes what they read.

    Raises PermissionError, NotFoundError, and AlreadyExistsError for the last admin.
    """
    with organisation_scope(actor.organisation_id):
        member = _lock_member(actor, member_id)
        if member.role == role:
            return member
        before, member.role = member.role, role
        if before == Role.ADMIN:
            _check_other_admin(actor.organisation_id, member)
        member.save(update_fields=["role"])
        if before == Role.ADMIN:
            withdraw_invitations_of(actor, member, now)
        _record("member.role", actor, member, now, before=before, after=role)
    return member


def remove_member(actor: Actor, *, member_id: UUID, now: datetime) -> Member:
    """Remove a member: from the next request on they read nothing here.

    What they said and wrote stays, with their name. Raises PermissionError, NotFoundError, and
    AlreadyExistsError for the last admin.
    """
    with organisation_scope(actor.organisation_id):
        member = _lock_member(actor, member_id)
        if member.role == Role.ADMIN:
            _check_other_admin(actor.organisation_id, member)
        close_membership(actor, member, now)
        _record("member.removed", actor, member, now)
    return member


def close_membership(actor: Actor, member: Member, now: datetime) -> None:
    """Remove a locked member from groups and end what they opened, also in higher apps."""
    tenant = {"organisation_id": member.organisation_id}
    withdraw_invitations_of(actor, member, now)
    member.removed_at, member.role = member.removed_at or now, Role.VIEWER
    member.invite_digest, member.invite_expires_at, member.news_mail_since = "", None, None
    member.save(
        update_fields=[
            "removed_at",
            "role",
            "invite_digest",
            "invite_expires_at",
            "news_mail_since",
        ]
    )
    GroupMembership.objects.filter(**tenant, member_id=member.id).delete()
    Group.objects.filter(**tenant, owner_id=member.id).update(owner_id=None)
    on_member_removed(actor, member, now)


def lock_member_to_erase(organisation_id: UUID, member_id: UUID) -> Member:
    """A member who is to be erased, locked together with all admins; they may be removed already.

    Raises NotFoundError, and AlreadyExistsError for the last admin.
    """
    locked = _lock_with_admins(organisation_id, member_id)
    found = next((m for m in locked if m.id == member_id and m.erased_at is None), None)
    if found is None:
        raise NotFoundError("no such member")
    if found.role == Role.ADMIN and found.removed_at is None:
        _check_other_admin(organisation_id, found)
    return found


def _lock_member(actor: Actor, member_id: UUID) -> Member:
    """The member, locked together with all admins, so that two admins cannot demote each other.

    Raises PermissionError and NotFoundError.
    """
    if not actor.administers:
        raise PermissionError("Only an admin changes members.")
    locked = _lock_with_admins(actor.organisation_id, member_id)
    found = next((m for m in locked if m.id == member_id and m.removed_at is None), None)
    if found is None:
        raise NotFoundError("no such member")
    return found


def _lock_with_admins(organisation_id: UUID, member_id: UUID) -> list[Member]:
    locked = (
        Member.objects.select_for_update(of=("self",))
        .filter(Q(id=member_id) | Q(role=Role.ADMIN), organisation_id=organisation_id)
        .order_by("id")
    )
    return list(locked)


def _check_other_admin(organisation_id: UUID, leaving: Member) -> None:
    others = Member.objects.filter(
        can_sign_in_q(), organisation_id=organisation_id, role=Role.ADMIN
    )
    if not others.exclude(id=leaving.id).exists():
        raise AlreadyExistsError(LAST_ADMIN)


def _record(action: str, actor: Actor, member: Member, now: datetime, **detail: str) -> None:
    audit.record_entry(
        action, actor=actor, now=now, target=member.id, target_type="member", **detail
    )
