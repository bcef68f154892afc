"""The turns around a memory lend it their words: an answer often shares none with its question.

A neighbour counts only in the same conversation and the same audience. Words of a narrower
audience would tell, by being found, what the asker may not read.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db.backends.base.base import BaseDatabaseWrapper

# Distance 1, 2, 3 in turns becomes label B, C, D of the lexemes.
_WINDOWS = """
WITH given AS (
    SELECT id, conversation, audience_id, position FROM memories_memory
    WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s) AND conversation IS NOT NULL
), near AS (
    -- Six on each side: the turns up to three away need their own three.
    SELECT given.id FROM given
    UNION
    SELECT around.id FROM given CROSS JOIN LATERAL (
        (SELECT m.id FROM memories_memory m
         WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
           AND m.audience_id = given.audience_id AND m.status = 'active'
           AND (m.position, m.id) < (given.position, given.id)
         ORDER BY m.position DESC, m.id DESC LIMIT 6)
        UNION ALL
        (SELECT m.id FROM memories_memory m
         WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
           AND m.audience_id = given.audience_id AND m.status = 'active'
           AND (m.position, m.id) > (given.position, given.id)
         ORDER BY m.position, m.id LIMIT 6)
    ) AS around
), turns AS (
    SELECT m.id, t.own, row_number() OVER turn AS n, m.conversation, m.audience_id,
        lag(t.own, 1) OVER turn AS p1, lead(t.own, 1) OVER turn AS f1,
        lag(t.own, 2) OVER turn AS p2, lead(t.own, 2) OVER turn AS f2,
        lag(t.own, 3) OVER turn AS p3, lead(t.own, 3) OVER turn AS f3
    FROM near
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = near.id
    JOIN memories_text t ON t.organisation_id = m.organisation_id AND t.memory_id = m.id
    WINDOW turn AS (PARTITION BY m.conversation, m.audience_id ORDER BY m.position, m.id)
), fresh AS (
    SELECT n, conversation, audience_id FROM turns WHERE id = ANY(%(ids)s)
), due AS (
    SELECT DISTINCT ON (t.id) t.* FROM turns t JOIN fresh f
        ON f.conversation = t.conversation AND f.audience_id = t.audience_id
        AND t.n BETWEEN f.n - 3 AND f.n + 3
)
UPDATE memories_text x
SET lexemes = setweight(due.own, 'A')
    || setweight(coalesce(p1, '') || coalesce(f1, ''), 'B')
    || setweight(coalesce(p2, '') || coalesce(f2, ''), 'C')
    || setweight(coalesce(p3, '') || coalesce(f3, ''), 'D')
FROM due
WHERE x.organisation_id = %(organisation)s AND x.memory_id = due.id
"""


def refresh_neighbours(
    organisation_id: UUID, ids: Sequence[UUID], model: int, connection: BaseDatabaseWrapper
) -> None:
    """Rebuild the windows of these memories and of the turns up to three away."""
    if not ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(_WINDOWS, {"organisation": organisation_id, "ids": list(ids)})
