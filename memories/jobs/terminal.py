"""Jobs for operators at a terminal: listed, cancelled and resumed in the role of the worker.

Nothing here shows the content of a job: parameters and problems are only for whoever asked.
"""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from memories.jobs.cancel import cancel_job, resume_job
from memories.jobs.hints import send_job
from memories.jobs.models import Job
from memories.jobs.queue import WORKER
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.principals import Actor

LISTED = 100


def listed(organisation_id: UUID) -> list[Job]:
    """The newest jobs of the organisation and of its members, at most LISTED."""
    with organisation_scope(organisation_id, using=WORKER):
        rows = _rows(organisation_id).defer("parameters", "problems", "result", "place")
        return list(rows.order_by("-id")[:LISTED])


def cancel_here(organisation_id: UUID, job_id: UUID, *, now: datetime) -> Job:
    """Cancel a job. Raises NotFound and AlreadyExists."""
    with organisation_scope(organisation_id, using=WORKER):
        job = cancel_job(_rows(organisation_id), job_id, now=now)
        _record("job.cancelled", job, now)
    return job


def resume_here(organisation_id: UUID, job_id: UUID, *, now: datetime) -> Job:
    """Resume a cancelled or failed job. Raises NotFound and AlreadyExists."""
    with organisation_scope(organisation_id, using=WORKER):
        job = resume_job(_rows(organisation_id), job_id, now=now)
        _record("job.resumed", job, now)
    send_job(organisation_id, job.id, job.member_id)
    return job


def _rows(organisation_id: UUID) -> "QuerySet[Job]":
    return Job.objects.using(WORKER).filter(organisation_id=organisation_id)


def _record(action: str, job: Job, now: datetime) -> None:
    nobody = Actor(organisation_id=job.organisation_id)
    audit.record(action, actor=nobody, now=now, target=job.id, target_type="job", using=WORKER)
