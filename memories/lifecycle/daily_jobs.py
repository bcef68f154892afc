"""The daily jobs of an organisation: queued once a day, by whichever scheduler is first."""

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

from memories.jobs.hints import send_job
from memories.jobs.models import Job, JobKind
from memories.jobs.organisation_queue import is_made, make_once
from memories.jobs.queue import WORKER
from memories.lifecycle.policies import policy_of
from memories.lifecycle.retention import archives_anything
from orgs.database.rls import organisation_scope

# In the order in which they run.
DAILY = (JobKind.CONSOLIDATE, JobKind.SUMMARISE, JobKind.RETAIN)
# Daily work of upper apps, with a function that tells whether an organisation needs it.
_above: dict[JobKind, Callable[[UUID], bool]] = {}


def is_daily(kind: JobKind, wanted: Callable[[UUID], bool]) -> None:
    """Register daily work of an upper app. wanted: whether an organisation needs it."""
    _above[kind] = wanted


def day_of(now: datetime) -> str:
    """The period of the daily runs at a time; in UTC."""
    return now.astimezone(UTC).date().isoformat()


def is_due(organisation_id: UUID, *, now: datetime) -> bool:
    """Whether one of this day's runs is not queued yet."""
    return any(not is_made(organisation_id, kind, day_of(now)) for kind in _wanted(organisation_id))


def make_due(organisation_id: UUID, *, now: datetime) -> list[Job]:
    """Queue the missing runs of this day, and wake a worker for them."""
    made = [
        make_once(organisation_id, kind, day_of(now), now=now) for kind in _wanted(organisation_id)
    ]
    jobs = [job for job in made if job is not None]
    for job in jobs:
        send_job(organisation_id, job.id, None)
    return jobs


def _wanted(organisation_id: UUID) -> list[JobKind]:
    """The kinds of daily runs that an organisation needs; without retention if its policy archives
    nothing."""
    with organisation_scope(organisation_id, using=WORKER):
        retains = archives_anything(policy_of(organisation_id, using=WORKER))
    kinds = [kind for kind in DAILY if retains or kind != JobKind.RETAIN]
    return kinds + [kind for kind, wanted in _above.items() if wanted(organisation_id)]
