"""Events, mails and entries of feeds become private memories of their member, so that recall and
entities know them.

A worker makes them, a few at a time, by a job of the member (`JobType.ACCOUNTS`). Each entry says
whether it was looked at (`noted_at`) and which memory was made of it. The memory lies in the
member's own audience, and what the entry says are the words of its sender, whom nobody here stands
behind. So no profile has it. What a gate would hold (an order to a model in a mail) becomes no
memory.

An entry that goes takes its memory with it, unless the member shared or protected it meanwhile.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from hashlib import sha256
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.access.consent import LearningPausedError, MemberConsents
from memories.access.visibility import Visibility
from memories.context.connectors.models import Account, AccountEntry, AccountType
from memories.ingestion.drafts import Draft, MessagePlacement, RememberResult
from memories.ingestion.remember import remember_many
from memories.jobs.job_queue import (
    JobTimeSlice,
    enqueue_job,
    finish_job,
    requeue_job,
    save_progress,
)
from memories.jobs.models import Job, JobState, JobType
from memories.jobs.run_jobs import PermanentJobError
from memories.language.relative_dates import local_date, weekday_name
from memories.safety.check_text import Gate
from memories.safety.required_checks import Submission
from memories.state.transitions import delete_memories
from memories.store.conversation_turns import ACCOUNT_KEY_PREFIX
from memories.store.models.choices import Category, Kind, Type
from memories.store.models.memory import Memory
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.iso_times import to_zone
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Member
from orgs.principals import Actor, resolve_principal
from robots.registry.robots import IMPORT, ensure_builtin_robot

# Entries of one step, which is one transaction.
BATCH_SIZE = 50
IMPORTANCE = {AccountType.CALENDAR: 0.5, AccountType.MAIL: 0.4, AccountType.FEED: 0.3}
# A robot leaves the words of somebody outside with the member: all of them are checked for poison.
_SUBMISSION = Submission(audience=AudienceType.MEMBER, by_robot=True, deposit=True)


def entry_digest(entry: AccountEntry) -> str:
    """The same for entries that say the same."""
    said = (
        entry.kind,
        entry.at.isoformat(),
        entry.until.isoformat() if entry.until else "",
        str(entry.all_day),
        *(entry.title, entry.person, entry.place, entry.text),
    )
    return sha256("\0".join(said).encode()).hexdigest()[:32]


def render_content(entry: AccountEntry, zone: tzinfo) -> str:
    """The text of an entry's memory. zone: in which its time is written."""
    if entry.kind == AccountType.MAIL:
        return f"Mail from {entry.person or 'somebody'}: {entry.title}\n{entry.text}".strip()
    if entry.kind == AccountType.FEED:
        author = f", by {entry.person}" if entry.person else ""
        return f"From a feed{author}: {entry.title}\n{entry.text}".strip()
    day = local_date(entry.at, zone)
    when = f"{day.isoformat()} {weekday_name(day)}"
    if not entry.all_day:
        when += f" {to_zone(entry.at, zone):%H:%M}"
        if entry.until is not None:
            when += f" to {to_zone(entry.until, zone):%H:%M}"
    parts = [f"Event on {when}: {entry.title}"]
    parts += [f"Place: {entry.place}"] if entry.place else []
    parts += [f"Organiser: {entry.person}"] if entry.person else []
    return "\n".join(parts)


def enqueue_account_memories(account: Account, *, now: datetime) -> None:
    """Let a worker remember the entries of an account; inside the transaction that stored them."""
    with organisation_scope(account.organisation_id):
        member = Member.objects.get(organisation_id=account.organisation_id, id=account.member_id)
    principal = resolve_principal(actor_of(member))
    parameters = {"account": str(account.id)}
    with principal.scope():
        waiting = Job.objects.filter(
            organisation_id=account.organisation_id,
            member_id=account.member_id,
            kind=JobType.ACCOUNTS,
            state=JobState.WAITING,
            parameters=parameters,
        )
        if account.entries and not waiting.exists():
            enqueue_job(principal, JobType.ACCOUNTS, parameters, total=account.entries, now=now)


def run_account_memories(actor: Actor, job: Job) -> None:
    """Remember entries of an account for one turn. Raises PermanentJobError for a member who paused
    what is learned about them."""
    account_id, turn = UUID(job.parameters["account"]), JobTimeSlice()
    while True:
        try:
            step = remember_entries(actor, account_id, now=timezone.now())
        except LearningPausedError as error:
            raise PermanentJobError(
                "You paused what may be learned about you, so nothing was remembered."
            ) from error
        job.done += step.looked_at
        held = job.result.get("held", 0) + step.held
        job.result = {"remembered": job.result.get("remembered", 0) + step.remembered, "held": held}
        if step.looked_at < BATCH_SIZE:
            job.total = job.done
            finish_job(actor, job)
            return
        if turn.over() or (turn.to_note() and not save_progress(actor, job)):
            requeue_job(actor, job)
            return


