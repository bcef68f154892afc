"""One change for many memories as a job, and its undo."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.curation.bulk import REFUSALS, Change, Waits, change_one, reason_of, undo_one
from memories.jobs.models import Job, JobKind, JobState
from memories.jobs.queue import JobTurn, enqueue, finish, progress, requeue
from memories.library.jobs import job_of
from orgs.errors import AlreadyExists
from orgs.principals import Actor, Principal, resolve

AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The result of a change: how many memories changed, why others did not, and the job that can
    undo it."""

    changed: int
    skipped: int
    job: Job


def change_many(actor: Actor, ids: Sequence[UUID], change: Change, *, now: datetime) -> BulkResult:
    """Change many memories: a few at once, more by a job. The job stores what undoing needs."""
    principal = resolve(actor)
    parameters = {"ids": [str(id_) for id_ in ids], "change": change.as_parameters()}
    return _begin(principal, parameters, now)


def _begin(principal: Principal, parameters: dict[str, Any], now: datetime) -> BulkResult:
    count = len(parameters["ids"])
    at_once = count <= AT_ONCE
    told = Change.of(parameters["change"]).told() | {"undo": "undoing" in parameters}
    with principal.scope():
        job = enqueue(
            principal, JobKind.CHANGE, parameters, total=count, now=now, at_once=at_once, told=told
        )
    if not at_once:
        return BulkResult(0, 0, job)
    _change(principal.actor, job)
    return BulkResult(count - len(job.problems), len(job.problems), job)


def _change(actor: Actor, job: Job, turn: JobTurn | None = None) -> None:
    """Continue the job at its place, memory by memory. turn: how long; None means to the end."""
    change = Change.of(job.parameters["change"])
    undo = job.result.setdefault("undo", [])
    ids = [UUID(id_) for id_ in job.parameters["ids"]]
    undoing = job.parameters.get("undoing", {})
    for position in range(job.done, len(ids)):
        id_ = ids[position]
        try:
            if undoing:
                undo_one(actor, id_, undoing[str(id_)], timezone.now())
            elif entry := change_one(actor, id_, change, timezone.now()):
                undo.append(entry)
        except (*REFUSALS, Waits) as error:
            job.problems.append({"id": str(id_), "reason": reason_of(error)})
        job.done = position + 1
        stops = turn and (turn.over() or (turn.to_note() and not progress(actor, job)))
        if stops and job.done < len(ids):
            requeue(actor, job)
            return
    finish(actor, job)


def run_change(actor: Actor, job: Job) -> None:
    """One turn of a change or of its undo, in a worker process."""
    _change(actor, job, JobTurn())


def undo(actor: Actor, job_id: UUID, *, now: datetime) -> BulkResult:
    """Undo a finished change, memory by memory. Raises NotFound and AlreadyExists."""
    job = job_of(actor, job_id)
    entries = job.result.get("undo", [])
    if job.kind != JobKind.CHANGE or job.state != JobState.DONE or not entries:
        raise AlreadyExists("There is nothing to undo.")
    principal = resolve(actor)
    parameters = {
        "ids": [id_ for id_, _ in entries],
        "change": job.parameters["change"],
        "undoing": dict(entries),
    }
    with principal.scope():
        Job.objects.filter(id=job.id).update(result={})
    return _begin(principal, parameters, now)
