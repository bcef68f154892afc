"""The work of one organisation for support: why it stopped, and trying it again.

Support's role reads states, figures, who asked and why work stopped, never its content. Retried
work runs in the worker; a member's job runs with the rights that the member has then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memories.indexing.models import Pending
from memories.jobs.job_queue import resume_job
from memories.jobs.leases import OWED_STATES, RETRIED, PendingState, PendingWork
from memories.jobs.models import Job, JobState
from memories.jobs.worker_hints import (
    notify_embedding_worker,
    notify_job_worker,
    notify_restatement_worker,
)
from memories.restatement.models import PendingRestatement
from memories.retrieval.models import Recall
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience
from orgs.models.audit import AuditEntry
from orgs.models.users import User
from orgs.principals import Actor
from orgs.support.support_sessions import SUPPORT_ALIAS
from robots.registry.personal_robot_sql import HIDING_AUDIENCE_TYPES
from robots.registry.untold_entries import with_robot_untold

# Metadata of one organisation's memories for support, with names and never a text.

# The only columns that the role may read.
MEMORY_COLUMNS = (
    "id",
    "status",
    "kind",
    "type",
    "category",
    "first_tier",
    "robot_id",
    "group_id",
    "member_id",
    "importance",
    "remember_count",
    "created_at",
    "updated_at",
    "version",
)
CONTRIBUTION_COLUMNS = ("id", "memory_id", "robot_id", "first_at", "last_at", "count")
RECALL_COLUMNS = ("id", "robot_id", "strategy", "took_ms", "created_at")
AUDIT_COLUMNS = ("id", "at", "action", "member", "robot", "staff", "target_type", "target")


@dataclass(frozen=True, slots=True)
class MemoryMetadata:
    """One memory with the robots that said it, and its pending work."""

    memory: Memory
    contributions: list[Contribution]
    owed: Pending | None


def support_memories(organisation_id: UUID) -> "QuerySet[Memory]":
    """Every memory of an organisation; evaluate inside support's scope, like all queries here.

    With `untold`: a profession reads it or may shall, so no robot is shown beside it.
    """
    rows = (
        Memory.objects.using(SUPPORT_ALIAS)
        .only(*MEMORY_COLUMNS)
        .filter(organisation_id=organisation_id)
    )
    taught = Audience.objects.filter(
        organisation_id=organisation_id, id=OuterRef("audience_id"), kind__in=HIDING_AUDIENCE_TYPES
    )
    return rows.annotate(untold=Exists(taught))


def find_memory_metadata(organisation_id: UUID, memory_id: UUID) -> MemoryMetadata | None:
    """The facts of one memory; None if it does not exist."""
    memory = support_memories(organisation_id).filter(id=memory_id).first()
    if memory is None:
        return None
    tenant = {"organisation_id": organisation_id, "memory_id": memory_id}
    said = Contribution.objects.using(SUPPORT_ALIAS).only(*CONTRIBUTION_COLUMNS).filter(**tenant)
    owed = Pending.objects.using(SUPPORT_ALIAS).only(
        "id", "memory_id", "state", "attempts", "reason"
    )
    return MemoryMetadata(
        memory, list(said.order_by("-last_at")[:50]), owed.filter(**tenant).first()
    )


def support_recalls(organisation_id: UUID) -> "QuerySet[Recall]":
    """The recalls: robot, time, strategy and duration; never the question."""
    return (
        Recall.objects.using(SUPPORT_ALIAS)
        .only(*RECALL_COLUMNS)
        .filter(organisation_id=organisation_id)
    )


def support_audit_entries(organisation_id: UUID) -> "QuerySet[AuditEntry]":
    """The audit trail without details; with `untold`, whether who did it stays untold."""
    rows = (
        AuditEntry.objects.using(SUPPORT_ALIAS)
        .only(*AUDIT_COLUMNS)
        .filter(organisation_id=organisation_id)
    )
    return with_robot_untold(rows)


WORKER = "worker"
# The only columns that the role may read.
JOB_COLUMNS = (
    "id",
    "kind",
    "state",
    "done",
    "total",
    "attempts",
    "created_at",
    "member_id",
    "robot_id",
    "reason",
    "leased_until",
    "queued_at",
    "finished_at",
    "period",
)
PENDING_COLUMNS = ("id", "memory_id", "state", "attempts", "reason", "created_at")
# The limit of counts, and how many dead rows are listed.
MAX_COUNTED, MAX_LISTED = 10_000, 20


@dataclass(frozen=True, slots=True)
class PendingOverview:
    """Pending work of one kind. waiting, dead: how many rows wait, and how many are not tried any
    more, each up to COUNTED. newest: the newest dead rows."""

    waiting: int
    dead: int
    newest: list[PendingWork]


def support_jobs(organisation_id: UUID) -> "QuerySet[Job]":
    """The jobs of an organisation; evaluate inside support's scope."""
    return (
        Job.objects.using(SUPPORT_ALIAS).only(*JOB_COLUMNS).filter(organisation_id=organisation_id)
    )


