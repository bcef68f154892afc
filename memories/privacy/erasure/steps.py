"""The steps of an erasure, in their order. A finished step has a row.

A resumed run begins at the first step without a row; a step that was begun does what is left. So
the result is the same, however often a run breaks off.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from itertools import chain
from typing import Any

from django.conf import settings
from django.utils import timezone

from memories.jobs.organisation_run import OrganisationRun
from memories.privacy.erasure import cleanup
from memories.privacy.erasure.begin_erasure import (
    SINGLE_MEMORIES_PARAMETERS,
    append_to_ledger,
    load_name_terms,
)
from memories.privacy.erasure.collect_rows import collect_rows
from memories.privacy.erasure.delete_rows import (
    TABLE_BY_COUNT,
    ShouldContinue,
    delete_contributions,
    delete_memories,
    delete_messages,
    delete_other_rows,
)
from memories.privacy.erasure.erasure_run import (
    WORKER,
    Erasure,
    ErasureRun,
    ErasureStep,
    TombstoneType,
)
from memories.privacy.erasure.hide_names import MEMORY_TABLE, hide_names
from memories.privacy.erasure.kept_answers import delete_kept_questions, empty_kept_answers
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.members.member_erasure import erase_member
from orgs.models.base import new_id
from orgs.principals import Actor

# How long to wait for transactions that began before the member or source was closed.
SETTLE_SECONDS = 30.0
# From this number of tombstones on the table is analysed.
ANALYSE_FROM_ROWS = 1_000
# How often late rows are collected in one turn.
MAX_COLLECT_ROUNDS = 5

# The names of the counts of deleted rows, by table.
COUNTS_BY_TABLE = {
    MEMORY_TABLE: ("memories", f"masked {MEMORY_TABLE}"),
    "robots_conversation": ("messages", "conversations"),
    **{table: (name,) for name, table in TABLE_BY_COUNT.items()},
}

Counts = dict[str, int]
# The counts of a step; None if it was stopped and continues later.
Step = Callable[[ErasureRun, OrganisationRun], Counts | None]


def _wait_for_writers(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    """Wait until no transaction still writes that began before the erasure."""
    return {} if _wait_for_transactions(running, cleanup.WRITING_TRANSACTIONS) else None


def _wait_for_transactions(running: ErasureRun, kind: str) -> bool:
    """Wait for the transactions that are open now. Returns False if one takes too long."""
    there, until = cleanup.list_open_transactions(running, kind), time.monotonic() + SETTLE_SECONDS
    while there := there & cleanup.list_open_transactions(running, kind):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _collect_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    collect_rows(running)
    [(total,)] = running.rows(
        "SELECT count(*) FROM memories_tombstone WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s"
    )
    run.job.total = total + len(STEPS)
    if total > ANALYSE_FROM_ROWS:
        # Otherwise the planner assumes an empty table, and reads all of it for each batch.
        cleanup.analyse_table("memories_tombstone")
    return {}


def _progress_callback(run: OrganisationRun) -> ShouldContinue:
    """A callback that adds the deleted rows of a batch to the job's progress."""
    before = run.job.done
    return lambda gone: run.step(before + gone, run.job.total)


def _delete_memories_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    return delete_memories(running, _progress_callback(run))


def _delete_messages_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    return delete_messages(running, _progress_callback(run))


def _delete_contributions_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    return delete_contributions(running)


def _delete_other_rows_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    return delete_other_rows(running)


def _collect_late_rows_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    """Collect and delete rows that were written meanwhile, until nothing is found; None after AGAIN
    tries."""
    counts: Counts = {}
    for _ in range(MAX_COLLECT_ROUNDS):
        found = collect_rows(running)
        for step in (_delete_memories_step, _delete_messages_step, _delete_other_rows_step):
            done = step(running, run)
            if done is None:
                return None
            _add_counts(counts, done)
        if not found:
            return counts
    return None


def _hide_names_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    return {
        f"masked {table}": n for table, n in hide_names(running, load_name_terms(running)).items()
    }


def _clean_logs_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    return {
        "log_places": cleanup.overwrite_in_logs(load_name_terms(running).unmistakable),
        "exports": cleanup.discard_exports(running),
    }


def _empty_member_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    if running.member_id is None:
        return {}
    # Before the member's row is emptied: until then a robot could add an identity again.
    identities = running.change(
        "DELETE FROM orgs_externalidentity WHERE organisation_id = %(organisation)s "
        "AND member_id = %(target)s"
    )
    accounts = erase_member(running.organisation_id, running.member_id, now=running.now)
    return {"members": 1, "user_accounts": accounts, "identities": identities}


def _clear_caches_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    cleanup.clear_query_caches()
    # Once more: files that were written while the rows were still there.
    return {"exports": cleanup.discard_exports(running)}


