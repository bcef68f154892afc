"""The daily jobs of an organisation: queued once a day, by whichever scheduler is first."""

from datetime import UTC, datetime
from uuid import UUID

from memories.jobs.job_queue import WORKER
from memories.jobs.models import Job, JobType
from memories.jobs.organisation_run import create_run_once, has_run
from memories.jobs.worker_hints import notify_job_worker
from memories.lifecycle.ageing_policy import find_policy_or_default
from memories.lifecycle.retention import archives_anything
from orgs.database.rls import organisation_scope
from orgs.wired_functions import wired

# In the order in which they run.
DAILY_JOB_TYPES = (JobType.CONSOLIDATE, JobType.SUMMARISE, JobType.RETAIN, JobType.LEARN)


@wired
def has_learned_anything(organisation_id: UUID) -> bool:
    """Whether the organisation needs the daily run on what personas learned."""
    raise NotImplementedError


def daily_period(now: datetime) -> str:
    """The period of the daily runs at a time; in UTC."""
    return now.astimezone(UTC).date().isoformat()


def is_due(organisation_id: UUID, *, now: datetime) -> bool:
    """Whether one of this day's runs is not queued yet."""
    return any(
        not has_run(organisation_id, kind, daily_period(now))
        for kind in _needed_job_types(organisation_id)
    )


def enqueue_due(organisation_id: UUID, *, now: datetime) -> list[Job]:
    """Queue the missing runs of this day, and wake a worker for them."""
    made = [
        create_run_once(organisation_id, kind, daily_period(now), now=now)
        for kind in _needed_job_types(organisation_id)
    ]
    jobs = [job for job in made if job is not None]
    for job in jobs:
        notify_job_worker(organisation_id, job.id, None)
    return jobs


def _needed_job_types(organisation_id: UUID) -> list[JobType]:
    """The kinds of daily runs that an organisation needs; without retention if its policy archives
    nothing, and without learning if its personas learned nothing."""
    with organisation_scope(organisation_id, using=WORKER):
        retains = archives_anything(find_policy_or_default(organisation_id, using=WORKER))
    needs = {JobType.RETAIN: retains, JobType.LEARN: has_learned_anything(organisation_id)}
    return [kind for kind in DAILY_JOB_TYPES if needs.get(kind, True)]
