"""Embed memories that wait, and update the context of the turns around them.

Runs in the role of the worker, on one organisation at a time. Work is leased from the pending rows,
so work of a killed worker comes back when its lease ends. It is finished in the transaction that
stores the result, so nothing is done twice.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import QuerySet

from memories.embedding.encoder import EncoderError, Vectors
from memories.embedding.encoder_loading import encode_measured, get_encoder
from memories.embedding.model_catalogue import EmbeddingModel
from memories.indexing import partition_projection
from memories.indexing.context_windows import ContextWindows, Vector
from memories.indexing.enrich_worker import enrich_pending
from memories.indexing.models import Embedding, EnrichmentState, Pending
from memories.jobs import leases as jobs_leases
from memories.jobs.leases import WORKER, PendingState, lease_rows, release_rows
from memories.store.models.memory import Memory
from memories.store.organisation_models import OrganisationModels, find_organisation_models
from memories.store.text_parts import TextPart, split_text
from orgs.database.advisory_locks import acquire_shared_lock
from orgs.database.driver.binary_values import VECTOR_SQL, vector_parameters
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.wired_functions import wired

log = logging.getLogger("commonmind.embedding")

BATCH_SIZE = 64
# Shared by whoever stores vectors; whoever changes the organisation's models takes it alone.
MODELS_LOCK = "embedding models"


@wired
def on_embedded(
    organisation_id: UUID,
    ids: Sequence[UUID],
    *,
    model: EmbeddingModel,
    now: datetime,
    using: str,
) -> object:
    """Called when memories have got vectors of the serving model, in the transaction that stores
    these. The result is not used."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class LeasedMemory:
    """One memory to embed, as it was when the lease began. part_texts: to embed as well, one for
    each of its parts, none for a short text."""

    memory_id: UUID
    audience_id: UUID
    kind: str
    group_id: UUID | None
    version: int
    text: str
    parts: Sequence[TextPart] = ()
    part_texts: Sequence[str] = ()

    @property
    def texts(self) -> list[str]:
        """All texts to embed, the whole first."""
        return [self.text, *self.part_texts]


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """The vectors of one model, by memory: whole texts, and those of the parts of long ones, an
    array each."""

    whole: Mapping[UUID, Vector]
    parts: Mapping[UUID, Vectors]


def text_to_embed(memory: Memory) -> str:
    """The text that is embedded: "[date] speaker: text"; an unknown date or speaker is left out."""
    return f"{_text_prefix(memory)}{memory.content}"


def _text_prefix(memory: Memory) -> str:
    at = memory.occurred_at
    when = f"[{at:%-d %B %Y}] " if at else ""
    who = f"{memory.speaker}: " if memory.speaker else ""
    return f"{when}{who}"


def to_text(memory: Memory) -> LeasedMemory:
    """The memory as it is now, with the texts to embed."""
    parts = split_text(memory.content)
    prefix = _text_prefix(memory) if parts else ""
    return LeasedMemory(
        memory.id,
        memory.audience_id,
        memory.kind,
        memory.group_id,
        memory.version,
        text_to_embed(memory),
        parts,
        [f"{prefix}{memory.content[part.start : part.end]}" for part in parts],
    )


def embed_pending(organisation_id: UUID, *, now: datetime, limit: int = BATCH_SIZE) -> int:
    """Read some waiting memories (`enrich_worker`), then embed up to `limit` memories that were
    read.

    Returns how many were read or leased, whichever is more; 0 when nothing is left. Without a model
    memories are only read; nothing is leased, so nothing counts as an attempt.
    """
    read = enrich_pending(organisation_id, now=now)
    models = find_organisation_models(organisation_id, using=WORKER)
    try:
        get_encoder(models.serving.name)
    except EncoderError as error:
        log.warning("no embedding: %s", error)
        return read
    leases = _lease_batch(organisation_id, now, limit)
    if leases:
        _embed_batch(organisation_id, leases, models, now)
    return max(read, len(leases))


def _embed_batch(
    organisation_id: UUID, leases: Sequence[LeasedMemory], models: OrganisationModels, now: datetime
) -> None:
    try:
        vectors = _encode(leases, models)
    except Exception as error:
        if len(leases) == 1:
            _release(organisation_id, leases, error)
            return
        # One bad text must not block the others: encode each by itself.
        for lease in leases:
            _embed_batch(organisation_id, [lease], models, now)
        return
    _store_vectors(organisation_id, leases, vectors, models, now)


def _encode(
    leases: Sequence[LeasedMemory], models: OrganisationModels
) -> dict[EmbeddingModel, ModelVectors]:
    """The vectors of the texts by every kept model. A second model that fails is left out: the
    filling of it comes back for these memories (`model_switch`)."""
    found = {models.serving: encode_texts(leases, models.serving)}
    if models.second is not None:
        try:
            found[models.second] = encode_texts(leases, models.second)
        except Exception as error:
            log.warning("second model failed: %s", type(error).__name__)
    return found


