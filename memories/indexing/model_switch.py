"""Another embedding model: everything that the new one has not seen is owed a vector of it.

Vectors of two models cannot be compared, so each carries its model's number and a question looks at
those of its own model alone. What is not embedded yet is found by its words.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.embedding.encoders import model_id
from memories.indexing.models import Pending
from orgs.database.rls import organisation_scope

WORKER = "worker"

# By keys, so that a million rows are looked at once and not once a portion.
_MISSING = """
SELECT t.memory_id, t.audience_id, t.kind FROM memories_text t
WHERE t.organisation_id = %(organisation)s AND t.memory_id > %(after)s
  AND NOT EXISTS (SELECT 1 FROM memories_embedding e WHERE e.organisation_id = t.organisation_id
                  AND e.memory_id = t.memory_id AND e.model = %(model)s)
  AND NOT EXISTS (SELECT 1 FROM memories_pending p WHERE p.organisation_id = t.organisation_id
                  AND p.memory_id = t.memory_id)
ORDER BY t.memory_id LIMIT %(portion)s
"""
PORTION = 2_000


def owe_missing(organisation_id: UUID, *, now: datetime) -> int:
    """Owe a vector of the present model to every memory that has none; returns how many.

    After ENCODER was changed that is all of them; until they are done, words find them.
    """
    owed, after = 0, UUID(int=0)
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            values: dict[str, Any] = {
                "organisation": organisation_id,
                "model": model_id(),
                "after": after,
            }
            with connections[WORKER].cursor() as cursor:
                cursor.execute(_MISSING, values | {"portion": PORTION})
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
        if len(found) < PORTION:
            return owed
        after = found[-1][0]
