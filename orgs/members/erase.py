"""Take the name, the account and the identities away from a member; an id stays."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from orgs.accounts.sessions import end_sign_ins
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.memberships import ExternalIdentity, Member, Role
from orgs.models.users import User

# What stands in the place of the name.
ERASED_NAME = "Erased member"


@dataclass(frozen=True, slots=True)
class NamesOfMember:
    """How a member is called here. names: theirs; identifiers: addresses and accounts; others: the
    names of everybody else, whose words name not them alone."""

    names: tuple[str, ...]
    identifiers: tuple[str, ...]
    others: tuple[str, ...]


def names_of(organisation_id: UUID, member_id: UUID) -> NamesOfMember:
    """Every name of a member, as long as they have one."""
    with organisation_scope(organisation_id):
        rows = Member.objects.filter(organisation_id=organisation_id, erased_at=None)
        member = rows.filter(id=member_id).select_related("user").first()
        if member is None:
            return NamesOfMember((), (), ())
        known = ExternalIdentity.objects.filter(
            organisation_id=organisation_id, member_id=member_id
        ).conferring()
        identifiers = list(known.values_list("identifier", flat=True))
        names = [member.name]
        if member.user is not None:
            identifiers.append(member.user.email)
            names.append(member.user.name)
        others = rows.exclude(id=member_id).values_list("name", flat=True)
        return NamesOfMember(tuple(names), tuple(identifiers), tuple(others))


def empty_member(organisation_id: UUID, member_id: UUID, *, now: datetime) -> int:
    """Leave an id where the member was; delete the account that opens no other organisation.

    One transaction: an account that stayed would never be found again. Returns how many accounts
    are gone. Once more changes nothing.
    """
    with transaction.atomic(), organisation_scope(organisation_id):
        rows = Member.objects.filter(organisation_id=organisation_id, id=member_id, erased_at=None)
        member = rows.select_for_update(of=("self",)).select_related("user").first()
        if member is None:
            return 0
        user = member.user
        ExternalIdentity.objects.filter(
            organisation_id=organisation_id, member_id=member_id
        ).delete()
        member.user, member.name, member.time_zone = None, ERASED_NAME, "UTC"
        member.role, member.erased_at, member.removed_at = Role.VIEWER, now, now
        member.learning_paused_at = now
        member.invite_digest, member.invite_expires_at = "", None
        member.save()
        return _delete_account(user) if user is not None else 0


def opens_more(user: User, organisation_id: UUID) -> bool:
    """Whether an account opens an organisation beside this one."""
    with scope(Scope(user=user.pk)):
        rows = Member.objects.filter(user_id=user.pk, removed_at=None)
        return rows.exclude(organisation_id=organisation_id).exists()


def _delete_account(user: User) -> int:
    """1 if the account opened nothing else and is gone; staff keep theirs."""
    with scope(Scope(user=user.pk)):
        rows = Member.objects.filter(user_id=user.pk)
        left = list(rows.values_list("organisation_id", "id", "removed_at"))
    if user.is_staff or any(removed_at is None for _, _, removed_at in left):
        return 0
    for organisation_id, member_id, _ in left:
        # Who was removed there is a name without an account from now on.
        with organisation_scope(organisation_id):
            Member.objects.filter(organisation_id=organisation_id, id=member_id).update(user=None)
    end_sign_ins(user)
    about_them = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=about_them, object_id=str(user.pk)).delete()
    user.delete()
    return 1
