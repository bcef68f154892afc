"""The steps of an erasure, in their order. A finished step has a row.

A resumed run begins at the first step without a row; a step that was begun does what is left. So
the result is the same, however often a run breaks off.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from memories.jobs.organisation_run import OrganisationRun
from memories.privacy.erasure import remains
from memories.privacy.erasure.begin import SINGLE, note_in_ledger
from memories.privacy.erasure.collect import collect
from memories.privacy.erasure.delete import (
    TABLES,
    KeepOn,
    delete_belongings,
    delete_memories,
    delete_messages,
    recount,
)
from memories.privacy.erasure.foresee import terms_for
from memories.privacy.erasure.mask import MEMORIES, hide_names
from memories.privacy.erasure.models import Erasure, ErasureStep, Gone
from memories.privacy.erasure.run_state import WORKER, Running
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.members.erase import empty_member
from orgs.models.base import new_id
from orgs.principals import Actor

# How long to wait for transactions that began before the member or source was closed.
SETTLE_SECONDS = 30.0
# From this number of tombstones on the table is analysed.
MANY = 1_000
# How often late rows are collected in one turn.
AGAIN = 5

# The names of the counts of deleted rows, by table.
TAKEN_FROM = {
    MEMORIES: ("memories", f"masked {MEMORIES}"),
    "robots_conversation": ("messages", "conversations"),
    **{table: (name,) for name, table in TABLES.items()},
}

Counts = dict[str, int]
# The counts of a step; None if it was stopped and continues later.
Step = Callable[[Running, OrganisationRun], Counts | None]


def _settle(running: Running, run: OrganisationRun) -> Counts | None:
    """Wait until no transaction still writes that began before the erasure."""
    return {} if _ended(running, remains.WRITERS) else None


def _ended(running: Running, kind: str) -> bool:
    """Wait for the transactions that are open now. Returns False if one takes too long."""
    there, until = remains.transactions(running, kind), time.monotonic() + SETTLE_SECONDS
    while there := there & remains.transactions(running, kind):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _collect(running: Running, run: OrganisationRun) -> Counts | None:
    collect(running)
    [(total,)] = running.rows(
        "SELECT count(*) FROM memories_tombstone WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s"
    )
    run.job.total = total + len(STEPS)
    if total > MANY:
        # Otherwise the planner assumes an empty table, and reads all of it for each batch.
        remains.analyse("memories_tombstone")
    return {}


def _counting(run: OrganisationRun) -> KeepOn:
    """A callback that adds the deleted rows of a batch to the job's progress."""
    before = run.job.done
    return lambda gone: run.step(before + gone, run.job.total)


def _memories(running: Running, run: OrganisationRun) -> Counts | None:
    return delete_memories(running, _counting(run))


def _messages(running: Running, run: OrganisationRun) -> Counts | None:
    return delete_messages(running, _counting(run))


def _recount(running: Running, run: OrganisationRun) -> Counts | None:
    return recount(running)


def _belongings(running: Running, run: OrganisationRun) -> Counts | None:
    return delete_belongings(running)


def _again(running: Running, run: OrganisationRun) -> Counts | None:
    """Collect and delete rows that were written meanwhile, until nothing is found; None after AGAIN
    tries."""
    counts: Counts = {}
    for _ in range(AGAIN):
        found = collect(running)
        for step in (_memories, _messages, _belongings):
            done = step(running, run)
            if done is None:
                return None
            _add(counts, done)
        if not found:
            return counts
    return None


def _names(running: Running, run: OrganisationRun) -> Counts | None:
    return {f"masked {table}": n for table, n in hide_names(running, terms_for(running)).items()}


def _logs(running: Running, run: OrganisationRun) -> Counts | None:
    return {
        "log_places": remains.blank_logs(terms_for(running).unmistakable),
        "exports": remains.discard_exports(running),
    }


def _member(running: Running, run: OrganisationRun) -> Counts | None:
    if running.member_id is None:
        return {}
    # Before the member's row is emptied: until then a robot could add an identity again.
    identities = running.change(
        "DELETE FROM orgs_externalidentity WHERE organisation_id = %(organisation)s "
        "AND member_id = %(target)s"
    )
    accounts = empty_member(running.organisation_id, running.member_id, now=running.now)
    return {"members": 1, "user_accounts": accounts, "identities": identities}


def _caches(running: Running, run: OrganisationRun) -> Counts | None:
    remains.clear_caches()
    return {}


def _disk(running: Running, run: OrganisationRun) -> Counts | None:
    # A vacuum keeps rows that older transactions may still see.
    if not _ended(running, remains.ALL):
        return None
    counts = counts_of(running)
    tables: set[str] = set(remains.OF_MEMBERS) if running.member_id else set()
    for table, names in TAKEN_FROM.items():
        if any(counts.get(name) for name in names):
            tables |= remains.going_with(table)
    tables |= {name.partition(" ")[2] for name, n in counts.items() if name.startswith("masked ")}
    rebuilt = remains.rebuild_indexes(running, counts.get("memories", 0))
    return {"indexes_rebuilt": rebuilt, **remains.vacuum(tables)}


