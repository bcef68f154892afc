"""Notice that two memories of the same readers say nearly the same, and ask somebody.

Nothing is merged here: whoever may change both decides. Turns of a conversation repeat each other
by nature and are left out, and so are a robot's own notes, which nobody reviews, and what its
writers hold apart by different keys or times.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.embedding.known_models import Model
from memories.review.models import Cause, Proposal
from orgs.models.base import new_id

# Above this many memories of one audience the search for each new one costs too much here.
COMPARED = 5_000

_TWINS = """
WITH given AS MATERIALIZED (
    SELECT m.id, m.audience_id, m.kind, m.version, m.member_id, m.key, m.occurred_at, e.embedding
    FROM memories_memory m
    JOIN memories_search e ON e.organisation_id = m.organisation_id AND e.memory_id = m.id
        AND e.model = %(model)s
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s) AND m.status = 'active'
), twins AS MATERIALIZED (
    SELECT given.*, near.memory_id AS twin FROM given CROSS JOIN LATERAL (
        SELECT o.memory_id, o.embedding <=> given.embedding AS distance
        FROM memories_search o
        WHERE o.organisation_id = %(organisation)s AND o.audience_id = given.audience_id
          AND o.model = %(model)s AND o.memory_id < given.id
        ORDER BY distance LIMIT 1
    ) AS near WHERE near.distance <= %(near)s
)
SELECT m.id, m.audience_id, m.kind, m.version, t.id
FROM twins m JOIN memories_memory t ON t.organisation_id = %(organisation)s AND t.id = m.twin
WHERE t.status = 'active' AND t.conversation IS NULL
  AND m.member_id IS NOT DISTINCT FROM t.member_id
  AND (m.key IS NULL OR t.key IS NULL)
  AND (m.occurred_at IS NULL OR t.occurred_at IS NULL OR m.occurred_at = t.occurred_at)
  AND NOT EXISTS (
      SELECT 1 FROM memories_proposal p WHERE p.organisation_id = %(organisation)s
      AND p.cause = 'duplicate' AND p.memory_id = m.id AND p.other_id = t.id
      AND p.state <> 'withdrawn')
"""
_SMALL = """
WITH given AS MATERIALIZED (
    SELECT m.id, m.audience_id FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
      AND m.conversation IS NULL AND m.type <> 'conversation' AND m.kind <> 'internal'
), audiences AS MATERIALIZED (
    SELECT DISTINCT audience_id FROM given
), small AS (
    SELECT a.audience_id FROM audiences a WHERE (
        SELECT count(*) FROM (
            SELECT 1 FROM memories_search o WHERE o.organisation_id = %(organisation)s
            AND o.audience_id = a.audience_id AND o.model = %(model)s LIMIT %(most)s
        ) AS seen) < %(most)s
)
SELECT given.id FROM given JOIN small USING (audience_id)
"""


def propose_duplicates(
    organisation_id: UUID, ids: Sequence[UUID], *, model: Model, now: datetime, using: str
) -> int:
    """Put near-duplicates of these memories into the queue; returns how many there are.

    model.twin: restatements of one sentence lie within, other facts of the same kind beyond.

    Call inside the worker's scope of the organisation, once the vectors are stored.
    """
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "ids": list(ids),
        "model": model.number,
        "near": 1 - model.twin,
        "most": COMPARED,
    }
    with connections[using].cursor() as cursor:
        cursor.execute(_SMALL, values)
        values["ids"] = [id_ for (id_,) in cursor.fetchall()]
        if not values["ids"]:
            return 0
        cursor.execute(_TWINS, values)
        found = cursor.fetchall()
    items = [
        Proposal(
            id=new_id(),
            organisation_id=organisation_id,
            memory_id=id_,
            audience_id=audience_id,
            kind=kind,
            other_id=twin,
            cause=Cause.DUPLICATE,
            seen_version=version,
            created_at=now,
        )
        for id_, audience_id, kind, version, twin in found
    ]
    Proposal.objects.using(using).bulk_create(items, ignore_conflicts=True)
    return len(items)
