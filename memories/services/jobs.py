"""Durable work that a member asked for: written first, hinted at, done elsewhere, undone.

A job runs as the application, for the member who asked and with the rights that the member has
then. It goes on where it was, so a message may come twice and a process may die. It works for one
turn at a time and then waits behind the others' (`working.take_turn`).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.db.models.fields.json import KT
from django.utils import timezone

from memories.models import Job, JobKind, JobState, Pending, PendingState
from memories.services.changing_many import (
    REFUSALS,
    Change,
    change_one,
    reason_of,
    undo_one,
)
from memories.services.hints import hint_embedding, send_job
from orgs import audit
from orgs.models import Member, Organisation
from orgs.principals import Actor, Principal, resolve
from orgs.rls import organisation_scope
from orgs.services import AlreadyExists, NotFound
from orgs.sessions import actor_of

AT_ONCE = 50
LEASE = timedelta(minutes=5)
MAX_ATTEMPTS = 3
MOST_PROBLEMS = 1_000
# Of the jobs of one organisation that are ready, so many are looked at for the next.
MOST_READY = 10_000
SHOWN = 50
# Seconds that a job works before others have their turn, and between two notes of how far it is.
TURN, NOTED = 20.0, 3.0
COUNTED = 10_000
WORKER = "worker"


@dataclass(slots=True)
class Turn:
    """How long a job may work now. Its progress is noted by time: a step may be of any size."""

    seconds: float = field(default_factory=lambda: TURN)
    began: float = field(default_factory=time.monotonic)
    noted: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        """Whether others are to have their turn."""
        return time.monotonic() - self.began >= self.seconds

    def to_note(self) -> bool:
        """Whether it is time to note how far the job is; if so, that it is done now."""
        due = time.monotonic() - self.noted >= NOTED
        if due:
            self.noted = time.monotonic()
        return due


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a change: how many, why others were not, and the job that can undo it."""

    changed: int
    skipped: int
    job: Job


def enqueue(
    principal: Principal,
    kind: str,
    parameters: dict[str, Any],
    *,
    total: int,
    now: datetime,
    at_once: bool = False,
) -> Job:
    """Write a member's job; call inside the principal's scope. at_once: the caller does it."""
    assert principal.actor.member_id is not None  # noqa: S101 - for the type checker
    job = Job(
        organisation_id=principal.organisation_id,
        audience_id=principal.own_audience,
        member_id=principal.actor.member_id,
        kind=kind,
        state=JobState.RUNNING if at_once else JobState.WAITING,
        attempts=int(at_once),
        leased_until=now + LEASE if at_once else None,
        parameters=parameters,
        total=total,
        created_at=now,
        queued_at=now,
    )
    job.save(force_insert=True)
    audit.record(
        f"job.{kind}", actor=principal.actor, now=now, target=job.id, target_type="job", total=total
    )
    if not at_once:
        hint(job)
    return job


def change_many(actor: Actor, ids: Sequence[UUID], change: Change, *, now: datetime) -> Outcome:
    """Change many: a few at once, more by a job. The job remembers what undoing needs."""
    principal = resolve(actor)
    parameters = {"ids": [str(id_) for id_ in ids], "change": change.as_parameters()}
    return _begin(principal, parameters, now)


def _begin(principal: Principal, parameters: dict[str, Any], now: datetime) -> Outcome:
    count = len(parameters["ids"])
    at_once = count <= AT_ONCE
    with principal.scope():
        job = enqueue(principal, JobKind.CHANGE, parameters, total=count, now=now, at_once=at_once)
    if not at_once:
        return Outcome(0, 0, job)
    _change(principal.actor, job)
    return Outcome(count - len(job.problems), len(job.problems), job)


def hint(job: Job) -> None:
    """Wake a worker once the job is committed."""
    transaction.on_commit(lambda: send_job(job.organisation_id, job.id, job.member_id))


def _change(actor: Actor, job: Job, turn: Turn | None = None) -> None:
    """Go on where the job is; each memory by itself. turn: how long, else to the end."""
    change = Change.of(job.parameters["change"])
    undo = job.result.setdefault("undo", [])
    ids = [UUID(id_) for id_ in job.parameters["ids"]]
    undoing = job.parameters.get("undoing", {})
    for position in range(job.done, len(ids)):
        id_ = ids[position]
        try:
            if undoing:
                undo_one(actor, id_, undoing[str(id_)], timezone.now())
            elif entry := change_one(actor, id_, change, timezone.now()):
                undo.append(entry)
        except REFUSALS as error:
            job.problems.append({"id": str(id_), "reason": reason_of(error)})
        job.done = position + 1
        if turn and turn.over() and job.done < len(ids):
            requeue(actor, job)
            return
        if turn and turn.to_note():
            progress(actor, job)
    finish(actor, job)


