"""The job queue: a job is stored, then a hint wakes a worker, which does it.

A job of a member or a robot runs in the role of the application, with the rights that they have
then; a job of the organisation runs in the role of the worker. It continues at its place, so a
message may come twice and a process may die. It works for one turn at a time and then waits behind
other jobs (`run_jobs.run_job`).
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from memories.jobs.leases import LEASE, MAX_ATTEMPTS
from memories.jobs.models import Job, JobState
from memories.jobs.worker_hints import notify_job_worker
from orgs import audit
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.memberships import Member, joined_q
from orgs.placement.all_organisations import list_organisation_ids
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.keys import find_key_caller

# Cancel and resume jobs, for everybody who may see them.

STOPPED_STATES = (JobState.DEAD, JobState.CANCELLED)


def cancel_job(rows: "QuerySet[Job]", job_id: UUID, *, now: datetime) -> Job:
    """Cancel one of these jobs; inside a scope that may change it.

    A waiting job is cancelled at once. A running one is asked to stop and does so between two
    steps; finished steps stay. Raises NotFoundError, and AlreadyExistsError if it is over.
    """
    job = _lock_job(rows, job_id)
    died = job.state == JobState.RUNNING and job.leased_until and job.leased_until < now
    if job.state == JobState.WAITING or died:
        job.state, job.finished_at, job.leased_until = JobState.CANCELLED, now, None
    elif job.state == JobState.RUNNING:
        job.cancel_asked_at = now
    else:
        raise AlreadyExistsError("This work is over.")
    job.save(update_fields=["state", "finished_at", "leased_until", "cancel_asked_at"])
    return job


def resume_job(
    rows: "QuerySet[Job]", job_id: UUID, *, now: datetime, stopped: tuple[str, ...] = STOPPED_STATES
) -> Job:
    """Let one of these jobs continue at its place; send its hint once this is committed.

    stopped: the states from which it may continue. Raises NotFoundError, and AlreadyExistsError in
    any other state.
    """
    job = _lock_job(rows, job_id)
    if job.state not in stopped:
        raise AlreadyExistsError("This work has not stopped.")
    job.state, job.attempts, job.reason, job.finished_at = JobState.WAITING, 0, "", None
    job.queued_at, job.cancel_asked_at = now, None
    job.save(
        update_fields=[
            "state", "attempts", "reason", "finished_at", "queued_at", "cancel_asked_at",
        ]
    )  # fmt: skip
    return job


def _lock_job(rows: "QuerySet[Job]", job_id: UUID) -> Job:
    job = rows.select_for_update().filter(id=job_id).first()
    if job is None:
        raise NotFoundError("no such job")
    return job


MAX_PROBLEMS = 1_000
# How many ready jobs of one organisation are considered for the next turn.
MAX_READY = 10_000
# Seconds of one turn, and seconds between two notes of the progress.
SLICE_SECONDS, SAVE_INTERVAL_SECONDS = 20.0, 3.0
WORKER = "worker"
# The fields of the progress.
PROGRESS_FIELDS = ("done", "total", "problems", "result", "place")


@dataclass(slots=True)
class JobTimeSlice:
    """The time limits of one turn. Progress is stored by time, because steps differ in size."""

    seconds: float = field(default_factory=lambda: SLICE_SECONDS)
    began: float = field(default_factory=time.monotonic)
    noted: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        """Whether the turn is over."""
        return time.monotonic() - self.began >= self.seconds

    def to_note(self) -> bool:
        """Whether the progress must be stored now; if so, restarts the interval."""
        due = time.monotonic() - self.noted >= SAVE_INTERVAL_SECONDS
        if due:
            self.noted = time.monotonic()
        return due


def enqueue_job(
    principal: Principal,
    kind: str,
    parameters: dict[str, Any],
    *,
    total: int,
    now: datetime,
    at_once: bool = False,
    told: Mapping[str, Any] | None = None,
) -> Job:
    """Write a job of a member or a robot; call inside the principal's scope. at_once: the caller
    does it.

    told: what the audit trail says of it besides how many it is about; no words of a memory.
    Raises PermissionError for a robot that acts for a member: what it does for them is theirs, and
    its other calls read less.
    """
    check_may_ask(principal.actor)
    job = Job(
        organisation_id=principal.organisation_id,
        audience_id=principal.own_audience,
        member_id=principal.actor.member_id,
        robot_id=principal.actor.robot_id,
        key_id=principal.actor.key_id,
        kind=kind,
        state=JobState.RUNNING if at_once else JobState.WAITING,
        attempts=int(at_once),
        leased_until=now + LEASE if at_once else None,
        parameters=parameters,
        total=total,
        created_at=now,
        queued_at=now,
        started_at=now if at_once else None,
    )
    job.save(force_insert=True)
    audit.record_entry(
        f"job.{kind}",
        actor=principal.actor,
        now=now,
        target=job.id,
        target_type="job",
        total=total,
        **(told or {}),
    )
    if not at_once:
        notify_after_commit(job)
    return job


def check_may_ask(actor: Actor) -> None:
    """Raise PermissionError for who has no jobs: a robot that acts for a member."""
    if not (actor.is_person or actor.is_robot_alone):
        raise PermissionError("A robot that acts for a member has no jobs; ask without a member.")


def notify_after_commit(job: Job) -> None:
    """Wake a worker once the job is committed."""
    transaction.on_commit(lambda: notify_job_worker(job.organisation_id, job.id, job.member_id))


def save_progress(actor: Actor | None, job: Job) -> bool:
    """Store the progress and extend the lease. Returns whether to go on.

    False if somebody cancelled the job, or another worker has it because the lease ended: then stop
    between two steps and call `requeue_job`. actor: None for a job of the organisation, as in all
    functions here.
    """
    with _lock_leased(actor, job) as row:
        if row is None:
            return False
        job.leased_until = timezone.now() + LEASE
        if (row.place, row.done) != (job.place, job.done):
            # What breaks off at one place is given up, and not what is killed again and again and
            # gets on all the same.
            job.attempts = 1
        _save(job, "leased_until", "attempts")
        return row.cancel_asked_at is None


def requeue_job(actor: Actor | None, job: Job) -> None:
    """End a turn: the job waits behind the others, or is cancelled if somebody asked for that."""
    with _lock_leased(actor, job) as row:
        if row is None:
            return
        job.leased_until, job.cancel_asked_at = None, None
        if row.cancel_asked_at:
            job.state, job.finished_at = JobState.CANCELLED, timezone.now()
        else:
            job.state, job.attempts, job.queued_at = JobState.WAITING, 0, timezone.now()
        _save(
            job, "leased_until", "cancel_asked_at", "state", "finished_at", "attempts", "queued_at"
        )
    if job.state == JobState.WAITING:
        notify_job_worker(job.organisation_id, job.id, job.member_id)


def finish_job(
    actor: Actor | None, job: Job, *, state: str = JobState.DONE, reason: str = ""
) -> None:
    """End a job: done, or stopped for good with the reason. A request to cancel it comes too late
    then."""
    with _lock_leased(actor, job) as row:
        if row is None:
            return
        job.state, job.reason, job.finished_at = state, reason, timezone.now()
        job.leased_until, job.cancel_asked_at = None, None
        _save(job, "state", "reason", "finished_at", "leased_until", "cancel_asked_at")


@contextmanager
def _lock_leased(actor: Actor | None, job: Job) -> Iterator[Job | None]:
    """A transaction with the row locked; gives None if another worker has the job now.

    The end of the lease proves it: each lease and each note of progress sets a new one.
    """
    using = WORKER if actor is None else DEFAULT_DB_ALIAS
    with _scope(actor, job.organisation_id):
        rows = Job.objects.using(using).select_for_update().only("cancel_asked_at", "place", "done")
        yield rows.filter(
            organisation_id=job.organisation_id,
            id=job.id,
            state=JobState.RUNNING,
            leased_until=job.leased_until,
        ).first()


def _save(job: Job, *names: str) -> None:
    job.problems = job.problems[:MAX_PROBLEMS]
    using = WORKER if job.is_organisations else DEFAULT_DB_ALIAS
    job.save(using=using, update_fields=[*names, *PROGRESS_FIELDS])


def _scope(actor: Actor | None, organisation_id: UUID) -> AbstractContextManager[None]:
    if actor is None:
        return organisation_scope(organisation_id, using=WORKER)
    return resolve_principal(actor).scope()


INVALID_KEY_REASON = "The key that asked for this is not valid any more."


def lease_job(
    organisation_id: UUID, job_id: UUID, member_id: UUID | None, robot_id: UUID | None = None
) -> tuple[Actor | None, Job] | None:
    """Lease a job. Returns (the actor of its member or robot, or None, the job); None if there is
    nothing to do.

    A robot's job whose key is not valid any more stops for good; the robot may try it again by
    another key.
    """
    actor = None
    if member_id is not None:
        with organisation_scope(organisation_id):
            # Who was removed and is invited again has not joined yet.
            member = Member.objects.filter(
                joined_q(), organisation_id=organisation_id, id=member_id
            ).first()
        if member is None:
            return None
        actor = actor_of(member)
    elif robot_id is not None:
        actor = _find_robot_actor(organisation_id, job_id, robot_id)
        if actor is None:
            return None
    now, using = timezone.now(), WORKER if actor is None else DEFAULT_DB_ALIAS
    with _scope(actor, organisation_id):
        job = (
            Job.objects.using(using)
            .select_for_update(skip_locked=True)
            .filter(ready_q(now), organisation_id=organisation_id, id=job_id)
            .filter(member_id=member_id, robot_id=robot_id)  # type: ignore[misc]  # None: IS NULL
            .first()
        )
        if job is None:
            return None
        if job.cancel_asked_at:
            # The former worker died before it saw the request to cancel.
            job.state, job.finished_at, job.leased_until = JobState.CANCELLED, now, None
            job.cancel_asked_at = None
            _save(job, "state", "finished_at", "leased_until", "cancel_asked_at")
            return None
        job.attempts, job.state, job.leased_until = job.attempts + 1, JobState.RUNNING, now + LEASE
        job.started_at = job.started_at or now
        job.save(using=using, update_fields=["attempts", "state", "leased_until", "started_at"])
    if job.attempts > MAX_ATTEMPTS:
        finish_job(
            actor, job, state=JobState.DEAD, reason="It was tried several times and broke off."
        )
        return None
    return actor, job


def _find_robot_actor(organisation_id: UUID, job_id: UUID, robot_id: UUID) -> Actor | None:
    """The robot of a ready job by its key as it is now. Without a valid one the job stops."""
    now = timezone.now()
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(
            ready_q(now), organisation_id=organisation_id, id=job_id, robot_id=robot_id
        )
        job = rows.select_for_update(skip_locked=True).first()
        if job is None:
            return None
        caller = find_key_caller(organisation_id, job.key_id, now) if job.key_id else None
        if caller is not None and (actor := caller.actor()).is_robot_alone:
            return actor
        job.state, job.reason, job.finished_at = JobState.DEAD, INVALID_KEY_REASON, now
        job.leased_until, job.cancel_asked_at = None, None
        job.save(
            using=WORKER,
            update_fields=["state", "reason", "finished_at", "leased_until", "cancel_asked_at"],
        )
    return None


def ready_q(now: datetime) -> Q:
    """The condition for jobs that wait, or whose lease has ended."""
    return Q(state=JobState.WAITING) | Q(state=JobState.RUNNING, leased_until__lt=now)


# Organisation and job; the member or the robot who asked, or neither.
JobReference = tuple[UUID, UUID, UUID | None, UUID | None]


def list_ready_jobs(organisation_id: UUID, now: datetime, most: int = 20) -> list[JobReference]:
    """Ready jobs of an organisation, in the order of their turns; in the role of the worker.

    Jobs of removed members are left out.
    """
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(ready_q(now), organisation_id=organisation_id)
        ordered = rows.order_by("queued_at", "id")
        columns = (F("organisation_id"), "id", "member_id", "robot_id")
        found = list(ordered.values_list(*columns)[:MAX_READY])
    here = _filter_present_members(
        organisation_id, {member_id for _, _, member_id, _ in found if member_id}
    )
    return [asked for asked in found if asked[2] is None or asked[2] in here][:most]


def _filter_present_members(organisation_id: UUID, member_ids: set[UUID]) -> set[UUID]:
    """The members among these who belong here: they have joined, and were not removed."""
    if not member_ids:
        return set()
    with organisation_scope(organisation_id):
        members = Member.objects.filter(organisation_id=organisation_id, id__in=member_ids)
        return set(members.filter(joined_q()).values_list("id", flat=True))


def list_job_ids_needing_files(
    organisation_id: UUID, kind: str, over: tuple[str, ...], since: datetime
) -> set[UUID]:
    """The ids of jobs of a kind that still need their file: open ones, and those that stopped in a
    state of `over` after `since`. Without jobs of removed members. In the role of the worker."""
    open_ = Q(state__in=(JobState.WAITING, JobState.RUNNING))
    stopped = Q(state__in=over, finished_at__gt=since)
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(
            open_ | stopped, organisation_id=organisation_id, kind=kind
        )
        found = list(rows.values_list("id", "member_id", "robot_id"))
    here = _filter_present_members(
        organisation_id, {member_id for _, member_id, _ in found if member_id}
    )
    return {id_ for id_, member_id, robot_id in found if robot_id or member_id in here}


def list_all_ready_jobs(now: datetime) -> list[JobReference]:
    """(organisation, job, member, robot) of ready jobs, round robin over the organisations; for the
    sweeper, in the role of the worker."""
    found = [list_ready_jobs(id_, now) for id_ in list_organisation_ids()]
    return [asked for row in zip_longest(*found) for asked in row if asked]


# Jobs for operators at a terminal: listed, cancelled and resumed in the role of the worker.
# Nothing here shows the content of a job: parameters and problems are only for whoever asked.

MAX_LISTED = 100


def list_jobs(organisation_id: UUID) -> list[Job]:
    """The newest jobs of the organisation and of its members, at most LISTED."""
    with organisation_scope(organisation_id, using=WORKER):
        rows = _jobs_queryset(organisation_id).defer("parameters", "problems", "result", "place")
        return list(rows.order_by("-id")[:MAX_LISTED])


def cancel_job_as_operator(organisation_id: UUID, job_id: UUID, *, now: datetime) -> Job:
    """Cancel a job. Raises NotFoundError and AlreadyExistsError."""
    with organisation_scope(organisation_id, using=WORKER):
        job = cancel_job(_jobs_queryset(organisation_id), job_id, now=now)
        _record_audit("job.cancelled", job, now)
    return job


def resume_job_as_operator(organisation_id: UUID, job_id: UUID, *, now: datetime) -> Job:
    """Resume a cancelled or failed job. Raises NotFoundError and AlreadyExistsError."""
    with organisation_scope(organisation_id, using=WORKER):
        job = resume_job(_jobs_queryset(organisation_id), job_id, now=now)
        _record_audit("job.resumed", job, now)
    notify_job_worker(organisation_id, job.id, job.member_id)
    return job


def _jobs_queryset(organisation_id: UUID) -> "QuerySet[Job]":
    return Job.objects.using(WORKER).filter(organisation_id=organisation_id)


def _record_audit(action: str, job: Job, now: datetime) -> None:
    nobody = Actor(organisation_id=job.organisation_id)
    audit.record_entry(
        action, actor=nobody, now=now, target=job.id, target_type="job", using=WORKER
    )
