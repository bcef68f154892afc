"""The accounts of a member: upload a file, replace it, remove it.

They are private to the member: only the member, or a robot with their delegation, reaches them.
"""

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from memories.context.connectors import calendar_files, feed_files, mail_files
from memories.context.connectors.account_memories import (
    delete_entry_memories,
    enqueue_account_memories,
    entry_digest,
)
from memories.context.connectors.models import Account, AccountEntry, AccountType
from memories.context.connectors.parse_result import ParsedEntry, ParseResult
from memories.context.connectors.sandboxed_parser import parse_file
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import AlreadyExistsError, ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member, Role
from orgs.organisations.audience_rows import ensure_audience
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

MAX_ACCOUNTS = 20
UTC = "UTC"
ACCOUNT_ACCESS_DENIED = (
    "Accounts are a member's own: it takes the member, or a robot with their leave."
)
ONLY_READS_MESSAGE = "Who only reads here hands in nothing and has nothing fetched."


class FileTooLargeError(Exception):
    """The file has more bytes than are read."""


class TooManyAccountsError(Exception):
    """The member has as many accounts as there may be."""


# The most bytes of a file, by kind. Another kind needs a line here and one in `reader`.
MAX_FILE_BYTES: dict[str, int] = {
    AccountType.CALENDAR: calendar_files.MAX_BYTES,
    AccountType.MAIL: mail_files.MAX_BYTES,
    AccountType.FEED: feed_files.MAX_BYTES,
}
# Of which a fetch brings what is new alone, and so many of the newest entries are kept.
_MAX_KEPT: dict[str, int] = {
    AccountType.FEED: feed_files.MAX_ENTRIES,
    AccountType.MAIL: mail_files.MAX_MAILS,
}


def member_accounts(principal: Principal) -> "QuerySet[Account]":
    """The accounts of the member who asks, or for whom a robot asks; evaluate inside the scope."""
    return Account.objects.filter(
        organisation_id=principal.organisation_id,
        member_id=principal.actor.member_id,  # type: ignore[misc] # without a member no rows
    )


def get_account(principal: Principal, account_id: UUID) -> Account:
    """One account of the member; call inside the scope. Raises NotFoundError."""
    found = member_accounts(principal).filter(id=account_id).first()
    if found is None:
        raise ReferenceNotFoundError("account", account_id)
    return found


def resolve_member_principal(actor: Actor, member: str | None = None) -> Principal:
    """The principal that asks for a member. Raises PermissionError if it may not read what is
    private to them."""
    acting = resolve_actor(actor, member=member)
    if acting.member_id is None or not acting.sees_own:
        raise PermissionError(ACCOUNT_ACCESS_DENIED)
    return resolve_principal(acting)


def check_adds_entries(principal: Principal) -> None:
    """Raise PermissionError for the account of a viewer, whoever asks: entries become memories of
    the member. What is theirs from before they still read and remove."""
    with principal.scope():
        viewers = Member.objects.filter(
            organisation_id=principal.organisation_id,
            id=principal.actor.member_id,
            role=Role.VIEWER,
        )
        if viewers.exists():
            raise PermissionError(ONLY_READS_MESSAGE)


def add_account(
    principal: Principal, *, kind: str, name: str, file: IO[bytes], size: int, now: datetime
) -> Account:
    """Add an account with the entries of its file. size: of the file, in bytes.

    Raises PermissionError for viewers, FileTooLargeError, UnreadableImportError, RateLimitError,
    and AlreadyExistsError for a name that is taken.
    """
    check_adds_entries(principal)
    parsed = _parse_upload(principal, kind, file, size, now)
    made = Account(kind=kind, name=name)
    with transaction.atomic():
        create_account(principal, made, parsed, now=now)
        enqueue_account_memories(made, now=now)
    return made