STEPS: tuple[tuple[str, Step], ...] = (
    ("settle", _settle),
    ("collect", _collect),
    # While the rows with the member's names exist.
    ("logs", _logs),
    ("names", _names),
    ("memories", _memories),
    ("messages", _messages),
    ("recount", _recount),
    ("belongings", _belongings),
    ("again", _again),
    ("member", _member),
    ("caches", _caches),
    ("disk", _disk),
)


def run_erase(run: OrganisationRun) -> None:
    """One turn of the job: every unfinished step, and at the end the receipt."""
    if run.parameters == SINGLE:
        _clear_after_single(run)
        return
    with organisation_scope(run.organisation_id, using=WORKER):
        erasure = Erasure.objects.using(WORKER).get(
            organisation_id=run.organisation_id, id=run.parameters["erasure"]
        )
    if erasure.finished_at is not None:
        return
    running = Running(erasure, run.now)
    done = set(steps_done(running))
    if run.parameters.get("exact"):
        done |= {"collect", "again"}
    elif not done:
        note_in_ledger(erasure)
    run.job.total = max(run.job.total, len(STEPS))
    for name, step in STEPS:
        if name in done:
            continue
        counts = step(running, run)
        if counts is None:
            run.stopped = True
            return
        _note(running, name, counts)
        run.count(**{key: n for key, n in counts.items() if n})
        last = name == STEPS[-1][0]
        if not run.step(run.job.done + 1, run.job.total) and not last:
            return
    run.stopped = False
    run.job.done = run.job.total
    _finish(running, counts_of(running))


def _clear_after_single(run: OrganisationRun) -> None:
    """Clean the disk after erasures of single memories, and finish their receipts."""
    with organisation_scope(run.organisation_id, using=WORKER):
        waiting = Erasure.objects.using(WORKER).filter(
            # Other erasures of a memory have a job of their own, which may not have begun.
            organisation_id=run.organisation_id,
            job_id=run.job.id,
            finished_at=None,
        )
        found = list(waiting.order_by("id"))
    if not found:
        return
    if not _ended(Running(found[0], run.now), remains.ALL):
        run.stopped = True
        return
    remains.clear_caches()
    disk = remains.vacuum(remains.going_with(MEMORIES), rewrite=False)
    for erasure in found:
        note_in_ledger(erasure, Running(erasure, run.now).buried())
    # The numbers are only in the receipts, for those who asked.
    run.count(vacuumed=disk["vacuumed"])
    for erasure in found:
        _finish(Running(erasure, run.now), {**erasure.counts, **disk})


def steps_done(running: Running) -> list[str]:
    """The names of the steps that have a row."""
    rows = running.rows(
        "SELECT name FROM memories_erasurestep WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s ORDER BY at, id"
    )
    return [name for (name,) in rows]


def counts_of(running: Running) -> Counts:
    """What the steps did so far, by table."""
    found: Counts = {}
    for (counts,) in running.rows(
        "SELECT counts FROM memories_erasurestep WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s"
    ):
        _add(found, counts)
    rows = running.rows(
        "SELECT kind, count(*) FROM memories_tombstone WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s AND gone_at IS NOT NULL GROUP BY 1"
    )
    gone = dict(rows)
    # A step that broke off may have deleted rows that it did not count; their tombstones are
    # counted.
    names = {Gone.MEMORY: "memories", Gone.MESSAGE: "messages", Gone.CONVERSATION: "conversations"}
    return found | {name: gone[kind] for kind, name in names.items() if kind in gone}


def _add(counts: Counts, more: Counts) -> None:
    for name, number in more.items():
        counts[name] = counts.get(name, 0) + number


def _note(running: Running, name: str, counts: Counts) -> None:
    with organisation_scope(running.organisation_id, using=WORKER):
        ErasureStep.objects.using(WORKER).bulk_create(
            [
                ErasureStep(
                    id=new_id(),
                    organisation_id=running.organisation_id,
                    erasure_id=running.erasure.id,
                    name=name,
                    at=timezone.now(),
                    counts=counts,
                )
            ],
            ignore_conflicts=True,
        )


def _finish(running: Running, did: Counts) -> None:
    erasure, counts = running.erasure, {name: n for name, n in did.items() if n}
    erasure.finished_at, erasure.counts = running.now, counts
    [(erasure.mentions,)] = running.rows(
        "SELECT count(*) FROM memories_proposal WHERE organisation_id = %(organisation)s "
        "AND cause = 'mention' AND details->>'erasure' = %(erasure)s::text"
    )
    # The last backup with the data was made before this day.
    erasure.backups_until = (running.now + timedelta(days=settings.BACKUP_KEEP_DAYS)).date()
    fields: list[str] = ["finished_at", "counts", "mentions", "backups_until"]
    with organisation_scope(running.organisation_id, using=WORKER):
        erasure.save(using=WORKER, update_fields=fields)
        detail: dict[str, Any] = {"what": erasure.what, "counts": counts}
        audit.record(
            "erasure.done",
            actor=Actor(organisation_id=running.organisation_id),
            now=running.now,
            target=erasure.id,
            target_type="erasure",
            using=WORKER,
            **detail,
        )