def progress(actor: Actor, job: Job) -> None:
    """Say how far it is, and keep the lease."""
    job.leased_until = timezone.now() + LEASE
    _save(actor, job, "done", "problems", "result", "leased_until", "total", "place")


def requeue(actor: Actor, job: Job) -> None:
    """Its turn is over: it waits behind the others, and goes on where it is."""
    job.state, job.leased_until, job.attempts = JobState.WAITING, None, 0
    job.queued_at = timezone.now()
    _save(
        actor, job, "state", "leased_until", "attempts", "queued_at", "done", "problems", "result",
        "total", "place",
    )  # fmt: skip
    send_job(job.organisation_id, job.id, job.member_id)


def finish(actor: Actor, job: Job, *, state: str = JobState.DONE, reason: str = "") -> None:
    """Done, or stopped for good with the reason."""
    job.state, job.reason, job.finished_at = state, reason, timezone.now()
    job.leased_until = None
    _save(
        actor, job, "state", "reason", "finished_at", "leased_until", "done", "total", "problems",
        "result", "place",
    )  # fmt: skip


def _save(actor: Actor, job: Job, *names: str) -> None:
    job.problems = job.problems[:MOST_PROBLEMS]
    with resolve(actor).scope():
        job.save(update_fields=names)


def take(organisation_id: UUID, job_id: UUID, member_id: UUID) -> tuple[Actor, Job] | None:
    """Lease a job for whom it is; None when there is nothing to do for this message."""
    with organisation_scope(organisation_id):
        member = Member.objects.filter(
            organisation_id=organisation_id, id=member_id, removed_at=None
        ).first()
    if member is None:
        return None
    actor, now = actor_of(member), timezone.now()
    ready = Q(state=JobState.WAITING) | Q(state=JobState.RUNNING, leased_until__lt=now)
    with resolve(actor).scope():
        job = (
            Job.objects.select_for_update(skip_locked=True)
            .filter(ready, organisation_id=organisation_id, id=job_id)
            .first()
        )
        if job is None:
            return None
        job.attempts, job.state, job.leased_until = job.attempts + 1, JobState.RUNNING, now + LEASE
        job.save(update_fields=["attempts", "state", "leased_until"])
    if job.attempts > MAX_ATTEMPTS:
        finish(actor, job, state=JobState.DEAD, reason="It was tried several times and broke off.")
        return None
    return actor, job


def run_change(actor: Actor, job: Job) -> None:
    """One turn of a change or of its undoing, in a worker process."""
    _change(actor, job, Turn())


def job_of(actor: Actor, job_id: UUID) -> Job:
    """One of the asker's own jobs. Raises NotFound."""
    with resolve(actor).scope():
        job = Job.objects.filter(organisation_id=actor.organisation_id, id=job_id).first()
    if job is None:
        raise NotFound("no such job")
    return job


@dataclass(frozen=True, slots=True)
class Standing:
    """The asker's newest jobs, with `action` of a change and `file` of an import; and how many
    memories wait for their embedding or got none, as far as the asker reads them, up to COUNTED.

    dead: the newest of the latter, with the reason.
    """

    jobs: list[Job]
    pending: int
    failed: int
    dead: list[Pending]


def standing(actor: Actor) -> Standing:
    """What the page of jobs shows; nothing is counted further than COUNTED."""
    with resolve(actor).scope():
        jobs = Job.objects.filter(organisation_id=actor.organisation_id).annotate(
            action=KT("parameters__change__action"), file=KT("parameters__name")
        )
        owed = Pending.objects.filter(organisation_id=actor.organisation_id)
        dead = owed.filter(state=PendingState.DEAD)
        readable = dead.exclude(kind="internal").select_related("memory")
        return Standing(
            list(jobs.order_by("-id").defer("parameters", "result")[:SHOWN]),
            owed.exclude(state=PendingState.DEAD)[:COUNTED].count(),
            dead[:COUNTED].count(),
            list(readable.order_by("-created_at", "-id")[:SHOWN]),
        )


