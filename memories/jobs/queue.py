"""Durable work that a member asked for: written first, then hinted at, done by a worker.

A job runs as the application, for the member who asked and with the rights that the member has
then. It goes on where it was, so a message may come twice and a process may die. It works for one
turn at a time and then waits behind the others' (`runner.take_turn`).
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from memories.jobs.hints import send_job
from memories.jobs.models import Job, JobKind, JobState
from orgs import audit
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.principals import Actor, Principal, resolve

LEASE = timedelta(minutes=5)
MAX_ATTEMPTS = 3
MOST_PROBLEMS = 1_000
# Of the jobs of one organisation that are ready, so many are looked at for the next.
MOST_READY = 10_000
# Seconds that a job works before others have their turn, and between two notes of how far it is.
TURN, NOTED = 20.0, 3.0
WORKER = "worker"


@dataclass(slots=True)
class JobTurn:
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


def hint(job: Job) -> None:
    """Wake a worker once the job is committed."""
    transaction.on_commit(lambda: send_job(job.organisation_id, job.id, job.member_id))


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
