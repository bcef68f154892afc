"""The rows with which an erasure begins: itself, its job, tombstones, its line in the ledger."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID, uuid5

from django.db import transaction

from memories.jobs.models import Job, JobKind, JobState
from memories.jobs.organisation_queue import curators_audience, new_job
from memories.jobs.queue import hint
from memories.privacy.erasure.models import Erasure, Gone, SourceKind, Target, Tombstone
from orgs import audit
from orgs.database import ledger
from orgs.database.rls import Scope, scope
from orgs.models.base import new_id
from orgs.principals import Actor, Principal

# In the ledger: one memory that is gone, and nothing that was made of it.
ROW = "memory-row"
# The one job that takes what single memories left off the disk, however many they were.
SINGLE = {"memories": True}


def running_erasure(organisation_id: UUID, what: Target, target: UUID) -> Erasure | None:
    """The erasure of the same that is not at its end."""
    audience_id = curators_audience(organisation_id)
    with scope(Scope(organisation=organisation_id, audiences=(audience_id,))):
        return Erasure.objects.filter(
            organisation_id=organisation_id, what=what, target=target, finished_at=None
        ).first()


def begin_erasure(
    actor: Actor,
    what: Target,
    target: UUID,
    now: datetime,
    *,
    source: str = "",
    at_once: bool = False,
    id_: UUID | None = None,
    exact: bool = False,
) -> Erasure:
    """An erasure with its job. at_once: the caller runs the job. id_: of one that is done again
    after a restore. exact: what has a tombstone goes, and nothing else is looked for."""
    audience_id = curators_audience(actor.organisation_id)
    erasure = _erasure(actor, what, target, now, audience_id, source, id_ or new_id())
    job = new_job(
        actor.organisation_id,
        JobKind.ERASE,
        audience_id,
        now,
        parameters={"erasure": str(erasure.id), **({"exact": True} if exact else {})},
    )
    with scope(Scope(organisation=actor.organisation_id, audiences=(audience_id,))):
        job.save(force_insert=True)
        _write(erasure, job)
        # A line for what was rolled back would erase it at the next restore. The job writes it
        # once more, for whoever dies in between.
        transaction.on_commit(lambda: note_in_ledger(erasure))
        audit.record(
            "erasure.asked",
            actor=actor,
            now=now,
            target=erasure.id,
            target_type="erasure",
            what=str(what),
            source=str(source),
        )
    if not at_once:
        hint(job)
    return erasure


def note_erased(
    principal: Principal, ids: Iterable[UUID], *, target: UUID, now: datetime
) -> Erasure:
    """Memories that are gone already: tombstones, a receipt that the asker alone reads, and a job
    that takes what they left off the disk; one job for all that wait for it."""
    gone, actor = sorted(ids), principal.actor
    audience_id = curators_audience(actor.organisation_id)
    erasure = _erasure(actor, Target.MEMORY, target, now, principal.own_audience, "", new_id())
    erasure.counts = {"memories": len(gone)}
    readable = (audience_id, principal.own_audience)
    with scope(Scope(organisation=actor.organisation_id, audiences=readable)):
        job = _job_of_single(actor.organisation_id, audience_id, now)
        _write(erasure, job)
        bury(erasure, Gone.MEMORY, gone, now, gone=True)
        transaction.on_commit(lambda: note_in_ledger(erasure, gone))
    hint(job)
    return erasure


def _job_of_single(organisation_id: UUID, audience_id: UUID, now: datetime) -> Job:
    waiting = Job.objects.select_for_update(skip_locked=True).filter(
        organisation_id=organisation_id,
        kind=JobKind.ERASE,
        state=JobState.WAITING,
        parameters=SINGLE,
    )
    if job := waiting.first():
        return job
    job = new_job(organisation_id, JobKind.ERASE, audience_id, now, parameters=dict(SINGLE))
    job.save(force_insert=True)
    return job


def _erasure(
    actor: Actor,
    what: Target,
    target: UUID,
    now: datetime,
    audience_id: UUID,
    source: str,
    id_: UUID,
) -> Erasure:
    return Erasure(
        id=id_,
        organisation_id=actor.organisation_id,
        audience_id=audience_id,
        what=what,
        source=source,
        target=target,
        asked_by=actor.member_id,
        created_at=now,
        incomplete=source in (SourceKind.KEY, SourceKind.IMPORT),
    )


def _write(erasure: Erasure, job: Job) -> None:
    erasure.job_id = job.id
    erasure.save(force_insert=True)


def note_in_ledger(erasure: Erasure, rows: Sequence[UUID] = ()) -> None:
    """Tell the ledger, which lies outside the database, for backups of before.

    rows: of memories that are gone already a line each, so that a restore erases these and nothing
    that was made of them and stays.
    """
    whole = str(erasure.source or erasure.what)
    acts = [(whole, erasure.target, erasure.id)]
    if erasure.what == Target.MEMORY and rows:
        acts = [(ROW, row, uuid5(erasure.id, str(row))) for row in rows]
    ledger.append_all(
        {
            "id": id_,
            "organisation": erasure.organisation_id,
            "what": what,
            "target": target,
            "at": erasure.created_at,
        }
        for what, target, id_ in acts
    )


def bury(
    erasure: Erasure, kind: Gone, ids: Iterable[UUID], now: datetime, *, gone: bool = False
) -> None:
    """Set tombstones. gone: the rows are not there any more."""
    Tombstone.objects.bulk_create(
        [
            Tombstone(
                organisation_id=erasure.organisation_id,
                erasure_id=erasure.id,
                kind=kind,
                target=id_,
                at=now,
                gone_at=now if gone else None,
            )
            for id_ in ids
        ],
        ignore_conflicts=True,
        batch_size=1_000,
    )
