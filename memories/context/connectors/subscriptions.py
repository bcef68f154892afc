"""Calendars, feeds and mailboxes that are fetched from an address, again and again.

A subscription is an account with an address. A sweeper finds what is due, and a job of the
member fetches it, so that it is theirs alone and ends with their membership. A file that the server
calls the same changes nothing, and an event that says the same keeps its memory.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from io import BytesIO
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memories.context.connectors.account_memories import run_account_memories
from memories.context.connectors.accounts import (
    MAX_FILE_BYTES,
    check_adds_entries,
    create_account,
    lock_account,
    member_accounts,
    refresh_account,
)
from memories.context.connectors.mailboxes import (
    check_mailbox,
    decode_mailbox,
    encode_mailbox,
    fetch_mailbox_file,
)
from memories.context.connectors.models import Account, AccountType, PauseReason
from memories.context.connectors.parse_result import ParseResult, UnreadableFileError
from memories.jobs.fetch_schedule import (
    SCHEDULE_FIELDS,
    enqueue_fetch,
    find_member_actor,
    list_due,
)
from memories.jobs.job_queue import finish_job
from memories.jobs.models import Job, JobType
from memories.jobs.run_jobs import PermanentJobError
from orgs import audit
from orgs.outbound.fetch import FetchResult, fetch_file
from orgs.outbound.imap import Mailbox
from orgs.outbound.url_rules import InvalidUrlError, check_url
from orgs.placement.all_organisations import list_organisation_ids
from orgs.principals import Actor, Principal, resolve_principal
from orgs.secret_box import SecretLostError, decrypt_secret, encrypt_secret

WORKER = "worker"
# By an address; a mailbox needs more (`subscribe_to_mailbox`).
FETCHED_KINDS = (AccountType.CALENDAR, AccountType.FEED)
# Which events of a calendar are read depends on the day, so an unchanged file is read again then.
READ_WHOLE_AFTER = timedelta(days=1)
# In the parameters of a job: it fetches before it remembers.
FETCH_KEY = "fetch"
FAILURE_SENTENCES: dict[str, str] = {
    PauseReason.SECRET: "The address cannot be decrypted; remove it and subscribe anew.",
    PauseReason.ADDRESS: "The settings of the server do not allow this address any more.",
    PauseReason.TIMEOUT: "The server of the address did not answer in time.",
    PauseReason.UNREACHABLE: "The server of the address could not be reached.",
    PauseReason.REDIRECT: "The address leads to another one, which is not followed.",
    PauseReason.REFUSED: "The server of the address refused to send the file.",
    PauseReason.TOO_LARGE: "The file is too large.",
    PauseReason.ENCODED: "The server sent the file compressed, which is not read.",
    PauseReason.UNREADABLE: "The server sent no file of this kind that can be read.",
    PauseReason.CREDENTIALS: "The mail server does not accept this user and password.",
    PauseReason.FOLDER: "The mail server has no folder of this name.",
    PauseReason.UNENCRYPTED: "The mail server does not offer an encrypted connection.",
}
# Another try cannot mend these, so the first one pauses.
_FINAL = (
    PauseReason.SECRET,
    PauseReason.ADDRESS,
    PauseReason.CREDENTIALS,
    PauseReason.FOLDER,
    PauseReason.UNENCRYPTED,
)


class NoSubscriptionError(ValueError):
    """The account has no address to fetch it from."""


def subscribe_to_address(
    principal: Principal, *, kind: str, name: str, url: str, period_minutes: int, now: datetime
) -> Account:
    """Add an account without entries; a worker fetches them at once, and each period. kind: one of
    FETCHED_KINDS.

    Raises PermissionError for viewers, InvalidUrlError, TooManyAccountsError, and
    AlreadyExistsError for a name that is taken.
    """
    check_url(url, private_hosts=settings.SUBSCRIPTION_PRIVATE_HOSTS)
    return _subscribe(principal, kind, name, url, period_minutes, now)


def subscribe_to_mailbox(
    principal: Principal, *, name: str, mailbox: Mailbox, period_minutes: int, now: datetime
) -> Account:
    """Add an account of mail without entries, as `subscribe_to_address` does.

    Raises PermissionError for viewers, InvalidUrlError, TooManyAccountsError, and
    AlreadyExistsError for a name that is taken.
    """
    check_mailbox(mailbox)
    address = encode_mailbox(mailbox)
    return _subscribe(principal, AccountType.MAIL, name, address, period_minutes, now)


def _subscribe(
    principal: Principal, kind: str, name: str, address: str, period_minutes: int, now: datetime
) -> Account:
    made = Account(kind=kind, name=name)
    made.url = encrypt_secret(address, purpose=_purpose(made.id))
    made.period_minutes, made.next_run_at = period_minutes, now
    with transaction.atomic():
        create_account(principal, made, ParseResult(entries=[]), now=now)
        _enqueue_for_member(made, now=now)
    return made


def change_subscription(
    principal: Principal,
    account_id: UUID,
    *,
    now: datetime,
    paused: bool | None = None,
    period_minutes: int | None = None,
    password: str | None = None,
) -> Account:
    """Pause a subscription, or fetch it now and each period again (`paused` is False), or change
    the period. password: another one for the same user of the same mail server, with which it is
    fetched now unless `paused` is True.

    Raises NotFoundError, NoSubscriptionError, InvalidUrlError for a password with control
    characters, and PermissionError for viewers, who may only pause.
    """
    if password is not None and paused is None:
        paused = False
    if paused is not True:
        check_adds_entries(principal)
    with transaction.atomic():
        with principal.scope():
            found = lock_account(principal, account_id)
            if not found.url:
                raise NoSubscriptionError("This account is not fetched from an address.")
            if password is not None:
                found.url = _with_password(found, password)
            if period_minutes is not None:
                found.period_minutes = period_minutes
            if paused is True:
                found.pause(PauseReason.ASKED)
            elif paused is False:
                found.resume(now)
            found.save(update_fields=["url", *SCHEDULE_FIELDS])
            audit.record_entry(
                "account.changed",
                actor=principal.actor,
                now=now,
                target=found.id,
                target_type="account",
                paused=found.next_run_at is None,
                period_minutes=found.period_minutes,
                another_password=password is not None,
            )
        if paused is False:
            _enqueue_for_member(found, now=now)
    return found


def _with_password(found: Account, password: str) -> str:
    """The mailbox of an account with another password, encrypted."""
    if found.kind != AccountType.MAIL:
        raise NoSubscriptionError("Only a mailbox has a password.")
    try:
        before = decode_mailbox(decrypt_secret(found.url, purpose=_purpose(found.id)))
    except SecretLostError as error:
        raise NoSubscriptionError(FAILURE_SENTENCES[PauseReason.SECRET]) from error
    mailbox = replace(before, password=password)
    check_mailbox(mailbox)
    return encrypt_secret(encode_mailbox(mailbox), purpose=_purpose(found.id))


def start_due_fetches(now: datetime) -> int:
    """Enqueue a job for each subscription that is due; returns how many. In each organisation the
    longest due first."""
    return sum(_start_due(one, now) for one in list_organisation_ids())


def _start_due(organisation_id: UUID, now: datetime) -> int:
    due = list_due(Account, organisation_id, now, "id", "member_id", using=WORKER)
    return sum(_start_fetch(organisation_id, id_, member_id, now) for id_, member_id in due)


def _start_fetch(organisation_id: UUID, account_id: UUID, member_id: UUID, now: datetime) -> bool:
    actor = find_member_actor(organisation_id, member_id)
    if actor is None or actor.only_reads:
        return False
    principal = resolve_principal(actor)
    with transaction.atomic():
        with principal.scope():
            # Another sweeper may have started it meanwhile.
            rows = member_accounts(principal).filter(id=account_id, next_run_at__lte=now)
            found = rows.select_for_update(skip_locked=True).first()
        return found is not None and _enqueue_fetch(principal, found, now=now)


def _enqueue_for_member(found: Account, *, now: datetime) -> None:
    """Also where a robot asked: the job is the member's."""
    actor = find_member_actor(found.organisation_id, found.member_id)
    if actor and not actor.only_reads:
        _enqueue_fetch(resolve_principal(actor), found, now=now)