@dataclass(frozen=True, slots=True)
class RememberStep:
    """How many entries a step looked at, how many have a memory now, and how many a gate held."""

    looked_at: int = 0
    remembered: int = 0
    held: int = 0


def remember_entries(actor: Actor, account_id: UUID, *, now: datetime) -> RememberStep:
    """Make memories of the next BATCH_SIZE entries of a member's account, the newest first. Raises
    LearningPausedError."""
    assert actor.member_id is not None  # noqa: S101 - a member's job
    principal = resolve_principal(actor)
    with transaction.atomic():
        with organisation_scope(actor.organisation_id):
            robot = ensure_builtin_robot(actor.organisation_id, IMPORT, now)
            writer = Actor(
                organisation_id=actor.organisation_id,
                robot_id=robot.id,
                member_id=actor.member_id,
                delegated=True,
            )
            consents = MemberConsents(actor.organisation_id)
            consents.check(writer, Visibility.PRIVATE, actor.member_id, None)
        with principal.scope():
            # A newer file, and the removal of the account, wait until this step is over.
            account = (
                Account.objects.select_for_update()
                .filter(
                    organisation_id=actor.organisation_id,
                    member_id=actor.member_id,
                    id=account_id,
                )
                .first()
            )
            if account is None:
                return RememberStep()
            rows = list(
                AccountEntry.objects.filter(
                    organisation_id=actor.organisation_id, account_id=account.id, noted_at=None
                ).order_by("-at", "-id")[:BATCH_SIZE]
            )
            zone = Member.objects.get(
                organisation_id=actor.organisation_id, id=actor.member_id
            ).zone
            contents = [render_content(row, zone) for row in rows]
            held = _gated_ids(actor.organisation_id, rows, contents)
        drafts = [
            (row, _build_draft(account, row, content))
            for row, content in zip(rows, contents, strict=True)
            if row.id not in held
        ]
        made = remember_many(writer, [draft for _, draft in drafts], now=now) if drafts else []
        with principal.scope():
            for (row, _), one in zip(drafts, made, strict=True):
                if isinstance(one, RememberResult) and one.audience_id == account.audience_id:
                    row.memory_id = one.id
            for row in rows:
                row.noted_at = now
            AccountEntry.objects.bulk_update(rows, ["memory", "noted_at"], batch_size=BATCH_SIZE)
    return RememberStep(len(rows), sum(row.memory_id is not None for row in rows), len(held))


def _gated_ids(
    organisation_id: UUID, rows: Sequence[AccountEntry], contents: Sequence[str]
) -> set[UUID]:
    """The ids of the entries that a gate would hold."""
    gate = Gate(organisation_id)
    return {
        row.id
        for row, content in zip(rows, contents, strict=True)
        if gate.judge(content, _SUBMISSION, called=(row.person,)).held
    }


def _build_draft(account: Account, row: AccountEntry, content: str) -> Draft:
    return Draft(
        content=content,
        visibility=Visibility.PRIVATE,
        kind=Kind.DIRECT,
        # Somebody else's words, as in a turn of a conversation.
        type=Type.CONVERSATION,
        category=Category.EVENT if row.kind == AccountType.CALENDAR else "",
        importance=IMPORTANCE[AccountType(row.kind)],
        occurred_at=row.at,
        key=f"{ACCOUNT_KEY_PREFIX}{account.id}:{entry_digest(row)}",
        source={"type": str(row.kind), "account": str(account.id), "name": account.name},
        heard=MessagePlacement(
            audience_id=account.audience_id,
            audience_kind=AudienceType.MEMBER,
            speaker=(row.person or account.name)[:400],
            speaker_id=None,
            # So that the member may correct, share and forget it.
            subject=account.member_id,
        ),
    )


def delete_entry_memories(
    organisation_id: UUID, audience_id: UUID, memory_ids: Iterable[UUID | None], now: datetime
) -> None:
    """Delete the memories of entries that are deleted, inside a scope of the member's own audience;
    call after the entries are gone. What was shared or protected meanwhile stays, and so does what
    another entry says as well."""
    wanted = {id_ for id_ in memory_ids if id_ is not None}
    if not wanted:
        return
    here = {"organisation_id": organisation_id}
    wanted -= set(
        AccountEntry.objects.filter(**here, memory_id__in=wanted).values_list(
            "memory_id", flat=True
        )
    )
    rows = Memory.objects.filter(
        **here, id__in=wanted, audience_id=audience_id, red_line=False
    ).select_for_update()
    delete_memories(list(rows.order_by("id")), now)