def create_account(
    principal: Principal, made: Account, parsed: ParseResult, *, now: datetime
) -> None:
    """Store a new account of the member with its entries; inside a transaction. made: its kind and
    name, and what a subscription needs.

    Raises PermissionError for viewers, TooManyAccountsError, and AlreadyExistsError for a name that
    is taken.
    """
    check_adds_entries(principal)
    actor = principal.actor
    assert actor.member_id is not None  # noqa: S101 - see `resolve_member_principal`
    with organisation_scope(actor.organisation_id):
        audience = ensure_audience(actor.organisation_id, AudienceType.MEMBER, str(actor.member_id))
    made.organisation_id, made.audience_id = actor.organisation_id, audience
    made.member_id, made.created_at, made.refreshed_at = actor.member_id, now, now
    # The audience may be new.
    _store_account(resolve_principal(actor), made, parsed, now)


def _store_account(principal: Principal, made: Account, parsed: ParseResult, now: datetime) -> None:
    with principal.scope():
        if member_accounts(principal).count() >= MAX_ACCOUNTS:
            raise TooManyAccountsError(
                f"There are {MAX_ACCOUNTS} accounts already; remove one first."
            )
        try:
            with transaction.atomic():
                made.save(force_insert=True)
        except IntegrityError as error:
            same = member_accounts(principal).filter(name=made.name)
            raise AlreadyExistsError(
                "There is an account of this name.",
                existing=same.values_list("id", flat=True).first(),
            ) from error
        rows = [_to_row(made, entry) for entry in parsed.entries]
        _store_entries(made, parsed, rows, count=len(rows), now=now)
        audit.record_entry(
            "account.added", actor=principal.actor, now=now, target=made.id, target_type="account"
        )


def refresh_account(
    principal: Principal,
    account_id: UUID,
    *,
    file: IO[bytes],
    size: int,
    now: datetime,
    fetched: bool = False,
) -> Account:
    """Replace the entries of an account by those of a new file; they stay if it cannot be read.
    An entry that says the same as before keeps its memory. So does one of a feed that has left it,
    and a mail that was fetched before, while it is among the newest. fetched: by a subscription, so
    that a file without anything new leaves nothing in the audit trail.

    Raises PermissionError for viewers, NotFoundError, FileTooLargeError, UnreadableImportError.
    """
    check_adds_entries(principal)
    with principal.scope():
        kind = get_account(principal, account_id).kind
    parsed = _parse_upload(principal, kind, file, size, now)
    with transaction.atomic():
        with principal.scope():
            found = lock_account(principal, account_id)
            before = list(_account_entries(found))
            kept, new = _merge_entries(found, parsed, before)
            _store_entries(found, parsed, new, count=len(kept) + len(new), now=now)
            gone = {row.id: row.memory_id for row in before}
            for row in kept:
                del gone[row.id]
            _account_entries(found).filter(id__in=gone).delete()
            delete_entry_memories(found.organisation_id, found.audience_id, gone.values(), now)
            if new or gone or not fetched:
                audit.record_entry(
                    "account.refreshed",
                    actor=principal.actor,
                    now=now,
                    target=found.id,
                    target_type="account",
                )
        if any(row.noted_at is None for row in (*kept, *new)):
            enqueue_account_memories(found, now=now)
    return found


def _merge_entries(
    found: Account, parsed: ParseResult, before: Sequence[AccountEntry]
) -> tuple[list[AccountEntry], list[AccountEntry]]:
    """(the rows of before that stay, new rows). Of a feed also those stay that are not in the file
    any more, and of a mailbox those that were fetched before, up to the newest together."""
    known: dict[tuple[str, ...], list[AccountEntry]] = defaultdict(list)
    for row in before:
        known[_content_key(row)].append(row)
    kept, new = [], []
    for entry in parsed.entries:
        row = _to_row(found, entry)
        same = known[_content_key(row)]
        kept.append(same.pop()) if same else new.append(row)
    if most := _MAX_KEPT.get(found.kind) if found.url else None:
        # Without those of mails, which have none.
        uids = {entry.uid for entry in parsed.entries if entry.uid}
        left = [row for rows in known.values() for row in rows if row.uid not in uids]
        left.sort(key=lambda row: (row.at, row.id), reverse=True)
        kept += left[: max(0, most - len(kept) - len(new))]
    return kept, new


