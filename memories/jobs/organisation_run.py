"""Runs of the organisation's own work, and the registry of this work.

The worker does it, without any member's rights; the result has only counts and ids. A run may break
off anywhere and continue at its place, so every step must be idempotent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from django.db import transaction

from memories.jobs.job_queue import WORKER, JobTimeSlice, ready_q, save_progress
from memories.jobs.leases import LEASE
from memories.jobs.models import ORGANISATIONS, Job, JobState
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience, AudienceType
from orgs.organisations.audience_rows import ensure_audience

# Queue jobs of the organisation: by the scheduler once a period, by a curator, or at a terminal.

# A run by hand is for the whole organisation; a debate's run names one audience.
MANUAL_RUN: dict[str, Any] = {"period": None, **ORGANISATIONS, "parameters": {}}
# A review audience without entries: only curators and admins read it.
_CURATORS_AUDIENCE_KEY = "jobs"


def ensure_curators_audience(organisation_id: UUID) -> UUID:
    """The id of the audience of curators and admins."""
    with organisation_scope(organisation_id):
        return ensure_audience(organisation_id, AudienceType.REVIEW, _CURATORS_AUDIENCE_KEY)


def find_curators_audience(organisation_id: UUID) -> UUID | None:
    """The same; None before the organisation's first job. Call inside its scope."""
    rows = Audience.objects.filter(
        organisation_id=organisation_id, kind=AudienceType.REVIEW, key=_CURATORS_AUDIENCE_KEY
    )
    return rows.values_list("id", flat=True).first()


def build_job(
    organisation_id: UUID, kind: str, audience_id: UUID, now: datetime, **more: Any
) -> Job:
    """A waiting job of the organisation, not stored yet. more: further fields."""
    return Job(
        organisation_id=organisation_id,
        audience_id=audience_id,
        kind=kind,
        created_at=now,
        queued_at=now,
        **more,
    )


def has_run(organisation_id: UUID, kind: str, period: str) -> bool:
    """Whether the run of a period exists, in any state."""
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(organisation_id=organisation_id)
        return rows.filter(kind=kind, period=period).exists()


def create_run_once(organisation_id: UUID, kind: str, period: str, *, now: datetime) -> Job | None:
    """Store the run of a period; None if it exists. A unique constraint prevents a second one."""
    job = build_job(
        organisation_id, kind, ensure_curators_audience(organisation_id), now, period=period
    )
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER)
        rows.bulk_create([job], ignore_conflicts=True)
        return rows.filter(organisation_id=organisation_id, id=job.id).first()


def lease_manual_run(organisation_id: UUID, kind: str, *, now: datetime) -> Job:
    """Take a run by hand for this process: the last one, if it waits, was cancelled or broke off,
    else a new one.

    It is leased, so no worker takes it until the lease ends.
    """
    audience_id = ensure_curators_audience(organisation_id)
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).select_for_update()
        by_hand = rows.filter(organisation_id=organisation_id, kind=kind, **MANUAL_RUN)
        job = by_hand.order_by("-id").first()
        if job is None or not (job.state == JobState.CANCELLED or _is_ready(job, now)):
            job = build_job(organisation_id, kind, audience_id, now)
        job.state, job.attempts, job.leased_until = JobState.RUNNING, 1, now + LEASE
        job.finished_at, job.cancel_asked_at, job.reason = None, None, ""
        job.started_at = job.started_at or now
        job.save(using=WORKER)
    return job


def _is_ready(job: Job, now: datetime) -> bool:
    return Job.objects.using(WORKER).filter(ready_q(now), id=job.id).exists()


def release_job(job: Job, *, now: datetime) -> None:
    """Release a job that stops in the middle of a step; its place stays as it was last noted."""
    with organisation_scope(job.organisation_id, using=WORKER), transaction.atomic(using=WORKER):
        Job.objects.using(WORKER).filter(
            organisation_id=job.organisation_id, id=job.id, state=JobState.RUNNING
        ).update(state=JobState.CANCELLED, finished_at=now, leased_until=None, cancel_asked_at=None)


# The most seconds of work without a place in one turn; a task is ended after 540.
SINGLE_SLICE_SECONDS = 480.0


@dataclass(slots=True)
class OrganisationRun:
    """One turn of a job of the organisation.

    now: the time of the turn. place: where to continue; result: counts so far; both are stored with
    each step. shows: called with (done, total) at each step.
    """

    job: Job
    now: datetime
    turn: JobTimeSlice
    shows: Callable[[int, int], None] | None = None
    stopped: bool = False

    @property
    def organisation_id(self) -> UUID:
        """The id of the organisation."""
        return self.job.organisation_id

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the job."""
        parameters: dict[str, Any] = self.job.parameters
        return parameters

    @property
    def place(self) -> dict[str, Any]:
        """Where to continue. The work stores there what it needs."""
        place: dict[str, Any] = self.job.place
        return place

    @property
    def result(self) -> dict[str, Any]:
        """The counts of the work."""
        result: dict[str, Any] = self.job.result
        return result

    def count(self, **counts: int) -> None:
        """Add to the counts of the result."""
        for name, more in counts.items():
            self.result[name] = self.result.get(name, 0) + more

    def step(self, done: int, total: int) -> bool:
        """Store the progress after a step. Returns False if the work must stop now and return.

        Then it was cancelled, or its turn is over and it will continue at its place.
        """
        self.job.done, self.job.total = done, max(done, total)
        if self.shows:
            self.shows(self.job.done, self.job.total)
        self.stopped = not save_progress(None, self.job) or self.turn.over()
        return not self.stopped


OrganisationWork = Callable[[OrganisationRun], None]


class HasCounts(Protocol):
    """The result of work, in counts by name."""

    @property
    def figures(self) -> Mapping[str, int]: ...


class SingleSliceWork(Protocol):
    """Work without a place: it finds what is left by itself."""

    def __call__(
        self, organisation_id: UUID, /, *, now: datetime, keep_on: Callable[[int, int], bool]
    ) -> HasCounts: ...


_handlers: dict[str, tuple[OrganisationWork, float | None]] = {}


def register_organisation_job_handler(kind: str, work: OrganisationWork) -> None:
    """Register the work of a kind of organisation job; it is called once for each turn."""
    _handlers[kind] = (work, None)


def register_single_slice_handler(kind: str, work: SingleSliceWork) -> None:
    """Register work without a place, which runs in one turn of at most WHOLE seconds."""

    def run(run: OrganisationRun) -> None:
        done = work(run.organisation_id, now=run.now, keep_on=run.step)
        run.count(**done.figures)

    _handlers[kind] = (run, SINGLE_SLICE_SECONDS)


def run_time_slice(
    job: Job, *, now: datetime, turn: JobTimeSlice | None = None, shows: Any = None
) -> bool:
    """Run a leased job for a turn. Returns whether it is finished. turn: by default that of its
    kind."""
    work, seconds = _handlers[job.kind]
    if turn is None:
        turn = JobTimeSlice() if seconds is None else JobTimeSlice(seconds)
    run = OrganisationRun(job, now, turn, shows)
    work(run)
    return not run.stopped
