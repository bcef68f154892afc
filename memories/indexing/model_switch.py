"""Vectors that memories still lack: of the serving model, and of one that is kept beside it.

Vectors of two models cannot be compared, so each has its model's number, and a question uses only
vectors of its own model. Memories that are not embedded yet are found by their words.
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import EmbeddingModel
from memories.indexing import embed_worker
from memories.indexing.embed_worker import (
    LeasedMemory,
    ModelVectors,
    encode_texts,
    lock_unchanged,
    store_model_vectors,
)
from memories.indexing.models import Pending
from memories.jobs.leases import ready_q
from memories.store.models.memory import Memory
from memories.store.organisation_models import OrganisationModels, find_organisation_models
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation

log = logging.getLogger("commonmind.embedding")

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
# Those that wait for a first vector get one of each model.
_UNFILLED_SQL = """
FROM memories_text t
WHERE t.organisation_id = %(organisation)s
  AND NOT EXISTS (SELECT 1 FROM memories_embedding e WHERE e.organisation_id = t.organisation_id
                  AND e.memory_id = t.memory_id AND e.model = %(model)s)
  AND (EXISTS (SELECT 1 FROM memories_embedding o WHERE o.organisation_id = t.organisation_id
               AND o.memory_id = t.memory_id AND o.model = %(other)s)
       OR NOT EXISTS (SELECT 1 FROM memories_pending p
                      WHERE p.organisation_id = t.organisation_id AND p.memory_id = t.memory_id))
"""
_NEXT_UNFILLED_SQL = f"""
SELECT t.memory_id {_UNFILLED_SQL} AND t.memory_id > %(after)s
ORDER BY t.memory_id LIMIT %(portion)s
"""
_COUNT_UNFILLED_SQL = f"SELECT count(*) {_UNFILLED_SQL}"
_COUNT_TEXTS_SQL = "SELECT count(*) FROM memories_text WHERE organisation_id = %(organisation)s"
# Texts of one portion: a portion is one transaction, and others wait for its locks.
FILL_BATCH_SIZE = 32


def enqueue_missing_vectors(organisation_id: UUID, *, now: datetime) -> int:
    """Queue every memory without a vector of the serving model; returns how many.

    After a change of ENCODER these are all memories of an organisation that chose no model itself;
    until they are done, words find them.
    """
    owed, after = 0, UUID(int=0)
    model = find_organisation_models(organisation_id, using=WORKER).serving
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            values: dict[str, Any] = {
                "organisation": organisation_id,
                "model": model.number,
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


def count_unfilled(
    organisation_id: UUID, model: EmbeddingModel, other: EmbeddingModel, *, using: str = WORKER
) -> tuple[int, int]:
    """(memories without a vector of `model`, without those that wait for a first vector of any
    model; all searchable memories). other: the model that is kept beside it. Call inside a scope
    that reads all of them."""
    values = {"organisation": organisation_id, "model": model.number, "other": other.number}
    [(missing,)] = fetch_all(_COUNT_UNFILLED_SQL, values, using)
    [(texts,)] = fetch_all(_COUNT_TEXTS_SQL, {"organisation": organisation_id}, using)
    return int(missing), int(texts)


def fill_second_model(
    organisation_id: UUID,
    *,
    now: Callable[[], datetime],
    seconds: float | None = None,
    yields: bool = True,
) -> int:
    """Give memories their vectors of the second model, until all have one; returns how many got
    one.

    What is stored is the progress: whoever goes on asks which are missing. A text that the encoder
    refuses is left out until the next run. seconds: for how long at most. yields: whether to stop
    as soon as memories wait for their first vector. Raises EncoderError if the model cannot be
    loaded.
    """
    done, after, started = 0, UUID(int=0), time.monotonic()
    while seconds is None or time.monotonic() - started < seconds:
        models = find_organisation_models(organisation_id, using=WORKER)
        if models.second is None or (yields and _has_waiting(organisation_id, now())):
            break
        texts = _next_texts(organisation_id, models.second, models.serving, after)
        if not texts:
            break
        stored = _fill_portion(organisation_id, texts, models.second, models)
        if stored is None:
            continue
        done, after = done + stored, texts[-1].memory_id
    return done


def list_unfilled_organisations() -> list[UUID]:
    """The ids of organisations whose second model is to be filled in the background."""
    rows = Organisation.objects.using(WORKER).exclude(second_encoder="").filter(fill_paused=False)
    return list(rows.order_by("id").values_list("id", flat=True))


def _has_waiting(organisation_id: UUID, now: datetime) -> bool:
    with organisation_scope(organisation_id, using=WORKER):
        rows = Pending.objects.using(WORKER).filter(organisation_id=organisation_id)
        return rows.filter(ready_q(now)).exists()


def _next_texts(
    organisation_id: UUID, model: EmbeddingModel, other: EmbeddingModel, after: UUID
) -> list[LeasedMemory]:
    """The next memories without a vector of the model, in the order of their ids."""
    with organisation_scope(organisation_id, using=WORKER):
        values = {
            "organisation": organisation_id,
            "model": model.number,
            "other": other.number,
            "after": after,
            "portion": FILL_BATCH_SIZE,
        }
        ids = [id_ for (id_,) in fetch_all(_NEXT_UNFILLED_SQL, values, WORKER)]
        found = Memory.objects.using(WORKER).in_bulk(ids)
    return [embed_worker.to_text(found[id_]) for id_ in ids if id_ in found]


def _fill_portion(
    organisation_id: UUID,
    texts: Sequence[LeasedMemory],
    model: EmbeddingModel,
    models: OrganisationModels,
) -> int | None:
    """Store the vectors of one portion; returns how many, or None if the models changed."""
    found = _encode_each(texts, model)
    vectors = ModelVectors(
        {id_: one for each in found for id_, one in each.whole.items()},
        {id_: one for each in found for id_, one in each.parts.items()},
    )
    with organisation_scope(organisation_id, using=WORKER):
        current = lock_unchanged(organisation_id, texts, models)
        if current is None:
            return None
        done = [
            text
            for text in texts
            if text.memory_id in vectors.whole
            and (row := current.get(text.memory_id))
            and row.version == text.version
        ]
        store_model_vectors(done, current, vectors, model, models, words=False, using=WORKER)
    return len(done)


def _encode_each(texts: Sequence[LeasedMemory], model: EmbeddingModel) -> list[ModelVectors]:
    """The vectors of all texts that the encoder does not refuse. Raises EncoderError."""
    get_encoder(model.name)
    try:
        return [encode_texts(texts, model)]
    except Exception as error:
        # The class alone: a library's message may quote the text.
        log.warning("filling failed: %s", type(error).__name__)
        if len(texts) == 1:
            return []
        return [each for text in texts for each in _encode_each([text], model)]
