"""Bring accounts to what they should be: those that open nothing are deleted, and the copies on
other servers follow.

A copy is due when its account was changed or deleted, and whenever a membership may refer to it or
may have let go of it. Each step can be done again: what was killed in between is done by the sweep.
"""

import logging
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, IntegrityError, OperationalError, transaction

from orgs.accounts.sessions import end_sign_ins
from orgs.database.driver.servers import HOME, is_switched_on, list_servers, switched_to_server
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.users import User
from orgs.placement.account_copies import (
    COPIED_FIELDS,
    DueCopy,
    list_copies,
    list_due_copies,
    mark_copies_due,
    mark_differing_copies,
    note_settled,
    read_account,
    release_copy,
    write_copy,
)
from orgs.placement.all_organisations import (
    delete_memberless_account,
    list_members_on_server,
    list_memberships_ever,
)

log = logging.getLogger("commonmind.accounts")
# What is due for a shorter time may belong to a transaction that is still open.
SETTLE_AFTER_SECONDS = 60.0
MAX_SETTLED = 1_000
_DELETE_COPY_SQL = "DELETE FROM orgs_user WHERE id = %(account)s::text::uuid"


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


def settle_copy(copy: DueCopy) -> int:
    """Write the copy anew if a membership refers to it; else delete it, and the account if that is
    to end with it. Returns the number of deleted accounts (0 or 1)."""
    account = read_account(copy.account)
    if account is None:
        _detach(copy)
    with switched_to_server(copy.server):
        if list_members_on_server(copy.account):
            if account is not None:
                with transaction.atomic():
                    write_copy(account)
                note_settled(copy)
            return 0
        try:
            fetch_all(_DELETE_COPY_SQL, {"account": str(copy.account)})
        except IntegrityError:
            # A membership has just come to refer to it.
            return 0
    if copy.ends_account and account is not None:
        return _end_account(copy)
    release_copy(copy)
    return 0


def _end_account(copy: DueCopy) -> int:
    """Delete an account whose last copy is gone, if it is no member anywhere and nobody's of the
    staff. The copy is released with it, so that none of both is forgotten."""
    account = copy.account
    if is_unused := detach_account(account):
        drop_copies(account, but=copy.server)
    with switched_to_server(HOME), transaction.atomic():
        # Locked: `ensure_copy` waits, and finds no account any more.
        user = User.objects.select_for_update().filter(pk=account, is_staff=False).first()
        if not release_copy(copy) or not is_unused or user is None:
            return 0
        if list_copies(account) or list_memberships_ever(account):
            return 0
        return delete_account(user)


def drop_copies(account: UUID, *, but: str = HOME) -> None:
    """Delete the copies of an account to which nothing refers any more, but for that of one
    server."""
    mark_copies_due(account, but=but)
    for copy in list_copies(account):
        if copy.server != but and copy.due_at is not None:
            settle_copy(replace(copy, ends_account=False))


def _detach(copy: DueCopy) -> None:
    """Let memberships go of an account that is gone."""
    with switched_to_server(copy.server):
        members = list_members_on_server(copy.account)
    for organisation_id, member_id in members:
        with organisation_scope(organisation_id):
            Member.objects.filter(organisation_id=organisation_id, id=member_id).update(user=None)


def settle_account(account: UUID) -> int:
    """Settle all copies of an account that are due. Returns the number of deleted accounts."""
    return sum(settle_copy(copy) for copy in list_copies(account) if copy.due_at is not None)


def settle_due_copies(*, seconds: float = SETTLE_AFTER_SECONDS) -> int:
    """What something that broke off has left; for a sweep. Returns how many copies were looked at.
    One of a server that is away, or is not set, stays due."""
    if not is_switched_on():
        return 0
    done, away = 0, set[str]()
    for copy in list_due_copies(seconds=seconds, limit=MAX_SETTLED):
        if copy.server in away or copy.server not in list_servers():
            continue
        try:
            settle_copy(copy)
        except OperationalError:
            away.add(copy.server)
            log.warning("copies of accounts wait for a server", extra={"server": copy.server})
        else:
            done += 1
    return done


def compare_all_copies() -> int:
    """Find copies that are not as they should be, such as a restore of their server brings back.
    Returns how many are due for it; a server that is away is left out."""
    found = 0
    for server in list_servers()[1:]:
        try:
            found += mark_differing_copies(server)
        except OperationalError:
            log.warning("copies of accounts wait for a server", extra={"server": server})
    return found


def on_account_saved(sender: object, instance: User, **kwargs: Any) -> None:
    """Receiver of Django's `post_save` and `post_delete` of accounts: the copies follow."""
    changed = kwargs.get("update_fields")
    if kwargs.get("created") or (changed is not None and COPIED_FIELDS.isdisjoint(changed)):
        return
    mark_copies_due(instance.pk)
    transaction.on_commit(partial(_settle_after_commit, instance.pk))


def _settle_after_commit(account: UUID) -> None:
    try:
        settle_account(account)
    except DatabaseError:
        log.warning("copies of an account are brought up to date later", exc_info=True)