def retry(actor: Actor, job_id: UUID) -> Job:
    """Try a stopped job again, from where it was. Raises NotFound and AlreadyExists."""
    job = job_of(actor, job_id)
    if job.state != JobState.DEAD:
        raise AlreadyExists("This work has not stopped.")
    with resolve(actor).scope():
        job.state, job.attempts, job.reason, job.finished_at = JobState.WAITING, 0, "", None
        job.queued_at = timezone.now()
        job.save(update_fields=["state", "attempts", "reason", "finished_at", "queued_at"])
        audit.record(
            "job.retried", actor=actor, now=timezone.now(), target=job.id, target_type="job"
        )
        hint(job)
    return job


def retry_embeddings(actor: Actor, *, now: datetime, memory_id: UUID | None = None) -> int:
    """Let dead embeddings be tried again, one or all, as far as the asker reads the memories.

    Raises NotFound when the one is not there.
    """
    principal = resolve(actor)
    with principal.scope():
        dead = Pending.objects.filter(
            organisation_id=principal.organisation_id, state=PendingState.DEAD
        )
        if memory_id is not None:
            dead = dead.filter(memory_id=memory_id)
            if not dead.exists():
                raise NotFound("no such work")
        count = dead.update(state=PendingState.WAITING, attempts=0, leased_until=None)
        audit.record("embedding.retried", actor=actor, now=now, count=count)
        hint_embedding(principal.organisation_id)
    return count


def undo(actor: Actor, job_id: UUID, *, now: datetime) -> Outcome:
    """Take a finished change back, memory by memory. Raises NotFound and AlreadyExists."""
    job = job_of(actor, job_id)
    entries = job.result.get("undo", [])
    if job.kind != JobKind.CHANGE or job.state != JobState.DONE or not entries:
        raise AlreadyExists("There is nothing to undo.")
    principal = resolve(actor)
    parameters = {
        "ids": [id_ for id_, _ in entries],
        "change": job.parameters["change"],
        "undoing": dict(entries),
    }
    with principal.scope():
        Job.objects.filter(id=job.id).update(result={})
    return _begin(principal, parameters, now)


Asked = tuple[UUID, UUID, UUID]  # organisation, job, member


def waiting_in(organisation_id: UUID, now: datetime, most: int = 20) -> list[Asked]:
    """Jobs of an organisation on which nobody works, whose turn is next first; as the worker.

    A job of a member who was removed waits for nobody.
    """
    ready = Q(state=JobState.WAITING) | Q(state=JobState.RUNNING, leased_until__lt=now)
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(ready, organisation_id=organisation_id)
        ordered = rows.order_by("queued_at", "id")
        found = list(ordered.values_list(F("organisation_id"), "id", "member_id")[:MOST_READY])
    here = _there(organisation_id, {member_id for _, _, member_id in found})
    return [asked for asked in found if asked[2] in here][:most]


def _there(organisation_id: UUID, member_ids: set[UUID]) -> set[UUID]:
    """Those of them who were not removed."""
    if not member_ids:
        return set()
    with organisation_scope(organisation_id):
        members = Member.objects.filter(organisation_id=organisation_id, id__in=member_ids)
        return set(members.filter(removed_at=None).values_list("id", flat=True))


def imports_to_come(organisation_id: UUID, since: datetime) -> set[UUID]:
    """Imports that still need their file, and those that stopped after `since`; as the worker."""
    open_ = Q(state__in=(JobState.WAITING, JobState.RUNNING))
    stopped = Q(state=JobState.DEAD, finished_at__gt=since)
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(
            open_ | stopped, organisation_id=organisation_id, kind=JobKind.IMPORT
        )
        found = dict(rows.values_list("id", "member_id"))
    here = _there(organisation_id, set(found.values()))
    return {id_ for id_, member_id in found.items() if member_id in here}


def forgotten_hints(now: datetime) -> list[Asked]:
    """(organisation, job, member) of what nobody works on, one of each organisation in turn; for
    the sweeper, as the worker."""
    ids = Organisation.objects.using(WORKER).values_list("id", flat=True)
    found = [waiting_in(id_, now) for id_ in ids]
    return [asked for row in zip_longest(*found) for asked in row if asked]
