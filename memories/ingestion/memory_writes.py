"""Write new memories and contributions in bulk; call inside the writer's scope.

Ids of what a profession reads tell the day alone, for the time would tell who taught it
(`orgs/models/base.py`). Their order stays: blocks keep it, and the later memory has the higher id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from memories.indexing.models import list_owed
from memories.indexing.search_index import MEMORY_ROWS_SQL, index_memories, memory_columns
from memories.ingestion.build_memory import ResolvedDraft, latest_of_day
from memories.review.propose import enqueue_items
from memories.state.transitions import restore_memories
from memories.store.lineage import (
    MissingSourcesError,
    SourceMemory,
    add_sources,
    record_declared_sources,
)
from memories.store.models.choices import Status, Tier
from memories.store.models.memory import Memory
from memories.store.use import create_use_rows
from orgs.database.bulk_insert import insert_rows
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import current_scope, insert_scope
from orgs.expiry import has_expired
from orgs.models.audiences import COHORT_AUDIENCE_TYPES, Audience
from orgs.models.base import day_id, new_id
from orgs.models.organisations import Organisation

_INSERT_CONTRIBUTIONS_SQL = f"""
WITH logged AS (
    INSERT INTO memories_operation (id, organisation_id, memory_id, audience_id, kind, robot_id,
                                    verb, at)
    SELECT id, %(organisation)s, memory, audience, kind, robot, 'remember',
        %(now)s {MEMORY_ROWS_SQL}
    WHERE %(said)s
)
INSERT INTO memories_contribution (id, organisation_id, memory_id, audience_id, kind, robot_id,
                                   member_id, first_at, last_at, count, key_id, import_job)
SELECT id, %(organisation)s, memory, audience, kind, robot, author, %(now)s, %(now)s, 1,
       %(key)s::uuid, %(import)s::uuid {MEMORY_ROWS_SQL}
"""


def insert_memories(
    rows: Sequence[Memory],
    *,
    organisation: Organisation,
    now: datetime,
    said: bool = False,
    key_id: UUID | None = None,
    import_job: UUID | None = None,
    details: Mapping[UUID, Mapping[str, Any]] | None = None,
) -> None:
    """Store new memories with their contributions, and index them or queue their review.

    said: somebody has just said them, so the log of operations notes them; False for copies and
    derived memories. key_id, import_job: the source, by which they can be erased together. details:
    of the queue items for memories that wait, by memory id.
    """
    if not rows:
        return
    unread = {row.audience_id for row in rows} - set(current_scope().audiences)
    with insert_scope(sorted(unread | set(current_scope().deposit))):
        insert_rows(rows)
        values = {"said": said, "key": key_id, "import": import_job}
        fetch_all(_INSERT_CONTRIBUTIONS_SQL, memory_columns(rows, now) | values)
        if quick := [row for row in rows if row.first_tier != Tier.SLOW]:
            create_use_rows(quick)
        record_declared_sources(rows, now)
        enqueue_items(rows, now, details or {})
        active = [row for row in rows if row.status == Status.ACTIVE]
        index_memories(active, organisation=organisation, now=now, fresh=True)


def insert_derived_memories(
    rows: Sequence[Memory],
    sources: Mapping[UUID, Sequence[SourceMemory]],
    *,
    organisation: Organisation,
    now: datetime,
) -> None:
    """Store new memories that were made from others, with their lineage.

    sources: by the id of a row. Raises MissingSourcesError for a row without any, before anything
    is written.
    """
    if bare := [row.id for row in rows if not sources.get(row.id)]:
        raise MissingSourcesError(f"{len(bare)} derived memories name no source.")
    insert_memories(rows, organisation=organisation, now=now)
    add_sources(rows, sources, now)


_UPSERT_CONTRIBUTIONS_SQL = """
WITH logged AS (
    INSERT INTO memories_operation (id, organisation_id, memory_id, audience_id, kind, robot_id,
                                    verb, at)
    SELECT given.id, m.organisation_id, m.id, m.audience_id, m.kind, %(robot)s, 'remember', %(now)s
    FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[]) AS given (id, memory_id)
    JOIN memories_memory m ON m.id = given.memory_id
)
INSERT INTO memories_contribution AS c
    (id, organisation_id, memory_id, audience_id, kind, robot_id, member_id, first_at, last_at,
     count, key_id)
