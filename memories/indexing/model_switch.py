"""A change of the embedding model: queue every memory without a vector of the new model.

Vectors of two models cannot be compared, so each has its model's number, and a question uses only
vectors of its own model. Memories that are not embedded yet are found by their words.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.embedding.encoder_loading import model_number
from memories.indexing.models import Pending
from orgs.database.rls import organisation_scope

WORKER = "worker"

# Keyset paging: each of a million rows is read once, not once for each portion.
_MISSING_VECTORS_SQL = """
SELECT t.memory_id, t.audience_id, t.kind FROM memories_text t
WHERE t.organisation_id = %(organisation)s AND t.memory_id > %(after)s
  AND NOT EXISTS (SELECT 1 FROM memories_embedding e WHERE e.organisation_id = t.organisation_id
                  AND e.memory_id = t.memory_id AND e.model = %(model)s)
  AND NOT EXISTS (SELECT 1 FROM memories_pending p WHERE p.organisation_id = t.organisation_id
                  AND p.memory_id = t.memory_id)
ORDER BY t.memory_id LIMIT %(portion)s
"""
BATCH_SIZE = 2_000


def enqueue_missing_vectors(organisation_id: UUID, *, now: datetime) -> int:
    """Queue every memory without a vector of the present model; returns how many.

    After a change of ENCODER these are all memories; until they are done, words find them.
    """
    owed, after = 0, UUID(int=0)
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            values: dict[str, Any] = {
                "organisation": organisation_id,
                "model": model_number(),
                "after": after,
            }
            with connections[WORKER].cursor() as cursor:
                cursor.execute(_MISSING_VECTORS_SQL, values | {"portion": BATCH_SIZE})
                found = cursor.fetchall()
            Pending.objects.using(WORKER).bulk_create(
                [
                    Pending(
                        organisation_id=organisation_id,
                        memory_id=id_,
                        audience_id=audience_id,
                        kind=kind,
                        created_at=now,
                    )
                    for id_, audience_id, kind in found
                ],
                ignore_conflicts=True,
            )
        owed += len(found)
        if len(found) < BATCH_SIZE:
            return owed
        after = found[-1][0]
