"""Archive what a profession shares and nobody confirmed for three times BLOCK_FRESH_DAYS.

Until then it only has less weight (`memories.lifecycle.decay.confirmed_share`). An archived memory
can be restored, which confirms it. Protected memories and all other audiences are left alone.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.jobs.queue import WORKER
from memories.lifecycle.decay import CONFIRMED_AT
from memories.lifecycle.retention import BATCH, GOES_ALONG, HELD, Due, archive_due
from memories.safety.rules import COHORTS
from memories.store.models.choices import ArchivedFor
from memories.store.models.contribution import Contribution
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.prepared_statements import fetched
from orgs.database.rls import organisation_scope
from orgs.models.base import day_of
from orgs.principals import Actor
from personas.blocks.blocks import fresh_for
from personas.blocks.fade import STALE

_STALE = f"""
SELECT m.id, m.audience_id, m.type::text FROM memories_memory m
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
    AND a.kind = ANY(%(kinds)s::text[])
WHERE m.organisation_id = %(organisation)s AND m.status = 'active' AND m.id > %(after)s
    AND {CONFIRMED_AT} < %(before)s AND NOT ({HELD}) AND NOT ({GOES_ALONG})
ORDER BY m.id LIMIT %(most)s
"""


def archive_stale(organisation_id: UUID, *, now: datetime, keep_on: Callable[[int], bool]) -> int:
    """Archive what is stale now, in batches that commit. Returns how many.

    keep_on: called after each batch with the number so far; False stops the run.
    """
    # A lesson was confirmed some time on its day, so the whole day counts.
    before = day_of(now) - STALE * fresh_for()
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "kinds": sorted(COHORTS),
        "before": before,
        "after": UUID(int=0),
        "most": BATCH,
    }
    gone = 0
    try:
        while rows := _chosen(organisation_id, values):
            gone += len(archive_due(organisation_id, rows, now=now, stays=_confirmed(before)))
            values["after"] = rows[-1].id
            if not keep_on(gone):
                break
    finally:
        # Also for a run that breaks off, because what it archived stays archived.
        if gone:
            _note(organisation_id, gone, now)
    return gone


def _chosen(organisation_id: UUID, values: dict[str, Any]) -> list[Due]:
    with organisation_scope(organisation_id, using=WORKER):
        rows = fetched(_STALE, values, WORKER)
    return [Due(id_, audience, type_, ArchivedFor.STALE) for id_, audience, type_ in rows]


def _confirmed(before: datetime) -> Callable[[Sequence[Memory]], set[UUID]]:
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


def _note(organisation_id: UUID, gone: int, now: datetime) -> None:
    with organisation_scope(organisation_id, using=WORKER):
        audit.record(
            "persona.faded",
            actor=Actor(organisation_id=organisation_id),
            now=now,
            target_type="persona",
            using=WORKER,
            memories=gone,
        )
