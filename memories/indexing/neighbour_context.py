"""Remove what a turn contributed to the search of its neighbours, at once.

A turn is also found by the words and meaning of its neighbours (`context_windows`). When a turn is
removed, changed or another comes between, the same transaction resets its neighbours to their own
words and meaning. The worker then computes their context again.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.indexing import partition_projection
from memories.indexing.models import Pending
from memories.store.context_window import MAX_DISTANCE
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all

# A function from ids to those of them that are about to be deleted.
DeletionFilter = Callable[[Collection[UUID]], Collection[UUID]]

# Each lexeme once, labelled A: ts_rank of one lexeme is then exactly its label's weight.
LABELLED_LEXEMES_SQL = r"""
       coalesce((SELECT string_agg(
           memories_quoted_word(lexeme) || ':1A', ' ')
           FROM unnest(own)), '')::tsvector"""

_NEIGHBOURS_JOIN = """
CROSS JOIN LATERAL (
    (SELECT x.* FROM memories_memory x
     WHERE x.organisation_id = %(organisation)s AND x.conversation = m.conversation
       AND x.audience_id = m.audience_id AND x.status = 'active'
       AND (x.position, x.id) < (m.position, m.id)
     ORDER BY x.position DESC, x.id DESC LIMIT %(reach)s)
    UNION ALL
    (SELECT x.* FROM memories_memory x
     WHERE x.organisation_id = %(organisation)s AND x.conversation = m.conversation
       AND x.audience_id = m.audience_id AND x.status = 'active'
       AND (x.position, x.id) > (m.position, m.id)
     ORDER BY x.position, x.id LIMIT %(reach)s)
) AS near
"""
_NEIGHBOURS_SQL = f"""
SELECT DISTINCT near.id, near.audience_id, near.kind FROM memories_memory m {_NEIGHBOURS_JOIN}
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND NOT near.id = ANY(%(ids)s::uuid[])
"""
# Whether an older turn follows the first new turn of a conversation.
_LATER_TURN_SQL = """
SELECT 1 FROM unnest(%(conversations)s::text[], %(audiences)s::uuid[], %(positions)s::bigint[],
                     %(firsts)s::uuid[]) AS given (conversation, audience, position, id)
WHERE EXISTS (
    SELECT 1 FROM memories_memory x
    WHERE x.organisation_id = %(organisation)s AND x.conversation = given.conversation
      AND x.audience_id = given.audience AND x.status = 'active'
      AND (x.position, x.id) > (given.position, given.id) AND NOT x.id = ANY(%(ids)s::uuid[]))
LIMIT 1
"""
_RESET_LEXEMES_SQL = rf"""
UPDATE memories_text SET lexemes = {LABELLED_LEXEMES_SQL}
WHERE organisation_id = %(organisation)s AND memory_id = ANY(%(lent)s::uuid[])
"""
# The searched vector of a turn without context.
_RESET_VECTORS_SQL = """
UPDATE memories_search s SET embedding = e.own + e.own
FROM memories_embedding e
WHERE s.organisation_id = %(organisation)s AND s.memory_id = ANY(%(lent)s::uuid[])
  AND e.organisation_id = s.organisation_id AND e.memory_id = s.memory_id AND e.model = s.model
"""
_RESET_FURTHER_SQL = """
UPDATE memories_vector v SET embedding = e.own + e.own
FROM memories_embedding e
WHERE v.organisation_id = %(organisation)s AND v.memory_id = ANY(%(lent)s::uuid[]) AND v.part = 0
  AND e.organisation_id = v.organisation_id AND e.memory_id = v.memory_id AND e.model = v.model
"""
# Updates around turns of one conversation run one after the other; a waiting one holds no row lock.
_LOCK_CONVERSATIONS_SQL = """
SELECT pg_advisory_xact_lock(hashtextextended(given.place, 0))
FROM (SELECT DISTINCT m.organisation_id || ' ' || m.audience_id || ' ' || m.conversation AS place
      FROM memories_memory m WHERE m.organisation_id = %(organisation)s
        AND m.id = ANY(%(ids)s::uuid[]) AND m.conversation IS NOT NULL ORDER BY 1) AS given
"""


def lock_conversations(rows: Sequence[Memory]) -> None:
    """Lock the conversations of these turns until the transaction ends."""
    if any(row.conversation for row in rows):
        lock_conversations_of_memories(rows[0].organisation_id, [row.id for row in rows])


def lock_conversations_of_memories(organisation_id: UUID, ids: Sequence[UUID]) -> None:
    """`lock_conversations` for memories by their ids."""
    fetch_all(_LOCK_CONVERSATIONS_SQL, {"organisation": organisation_id, "ids": list(ids)})


def reset_neighbours(
    rows: Sequence[Memory], now: datetime, *, going: DeletionFilter | None = None
) -> None:
    """Reset the turns around these memories to their own words and meaning, and queue them for the
    worker.

    going: tells which neighbours are about to be deleted themselves and can be skipped.
    """
    if not any(row.conversation for row in rows):
        return
    near = fetch_all(_NEIGHBOURS_SQL, _query_parameters(rows) | {"reach": MAX_DISTANCE})
    if near and going is not None:
        gone = going([id_ for id_, _, _ in near])
        near = [one for one in near if one[0] not in gone]
    if not near:
        return
    organisation_id, lent = rows[0].organisation_id, [id_ for id_, _, _ in near]
    with connection.cursor() as cursor:
        for statement in (_RESET_LEXEMES_SQL, _RESET_VECTORS_SQL, _RESET_FURTHER_SQL):
            cursor.execute(statement, {"organisation": organisation_id, "lent": lent})
    partition_projection.refresh_partition_rows(organisation_id, lent)
    Pending.objects.bulk_create(
        [
            Pending(
                organisation_id=organisation_id,
                memory_id=id_,
                audience_id=audience_id,
                kind=kind,
                created_at=now,
            )
            for id_, audience_id, kind in near
        ],
        ignore_conflicts=True,
    )


def splits_conversation(rows: Sequence[Memory]) -> bool:
    """Whether any of these new turns comes before an older turn of its conversation."""
    first: dict[tuple[str, UUID], tuple[int, UUID]] = {}
    for row in rows:
        if row.conversation:
            place, here = (row.conversation, row.audience_id), (row.position, row.id)
            first[place] = min(first.get(place, here), here)
    if not first:
        return False
    values = {
        "conversations": [conversation for conversation, _ in first],
        "audiences": [audience for _, audience in first],
        "positions": [position for position, _ in first.values()],
        "firsts": [id_ for _, id_ in first.values()],
    }
    return bool(fetch_all(_LATER_TURN_SQL, _query_parameters(rows) | values))


def _query_parameters(rows: Sequence[Memory]) -> dict[str, Any]:
    return {"organisation": rows[0].organisation_id, "ids": [row.id for row in rows]}
