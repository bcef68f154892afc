"""Begin an erasure: its row, its job, tombstones, and its line in the ledger."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from django.db import transaction

from memories.jobs.job_queue import notify_after_commit
from memories.jobs.models import Job, JobState, JobType
from memories.jobs.organisation_run import build_job, ensure_curators_audience
from memories.privacy.erasure.collect_rows import collect_rows, fetch_nicknames
from memories.privacy.erasure.erasure_run import (
    WORKER,
    Erasure,
    ErasureRun,
    ErasureSource,
    ErasureTarget,
    Tombstone,
    TombstoneType,
)
from memories.privacy.erasure.hide_names import count_mentions
from memories.privacy.erasure.name_terms import NameTerms, build_name_terms
from orgs import audit
from orgs.database import erasure_ledger
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.members.member_erasure import load_member_names
from orgs.models.base import new_id
from orgs.principals import Actor, Principal

# What an erasure would reach, in numbers, without doing it.


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePreview:
    """memories: how many would be erased, `derived` of them because they were made from others.
    mentions: memories of others in which a name would be hidden."""

    memories: int
    derived: int
    messages: int
    conversations: int
    jobs: int
    mentions: int


def preview_erasure(
    organisation_id: UUID, what: ErasureTarget, target: UUID, *, source: str = "", now: datetime
) -> ErasurePreview:
    """Count what an erasure would reach, in a transaction that is rolled back."""
    audience_id = ensure_curators_audience(organisation_id)
    erasure = Erasure(
        organisation_id=organisation_id,
        audience_id=audience_id,
        what=what,
        source=source,
        target=target,
        created_at=now,
    )
    running = ErasureRun(erasure, now)
    with organisation_scope(organisation_id, using=WORKER):
        erasure.save(using=WORKER, force_insert=True)
        collect_rows(running)
        rows = running.rows(
            "SELECT kind, derived, count(*) FROM memories_tombstone "
            "WHERE organisation_id = %(organisation)s AND erasure_id = %(erasure)s GROUP BY 1, 2"
        )
        mentions = count_mentions(running, load_name_terms(running))
        transaction.set_rollback(True, using=WORKER)
    by_kind: dict[str, int] = {}
    for kind, _, number in rows:
        by_kind[kind] = by_kind.get(kind, 0) + number
    return ErasurePreview(
        memories=by_kind.get(TombstoneType.MEMORY, 0),
        derived=sum(
            number for kind, derived, number in rows if derived and kind == TombstoneType.MEMORY
        ),
        messages=by_kind.get(TombstoneType.MESSAGE, 0),
        conversations=by_kind.get(TombstoneType.CONVERSATION, 0),
        jobs=by_kind.get(TombstoneType.JOB, 0),
        mentions=mentions,
    )


def load_name_terms(running: ErasureRun) -> NameTerms:
    """The words that name the member in this organisation; empty if no member is erased."""
    if running.member_id is None:
        return NameTerms((), ())
    known = load_member_names(running.organisation_id, running.member_id)
    return build_name_terms(known.names, known.identifiers, known.others, fetch_nicknames(running))


# In the ledger: one erased memory without anything made from it.
LEDGER_MEMORY_ROW = "memory-row"
# The parameters of the one job that cleans the disk after erasures of single memories.
SINGLE_MEMORIES_PARAMETERS = {"memories": True}


def find_unfinished_erasure(
    organisation_id: UUID, what: ErasureTarget, target: UUID
) -> Erasure | None:
    """The unfinished erasure of the same target, if any."""
    audience_id = ensure_curators_audience(organisation_id)
    with scope(Scope(organisation=organisation_id, audiences=(audience_id,))):
        return Erasure.objects.filter(
            organisation_id=organisation_id, what=what, target=target, finished_at=None
        ).first()


def begin_erasure(
    actor: Actor,
    what: ErasureTarget,
    target: UUID,
    now: datetime,
    *,
    source: str = "",
    at_once: bool = False,
    id_: UUID | None = None,
    exact: bool = False,
) -> Erasure:
    """Store an erasure and its job. at_once: the caller runs the job. id_: of an erasure that is
    repeated after a restore. exact: erase only rows that have a tombstone, and search no others."""
    audience_id = ensure_curators_audience(actor.organisation_id)
    erasure = _build_erasure(actor, what, target, now, audience_id, source, id_ or new_id())
    job = build_job(
        actor.organisation_id,
        JobType.ERASE,
        audience_id,
        now,
        parameters={"erasure": str(erasure.id), **({"exact": True} if exact else {})},
    )
    with scope(Scope(organisation=actor.organisation_id, audiences=(audience_id,))):
        job.save(force_insert=True)
        _save_erasure(erasure, job)
        # On commit, because a line for a rolled-back erasure would erase at the next restore. The
        # job writes it again, in case this process dies before.
        transaction.on_commit(lambda: append_to_ledger(erasure))
        audit.record_entry(
            "erasure.asked",
            actor=actor,
            now=now,
            target=erasure.id,
            target_type="erasure",
            what=str(what),
            source=str(source),
        )
    if not at_once:
        notify_after_commit(job)
    return erasure


def record_erased_memories(
    principal: Principal, ids: Iterable[UUID], *, target: UUID, now: datetime
) -> Erasure:
    """Record memories that are erased already: tombstones, a receipt that only the asker reads, and
    a job that cleans the disk; one waiting job serves all."""
    gone, actor = sorted(ids), principal.actor
    audience_id = ensure_curators_audience(actor.organisation_id)
    erasure = _build_erasure(
        actor, ErasureTarget.MEMORY, target, now, principal.own_audience, "", new_id()
    )
    erasure.counts = {"memories": len(gone)}
    readable = (audience_id, principal.own_audience)
    with scope(Scope(organisation=actor.organisation_id, audiences=readable)):
        job = _ensure_cleanup_job(actor.organisation_id, audience_id, now)
        _save_erasure(erasure, job)
        create_tombstones(erasure, TombstoneType.MEMORY, gone, now, gone=True)
        transaction.on_commit(lambda: append_to_ledger(erasure, gone))
    notify_after_commit(job)
    return erasure


def _ensure_cleanup_job(organisation_id: UUID, audience_id: UUID, now: datetime) -> Job:
    waiting = Job.objects.select_for_update(skip_locked=True).filter(
        organisation_id=organisation_id,
        kind=JobType.ERASE,
        state=JobState.WAITING,
        parameters=SINGLE_MEMORIES_PARAMETERS,
    )
    if job := waiting.first():
        return job
    job = build_job(
        organisation_id,
        JobType.ERASE,
        audience_id,
        now,
        parameters=dict(SINGLE_MEMORIES_PARAMETERS),
    )
    job.save(force_insert=True)
    return job


def _build_erasure(
    actor: Actor,
    what: ErasureTarget,
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
        incomplete=source in (ErasureSource.KEY, ErasureSource.IMPORT),
    )


def _save_erasure(erasure: Erasure, job: Job) -> None:
    erasure.job_id = job.id
    erasure.save(force_insert=True)


def append_to_ledger(erasure: Erasure, rows: Sequence[UUID] = ()) -> None:
    """Write an erasure into the ledger, which is outside the database, for restores of older
    backups.

    rows: erased memories, a line each, so that a restore erases only these and not what was made
    from them and stays.
    """
    whole = str(erasure.source or erasure.what)
    acts = [(whole, erasure.target, erasure.id)]
    if erasure.what == ErasureTarget.MEMORY and rows:
        acts = [(LEDGER_MEMORY_ROW, row, uuid5(erasure.id, str(row))) for row in rows]
    erasure_ledger.append_entries(
        {
            "id": id_,
            "organisation": erasure.organisation_id,
            "what": what,
            "target": target,
            "at": erasure.created_at,
        }
        for what, target, id_ in acts
    )


def create_tombstones(
    erasure: Erasure, kind: TombstoneType, ids: Iterable[UUID], now: datetime, *, gone: bool = False
) -> None:
    """Set tombstones for these ids. gone: the rows are deleted already."""
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