def _enqueue_fetch(principal: Principal, found: Account, *, now: datetime) -> bool:
    key = {"account": str(found.id), FETCH_KEY: True}
    with principal.scope():
        return enqueue_fetch(principal, found, JobType.ACCOUNTS, key, now=now)


def run_account_job(actor: Actor, job: Job) -> None:
    """Fetch the file of a subscription, or remember entries of an account for one turn. Raises
    PermanentJobError."""
    if not job.parameters.get(FETCH_KEY):
        run_account_memories(actor, job)
        return
    fetch_subscription(actor, UUID(job.parameters["account"]), now=timezone.now())
    finish_job(actor, job)


def fetch_subscription(actor: Actor, account_id: UUID, *, now: datetime) -> None:
    """Fetch the file once, and replace the entries if it is another one. A subscription that was
    removed or paused meanwhile, or whose member only reads now, is left alone.

    Raises PermanentJobError with the reason, after MAX_FAILURES of which the subscription is
    paused."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = member_accounts(principal).exclude(next_run_at=None)
        found = rows.filter(id=account_id).first()
    if found is None or actor.only_reads:
        return
    result, reason = _fetch(found, now)
    if not reason and result.body is not None:
        try:
            refresh_account(
                principal,
                account_id,
                file=BytesIO(result.body),
                size=len(result.body),
                now=now,
                fetched=True,
            )
        except UnreadableFileError:
            reason = PauseReason.UNREADABLE
    _record_run(principal, account_id, result, reason)
    if reason:
        raise PermanentJobError(FAILURE_SENTENCES[reason])


def _fetch(found: Account, now: datetime) -> tuple[FetchResult, str]:
    """The result, and why there is none: a PauseReason or empty."""
    try:
        url = decrypt_secret(found.url, purpose=_purpose(found.id))
        # The settings may have changed.
        if found.kind == AccountType.MAIL:
            mailbox = decode_mailbox(url)
            check_mailbox(mailbox)
            return fetch_mailbox_file(mailbox, etag=found.etag)
        check_url(url, private_hosts=settings.SUBSCRIPTION_PRIVATE_HOSTS)
    except SecretLostError:
        return FetchResult(None), PauseReason.SECRET
    except InvalidUrlError:
        return FetchResult(None), PauseReason.ADDRESS
    known = {"etag": found.etag, "modified": found.modified}
    if now - found.refreshed_at > READ_WHOLE_AFTER:
        known = {}
    result = fetch_file(
        url,
        most=MAX_FILE_BYTES[found.kind],
        **known,
        private_hosts=settings.SUBSCRIPTION_PRIVATE_HOSTS,
    )
    return result, result.error


def _record_run(principal: Principal, account_id: UUID, result: FetchResult, reason: str) -> None:
    with transaction.atomic(), principal.scope():
        found = lock_account(principal, account_id)
        if not reason and result.body is not None:
            # What is cut off would never be the same again.
            found.etag = result.etag if len(result.etag) <= 200 else ""
            found.modified = result.modified if len(result.modified) <= 100 else ""
        found.record_run(reason, final=reason in _FINAL)
        found.save(update_fields=["failures", "etag", "modified", "next_run_at", "paused_for"])


def _purpose(account_id: UUID) -> str:
    return f"account {account_id}"
