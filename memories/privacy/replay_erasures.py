"""Repeat, in a restored database, the erasures that the ledger has after the backup."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memories.jobs.job_queue import JobTimeSlice, finish_job
from memories.jobs.models import Job
from memories.jobs.organisation_run import run_time_slice
from memories.privacy.erasure.begin_erasure import (
    LEDGER_MEMORY_ROW,
    begin_erasure,
    create_tombstones,
)
from memories.privacy.erasure.erasure_run import (
    WORKER,
    Erasure,
    ErasureSource,
    ErasureTarget,
    TombstoneType,
)
from memories.privacy.request_erasure import claim_job
from memories.store.models.memory import Memory
from orgs.database.erasure_ledger import LedgerEntry
from orgs.database.rls import organisation_scope
from orgs.members.members import close_membership
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.principals import Actor


class UnfinishedErasureError(Exception):
    """Something that was erased still exists, so the service must not start."""


def replay_erasures(entries: Sequence[LedgerEntry], say: Callable[[str], None]) -> None:
    """Repeat every erasure of the ledger that is unfinished in this database. Raises
    UnfinishedErasureError."""
    again = sum(
        _replay_memory_rows(id_, rows)
        for id_, rows in _memory_rows_by_organisation(entries).items()
    )
    for entry in entries:
        if entry["what"] in (ErasureTarget.MEMBER, ErasureTarget.MEMORY, *ErasureSource.values):
            again += _replay_entry(entry, timezone.now())
    if again:
        say(f"{again:,} erasures were done again")


def _memory_rows_by_organisation(entries: Sequence[LedgerEntry]) -> dict[UUID, list[UUID]]:
    """The single erased memories, by organisation."""
    found: dict[UUID, list[UUID]] = {}
    for entry in entries:
        if entry["what"] == LEDGER_MEMORY_ROW:
            found.setdefault(UUID(entry["organisation"]), []).append(UUID(entry["target"]))
    return found


def _replay_memory_rows(organisation_id: UUID, rows: list[UUID]) -> int:
    """Erase the restored ones in one act; returns how many."""
    with organisation_scope(organisation_id, using=WORKER):
        memories = Memory.objects.using(WORKER).filter(organisation_id=organisation_id)
        back = list(memories.filter(id__in=rows).values_list("id", flat=True))
    if not back:
        return 0
    nobody, now = Actor(organisation_id=organisation_id), timezone.now()
    with organisation_scope(organisation_id):
        erasure = begin_erasure(
            nobody, ErasureTarget.MEMORY, back[0], now, at_once=True, exact=True
        )
        create_tombstones(erasure, TombstoneType.MEMORY, back, now)
    if (job := claim_job(erasure, now=now)) is None:
        raise UnfinishedErasureError(f"Erasure {erasure.id} has no job that can run.")
    _run_to_end(job, erasure.id)
    return len(back)


def _replay_entry(entry: LedgerEntry, now: datetime) -> int:
    organisation_id, id_ = UUID(entry["organisation"]), UUID(entry["id"])
    with organisation_scope(organisation_id, using=WORKER):
        if not Organisation.objects.using(WORKER).filter(id=organisation_id).exists():
            return 0
        rows = Erasure.objects.using(WORKER).filter(organisation_id=organisation_id, id=id_)
        erasure = rows.first()
    if erasure is not None and erasure.finished_at is not None:
        return 0
    if erasure is None:
        erasure = _begin_again(organisation_id, id_, entry["what"], UUID(entry["target"]), now)
    if (job := claim_job(erasure, now=now)) is None:
        raise UnfinishedErasureError(f"Erasure {id_} has no job that can run.")
    _run_to_end(job, id_)
    return 1


def _run_to_end(job: Job, id_: UUID) -> None:
    if not run_time_slice(job, now=timezone.now(), turn=JobTimeSlice(float("inf"))):
        raise UnfinishedErasureError(f"Erasure {id_} did not come to its end.")
    finish_job(None, job)


def _begin_again(
    organisation_id: UUID, id_: UUID, what: str, target: UUID, now: datetime
) -> Erasure:
    """The same erasure in this database. Whoever asked for it may not exist here."""
    nobody = Actor(organisation_id=organisation_id)
    with organisation_scope(organisation_id):
        if what in ErasureSource.values:
            return begin_erasure(
                nobody, ErasureTarget.SOURCE, target, now, source=what, at_once=True, id_=id_
            )
        erasure = begin_erasure(nobody, ErasureTarget(what), target, now, at_once=True, id_=id_)
        if what == ErasureTarget.MEMBER:
            rows = Member.objects.filter(organisation_id=organisation_id, id=target)
            if (member := rows.select_for_update(of=("self",)).first()) is not None:
                close_membership(nobody, member, now)
            create_tombstones(erasure, TombstoneType.MEMBER, [target], now)
    return erasure
