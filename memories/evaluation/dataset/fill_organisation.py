"""Fill an organisation with the messages of a world: remembered in batches, then embedded.

The memories go through the remember service, group by group. Their vectors are those of the text
that the worker would encode, each distinct text once. They are stored in bulk in the role of the
worker, because the time of the encoder is measured separately. Neighbouring turns contribute
nothing to each other here, since random talk has no context.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections
from pgvector import HalfVector

from memories.embedding.encoder_loading import get_encoder, model_number
from memories.evaluation.dataset.generator import GeneratedMessage
from memories.evaluation.dataset.synthetic_organisation import (
    SyntheticOrganisation,
    ensure_message_audiences,
    get_projections,
)
from memories.evaluation.table_sizes import vacuum_tables
from memories.indexing import partition_projection
from memories.indexing.embed_worker import text_to_embed
from memories.indexing.models import Pending
from memories.ingestion.drafts import RememberResult
from memories.ingestion.remember import remember_many
from memories.jobs.leases import WORKER
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.organisations import Projection
from orgs.principals import resolve_principal

ENCODE_BATCH_SIZE, STORE_BATCH_SIZE = 256, 500
ProgressCallback = Callable[[str], None]


class MessageNotStoredError(Exception):
    """A generated message did not become a memory of its own."""


@dataclass(frozen=True, slots=True)
class FillResult:
    """The figures of filling; batch_rows_per_s over all of it."""

    memories: int
    seconds: float
    distinct_texts: int
    encoded_per_s: float
    stored_per_s: float


@dataclass(frozen=True, slots=True)
class _Row:
    id: UUID
    audience_id: UUID
    kind: str
    group_id: UUID | None
    text: str


def fill_organisation(
    place: SyntheticOrganisation, *, now: datetime, say: ProgressCallback
) -> FillResult:
    """Remember and embed every message of the world; texts are encoded meanwhile."""
    rows: list[_Row] = []
    seconds = 0.0
    with _BackgroundEncoder() as encoding:
        for group in range(place.world.groups):
            messages = place.world.messages(group)
            ensure_message_audiences(place, messages)
            taken, spent = remember_messages(place, messages, now=now)
            encoding.add(row.text for row in taken)
            rows += taken
            seconds += spent
            if group % 100 == 99:
                say(f"  {len(rows):,} remembered at {len(rows) / seconds:,.0f}/s")
        vectors = encoding.finished()
    encoded = time.perf_counter()
    for first in range(0, len(rows), STORE_BATCH_SIZE):
        _store_vectors(place.id, rows[first : first + STORE_BATCH_SIZE], vectors)
    if Projection.PARTITIONS in get_projections(place):
        # The worker's way, row by row, would take longer than everything else.
        vacuum_tables()
        partition_projection.rebuild_partitions(place.id)
    stored = time.perf_counter()
    return FillResult(
        len(rows),
        seconds,
        len(vectors),
        len(vectors) / encoding.seconds,
        len(rows) / (stored - encoded),
    )


class _BackgroundEncoder:
    """Encodes distinct texts in a thread of its own; the encoder releases the GIL.

    Vectors are kept in the text form of Postgres.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._known: set[str] = set()
        self._waiting: list[str] = []
        self._done: list[Future[dict[str, str]]] = []
        self._pool = ThreadPoolExecutor(max_workers=1)

    def __enter__(self) -> "_BackgroundEncoder":
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            if text not in self._known:
                self._known.add(text)
                self._waiting.append(text)
        while len(self._waiting) >= ENCODE_BATCH_SIZE:
            self._send()

    def finished(self) -> dict[str, str]:
        """Wait for the last vector. Returns the vector of every text."""
        while self._waiting:
            self._send()
        found: dict[str, str] = {}
        for one in self._done:
            found |= one.result()
        return found

    def _send(self) -> None:
        texts = sorted(self._waiting[:ENCODE_BATCH_SIZE], key=len)
        del self._waiting[:ENCODE_BATCH_SIZE]
        self._done.append(self._pool.submit(self._encode, texts))

    def _encode(self, texts: Sequence[str]) -> dict[str, str]:
        started = time.perf_counter()
        vectors = get_encoder().encode(texts)
        self.seconds += time.perf_counter() - started
        return {
            text: HalfVector(vector).to_text() for text, vector in zip(texts, vectors, strict=True)
        }


def remember_messages(
    place: SyntheticOrganisation, messages: Sequence[GeneratedMessage], *, now: datetime
) -> tuple[list[_Row], float]:
    """Remember these messages in one batch. Returns the rows to embed, and the seconds it took."""
    drafts = [place.draft(message) for message in messages]
    started = time.perf_counter()
    outcomes = remember_many(place.scribe, drafts, now=now)
    seconds = time.perf_counter() - started
    ids = [one.id for one in outcomes if isinstance(one, RememberResult) and not one.deduplicated]
    if len(ids) != len(messages):
        raise MessageNotStoredError(
            f"{len(messages) - len(ids)} of {len(messages)} messages were not kept"
        )
    principal = resolve_principal(place.scribe)
    with principal.scope():
        found = [
            _Row(m.id, m.audience_id, m.kind, m.group_id, text_to_embed(m))
            for m in Memory.objects.filter(organisation_id=place.id, id__in=ids)
        ]
        # The vectors are stored in bulk, so a running worker must not embed these again.
        Pending.objects.filter(organisation_id=place.id, memory_id__in=ids).delete()
    return found, seconds


# The searched vector is the own one plus that of the context; without context it is twice the own.
_INSERT_EMBEDDINGS_SQL = """
INSERT INTO memories_embedding
    (id, organisation_id, memory_id, audience_id, kind, group_id, model, own)
SELECT id, %(organisation)s, memory_id, audience_id, kind, group_id, %(model)s, own
FROM (
    SELECT id, memory_id, audience_id, kind, group_id, own::halfvec AS own
    FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[],
                %(groups)s::uuid[], %(vectors)s::text[])
        AS given (id, memory_id, audience_id, kind, group_id, own)
) AS rows
ON CONFLICT (organisation_id, memory_id, model) DO NOTHING
"""
_UPDATE_VECTORS_SQL = """
UPDATE memories_search s SET model = e.model, embedding = e.own + e.own
FROM memories_embedding e
WHERE s.organisation_id = %(organisation)s AND s.memory_id = ANY(%(memories)s::uuid[])
  AND e.organisation_id = s.organisation_id AND e.memory_id = s.memory_id AND e.model = %(model)s
"""


def _store_vectors(organisation_id: UUID, rows: Sequence[_Row], vectors: dict[str, str]) -> None:
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "model": model_number(),
        "ids": [new_id() for _ in rows],
        "memories": [row.id for row in rows],
        "audiences": [row.audience_id for row in rows],
        "kinds": [row.kind for row in rows],
        "groups": [row.group_id for row in rows],
        "vectors": [vectors[row.text] for row in rows],
    }
    with (
        organisation_scope(organisation_id, using=WORKER),
        connections[WORKER].cursor() as cursor,
    ):
        cursor.execute(_INSERT_EMBEDDINGS_SQL, values)
        cursor.execute(_UPDATE_VECTORS_SQL, values)
