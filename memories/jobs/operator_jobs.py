"""Jobs for operators at a terminal: listed, cancelled and resumed in the role of the worker.

Nothing here shows the content of a job: parameters and problems are only for whoever asked.
"""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from memories.jobs.cancel_and_resume import cancel_job, resume_job
from memories.jobs.job_queue import WORKER
from memories.jobs.models import Job
from memories.jobs.worker_hints import notify_job_worker
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.principals import Actor

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
