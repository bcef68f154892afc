"""Longer work as its pages show it: how far it is, what is owed, tried again."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models.fields.json import KT
from django.utils import timezone

from memories.indexing.models import Pending
from memories.jobs.hints import hint_embedding
from memories.jobs.models import Job, JobState
from memories.jobs.owed_work import PendingState
from memories.jobs.queue import hint
from orgs import audit
from orgs.errors import AlreadyExists, NotFound
from orgs.principals import Actor, resolve

SHOWN = 50
COUNTED = 10_000


def job_of(actor: Actor, job_id: UUID) -> Job:
    """One of the asker's own jobs. Raises NotFound."""
    with resolve(actor).scope():
        job = Job.objects.filter(organisation_id=actor.organisation_id, id=job_id).first()
    if job is None:
        raise NotFound("no such job")
    return job


@dataclass(frozen=True, slots=True)
class JobsOverview:
    """The asker's newest jobs, with `action` of a change and `file` of an import; and how many
    memories wait for their embedding or got none, as far as the asker reads them, up to COUNTED.

    dead: the newest of the latter, with the reason.
    """

    jobs: list[Job]
    pending: int
    failed: int
    dead: list[Pending]


def standing(actor: Actor) -> JobsOverview:
    """What the page of jobs shows; nothing is counted further than COUNTED."""
    with resolve(actor).scope():
        jobs = Job.objects.filter(organisation_id=actor.organisation_id).annotate(
            action=KT("parameters__change__action"), file=KT("parameters__name")
        )
        owed = Pending.objects.filter(organisation_id=actor.organisation_id)
        dead = owed.filter(state=PendingState.DEAD)
        readable = dead.exclude(kind="internal").select_related("memory")
        return JobsOverview(
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
