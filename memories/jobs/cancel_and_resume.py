"""Cancel and resume jobs, for everybody who may see them."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from memories.jobs.models import Job, JobState
from orgs.errors import AlreadyExistsError, NotFoundError

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
