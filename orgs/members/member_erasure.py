"""Erase a member's name, account and identities; the row and its id stay."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from orgs.accounts.sessions import end_sign_ins
from orgs.database.rls import organisation_scope
from orgs.models.memberships import ExternalIdentity, Member, Role
from orgs.models.users import User
from orgs.placement.all_organisations import list_memberships_ever, list_present_organisation_ids

# The name that replaces it.
ERASED_NAME = "Erased member"


@dataclass(frozen=True, slots=True)
class MemberNames:
    """What a member is called here. names: theirs. identifiers: e-mail address and identifiers on
    other platforms. others: the names of all other members, who may share a word with them."""

    names: tuple[str, ...]
    identifiers: tuple[str, ...]
    others: tuple[str, ...]


def load_member_names(organisation_id: UUID, member_id: UUID) -> MemberNames:
    """Every name of a member; all empty for one who is erased or unknown."""
    with organisation_scope(organisation_id):
        rows = Member.objects.filter(organisation_id=organisation_id, erased_at=None)
        member = rows.filter(id=member_id).select_related("user").first()
        if member is None:
            return MemberNames((), (), ())
        known = ExternalIdentity.objects.filter(
            organisation_id=organisation_id, member_id=member_id
        ).conferring()
        identifiers = list(known.values_list("identifier", flat=True))
        names = [member.name]
        if member.user is not None:
            identifiers.append(member.user.email)
            names.append(member.user.name)
        others = rows.exclude(id=member_id).values_list("name", flat=True)
        return MemberNames(tuple(names), tuple(identifiers), tuple(others))


def erase_member(organisation_id: UUID, member_id: UUID, *, now: datetime) -> int:
    """Erase a member but for the id, and delete their account if it opens no other organisation.

    The member and the account go in one transaction, because the account could not be found
    afterwards. Other organisations, from which the person was removed, let go of the account before
    that, each in a transaction of its own. Returns the number of deleted accounts (0 or 1). A
    second time changes nothing.
    """
    has_detached = _detach_elsewhere(organisation_id, member_id)
    with organisation_scope(organisation_id), transaction.atomic():
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
        member.news_seen_at = member.news_mail_since = member.news_mailed_at = None
        member.provisioned_id, member.deactivated_at = "", None
        member.language = ""
        member.save()
        return _delete_account(user) if user is not None and has_detached else 0


def has_other_membership(user: User, organisation_id: UUID) -> bool:
    """Whether an account opens any organisation but this one."""
    return any(id_ != organisation_id for id_ in list_present_organisation_ids(user.pk))


def _detach_elsewhere(organisation_id: UUID, member_id: UUID) -> bool:
    """Let every other organisation let go of the member's account, if it opens none of them and is
    nobody's of the staff: there the member stays, without an account. Returns whether it is so, and
    the account can be deleted."""
    with organisation_scope(organisation_id):
        rows = Member.objects.filter(organisation_id=organisation_id, id=member_id, erased_at=None)
        member = rows.select_related("user").first()
    if member is None or member.user is None or member.user.is_staff:
        return False
    elsewhere = [one for one in list_memberships_ever(member.user.pk) if one[0] != organisation_id]
    if any(removed_at is None for _, _, removed_at in elsewhere):
        return False
    for other_id, there_id, _ in elsewhere:
        with organisation_scope(other_id):
            Member.objects.filter(organisation_id=other_id, id=there_id).update(user=None)
    return True


def _delete_account(user: User) -> int:
    """Delete an account that opens nothing. Returns 1."""
    end_sign_ins(user)
    about_them = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=about_them, object_id=str(user.pk)).delete()
    user.delete()
    return 1
