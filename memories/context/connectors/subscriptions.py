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
from memories.jobs.job_queue import enqueue_job, finish_job
from memories.jobs.models import OPEN_STATES, Job, JobType
from memories.jobs.run_jobs import PermanentJobError
from orgs import audit
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member, joined_q
from orgs.outbound.fetch import FetchResult, fetch_file
from orgs.outbound.imap import Mailbox
from orgs.outbound.url_rules import InvalidUrlError, check_url
from orgs.placement.all_organisations import list_organisation_ids
from orgs.principals import Actor, Principal, resolve_principal
from orgs.secret_box import SecretLostError, decrypt_secret, encrypt_secret

WORKER = "worker"
# By an address; a mailbox needs more (`subscribe_to_mailbox`).
FETCHED_KINDS = (AccountType.CALENDAR, AccountType.FEED)
MIN_PERIOD_MINUTES, DEFAULT_PERIOD_MINUTES, MAX_PERIOD_MINUTES = 15, 60, 24 * 60
MAX_FAILURES = 5
# Which events of a calendar are read depends on the day, so an unchanged file is read again then.
READ_WHOLE_AFTER = timedelta(days=1)
# Of one organisation so many are started by a run of the sweeper; the others come with the next.
MAX_STARTED = 50
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

    Raises InvalidUrlError, TooManyAccountsError, and AlreadyExistsError for a name that is taken.
    """
    check_url(url, private_hosts=settings.SUBSCRIPTION_PRIVATE_HOSTS)
    return _subscribe(principal, kind, name, url, period_minutes, now)


def subscribe_to_mailbox(
    principal: Principal, *, name: str, mailbox: Mailbox, period_minutes: int, now: datetime
) -> Account:
    """Add an account of mail without entries, as `subscribe_to_address` does.

    Raises InvalidUrlError, TooManyAccountsError, and AlreadyExistsError for a name that is taken.
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
                found.next_run_at, found.paused_for = None, PauseReason.ASKED
            elif paused is False:
                found.next_run_at, found.paused_for, found.failures = now, "", 0
            changed = ["url", "period_minutes", "next_run_at", "paused_for", "failures"]
            found.save(update_fields=changed)
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
    with organisation_scope(organisation_id, using=WORKER):
        rows = Account.objects.using(WORKER).filter(
            organisation_id=organisation_id, next_run_at__lte=now
        )
        due = list(rows.order_by("next_run_at", "id").values_list("id", "member_id")[:MAX_STARTED])
    return sum(_start_fetch(organisation_id, *one, now) for one in due)


def _start_fetch(organisation_id: UUID, account_id: UUID, member_id: UUID, now: datetime) -> bool:
    principal = _find_principal(organisation_id, member_id)
    if principal is None:
        return False
    with transaction.atomic():
        with principal.scope():
            # Another sweeper may have started it meanwhile.
            rows = member_accounts(principal).filter(id=account_id, next_run_at__lte=now)
            found = rows.select_for_update(skip_locked=True).first()
        return found is not None and _enqueue_fetch(principal, found, now=now)


def _find_principal(organisation_id: UUID, member_id: UUID) -> Principal | None:
    """A member as they sign in themselves, whose jobs the fetches are; None once they have left or
    only read."""
    with organisation_scope(organisation_id):
        rows = Member.objects.filter(joined_q(), organisation_id=organisation_id, id=member_id)
        member = rows.first()
    actor = actor_of(member) if member else None
    return resolve_principal(actor) if actor and not actor.only_reads else None


def _enqueue_for_member(found: Account, *, now: datetime) -> None:
    """Also where a robot asked: the job is the member's."""
    if principal := _find_principal(found.organisation_id, found.member_id):
        _enqueue_fetch(principal, found, now=now)


def _enqueue_fetch(principal: Principal, found: Account, *, now: datetime) -> bool:
    """Enqueue the job of a locked account, unless one is open, and set when the next is due.
    Returns whether there is a new one."""
    assert found.period_minutes is not None  # noqa: S101 - of a subscription
    parameters = {"account": str(found.id), FETCH_KEY: True}
    with principal.scope():
        found.next_run_at = now + timedelta(minutes=found.period_minutes)
        found.save(update_fields=["next_run_at"])
        open_jobs = Job.objects.filter(
            organisation_id=found.organisation_id,
            member_id=found.member_id,
            kind=JobType.ACCOUNTS,
            state__in=OPEN_STATES,
            parameters=parameters,
        )
        if open_jobs.exists():
            return False
        enqueue_job(principal, JobType.ACCOUNTS, parameters, total=0, now=now)
    return True


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
        if not reason:
            found.failures = 0
            if result.body is not None:
                # What is cut off would never be the same again.
                found.etag = result.etag if len(result.etag) <= 200 else ""
                found.modified = result.modified if len(result.modified) <= 100 else ""
        else:
            found.failures += 1
            if found.next_run_at and (found.failures >= MAX_FAILURES or reason in _FINAL):
                found.next_run_at, found.paused_for = None, reason
        found.save(update_fields=["failures", "etag", "modified", "next_run_at", "paused_for"])


def _purpose(account_id: UUID) -> str:
    return f"account {account_id}"