def _clean_disk_step(running: ErasureRun, run: OrganisationRun) -> Counts | None:
    # A vacuum keeps rows that older transactions may still see.
    if not _wait_for_transactions(running, cleanup.ALL_TRANSACTIONS):
        return None
    counts = load_counts(running)
    tables: set[str] = set(cleanup.MEMBER_TABLES) if running.member_id else set()
    tables |= empty_kept_answers(running) | delete_kept_questions(running)
    for table, names in COUNTS_BY_TABLE.items():
        if any(counts.get(name) for name in names):
            tables |= cleanup.cascade_tables(table)
    tables |= {name.partition(" ")[2] for name, n in counts.items() if name.startswith("masked ")}
    rebuilt = cleanup.rebuild_vector_index(running, counts.get("memories", 0))
    return {"indexes_rebuilt": rebuilt, **cleanup.vacuum_tables(tables)}


STEPS: tuple[tuple[str, Step], ...] = (
    ("settle", _wait_for_writers),
    ("collect", _collect_step),
    # While the rows with the member's names exist.
    ("logs", _clean_logs_step),
    ("names", _hide_names_step),
    ("memories", _delete_memories_step),
    ("messages", _delete_messages_step),
    ("recount", _delete_contributions_step),
    ("belongings", _delete_other_rows_step),
    ("again", _collect_late_rows_step),
    ("member", _empty_member_step),
    ("caches", _clear_caches_step),
    ("disk", _clean_disk_step),
)


def run_erase(run: OrganisationRun) -> None:
    """One turn of the job: every unfinished step, and at the end the receipt."""
    if run.parameters == SINGLE_MEMORIES_PARAMETERS:
        _run_single_cleanup(run)
        return
    with organisation_scope(run.organisation_id, using=WORKER):
        erasure = Erasure.objects.using(WORKER).get(
            organisation_id=run.organisation_id, id=run.parameters["erasure"]
        )
    if erasure.finished_at is not None:
        return
    running = ErasureRun(erasure, run.now)
    done = set(list_finished_steps(running))
    if run.parameters.get("exact"):
        done |= {"collect", "again"}
    elif not done:
        append_to_ledger(erasure)
    run.job.total = max(run.job.total, len(STEPS))
    for name, step in STEPS:
        if name in done:
            continue
        counts = step(running, run)
        if counts is None:
            run.stopped = True
            return
        _record_step(running, name, counts)
        run.count(**{key: n for key, n in counts.items() if n})
        last = name == STEPS[-1][0]
        if not run.step(run.job.done + 1, run.job.total) and not last:
            return
    run.stopped = False
    run.job.done = run.job.total
    _finish_erasure(running, load_counts(running))


def _run_single_cleanup(run: OrganisationRun) -> None:
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
    if not _wait_for_transactions(ErasureRun(found[0], run.now), cleanup.ALL_TRANSACTIONS):
        run.stopped = True
        return
    cleanup.clear_query_caches()
    first = ErasureRun(found[0], run.now)
    kept = empty_kept_answers(first) | delete_kept_questions(first)
    disk = cleanup.vacuum_tables(cleanup.cascade_tables(MEMORY_TABLE) | kept, rewrite=False)
    buried = {erasure.id: ErasureRun(erasure, run.now).buried() for erasure in found}
    # After the vacuum: what an export had read before the rows went is in its file by now.
    # Not counted: others may have read the memory, and a number would tell that they exported it.
    cleanup.discard_exports_with(first, chain.from_iterable(buried.values()))
    for erasure in found:
        append_to_ledger(erasure, buried[erasure.id])
    # The numbers are only in the receipts, for those who asked.
    run.count(vacuumed=disk["vacuumed"])
    for erasure in found:
        _finish_erasure(ErasureRun(erasure, run.now), {**erasure.counts, **disk})


def list_finished_steps(running: ErasureRun) -> list[str]:
    """The names of the steps that have a row."""
    rows = running.rows(
        "SELECT name FROM memories_erasurestep WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s ORDER BY at, id"
    )
    return [name for (name,) in rows]


def load_counts(running: ErasureRun) -> Counts:
    """What the steps did so far, by table."""
    found: Counts = {}
    for (counts,) in running.rows(
        "SELECT counts FROM memories_erasurestep WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s"
    ):
        _add_counts(found, counts)
    rows = running.rows(
        "SELECT kind, count(*) FROM memories_tombstone WHERE organisation_id = %(organisation)s "
        "AND erasure_id = %(erasure)s AND gone_at IS NOT NULL GROUP BY 1"
    )
    gone = dict(rows)
    # A step that broke off may have deleted rows that it did not count; their tombstones are
    # counted.
    names = {
        TombstoneType.MEMORY: "memories",
        TombstoneType.MESSAGE: "messages",
        TombstoneType.CONVERSATION: "conversations",
    }
    return found | {name: gone[kind] for kind, name in names.items() if kind in gone}


def _add_counts(counts: Counts, more: Counts) -> None:
    for name, number in more.items():
        counts[name] = counts.get(name, 0) + number


def _record_step(running: ErasureRun, name: str, counts: Counts) -> None:
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


def _finish_erasure(running: ErasureRun, did: Counts) -> None:
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
        audit.record_entry(
            "erasure.done",
            actor=Actor(organisation_id=running.organisation_id),
            now=running.now,
            target=erasure.id,
            target_type="erasure",
            using=WORKER,
            **detail,
        )