def encode_texts(leases: Sequence[LeasedMemory], model: EmbeddingModel) -> ModelVectors:
    """The vectors of these memories by one model. Raises what the encoder raises."""
    texts = [text for one in leases for text in one.texts]
    vectors = encode_measured(get_encoder(model.name), texts)
    whole, parts, place = {}, {}, 0
    for one in leases:
        whole[one.memory_id] = vectors[place]
        parts[one.memory_id] = vectors[place + 1 : place + len(one.texts)]
        place += len(one.texts)
    return ModelVectors(whole, parts)


def _lease_batch(organisation_id: UUID, now: datetime, limit: int) -> list[LeasedMemory]:
    with organisation_scope(organisation_id, using=WORKER):
        owed = Pending.objects.using(WORKER).filter(
            organisation_id=organisation_id, reading=EnrichmentState.DONE
        )
        rows = lease_rows(owed, now, limit, broken_alone=True)
        memories = Memory.objects.using(WORKER).in_bulk([row.memory_id for row in rows])
    return [to_text(memories[row.memory_id]) for row in rows if row.memory_id in memories]


def _release(organisation_id: UUID, leases: Sequence[LeasedMemory], error: Exception) -> None:
    """Release leases for another attempt."""
    # The class alone: a library's message may quote the text.
    reason = type(error).__name__
    log.warning("embedding failed: %s", reason)
    release_rows(Pending, organisation_id, [lease.memory_id for lease in leases], reason)


# Not by the ORM, which sends each vector as text.
_INSERT_EMBEDDINGS_SQL = f"""
INSERT INTO memories_embedding (id, organisation_id, memory_id, audience_id, kind, group_id,
                                model, own)
SELECT id, %(organisation)s, memory, audience, kind, place, %(model)s, {VECTOR_SQL}
FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[],
            %(groups)s::uuid[]) WITH ORDINALITY AS given (id, memory, audience, kind, place, at)
ON CONFLICT (organisation_id, memory_id, model) DO UPDATE
SET own = excluded.own, audience_id = excluded.audience_id, kind = excluded.kind,
    group_id = excluded.group_id
"""

_DELETE_PARTS_SQL = """
DELETE FROM memories_vector WHERE organisation_id = %(organisation)s
    AND memory_id = ANY(%(ids)s::uuid[]) AND model = %(model)s AND part > 0
"""
_INSERT_PARTS_SQL = f"""
INSERT INTO memories_vector (organisation_id, memory_id, audience_id, kind, model, part,
                             first_character, end_character, embedding)
SELECT s.organisation_id, s.memory_id, s.audience_id, s.kind, %(model)s, given.number,
    given.start, given.stop, {VECTOR_SQL}
FROM unnest(%(ids)s::uuid[], %(numbers)s::smallint[], %(starts)s::int[], %(ends)s::int[])
    WITH ORDINALITY AS given (id, number, start, stop, at)
JOIN memories_search s ON s.organisation_id = %(organisation)s AND s.memory_id = given.id
"""
_DELETE_OTHERS_SQL = """
DELETE FROM memories_vector WHERE organisation_id = %(organisation)s
    AND memory_id = ANY(%(ids)s::uuid[]) AND NOT model = ANY(%(models)s::smallint[])
"""


def _embedding_columns(
    rows: Sequence[Memory], own: Mapping[UUID, Vector], model: EmbeddingModel
) -> dict[str, Any]:
    """The values of _KEEP for these memories with their vectors."""
    return {
        "organisation": rows[0].organisation_id,
        "model": model.number,
        "ids": [new_id() for _ in rows],
        "memories": [row.id for row in rows],
        "audiences": [row.audience_id for row in rows],
        "kinds": [row.kind for row in rows],
        "groups": [row.group_id for row in rows],
        **vector_parameters([own[row.id] for row in rows]),
    }


def _store_vectors(
    organisation_id: UUID,
    leases: Sequence[LeasedMemory],
    vectors: Mapping[EmbeddingModel, ModelVectors],
    models: OrganisationModels,
    now: datetime,
) -> None:
    with organisation_scope(organisation_id, using=WORKER):
        current = lock_unchanged(organisation_id, leases, models)
        if current is None:
            # The models changed meanwhile: the next attempt asks the present ones.
            ids = [lease.memory_id for lease in leases]
            _owed(organisation_id, ids).update(state=PendingState.WAITING, attempts=0)
            return
        done = [
            lease
            for lease in leases
            if (m := current.get(lease.memory_id)) and m.version == lease.version
        ]
        ids = [lease.memory_id for lease in done]
        moved: set[UUID] = set()
        for model, found in vectors.items():
            moved |= store_model_vectors(
                done, current, found, model, models,
                words=model == models.serving, using=WORKER,
            )  # fmt: skip
        # Vectors of other models are of an earlier text and must not be used again.
        numbers = [model.number for model in vectors]
        Embedding.objects.using(WORKER).filter(
            organisation_id=organisation_id, memory_id__in=ids
        ).exclude(model__in=numbers).delete()
        if models.second is not None or models.is_settling:
            values = {"organisation": organisation_id, "ids": ids, "models": numbers}
            fetch_all(_DELETE_OTHERS_SQL, values, WORKER)
        partition_projection.refresh_partition_rows(organisation_id, moved, using=WORKER)
        on_embedded(organisation_id, ids, model=models.serving, now=now, using=WORKER)
        _owed(organisation_id, ids).delete()
        # Forgotten memories need nothing any more; changed ones wait for another attempt.
        stale = {lease.memory_id for lease in leases} - set(ids)
        _owed(organisation_id, stale - set(current)).delete()
        _owed(organisation_id, stale & set(current)).update(state=PendingState.WAITING, attempts=0)


