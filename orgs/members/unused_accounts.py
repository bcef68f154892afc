"""Accounts that open nothing any more: let go of everywhere, and deleted."""

from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType

from orgs.accounts.sessions import end_sign_ins
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.users import User
from orgs.placement.all_organisations import delete_memberless_account, list_memberships_ever


def detach_account(account: UUID, *, but: UUID | None = None) -> bool:
    """Let every organisation but one let go of an account, if it opens none of them: there the
    member stays, without an account. Each is a transaction of its own. Returns whether it is so."""
    elsewhere = [one for one in list_memberships_ever(account) if one[0] != but]
    if any(removed_at is None for _, _, removed_at in elsewhere):
        return False
    for organisation_id, member_id, _ in elsewhere:
        with organisation_scope(organisation_id):
            Member.objects.filter(organisation_id=organisation_id, id=member_id).update(user=None)
    return True


def delete_account(user: User) -> int:
    """Delete an account that opens nothing. Returns 1."""
    end_sign_ins(user)
    about_them = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=about_them, object_id=str(user.pk)).delete()
    delete_memberless_account(user)
    return 1
