"""Members as an identity provider keeps them: invited, deactivated, removed.

A provider names people by their e-mail address and never touches an account: it sets no password,
changes no address, and lets nobody in. Whom it creates is invited and joins by themselves, so the
answer is the same whether or not the address has an account already (docs/adr/0065-scim.md).
"""

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, InvalidNameError, LookalikeNameError, NotFoundError
from orgs.members.invitations import invite_member
from orgs.members.members import remove_member
from orgs.models.memberships import Member
from orgs.models.users import User
from orgs.principals import Actor


class AddressChangedError(Exception):
    """A provider gives a member another address; only the person changes that of their account."""


def check_administers(actor: Actor) -> None:
    """Raise PermissionError for who has no admin's rights, and for a personal robot: it knows no
    group that its owner is not in."""
    if not actor.administers or actor.owner_id is not None:
        raise PermissionError("People are provisioned by a key that manages, of no personal robot.")


def provisioned_members(actor: Actor) -> "QuerySet[Member]":
    """Members with an account, invited or joined, and those whom a provider has deactivated; with
    their accounts. Call in the organisation's scope. Raises PermissionError."""
    check_administers(actor)
    here = Q(removed_at=None) | Q(deactivated_at__isnull=False)
    rows = Member.objects.filter(
        here, organisation_id=actor.organisation_id, user__isnull=False, erased_at=None
    )
    return rows.select_related("user").order_by("id")


def get_provisioned_member(actor: Actor, member_id: UUID) -> Member:
    """One of `provisioned_members`. Raises NotFoundError and PermissionError."""
    with organisation_scope(actor.organisation_id):
        found = provisioned_members(actor).filter(id=member_id).first()
    if found is None:
        raise NotFoundError("no such member")
    return found


def provision_member(
    actor: Actor, *, email: str, name: str, external_id: str, active: bool, now: datetime
) -> Member:
    """Invite an address that is nobody's here yet.

    name: what colleagues call them; one that could be taken for another's gives way to the address,
    for two people of one name work in one place. Raises AlreadyExistsError for an address that is
    here, and PermissionError.
    """
    with organisation_scope(actor.organisation_id):
        same = provisioned_members(actor).filter(user__email=User.objects.normalise(email))
        if same.exists():
            raise AlreadyExistsError("This address belongs to a member already.")
        try:
            member, _ = invite_member(actor, email=email, name=name, now=now)
        except (InvalidNameError, LookalikeNameError):
            member, _ = invite_member(actor, email=email, now=now)
        _store(actor, member.id, provisioned_id=external_id)
        if not active:
            _deactivate(actor, member.id, now)
    return get_provisioned_member(actor, member.id)


def update_provisioned_member(
    actor: Actor, member: Member, *, email: str, external_id: str, active: bool, now: datetime
) -> Member:
    """Give a member the state that a provider wants.

    Deactivating is leaving, whatever else the call says: nothing keeps somebody in. Activating
    invites them anew, as a plain member; they join by themselves. Raises AddressChangedError,
    AlreadyExistsError for the last admin, NotFoundError and PermissionError.
    """
    check_administers(actor)
    with organisation_scope(actor.organisation_id):
        if not active:
            if member.removed_at is None:
                _deactivate(actor, member.id, now)
        else:
            account = member.user
            if account is None or User.objects.normalise(email) != account.email:
                raise AddressChangedError
            if member.removed_at is not None:
                invite_member(actor, email=account.email, now=now)
        if external_id != member.provisioned_id:
            _store(actor, member.id, provisioned_id=external_id)
    return get_provisioned_member(actor, member.id)


def remove_provisioned_member(actor: Actor, member: Member, *, now: datetime) -> None:
    """Remove a member from this organisation alone; what they wrote stays. Raises
    AlreadyExistsError for the last admin, NotFoundError and PermissionError."""
    check_administers(actor)
    with organisation_scope(actor.organisation_id):
        if member.removed_at is None:
            remove_member(actor, member_id=member.id, now=now)
        _store(actor, member.id, provisioned_id="", deactivated_at=None)


def _deactivate(actor: Actor, member_id: UUID, now: datetime) -> None:
    remove_member(actor, member_id=member_id, now=now)
    _store(actor, member_id, deactivated_at=now)


def _store(actor: Actor, member_id: UUID, **values: object) -> None:
    Member.objects.filter(organisation_id=actor.organisation_id, id=member_id).update(**values)
