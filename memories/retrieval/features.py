"""What scoring needs to know of each candidate: one query, whatever their number."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from memories.retrieval.types import Question


@dataclass(frozen=True, slots=True)
class Feature:
    """product: inner product with the searched vector; similarity: cosine with the text's own."""

    id: UUID
    importance: float
    category: str
    tier: str
    access_count: int
    last_accessed_at: datetime | None
    created_at: datetime
    product: float | None
    similarity: float | None
    length: int
    asks: bool
    timed: bool
    speaker_key: str
    speaker_member_id: UUID | None


_FEATURES = """
SELECT m.id, m.importance, m.category, m.tier, m.access_count, m.last_accessed_at, m.created_at,
       -(e.embedding <#> %(vector)s::halfvec), -(e.own <#> %(vector)s::halfvec),
       coalesce(t.length, 0), coalesce(t.asks, false), coalesce(t.timed, false),
       coalesce(t.speaker_key, ''), m.speaker_member_id
FROM memories_memory m
LEFT JOIN memories_embedding e ON e.organisation_id = m.organisation_id
    AND e.memory_id = m.id AND e.model = %(model)s
LEFT JOIN memories_text t ON t.organisation_id = m.organisation_id AND t.memory_id = m.id
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
  AND m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
"""


def features(question: Question, ids: Sequence[UUID]) -> dict[UUID, Feature]:
    """Features by id; a candidate that has expired a moment ago is not among them."""
    if not ids:
        return {}
    vector = None if question.vector is None else HalfVector(question.vector).to_text()
    with connection.cursor() as cursor:
        cursor.execute(
            _FEATURES,
            {
                "vector": vector,
                "model": question.model,
                "organisation": question.organisation_id,
                "ids": list(ids),
                "now": question.now,
            },
        )
        return {row[0]: Feature(*row) for row in cursor.fetchall()}