def get_pending_embeddings(organisation_id: UUID) -> PendingOverview:
    """Pending embeddings; call inside support's scope."""
    return _pending_overview(Pending, organisation_id)


def get_pending_restatements(organisation_id: UUID) -> PendingOverview:
    """Pending questions to the language model; call inside support's scope."""
    return _pending_overview(PendingRestatement, organisation_id)


def _pending_overview(model: type[PendingWork], organisation_id: UUID) -> PendingOverview:
    rows = model._default_manager.using(SUPPORT_ALIAS).filter(organisation_id=organisation_id)
    dead = rows.filter(state=PendingState.DEAD)
    newest = list(dead.only(*PENDING_COLUMNS).order_by("-created_at", "-id")[:MAX_LISTED])
    return PendingOverview(
        rows.filter(state__in=OWED_STATES).values("id")[:MAX_COUNTED].count(),
        dead.values("id")[:MAX_COUNTED].count() if len(newest) == MAX_LISTED else len(newest),
        newest,
    )


def robot_ids_by_memory(organisation_id: UUID, owed: Sequence[PendingWork]) -> dict[UUID, UUID]:
    """The robots that wrote the memories of these rows, by memory id; call inside support's
    scope."""
    if not owed:
        return {}
    rows = Memory.objects.using(SUPPORT_ALIAS).filter(
        organisation_id=organisation_id, id__in=[one.memory_id for one in owed]
    )
    return {id_: robot for id_, robot in rows.values_list("id", "robot_id") if robot}


def retry_job(staff: User, organisation_id: UUID, job_id: UUID, *, now: datetime) -> Job:
    """Resume a failed job at its place.

    Raises NotFoundError, and AlreadyExistsError if it has not failed; a cancelled job stays
    cancelled.
    """
    with organisation_scope(organisation_id, using=WORKER):
        rows = Job.objects.using(WORKER).filter(organisation_id=organisation_id)
        job = resume_job(rows, job_id, now=now, stopped=(JobState.DEAD,))
        audit.record_entry(
            "support.job_retried",
            actor=Actor(organisation_id=organisation_id),
            now=now,
            staff=staff.pk,
            target=job.id,
            target_type="job",
            using=WORKER,
            kind=job.kind,
        )
    notify_job_worker(organisation_id, job.id, job.member_id)
    return job


def retry_embeddings(staff: User, organisation_id: UUID, *, now: datetime) -> int:
    """Retry every dead embedding; returns how many. Raises NotFoundError if there is none."""
    count = _retry(Pending, "support.embeddings_retried", staff, organisation_id, now)
    notify_embedding_worker(organisation_id)
    return count


def retry_restatements(staff: User, organisation_id: UUID, *, now: datetime) -> int:
    """Retry every dead question to the language model; returns how many. Raises NotFoundError if
    there is none."""
    count = _retry(PendingRestatement, "support.answers_retried", staff, organisation_id, now)
    notify_restatement_worker(organisation_id)
    return count


def _retry(
    model: type[PendingWork], action: str, staff: User, organisation_id: UUID, now: datetime
) -> int:
    with organisation_scope(organisation_id, using=WORKER):
        rows = model._default_manager.using(WORKER).filter(
            organisation_id=organisation_id, state=PendingState.DEAD
        )
        count = rows.update(**RETRIED)
        if not count:
            raise NotFoundError("no such work")
        audit.record_entry(
            action,
            actor=Actor(organisation_id=organisation_id),
            now=now,
            staff=staff.pk,
            using=WORKER,
            count=count,
        )
    return count
