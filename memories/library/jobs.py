"""Jobs for their pages: progress, pending work, cancel, resume and retry."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.fields.json import KT
from django.utils import timezone

from memories.indexing.models import Pending
from memories.jobs.cancel import cancel_job, resume_job
from memories.jobs.hints import hint_embedding
from memories.jobs.models import Job, JobKind, JobState
from memories.jobs.organisation_queue import BY_HAND, curators_audience, new_job
from memories.jobs.owed_work import PendingState
from memories.jobs.queue import hint
from orgs import audit
from orgs.errors import NotFound
from orgs.models.memberships import Role
from orgs.principals import Actor, resolve

SHOWN = 50
SHOWN_OF_ORGANISATION = 10
COUNTED = 10_000


def job_of(actor: Actor, job_id: UUID) -> Job:
    """One of the asker's own jobs, or for curators one of the organisation's. Raises NotFound."""
    with resolve(actor).scope():
        job = seen_by(actor).filter(id=job_id).first()
    if job is None:
        raise NotFound("no such job")
    return job


def seen_by(actor: Actor) -> "QuerySet[Job]":
    """A person's own jobs, and for curators the organisation's; evaluate inside the scope.

    Like row-level security, except that a robot that acts for a member sees none.
    """
    if not actor.is_person:
        return Job.objects.none()
    seen = Q(member_id=actor.member_id, member__isnull=False)
    if actor.moderates:
        seen |= Q(member=None)
    return Job.objects.filter(seen, organisation_id=actor.organisation_id)


@dataclass(frozen=True, slots=True)
class JobsOverview:
    """The asker's newest jobs, with `action` of a change and `file` of an import; and the numbers
    of memories whose embedding waits or failed, as far as the asker reads them, up to COUNTED.

    dead: the newest failed ones, with the reason. organisations: the newest jobs of the
    organisation, for curators.
    """

    jobs: list[Job]
    pending: int
    failed: int
    dead: list[Pending]
    organisations: list[Job]


def standing(actor: Actor) -> JobsOverview:
    """The content of the page of jobs; counts stop at COUNTED."""
    with resolve(actor).scope():
        jobs = (
            seen_by(actor)
            .filter(member__isnull=False)
            .annotate(action=KT("parameters__change__action"), file=KT("parameters__name"))
        )
        owed = Pending.objects.filter(organisation_id=actor.organisation_id)
        dead = owed.filter(state=PendingState.DEAD)
        readable = dead.exclude(kind="internal").select_related("memory")
        return JobsOverview(
            list(jobs.order_by("-id").defer("parameters", "result")[:SHOWN]),
            owed.exclude(state=PendingState.DEAD)[:COUNTED].count(),
            dead[:COUNTED].count(),
            list(readable.order_by("-created_at", "-id")[:SHOWN]),
            list(seen_by(actor).filter(member=None).order_by("-id")[:SHOWN_OF_ORGANISATION])
            if actor.moderates
            else [],
        )


def retry(actor: Actor, job_id: UUID) -> Job:
    """Retry a failed job from its place. Raises NotFound and AlreadyExists."""
    return _go_on(actor, job_id, "job.retried", JobState.DEAD)


def resume(actor: Actor, job_id: UUID) -> Job:
    """Resume a cancelled job at its place. Raises NotFound and AlreadyExists."""
    return _go_on(actor, job_id, "job.resumed", JobState.CANCELLED)


def _go_on(actor: Actor, job_id: UUID, action: str, stopped: str) -> Job:
    now = timezone.now()
    with resolve(actor).scope():
        job = resume_job(seen_by(actor), job_id, now=now, stopped=(stopped,))
        audit.record(action, actor=actor, now=now, target=job.id, target_type="job")
        hint(job)
    return job


def cancel(actor: Actor, job_id: UUID) -> Job:
    """Cancel a job: at once while it waits, between two steps while it runs; finished steps stay.

    Raises NotFound, also if the actor may not cancel it, and AlreadyExists.
    """
    now = timezone.now()
    with resolve(actor).scope():
        rows = seen_by(actor)
        if not _stops_erasures(actor):
            rows = rows.exclude(kind=JobKind.ERASE)
        job = cancel_job(rows, job_id, now=now)
        audit.record("job.cancelled", actor=actor, now=now, target=job.id, target_type="job")
    return job


def may_cancel(actor: Actor, job: Job) -> bool:
    """Whether an actor who sees the job may cancel it."""
    return job.kind != JobKind.ERASE or _stops_erasures(actor)


def _stops_erasures(actor: Actor) -> bool:
    """Only an admin stops an erasure: a member who asked to be erased cannot ask again."""
    return actor.role == Role.ADMIN


def begin_consolidation(actor: Actor, *, now: datetime) -> Job:
    """Queue a consolidation by hand; if one by hand waits or runs already, that one is returned.

    Raises NotFound for everybody but curators.
    """
    if not actor.moderates:
        raise NotFound("no such work")
    organisation_id, kind = actor.organisation_id, JobKind.CONSOLIDATE
    audience_id = curators_audience(organisation_id)
    with resolve(actor).scope():
        open_ = seen_by(actor).filter(kind=kind, **BY_HAND)
        states = (JobState.WAITING, JobState.RUNNING)
        if found := open_.filter(state__in=states).order_by("id").first():
            return found
        job = new_job(organisation_id, kind, audience_id, now)
        job.save(force_insert=True)
        audit.record("job.consolidate", actor=actor, now=now, target=job.id, target_type="job")
        hint(job)
    return job


def retry_embeddings(actor: Actor, *, now: datetime, memory_id: UUID | None = None) -> int:
    """Retry dead embeddings, one or all, of memories that the asker reads; returns how many.

    Raises NotFound if memory_id has none.
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
