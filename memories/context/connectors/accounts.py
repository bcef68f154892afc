"""The accounts of a member: upload a file, replace it, remove it.

They are private to the member: only the member, or a robot with their delegation, reaches them.
"""

import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from memories.context.connectors import calendar_files, mail_files
from memories.context.connectors.models import Account, AccountEntry, AccountKind
from memories.context.connectors.parsed import Entry, Parsed
from memories.context.connectors.reader import read_file
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import AlreadyExists, NotFound
from orgs.members.members import on_member_removed
from orgs.models.audiences import AudienceKind
from orgs.models.memberships import Member
from orgs.organisations.audiences import ensure_audience
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

MOST_ACCOUNTS = 20
UTC = "UTC"
NOT_THEIRS = "Accounts are a member's own: it takes the member, or a robot with their leave."


class TooLarge(Exception):
    """The file has more bytes than are read."""


class TooMany(Exception):
    """The member has as many accounts as there may be."""


# The most bytes of a file, by kind. Another kind needs a line here and one in `reader`.
CONNECTORS: dict[str, int] = {
    AccountKind.CALENDAR: calendar_files.MOST_BYTES,
    AccountKind.MAIL: mail_files.MOST_BYTES,
}


def accounts(principal: Principal) -> "QuerySet[Account]":
    """The accounts of the member who asks, or for whom a robot asks; evaluate inside the scope."""
    return Account.objects.filter(
        organisation_id=principal.organisation_id,
        member_id=principal.actor.member_id,  # type: ignore[misc] # without a member no rows
    )


def account(principal: Principal, account_id: UUID) -> Account:
    """One account of the member; call inside the scope. Raises NotFound."""
    found = accounts(principal).filter(id=account_id).first()
    if found is None:
        raise NotFound("no such account")
    return found


def for_member(actor: Actor, member: str | None = None) -> Principal:
    """The principal that asks for a member. Raises PermissionError if it may not read what is
    private to them."""
    acting = act(actor, member=member)
    if acting.member_id is None or not acting.sees_own:
        raise PermissionError(NOT_THEIRS)
    return resolve(acting)


def add_account(
    principal: Principal, *, kind: str, name: str, file: IO[bytes], size: int, now: datetime
) -> Account:
    """Add an account with the entries of its file. size: of the file, in bytes.

    Raises TooLarge, Unreadable, TooMany, and AlreadyExists for a name that is taken.
    """
    actor = principal.actor
    assert actor.member_id is not None  # noqa: S101 - see `for_member`
    parsed = _read(principal, kind, file, size, now)
    with organisation_scope(actor.organisation_id):
        audience = ensure_audience(actor.organisation_id, AudienceKind.MEMBER, str(actor.member_id))
    # It may be new.
    principal = resolve(actor)
    made = Account(
        organisation_id=actor.organisation_id,
        audience_id=audience,
        member_id=actor.member_id,
        kind=kind,
        name=name,
        created_at=now,
        refreshed_at=now,
    )
    with principal.scope():
        if accounts(principal).count() >= MOST_ACCOUNTS:
            raise TooMany(f"There are {MOST_ACCOUNTS} accounts already; remove one first.")
        try:
            with transaction.atomic():
                made.save(force_insert=True)
        except IntegrityError as error:
            raise AlreadyExists("There is an account of this name.") from error
        _keep(made, parsed, now)
        audit.record("account.added", actor=actor, now=now, target=made.id, target_type="account")
    return made


def refresh_account(
    principal: Principal, account_id: UUID, *, file: IO[bytes], size: int, now: datetime
) -> Account:
    """Replace the entries of an account by those of a new file; they stay if it cannot be read.

    Raises NotFound, TooLarge, Unreadable.
    """
    with principal.scope():
        kind = account(principal, account_id).kind
    parsed = _read(principal, kind, file, size, now)
    with principal.scope():
        found = accounts(principal).select_for_update().filter(id=account_id).first()
        if found is None:
            raise NotFound("no such account")
        _entries(found).delete()
        _keep(found, parsed, now)
        audit.record(
            "account.refreshed",
            actor=principal.actor,
            now=now,
            target=found.id,
            target_type="account",
        )
    return found


def remove_account(principal: Principal, account_id: UUID, *, now: datetime) -> None:
    """Delete an account with its entries. Raises NotFound."""
    with principal.scope():
        found = account(principal, account_id)
        found.delete()
        audit.record(
            "account.removed",
            actor=principal.actor,
            now=now,
            target=account_id,
            target_type="account",
        )


def delete_accounts(principal: Principal) -> int:
    """Delete all of the member's accounts, inside the scope; returns how many there were."""
    return accounts(principal).delete()[1].get("memories.Account", 0)


def _read(principal: Principal, kind: str, file: IO[bytes], size: int, now: datetime) -> Parsed:
    """Read a file. Call outside any transaction: a large file takes seconds."""
    most = CONNECTORS[kind]
    if size > most:
        raise TooLarge(f"The file has {size:,} bytes; at most {most:,} are read.")
    with principal.scope():
        member = Member.objects.get(
            organisation_id=principal.organisation_id, id=principal.actor.member_id
        )
    with tempfile.NamedTemporaryFile() as kept:
        while portion := file.read(1_000_000):
            kept.write(portion)
        kept.flush()
        return read_file(kind, Path(kept.name), now=now, zone=member.time_zone or UTC)


def _entries(found: Account) -> "QuerySet[AccountEntry]":
    return AccountEntry.objects.filter(organisation_id=found.organisation_id, account_id=found.id)


def _keep(found: Account, parsed: Parsed, now: datetime) -> None:
    AccountEntry.objects.bulk_create(
        [_row(found, entry) for entry in parsed.entries], batch_size=500
    )
    found.entries, found.problems = len(parsed.entries), list(parsed.problems)
    found.refreshed_at = now
    found.save(update_fields=["entries", "problems", "refreshed_at"])


def _row(found: Account, entry: Entry) -> AccountEntry:
    return AccountEntry(
        organisation_id=found.organisation_id,
        account_id=found.id,
        audience_id=found.audience_id,
        kind=found.kind,
        at=entry.at,
        until=entry.until,
        all_day=entry.all_day,
        title=entry.title,
        person=entry.person,
        place=entry.place,
        text=entry.text,
    )


def chosen(principal: Principal, wanted: Sequence[str] | None, kind: str) -> list[UUID]:
    """The ids of the member's accounts of a kind; call inside the scope.

    wanted: names or ids; None is all.
    """
    known = accounts(principal).filter(kind=kind).values_list("id", "name")
    return [id_ for id_, name in known if wanted is None or name in wanted or str(id_) in wanted]


@on_member_removed
def remove_accounts(actor: Actor, member: Member, now: datetime) -> None:
    """Delete the accounts of a member who is removed: nobody reads them any more."""
    audience = ensure_audience(member.organisation_id, AudienceKind.MEMBER, str(member.id))
    with scope(Scope(organisation=member.organisation_id, audiences=(audience,))):
        Account.objects.filter(organisation_id=member.organisation_id, member_id=member.id).delete()
