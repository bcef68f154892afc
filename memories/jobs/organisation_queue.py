"""Queue jobs of the organisation: by the scheduler once a period, by a curator, or at a
terminal."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.jobs.job_queue import LEASE, WORKER, ready_q
from memories.jobs.models import Job, JobState
from orgs.database.rls import organisation_scope
from orgs.models.audiences import AudienceType
from orgs.organisations.audience_rows import ensure_audience

# A run by hand is for the whole organisation; a debate's run names one audience.
MANUAL_RUN: dict[str, Any] = {"period": None, "member": None, "parameters": {}}
# A review audience without entries: only curators and admins read it.
_CURATORS_AUDIENCE_KEY = "jobs"


def ensure_curators_audience(organisation_id: UUID) -> UUID:
    """The id of the audience of curators and admins."""
    with organisation_scope(organisation_id):
        return ensure_audience(organisation_id, AudienceType.REVIEW, _CURATORS_AUDIENCE_KEY)


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
    """Take a run by hand for this process: the last one, if it was cancelled or broke off, else a
    new one.

    It is leased, so no worker takes it until the lease ends.
    """
    audience_id = ensure_curators_audience(organisation_id)
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).select_for_update()
        by_hand = rows.filter(organisation_id=organisation_id, kind=kind, **MANUAL_RUN)
        job = by_hand.order_by("-id").first()
        broke_off = job is not None and job.state == JobState.RUNNING and _is_ready(job, now)
        if job is None or not (broke_off or job.state == JobState.CANCELLED):
            job = build_job(organisation_id, kind, audience_id, now)
        job.state, job.attempts, job.leased_until = JobState.RUNNING, 1, now + LEASE
        job.finished_at, job.cancel_asked_at, job.reason = None, None, ""
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