def _content_key(row: AccountEntry) -> tuple[str, ...]:
    """The same for rows that say the same. An entry of a feed may have no time or be dated anew."""
    return (row.uid, row.title, row.person, row.text) if row.uid else (entry_digest(row),)


def lock_account(principal: Principal, account_id: UUID) -> Account:
    """The account, locked against the worker that remembers it; inside the scope. Raises
    NotFoundError."""
    found = member_accounts(principal).select_for_update().filter(id=account_id).first()
    if found is None:
        raise ReferenceNotFoundError("account", account_id)
    return found


def _delete_with_memories(found: Account, now: datetime) -> None:
    """Delete a locked account with its entries and what was made of them; inside the scope."""
    made_of = list(_account_entries(found).values_list("memory_id", flat=True))
    found.delete()
    delete_entry_memories(found.organisation_id, found.audience_id, made_of, now)


def delete_account(principal: Principal, account_id: UUID, *, now: datetime) -> None:
    """Delete an account with its entries and their memories. Raises NotFoundError."""
    with principal.scope():
        _delete_with_memories(lock_account(principal, account_id), now)
        audit.record_entry(
            "account.removed",
            actor=principal.actor,
            now=now,
            target=account_id,
            target_type="account",
        )


def delete_member_accounts(principal: Principal) -> int:
    """Delete all of the member's accounts, inside the scope; returns how many there were."""
    return member_accounts(principal).delete()[1].get("memories.Account", 0)


def _parse_upload(
    principal: Principal, kind: str, file: IO[bytes], size: int, now: datetime
) -> ParseResult:
    """Read a file. Call outside any transaction: a large file takes seconds."""
    most = MAX_FILE_BYTES[kind]
    if size > most:
        raise FileTooLargeError(f"The file has {size:,} bytes; at most {most:,} are read.")
    with principal.scope():
        member = Member.objects.get(
            organisation_id=principal.organisation_id, id=principal.actor.member_id
        )
    with tempfile.NamedTemporaryFile() as kept:
        while portion := file.read(1_000_000):
            kept.write(portion)
        kept.flush()
        return parse_file(kind, Path(kept.name), now=now, zone=member.time_zone or UTC)


def _account_entries(found: Account) -> "QuerySet[AccountEntry]":
    return AccountEntry.objects.filter(organisation_id=found.organisation_id, account_id=found.id)


def _store_entries(
    found: Account, parsed: ParseResult, new: list[AccountEntry], *, count: int, now: datetime
) -> None:
    """Store the new rows of a file, and what the account says of it. count: of all its entries."""
    AccountEntry.objects.bulk_create(new, batch_size=500)
    found.entries, found.problems = count, list(parsed.problems)
    found.refreshed_at, found.etag, found.modified = now, "", ""
    found.save(update_fields=["entries", "problems", "refreshed_at", "etag", "modified"])


def _to_row(found: Account, entry: ParsedEntry) -> AccountEntry:
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
        uid=entry.uid,
    )


def list_account_ids(principal: Principal, wanted: Sequence[str] | None, kind: str) -> list[UUID]:
    """The ids of the member's accounts of a kind; call inside the scope.

    wanted: names or ids; None is all.
    """
    known = member_accounts(principal).filter(kind=kind).values_list("id", "name")
    return [id_ for id_, name in known if wanted is None or name in wanted or str(id_) in wanted]


def delete_removed_member_accounts(actor: Actor, member: Member, now: datetime) -> None:
    """Delete the accounts of a member who is removed: nobody reads them any more."""
    audience = ensure_audience(member.organisation_id, AudienceType.MEMBER, str(member.id))
    with scope(Scope(organisation=member.organisation_id, audiences=(audience,))):
        rows = Account.objects.filter(organisation_id=member.organisation_id, member_id=member.id)
        for found in rows.select_for_update().order_by("id"):
            _delete_with_memories(found, now)
