"""The turns before a memory that everyone who reads it reads as well."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from memories.models import Memory
from memories.policies.pronouns import Turn
from orgs.services import as_uuid

# How many turns of the conversation are looked through for those of the memory's own audience.
LOOKED_THROUGH = 200


def message_of(row: Memory) -> UUID | None:
    """The message that the memory was made of."""
    given = row.source.get("message") if isinstance(row.source, dict) else None
    if not isinstance(given, str) or row.key != f"message:{given}":
        return None
    return as_uuid(given) if row.conversation and as_uuid(row.conversation) else None


# Turns before the given ones, newest first; of messages also those that became no memory, but
# none whose memory is forgotten.
_MESSAGES = """
SELECT given.id, x.content, x.speaker, x.sent_at
FROM unnest(%(ids)s::uuid[], %(messages)s::uuid[], %(conversations)s::uuid[], %(audiences)s::uuid[])
    AS given (id, message, conversation, audience)
CROSS JOIN LATERAL (
    SELECT y.* FROM (
        SELECT m.id, m.content, m.speaker, m.sent_at, m.audience_id FROM robots_message m
        WHERE m.organisation_id = %(organisation)s AND m.conversation_id = given.conversation
          AND m.id < given.message AND m.withdrawn_at IS NULL
        ORDER BY m.id DESC LIMIT %(through)s) AS y
    WHERE y.audience_id = given.audience AND NOT y.id = ANY(%(gone)s::uuid[])
      AND NOT EXISTS (
        SELECT 1 FROM memories_memory f
        WHERE f.organisation_id = %(organisation)s AND f.audience_id = y.audience_id
          AND f.key = 'message:' || y.id AND f.status <> 'active')
    ORDER BY y.id DESC LIMIT %(most)s) AS x
"""
_MEMORIES = """
SELECT given.id, x.content, x.speaker, x.occurred_at
FROM unnest(%(ids)s::uuid[], %(conversations)s::text[], %(audiences)s::uuid[],
            %(positions)s::bigint[])
    AS given (id, conversation, audience, position)
CROSS JOIN LATERAL (
    SELECT m.content, m.speaker, m.occurred_at FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
      AND m.audience_id = given.audience AND m.status = 'active'
      AND (m.position, m.id) < (given.position, given.id) AND NOT m.id = ANY(%(gone)s::uuid[])
    ORDER BY m.position DESC, m.id DESC LIMIT %(most)s) AS x
"""


def turns_before(
    rows: Sequence[Memory], most: int, without: Sequence[UUID] = ()
) -> dict[UUID, list[Turn]]:
    """By memory, up to `most` turns before it for the same readers, oldest first."""
    of_messages = [row for row in rows if message_of(row)]
    others = [row for row in rows if not message_of(row)]
    found: dict[UUID, list[Turn]] = {}
    shared = {"organisation": rows[0].organisation_id, "most": most, "through": LOOKED_THROUGH}
    if of_messages:
        gone = Memory.objects.filter(id__in=without) if without else ()
        values = {
            "messages": [message_of(row) for row in of_messages],
            "conversations": [row.conversation for row in of_messages],
            "gone": [id_ for row in gone if (id_ := message_of(row))],
        }
        _gather(_MESSAGES, of_messages, shared | values, found)
    if others:
        values = {
            "conversations": [row.conversation for row in others],
            "positions": [row.position for row in others],
            "gone": list(without),
        }
        _gather(_MEMORIES, others, shared | values, found)
    return {id_: turns[::-1] for id_, turns in found.items()}


def _gather(
    statement: str, rows: Sequence[Memory], values: Mapping[str, Any], found: dict[UUID, list[Turn]]
) -> None:
    named = {"ids": [row.id for row in rows], "audiences": [row.audience_id for row in rows]}
    with connection.cursor() as cursor:
        cursor.execute(statement, {**values, **named})
        for id_, text, speaker, at in cursor.fetchall():
            found.setdefault(id_, []).append(Turn(text=text, speaker=speaker, at=at))


_ANSWERED = """
SELECT given.id, a.speaker
FROM unnest(%(ids)s::uuid[], %(messages)s::uuid[], %(audiences)s::uuid[])
    AS given (id, message, audience)
JOIN robots_message m ON m.organisation_id = %(organisation)s AND m.id = given.message
JOIN robots_message a ON a.organisation_id = %(organisation)s AND a.id = m.reply_to_id
    AND a.audience_id = given.audience
WHERE a.speaker <> ''
"""


def answered(rows: Sequence[Memory]) -> dict[UUID, str]:
    """By memory, who said what its message replies to."""
    with connection.cursor() as cursor:
        cursor.execute(
            _ANSWERED,
            {
                "organisation": rows[0].organisation_id,
                "ids": [row.id for row in rows],
                "messages": [message_of(row) for row in rows],
                "audiences": [row.audience_id for row in rows],
            },
        )
        return dict(cursor.fetchall())
