"""Jobs for their pages: progress, pending work, cancel, resume and retry."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.fields.json import KT
from django.utils import timezone

from memories.indexing.models import Pending
from memories.jobs.job_queue import cancel_job, notify_after_commit, resume_job
from memories.jobs.leases import OWED_STATES, RETRIED, PendingState
from memories.jobs.models import OPEN_STATES, ORGANISATIONS, Job, JobState, JobType
from memories.jobs.organisation_run import MANUAL_RUN, build_job, ensure_curators_audience
from memories.jobs.worker_hints import notify_embedding_worker
from orgs import audit
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.memberships import Role
from orgs.principals import Actor, resolve_principal

MAX_JOBS = 50
MAX_ORGANISATION_JOBS = 10
MAX_COUNT = 10_000
FILTER_COLUMNS = {
    "state": "state",
    "kind": "kind",
    "since": "created_at__gte",
    "until": "created_at__lte",
}


def get_job(actor: Actor, job_id: UUID) -> Job:
    """One of the asker's own jobs, or for curators one of the organisation's. Raises
    NotFoundError."""
    with resolve_principal(actor).scope():
        job = visible_jobs(actor).filter(id=job_id).first()
    if job is None:
        raise NotFoundError("no such job")
    return job


def visible_jobs(actor: Actor) -> "QuerySet[Job]":
    """The asker's own jobs, and for curators the organisation's; evaluate inside the scope.

    Like row-level security, except that a robot that acts for a member sees none.
    """
    if actor.robot_id is not None and actor.is_robot_alone:
        return Job.objects.filter(organisation_id=actor.organisation_id, robot_id=actor.robot_id)
    if not actor.is_person:
        return Job.objects.none()
    seen = Q(member_id=actor.member_id, member__isnull=False)
    if actor.moderates:
        seen |= Q(**ORGANISATIONS)
    return Job.objects.filter(seen, organisation_id=actor.organisation_id)


def filter_jobs(rows: "QuerySet[Job]", filters: Mapping[str, Any]) -> "QuerySet[Job]":
    """Those of a state and a kind that were asked for from `since` until `until`; each is
    optional."""
    for name, column in FILTER_COLUMNS.items():
        if (value := filters.get(name)) is not None:
            rows = rows.filter(**{column: value})
    return rows


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


def get_jobs_overview(actor: Actor, filters: Mapping[str, Any] | None = None) -> JobsOverview:
    """The content of the page of jobs; counts stop at COUNTED. filters: of the jobs, as in
    `filter_jobs`."""
    with resolve_principal(actor).scope():
        seen = filter_jobs(visible_jobs(actor), filters or {})
        jobs = seen.filter(member__isnull=False).annotate(
            action=KT("parameters__change__action"),
            file=KT("parameters__name"),
            document=KT("parameters__document__id"),
            folder=KT("parameters__folder"),
        )
        owed = Pending.objects.filter(organisation_id=actor.organisation_id)
        dead = owed.filter(state=PendingState.DEAD)
        readable = dead.exclude(kind="internal").select_related("memory")
        return JobsOverview(
            list(jobs.order_by("-id").defer("parameters", "result")[:MAX_JOBS]),
            owed.filter(state__in=OWED_STATES)[:MAX_COUNT].count(),
            dead[:MAX_COUNT].count(),
            list(readable.order_by("-created_at", "-id")[:MAX_JOBS]),
            list(seen.filter(**ORGANISATIONS).order_by("-id")[:MAX_ORGANISATION_JOBS])
            if actor.moderates
            else [],
        )


def retry_failed_job(actor: Actor, job_id: UUID) -> Job:
    """Retry a failed job from its place. Raises NotFoundError and AlreadyExistsError."""
    return _resume_stopped(actor, job_id, "job.retried", JobState.DEAD)


def resume_cancelled_job(actor: Actor, job_id: UUID) -> Job:
    """Resume a cancelled job at its place. Raises NotFoundError and AlreadyExistsError."""
    return _resume_stopped(actor, job_id, "job.resumed", JobState.CANCELLED)


def _resume_stopped(actor: Actor, job_id: UUID, action: str, stopped: str) -> Job:
    now = timezone.now()
    with resolve_principal(actor).scope():
        job = resume_job(visible_jobs(actor), job_id, now=now, stopped=(stopped,))
        if job.robot_id is not None:
            # The key that asked may be revoked. The robot reads the same by each of its keys.
            job.key_id = actor.key_id
            job.save(update_fields=["key_id"])
        audit.record_entry(action, actor=actor, now=now, target=job.id, target_type="job")
        notify_after_commit(job)
    return job


def cancel_visible_job(actor: Actor, job_id: UUID) -> Job:
    """Cancel a job: at once while it waits, between two steps while it runs; finished steps stay.

    Raises NotFoundError, also if the actor may not cancel it, and AlreadyExistsError.
    """
    now = timezone.now()
    with resolve_principal(actor).scope():
        rows = visible_jobs(actor)
        if not _can_cancel_erasures(actor):
            rows = rows.exclude(kind=JobType.ERASE)
        job = cancel_job(rows, job_id, now=now)
        audit.record_entry("job.cancelled", actor=actor, now=now, target=job.id, target_type="job")
    return job


def drop_failed_job(actor: Actor, job_id: UUID) -> None:
    """Delete a failed job; what it did stays. Its file is deleted within hours.

    Raises NotFoundError, and AlreadyExistsError if it has not failed, or is an erasure: what
    somebody asked to be erased is not given up.
    """
    now = timezone.now()
    with resolve_principal(actor).scope():
        job = visible_jobs(actor).select_for_update().filter(id=job_id).first()
        if job is None:
            raise NotFoundError("no such job")
        if job.state != JobState.DEAD:
            raise AlreadyExistsError("Only work that stopped for good is dropped.")
        if job.kind == JobType.ERASE:
            raise AlreadyExistsError("An erasure is not dropped. Try it again.")
        audit.record_entry("job.dropped", actor=actor, now=now, target=job.id, target_type="job")
        job.delete()


def may_drop(job: Job) -> bool:
    """Whether whoever sees the job may drop it."""
    return job.state == JobState.DEAD and job.kind != JobType.ERASE


def may_cancel(actor: Actor, job: Job) -> bool:
    """Whether an actor who sees the job may cancel it."""
    return job.kind != JobType.ERASE or _can_cancel_erasures(actor)


def _can_cancel_erasures(actor: Actor) -> bool:
    """Only an admin stops an erasure: a member who asked to be erased cannot ask again."""
    return actor.role == Role.ADMIN


def enqueue_consolidation(actor: Actor, *, now: datetime) -> Job:
    """Queue a consolidation by hand; if one by hand waits or runs already, that one is returned.

    Raises NotFoundError for everybody but curators.
    """
    if not actor.moderates:
        raise NotFoundError("no such work")
    organisation_id, kind = actor.organisation_id, JobType.CONSOLIDATE
    audience_id = ensure_curators_audience(organisation_id)
    with resolve_principal(actor).scope():
        open_ = visible_jobs(actor).filter(kind=kind, **MANUAL_RUN)
        if found := open_.filter(state__in=OPEN_STATES).order_by("id").first():
            return found
        job = build_job(organisation_id, kind, audience_id, now)
        job.save(force_insert=True)
        audit.record_entry(
            "job.consolidate", actor=actor, now=now, target=job.id, target_type="job"
        )
        notify_after_commit(job)
    return job


def retry_embeddings(actor: Actor, *, now: datetime, memory_id: UUID | None = None) -> int:
    """Retry dead embeddings, one or all, of memories that the asker reads; returns how many.

    Raises NotFoundError if memory_id has none.
    """
    return _settle_embeddings(actor, "embedding.retried", RETRIED, now, memory_id)


def drop_embeddings(actor: Actor, *, now: datetime, memory_id: UUID | None = None) -> int:
    """Leave these memories without a vector: their words find them. As `retry_embeddings`."""
    dropped = {"state": PendingState.DROPPED}
    return _settle_embeddings(actor, "embedding.dropped", dropped, now, memory_id)


def _settle_embeddings(
    actor: Actor, act: str, changes: Mapping[str, Any], now: datetime, memory_id: UUID | None
) -> int:
    principal = resolve_principal(actor)
    with principal.scope():
        dead = Pending.objects.filter(
            organisation_id=principal.organisation_id, state=PendingState.DEAD
        )
        if memory_id is not None:
            dead = dead.filter(memory_id=memory_id)
            if not dead.exists():
                raise NotFoundError("no such work")
        count = dead.update(**changes)
        audit.record_entry(act, actor=actor, now=now, count=count)
        notify_embedding_worker(principal.organisation_id)
    return count
