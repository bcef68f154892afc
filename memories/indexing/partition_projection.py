"""The projection partitioned by kind (architecture 2): how it is filled and kept up to date.

A memory of the kinds group, user or interaction has one row in it, with the words and the vector of
the narrow tables. It is written when the memory is indexed (`indexing.index`), refreshed when its
words or vector change, and follows its memory's audience by the foreign key.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.utils import CursorWrapper

from memories.store.models.choices import Kind
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope

WORKER = "worker"
PARTITIONED_KINDS = (Kind.GROUP.value, Kind.USER.value, Kind.INTERACTION.value)

# The parties of a memory: the speaker, or its member without a speaker, and the listeners.
_PARTIES_SQL = """array_remove(m.listeners || coalesce(m.speaker_member_id, m.member_id), NULL)"""
_PARTITION_ROWS_SQL = f"""
SELECT t.organisation_id, t.memory_id, t.audience_id, t.kind, t.group_id, m.member_id,
    {_PARTIES_SQL},
    t.words, t.length, t.speaker, t.asks, t.timed, t.model, t.embedding
FROM memories_search t
JOIN memories_memory m ON m.organisation_id = t.organisation_id AND m.id = t.memory_id
WHERE t.organisation_id = %(organisation)s AND t.kind IN ('group', 'user', 'interaction')
"""
# Locked, so that a memory that is forgotten meanwhile gets no row.
_FILL_SQL = f"""
INSERT INTO memories_partition (organisation_id, memory_id, audience_id, kind, group_id, owner,
                                parties, words, length, speaker, asks, timed, model,
                                embedding)
{_PARTITION_ROWS_SQL} FOR KEY SHARE OF t
ON CONFLICT (organisation_id, memory_id, kind) DO NOTHING
"""
_CLEAR_SQL = "DELETE FROM memories_partition WHERE organisation_id = %(organisation)s"
_DELETE_SQL = f"{_CLEAR_SQL} AND memory_id = ANY(%(ids)s)"
# Evaluated once for each statement, so it costs organisations without partitions almost nothing.
_IS_ENABLED_SQL = """EXISTS (SELECT 1 FROM orgs_organisation
    WHERE id = %(organisation)s AND 'partitions' = ANY(projections))"""
_REFRESH_SQL = f"""
UPDATE memories_partition p SET owner = fresh.member_id, parties = fresh.parties,
    words = fresh.words, length = fresh.length, speaker = fresh.speaker, asks = fresh.asks,
    timed = fresh.timed, model = fresh.model, embedding = fresh.embedding
FROM ({_PARTITION_ROWS_SQL} AND t.memory_id = ANY(%(ids)s) AND {_IS_ENABLED_SQL})
    AS fresh (organisation_id, memory_id, audience_id, kind, group_id, member_id, parties,
              words, length, speaker, asks, timed, model, embedding)
WHERE p.organisation_id = %(organisation)s AND p.memory_id = fresh.memory_id
    AND p.kind = fresh.kind
"""


def parties(memory: Memory) -> list[UUID]:
    """The parties of a memory, as in `_PARTIES_SQL`."""
    speaker = memory.speaker_member_id or memory.member_id
    return [*memory.listeners, *([speaker] if speaker else [])]


def delete_partition_rows(organisation_id: UUID, ids: Iterable[UUID]) -> None:
    """Delete the rows of memories; call inside a scope that reads them."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_DELETE_SQL, {"organisation": organisation_id, "ids": list(ids)})


def refresh_partition_rows(
    organisation_id: UUID, ids: Iterable[UUID], using: str = DEFAULT_DB_ALIAS
) -> None:
    """Copy changed words and vectors into existing rows; a memory without a row gets none."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            _REFRESH_SQL,
            {"organisation": organisation_id, "ids": list(ids)},
        )


def rebuild_partitions(organisation_id: UUID) -> int:
    """Rebuild the organisation's rows; returns how many there are. Runs in the role of the
    worker."""
    values: dict[str, Any] = {"organisation": organisation_id}
    with _worker_cursor(organisation_id) as cursor:
        cursor.execute(_CLEAR_SQL, values)
        cursor.execute(_FILL_SQL, values)
        return int(cursor.rowcount)


def clear_partitions(organisation_id: UUID) -> None:
    """Delete the organisation's rows when the projection is switched off. Runs in the role of the
    worker."""
    with _worker_cursor(organisation_id) as cursor:
        cursor.execute(_CLEAR_SQL, {"organisation": organisation_id})


@contextmanager
def _worker_cursor(organisation_id: UUID) -> Iterator[CursorWrapper]:
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        yield cursor
