"""Archive what a profession shares and nobody confirmed for three times BLOCK_FRESH_DAYS.

Until then it only has less weight (`memories.lifecycle.decay.confirmed_share`). An archived memory
can be restored, which confirms it. Protected memories and all other audiences are left alone.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.jobs.job_queue import WORKER
from memories.lifecycle.decay import CONFIRMED_AT_SQL
from memories.lifecycle.retention import (
    BATCH_SIZE,
    IS_PROPOSITION_SQL,
    PROTECTED_SQL,
    DueMemory,
    archive_due,
)
from memories.store.models.choices import ArchiveReason
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs import audit
from orgs.cohort_types import COHORT_TYPES
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.base import day_of
from orgs.principals import Actor
from personas.blocks.block_views import fresh_period
from personas.blocks.entry_weight import STALE_FACTOR

_STALE_ENTRIES_SQL = f"""
SELECT m.id, m.audience_id, m.type::text FROM memories_memory m
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
    AND a.kind = ANY(%(kinds)s::text[])
WHERE m.organisation_id = %(organisation)s AND m.status = 'active' AND m.id > %(after)s
    AND {CONFIRMED_AT_SQL} < %(before)s AND NOT ({PROTECTED_SQL}) AND NOT ({IS_PROPOSITION_SQL})
ORDER BY m.id LIMIT %(most)s
"""


def archive_stale_entries(
    organisation_id: UUID, *, now: datetime, keep_on: Callable[[int], bool]
) -> int:
    """Archive what is stale now, in batches that commit. Returns how many.

    keep_on: called after each batch with the number so far; False stops the run.
    """
    # A lesson was confirmed some time on its day, so the whole day counts.
    before = day_of(now) - STALE_FACTOR * fresh_period()
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "kinds": list(COHORT_TYPES),
        "before": before,
        "after": UUID(int=0),
        "most": BATCH_SIZE,
    }
    gone = 0
    try:
        while rows := _fetch_stale(organisation_id, values):
            gone += len(
                archive_due(
                    organisation_id, rows, now=now, stays=_recently_confirmed_filter(before)
                )
            )
            values["after"] = rows[-1].id
            if not keep_on(gone):
                break
    finally:
        # Also for a run that breaks off, because what it archived stays archived.
        if gone:
            _record(organisation_id, gone, now)
    return gone


def _fetch_stale(organisation_id: UUID, values: dict[str, Any]) -> list[DueMemory]:
    with organisation_scope(organisation_id, using=WORKER):
        rows = fetch_all(_STALE_ENTRIES_SQL, values, WORKER)
    return [DueMemory(id_, audience, type_, ArchiveReason.STALE) for id_, audience, type_ in rows]


def _recently_confirmed_filter(before: datetime) -> Callable[[Sequence[Memory]], set[UUID]]:
    """A function that says which locked memories were confirmed or restored since they were
    chosen."""

    def stays(rows: Sequence[Memory]) -> set[UUID]:
        if not rows:
            return set()
        again = Contribution.objects.filter(
            organisation_id=rows[0].organisation_id,
            memory_id__in=[row.id for row in rows],
            last_at__gte=before,
        )
        found = set(again.values_list("memory_id", flat=True))
        return found | {row.id for row in rows if row.restored_at and row.restored_at >= before}

    return stays


def _record(organisation_id: UUID, gone: int, now: datetime) -> None:
    with organisation_scope(organisation_id, using=WORKER):
        audit.record_entry(
            "persona.faded",
            actor=Actor(organisation_id=organisation_id),
            now=now,
            target_type="persona",
            using=WORKER,
            memories=gone,
        )