SELECT given.id, m.organisation_id, m.id, m.audience_id, m.kind, %(robot)s, %(member)s::uuid,
       %(now)s, %(now)s, given.n, %(key)s::uuid
FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(counts)s::int[]) AS given (id, memory_id, n)
JOIN memories_memory m ON m.id = given.memory_id
ON CONFLICT (organisation_id, memory_id, robot_id, member_id)
DO UPDATE SET count = c.count + excluded.count, last_at = excluded.last_at
"""


def confirm_repeat(
    memory: Memory,
    *,
    robot_id: UUID,
    author_id: UUID | None,
    now: datetime,
    key_id: UUID | None = None,
) -> None:
    """Count an active memory as said once more; call where it is readable.

    Works also for a memory that no draft can equal, such as a summary.
    """
    fetch_all(
        _UPSERT_CONTRIBUTIONS_SQL,
        {
            "ids": [new_id()],
            "memories": [memory.id],
            "counts": [1],
            "robot": robot_id,
            "member": author_id,
            "key": key_id,
            "now": now,
        },
    )
    rows = Memory.objects.filter(organisation_id=memory.organisation_id, id=memory.id)
    rows.update(remember_count=F("remember_count") + 1)


@dataclass(frozen=True, slots=True)
class RepeatedMemory:
    """A memory that was said again. owed: whether its vector is still to be made."""

    remember_count: int
    owed: bool


def record_repeats(
    said: Mapping[UUID, Sequence[ResolvedDraft]],
    robot_id: UUID,
    author_id: UUID | None,
    now: datetime,
    *,
    key_id: UUID | None = None,
) -> dict[UUID, RepeatedMemory]:
    """Count existing memories as said again: remember_count and contributions.

    Forgotten and archived memories come back, and expired ones get the expiry of the new draft.
    Returns by id what they are now.
    """
    if not said:
        return {}
    rows = list(
        Memory.objects.select_for_update(of=("self",), no_key=True)
        .filter(id__in=said)
        .select_related("organisation")
        .order_by("id")
    )
    for row in rows:
        row.remember_count += len(said[row.id])
        if has_expired(row.expires_at, now):
            row.expires_at = said[row.id][-1].draft.expires_at
    Memory.objects.bulk_update(rows, ["remember_count", "expires_at"])
    with connection.cursor() as cursor:
        cursor.execute(
            _UPSERT_CONTRIBUTIONS_SQL,
            {
                "ids": [new_id() for _ in rows],
                "memories": [row.id for row in rows],
                "counts": [len(said[row.id]) for row in rows],
                "robot": robot_id,
                "member": author_id,
                "key": key_id,
                "now": now,
            },
        )
    restore_memories(
        [row for row in rows if row.status in (Status.FORGOTTEN, Status.ARCHIVED)], now
    )
    owed = list_owed(rows[0].organisation_id, [row.id for row in rows]) if rows else set()
    return {row.id: RepeatedMemory(row.remember_count, row.id in owed) for row in rows}


def id_for(organisation_id: UUID, audience_id: UUID, now: datetime) -> UUID:
    """A fresh id for a memory of this audience, after those that are there; call in a scope that
    reads them."""
    rows = Audience.objects.filter(organisation_id=organisation_id, id=audience_id)
    if not rows.filter(kind__in=COHORT_AUDIENCE_TYPES).exists():
        return new_id()
    return day_id(now, after=latest_of_day(organisation_id, audience_id, now))
