"""Erase a member's name, account and identities; the row and its id stay."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from orgs.database.driver.servers import (
    HOME,
    current_server,
    is_switched_on,
    server_of,
    switched_to_server,
)
from orgs.database.rls import organisation_scope
from orgs.members.settle_accounts import delete_account, detach_account, drop_copies, settle_account
from orgs.models.memberships import ExternalIdentity, Member, Role
from orgs.models.users import User
from orgs.placement.account_copies import mark_copy_due
from orgs.placement.all_organisations import list_present_organisation_ids

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

    On the home server the member and the account go in one transaction, because the account could
    not be found afterwards; on another one its copy says that it is to end. Other organisations,
    from which the person was removed, let go of the account before that, each in a transaction of
    its own. Returns the number of deleted accounts (0 or 1). A second time changes nothing.
    """
    has_detached = _detach_elsewhere(organisation_id, member_id)
    with server_of(organisation_id):
        server = current_server()
        with organisation_scope(organisation_id), transaction.atomic():
            rows = Member.objects.filter(
                organisation_id=organisation_id, id=member_id, erased_at=None
            )
            member = rows.select_for_update(of=("self",)).select_related("user").first()
            if member is None:
                return 0
            user = member.user
            if user is not None:
                mark_copy_due(user.pk, ends_account=has_detached)
            _erase_row(member, now)
            if server == HOME:
                return delete_account(user) if user is not None and has_detached else 0
    return settle_account(user.pk) if user is not None else 0


def _erase_row(member: Member, now: datetime) -> None:
    ExternalIdentity.objects.filter(
        organisation_id=member.organisation_id, member_id=member.id
    ).delete()
    member.user, member.name, member.time_zone = None, ERASED_NAME, "UTC"
    member.role, member.erased_at, member.removed_at = Role.VIEWER, now, now
    member.learning_paused_at = now
    member.invite_digest, member.invite_expires_at = "", None
    member.news_seen_at = member.news_mail_since = member.news_mailed_at = None
    member.provisioned_id, member.deactivated_at = "", None
    member.language = ""
    member.save()


def has_other_membership(account: UUID, organisation_id: UUID) -> bool:
    """Whether an account opens any organisation but this one."""
    return any(id_ != organisation_id for id_ in list_present_organisation_ids(account))


def _detach_elsewhere(organisation_id: UUID, member_id: UUID) -> bool:
    """Let every other organisation let go of the member's account, if it opens none of them and is
    nobody's of the staff. Returns whether it is so, and the account can be deleted."""
    with server_of(organisation_id):
        server = current_server()
        with organisation_scope(organisation_id):
            rows = Member.objects.filter(
                organisation_id=organisation_id, id=member_id, erased_at=None
            )
            account = rows.values_list("user_id", flat=True).first()
    if account is None:
        return False
    with switched_to_server(HOME):
        if User.objects.filter(pk=account, is_staff=True).exists():
            return False
    if not detach_account(account, but=organisation_id):
        return False
    if is_switched_on():
        drop_copies(account, but=server)
    return True
