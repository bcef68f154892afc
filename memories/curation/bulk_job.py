"""One change for many memories as a job, and its undo."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.browsing.job_pages import get_job
from memories.curation.bulk_change import (
    REFUSAL_ERRORS,
    BulkChange,
    Waits,
    apply_change,
    skip_reason,
    undo_change,
)
from memories.jobs.job_queue import (
    JobTimeSlice,
    enqueue_job,
    finish_job,
    requeue_job,
    save_progress,
)
from memories.jobs.models import Job, JobState, JobType
from orgs.errors import AlreadyExistsError
from orgs.principals import Actor, Principal, resolve_principal

MAX_SYNCHRONOUS = 50


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The result of a change: how many memories changed, why others did not, and the job that can
    undo it."""

    changed: int
    skipped: int
    job: Job


def change_memories(
    actor: Actor, ids: Sequence[UUID], change: BulkChange, *, now: datetime
) -> BulkResult:
    """Change many memories: a few at once, more by a job. The job stores what undoing needs."""
    principal = resolve_principal(actor)
    parameters = {"ids": [str(id_) for id_ in ids], "change": change.as_parameters()}
    return _start(principal, parameters, now)


def _start(principal: Principal, parameters: dict[str, Any], now: datetime) -> BulkResult:
    count = len(parameters["ids"])
    at_once = count <= MAX_SYNCHRONOUS
    told = BulkChange.of(parameters["change"]).told() | {"undo": "undoing" in parameters}
    with principal.scope():
        job = enqueue_job(
            principal, JobType.CHANGE, parameters, total=count, now=now, at_once=at_once, told=told
        )
    if not at_once:
        return BulkResult(0, 0, job)
    _apply_changes(principal.actor, job)
    return BulkResult(count - len(job.problems), len(job.problems), job)


def _apply_changes(actor: Actor, job: Job, turn: JobTimeSlice | None = None) -> None:
    """Continue the job at its place, memory by memory. turn: how long; None means to the end."""
    change = BulkChange.of(job.parameters["change"])
    undo = job.result.setdefault("undo", [])
    ids = [UUID(id_) for id_ in job.parameters["ids"]]
    undoing = job.parameters.get("undoing", {})
    for position in range(job.done, len(ids)):
        id_ = ids[position]
        try:
            if undoing:
                undo_change(actor, id_, undoing[str(id_)], timezone.now())
            elif entry := apply_change(actor, id_, change, timezone.now()):
                undo.append(entry)
        except (*REFUSAL_ERRORS, Waits) as error:
            job.problems.append({"id": str(id_), "reason": skip_reason(error)})
        job.done = position + 1
        stops = turn and (turn.over() or (turn.to_note() and not save_progress(actor, job)))
        if stops and job.done < len(ids):
            requeue_job(actor, job)
            return
    finish_job(actor, job)


def run_bulk_change(actor: Actor, job: Job) -> None:
    """One turn of a change or of its undo, in a worker process."""
    _apply_changes(actor, job, JobTimeSlice())


def undo_bulk_change(actor: Actor, job_id: UUID, *, now: datetime) -> BulkResult:
    """Undo a finished change, memory by memory. Raises NotFoundError and AlreadyExistsError."""
    job = get_job(actor, job_id)
    entries = job.result.get("undo", [])
    if job.kind != JobType.CHANGE or job.state != JobState.DONE or not entries:
        raise AlreadyExistsError("There is nothing to undo.")
    principal = resolve_principal(actor)
    parameters = {
        "ids": [id_ for id_, _ in entries],
        "change": job.parameters["change"],
        "undoing": dict(entries),
    }
    with principal.scope():
        Job.objects.filter(id=job.id).update(result={})
    return _start(principal, parameters, now)