def _owed(organisation_id: UUID, ids: Collection[UUID]) -> QuerySet[Pending]:
    """The pending rows of these memories."""
    rows = Pending.objects.using(WORKER)
    return rows.filter(organisation_id=organisation_id, memory_id__in=ids)


def lock_unchanged(
    organisation_id: UUID, leases: Sequence[LeasedMemory], models: OrganisationModels
) -> dict[UUID, Memory] | None:
    """The memories that may still get vectors, by id, locked until the transaction ends; None if
    the organisation has other models by now, which stay as they are until then."""
    acquire_shared_lock(organisation_id, MODELS_LOCK, using=WORKER)
    if find_organisation_models(organisation_id, using=WORKER) != models:
        return None
    # Locked while the vectors are stored: a later change of the text keeps its new pending row.
    # FOR NO KEY UPDATE, so that updates of neighbours may insert pending rows for this one.
    return {
        m.id: m
        for m in Memory.objects.using(WORKER)
        # A memory that became sensitive meanwhile has the same version, and gets no vector.
        .filter(id__in=[lease.memory_id for lease in leases], status="active", sensitive=False)
        .select_for_update(of=("self",), no_key=True)
        .order_by("id")
        .only("id", "version", "audience_id", "kind", "group_id", "organisation_id")
    }


def store_model_vectors(
    texts: Sequence[LeasedMemory],
    current: Mapping[UUID, Memory],
    vectors: ModelVectors,
    model: EmbeddingModel,
    models: OrganisationModels,
    *,
    words: bool,
    using: str,
) -> set[UUID]:
    """Store vectors of one model for memories that are locked and unchanged, and the searched ones
    of the turns around them. words: whether their context windows of words are made as well.

    Returns the ids of memories whose words or vector changed.
    """
    if not texts:
        return set()
    rows = [current[text.memory_id] for text in texts]
    own = {row.id: vectors.whole[row.id] for row in rows}
    windows = ContextWindows(rows[0].organisation_id, own, model.number, connections[using])
    searched = windows.searched()
    fetch_all(_INSERT_EMBEDDINGS_SQL, _embedding_columns(rows, own, model), using)
    moved = windows.store(
        searched, words=words, in_rows=model == models.rows, split=models.is_settling
    )
    if models.has_parts or any(text.parts for text in texts):
        _store_parts(rows[0].organisation_id, texts, vectors, model, using)
    return moved


def _store_parts(
    organisation_id: UUID,
    texts: Sequence[LeasedMemory],
    vectors: ModelVectors,
    model: EmbeddingModel,
    using: str,
) -> None:
    """Replace the vectors of the parts of these memories."""
    ids = [text.memory_id for text in texts]
    values: dict[str, Any] = {"organisation": organisation_id, "model": model.number}
    fetch_all(_DELETE_PARTS_SQL, values | {"ids": ids}, using)
    found = [(text.memory_id, part) for text in texts for part in text.parts]
    if not found:
        return
    values |= {
        "ids": [id_ for id_, _ in found],
        "numbers": [part.number for _, part in found],
        "starts": [part.start for _, part in found],
        "ends": [part.end for _, part in found],
    }
    # At the scale of a whole text's searched vector without neighbours.
    each = [2 * vector for text in texts for vector in vectors.parts[text.memory_id]]
    fetch_all(_INSERT_PARTS_SQL, values | vector_parameters(each), using)


def has_expired_leases(organisation_id: UUID, now: datetime) -> bool:
    """Whether the organisation has pending rows whose lease ended without a result."""
    with organisation_scope(organisation_id, using=WORKER):
        rows = Pending.objects.using(WORKER).filter(organisation_id=organisation_id)
        return rows.filter(state=PendingState.LEASED, leased_until__lt=now).exists()


def list_organisations_with_work(now: datetime) -> list[UUID]:
    """The ids of organisations with memories to embed."""
    return jobs_leases.list_organisations_with_work(Pending, now)
