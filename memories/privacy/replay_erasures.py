"""Repeat, in a restored database, the erasures that the ledger has after the backup."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memories.jobs.models import Job
from memories.jobs.organisation_run import do
from memories.jobs.queue import JobTurn, finish
from memories.privacy.erasure.begin import ROW, begin_erasure, bury
from memories.privacy.erasure.models import Erasure, Gone, SourceKind, Target
from memories.privacy.erasure.run_state import WORKER
from memories.privacy.request_erasure import job_to_run
from memories.store.models.memory import Memory
from orgs.database.ledger import Entry
from orgs.database.rls import organisation_scope
from orgs.members.members import close_membership
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.principals import Actor


class Unfinished(Exception):
    """Something that was erased still exists, so the service must not start."""


def replay(entries: Sequence[Entry], say: Callable[[str], None]) -> None:
    """Repeat every erasure of the ledger that is unfinished in this database. Raises Unfinished."""
    again = sum(_replay_rows(id_, rows) for id_, rows in _rows_of(entries).items())
    for entry in entries:
        if entry["what"] in (Target.MEMBER, Target.MEMORY, *SourceKind.values):
            again += _replay(entry, timezone.now())
    if again:
        say(f"{again:,} erasures were done again")


def _rows_of(entries: Sequence[Entry]) -> dict[UUID, list[UUID]]:
    """The single erased memories, by organisation."""
    found: dict[UUID, list[UUID]] = {}
    for entry in entries:
        if entry["what"] == ROW:
            found.setdefault(UUID(entry["organisation"]), []).append(UUID(entry["target"]))
    return found


def _replay_rows(organisation_id: UUID, rows: list[UUID]) -> int:
    """Erase the restored ones in one act; returns how many."""
    with organisation_scope(organisation_id, using=WORKER):
        memories = Memory.objects.using(WORKER).filter(organisation_id=organisation_id)
        back = list(memories.filter(id__in=rows).values_list("id", flat=True))
    if not back:
        return 0
    nobody, now = Actor(organisation_id=organisation_id), timezone.now()
    with organisation_scope(organisation_id):
        erasure = begin_erasure(nobody, Target.MEMORY, back[0], now, at_once=True, exact=True)
        bury(erasure, Gone.MEMORY, back, now)
    if (job := job_to_run(erasure, now=now)) is None:
        raise Unfinished(f"Erasure {erasure.id} has no job that can run.")
    _finish(job, erasure.id)
    return len(back)


def _replay(entry: Entry, now: datetime) -> int:
    organisation_id, id_ = UUID(entry["organisation"]), UUID(entry["id"])
    if not Organisation.objects.using(WORKER).filter(id=organisation_id).exists():
        return 0
    with organisation_scope(organisation_id, using=WORKER):
        rows = Erasure.objects.using(WORKER).filter(organisation_id=organisation_id, id=id_)
        erasure = rows.first()
    if erasure is not None and erasure.finished_at is not None:
        return 0
    if erasure is None:
        erasure = _begin(organisation_id, id_, entry["what"], UUID(entry["target"]), now)
    if (job := job_to_run(erasure, now=now)) is None:
        raise Unfinished(f"Erasure {id_} has no job that can run.")
    _finish(job, id_)
    return 1


def _finish(job: Job, id_: UUID) -> None:
    if not do(job, now=timezone.now(), turn=JobTurn(float("inf"))):
        raise Unfinished(f"Erasure {id_} did not come to its end.")
    finish(None, job)


def _begin(organisation_id: UUID, id_: UUID, what: str, target: UUID, now: datetime) -> Erasure:
    """The same erasure in this database. Whoever asked for it may not exist here."""
    nobody = Actor(organisation_id=organisation_id)
    with organisation_scope(organisation_id):
        if what in SourceKind.values:
            return begin_erasure(
                nobody, Target.SOURCE, target, now, source=what, at_once=True, id_=id_
            )
        erasure = begin_erasure(nobody, Target(what), target, now, at_once=True, id_=id_)
        if what == Target.MEMBER:
            rows = Member.objects.filter(organisation_id=organisation_id, id=target)
            if (member := rows.select_for_update(of=("self",)).first()) is not None:
                close_membership(nobody, member, now)
            bury(erasure, Gone.MEMBER, [target], now)
    return erasure
