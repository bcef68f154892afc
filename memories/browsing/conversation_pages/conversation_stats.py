"""The figures of a conversation for one line: turns, people and days, as far as the asker reads."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import JSONField
from django.db.models.expressions import RawSQL

# At most this many turns of a conversation are counted; `more` says if there are others.
MAX_TURNS = 1_000

# The figures of the conversation of a memory. The speaker of a turn is a member, a mere name, or
# the person who wrote it.
_STATS_SQL = """
(SELECT jsonb_build_array(count(*), count(DISTINCT who), min(at), max(at),
        (array_agg(id ORDER BY position, id))[1])
 FROM (
    SELECT m.id, m.position, coalesce(m.occurred_at, m.created_at) AS at,
        coalesce(m.speaker_member_id::text, nullif(lower(m.speaker), ''), m.author_id::text) AS who
    FROM memories_memory m
    WHERE m.organisation_id = memories_memory.organisation_id
      AND m.conversation = memories_memory.conversation
      AND m.group_id IS NOT DISTINCT FROM memories_memory.group_id AND m.status = 'active'
      AND m.kind <> 'internal' AND (m.expires_at IS NULL OR m.expires_at > %s::timestamptz)
    ORDER BY m.position, m.id LIMIT %s
 ) AS turn)
"""


@dataclass(frozen=True, slots=True)
class ConversationStats:
    """turns: number of readable active turns, at most MOST; more: whether there are others. people:
    number of their speakers. opening: the first turn."""

    turns: int
    more: bool
    people: int
    first: datetime
    last: datetime
    opening: UUID


def stats_annotation(now: datetime) -> RawSQL:
    """An annotation of memories with the figures, for `parse_stats`; evaluate inside the asker's
    scope."""
    return RawSQL(_STATS_SQL, (now, MAX_TURNS + 1), output_field=JSONField())  # noqa: S611 - a constant


def parse_stats(value: list[Any] | None) -> ConversationStats | None:
    """The figures of an annotation; None without a readable turn."""
    if not value or not value[0]:
        return None
    turns, people, first, last, opening = value
    return ConversationStats(
        min(turns, MAX_TURNS),
        turns > MAX_TURNS,
        people,
        datetime.fromisoformat(first),
        datetime.fromisoformat(last),
        UUID(opening),
    )
