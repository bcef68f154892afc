"""Index memories for search, in bulk, or remove them; call inside the writer's scope."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memories.indexing import partition_projection
from memories.indexing.models import Embedding, EnrichmentState, Pending, Text
from memories.indexing.neighbour_context import (
    LABELLED_LEXEMES_SQL,
    DeletionFilter,
    lock_conversations,
    reset_neighbours,
    splits_conversation,
)
from memories.jobs.worker_hints import notify_embedding_worker, notify_pattern_worker
from memories.knowledge_graph.graph_projection import GRAPH_PROJECTION, rewrite_graph
from memories.language import query_cues
from memories.restatement.restate import delete_and_restate_dependents, restate_dependents
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.models.base import new_id
from orgs.models.organisations import Organisation, Projection

# Postgres allows tsvectors up to 1 MiB and word positions up to 16,383; later words are not
# indexed.
MAX_INDEXED_CHARACTERS = 100_000


# OFFSET 0, so that the words of a content are parsed once for both of their uses.
_PARSED_WORDS_SQL = """
    SELECT id, audience_id, kind, group_id, speaker_key, asks, timed,
        to_tsvector(%(language)s::regconfig, about) || words AS own,
        coalesce((SELECT sum(coalesce(array_length(positions, 1), 1)) FROM unnest(words)), 0)
            AS length
    FROM unnest(%(ids)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[], %(groups)s::uuid[],
                %(about)s::text[], %(contents)s::text[], %(speakers)s::text[], %(asks)s::bool[],
                %(timed)s::bool[])
        AS given (id, audience_id, kind, group_id, about, content, speaker_key, asks, timed),
        LATERAL (SELECT to_tsvector(%(language)s::regconfig, content) AS words OFFSET 0) AS parsed
    OFFSET 0
"""
_INSERT_TEXT_PREFIX_SQL = rf"""
INSERT INTO memories_text (id, organisation_id, memory_id, audience_id, kind, group_id, own,
                           lexemes, length, speaker_key, asks, timed)
SELECT id, %(organisation)s, id, audience_id, kind, group_id, own,
       {LABELLED_LEXEMES_SQL},
       length, speaker_key, asks AND length <= %(short)s, timed
FROM """
_INSERT_TEXT_SQL = f"{_INSERT_TEXT_PREFIX_SQL} ({_PARSED_WORDS_SQL}) AS parsed"
# Both inserts use words that are parsed once.
_INSERT_TEXT_AND_PARTITION_SQL = rf"""
WITH parsed AS MATERIALIZED ({_PARSED_WORDS_SQL}), texts AS ({_INSERT_TEXT_PREFIX_SQL} parsed)
INSERT INTO memories_partition (organisation_id, memory_id, audience_id, kind, group_id, owner,
                                parties, words, length, speaker, asks, timed)
SELECT %(organisation)s, id, audience_id, kind, group_id, owner, parties::uuid[],
       memories_sparse_words({LABELLED_LEXEMES_SQL}), length,
       memories_speaker_place(speaker_key), asks AND length <= %(short)s, timed
FROM parsed
JOIN unnest(%(ids)s::uuid[], %(owners)s::uuid[], %(parties)s::text[])
    AS whose (id, owner, parties) USING (id)
WHERE kind = ANY(%(partitioned)s)
"""


# The rows of `memory_columns`.
MEMORY_ROWS_SQL = """
FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[],
            %(robots)s::uuid[], %(authors)s::uuid[])
    AS given (id, memory, audience, kind, robot, author)
"""
_INSERT_PENDING_SQL = f"""
INSERT INTO memories_pending (id, organisation_id, memory_id, audience_id, kind, state, attempts,
                              reason, created_at, reading)
SELECT id, %(organisation)s, memory, audience, kind, 'waiting', 0, '', %(now)s, %(reading)s::text
{MEMORY_ROWS_SQL}
"""


def memory_columns(rows: Sequence[Memory], now: datetime) -> dict[str, Any]:
    """Memories as values of GIVEN, each with a new id of its own. As columns, because a thousand
    model instances take longer than the statements."""
    return {
        "organisation": rows[0].organisation_id,
        "now": now,
        "ids": [new_id() for _ in rows],
        "memories": [row.id for row in rows],
        "audiences": [row.audience_id for row in rows],
        "kinds": [row.kind for row in rows],
        "robots": [row.robot_id for row in rows],
        "authors": [row.author_id for row in rows],
    }


def metadata_text(memory: Memory) -> str:
    """The words beside the content by which a memory is found: when, who, about what."""
    at = memory.occurred_at
    when = f"{at:%-d %B %Y}" if at else ""
    return f"{when} {memory.speaker} {memory.topic}".strip()


def index_memories(
    rows: Sequence[Memory],
    *,
    organisation: Organisation,
    now: datetime,
    fresh: bool = False,
) -> None:
    """Index memories by words now, and queue them for reading and embedding.

    fresh: they are new, so no projection has rows of them. Sensitive memories are skipped: they are
    found by key, tags and filters alone, and no words of them are kept outside their own row.
    """
    rows = [row for row in rows if not row.sensitive]
    if not rows:
        return
    partitioned = Projection.PARTITIONS in organisation.projections
    fetch_all(
        _INSERT_TEXT_AND_PARTITION_SQL if partitioned else _INSERT_TEXT_SQL,
        {
            "organisation": organisation.id,
            "language": organisation.language,
            "ids": [row.id for row in rows],
            "audiences": [row.audience_id for row in rows],
            "kinds": [row.kind for row in rows],
            "groups": [row.group_id for row in rows],
            "about": [metadata_text(row) for row in rows],
            "contents": [row.content[:MAX_INDEXED_CHARACTERS] for row in rows],
            "speakers": [row.speaker.lower() for row in rows],
            "asks": [query_cues.ends_with_question_mark(row.content) for row in rows],
            "timed": [query_cues.has_time_word(row.content) for row in rows],
            "short": query_cues.SHORT_QUERY_LEXEMES,
            **(_partition_columns(rows) if partitioned else {}),
        },
    )
    reading = EnrichmentState.FRESH if fresh else EnrichmentState.AGAIN
    fetch_all(_INSERT_PENDING_SQL, memory_columns(rows, now) | {"reading": reading.value})
    if splits_conversation(rows):
        # New turns push older ones apart. Later the older neighbours would be out of reach of an
        # update.
        lock_conversations(rows)
        reset_neighbours(rows, now)
        restate_dependents(rows, now)


def _partition_columns(rows: Sequence[Memory]) -> dict[str, Any]:
    return {
        "owners": [row.member_id for row in rows],
        "parties": [
            "{" + ",".join(map(str, partition_projection.parties(row))) + "}" for row in rows
        ],
        "partitioned": list(partition_projection.PARTITIONED_KINDS),
    }


def unindex_rows(
    rows: Sequence[Memory], now: datetime, *, going: DeletionFilter | None = None
) -> None:
    """Take memories out of every search, and what they gave to the turns around them.

    What was derived from them stays: see `memories.state.transitions`. Call before their audience
    changes, if it does. going: tells which memories are about to be deleted, so that they are not
    queued again.
    """
    if not rows:
        return
    organisation_id, ids = rows[0].organisation_id, [row.id for row in rows]
    lock_conversations(rows)
    # Deleted first: this waits for a worker that uses these words; then its contributions are
    # removed.
    for model in (Text, Embedding, Pending):
        model.objects.filter(organisation_id=organisation_id, memory_id__in=ids).delete()
    partition_projection.delete_partition_rows(organisation_id, ids)
    reset_neighbours(rows, now, going=going)
    delete_and_restate_dependents(rows, now)
    # Also if it was switched off: it may have been on before.
    GRAPH_PROJECTION.remove(organisation_id, ids)
    notify_embedding_worker(organisation_id)
    if any(row.shareable for row in rows):
        notify_pattern_worker(organisation_id)


def reindex_memory(memory: Memory, now: datetime) -> None:
    """Index a memory with its present words, for its present readers."""
    organisation = Organisation.objects.get(id=memory.organisation_id)
    index_memories([memory], organisation=organisation, now=now)
    notify_embedding_worker(memory.organisation_id)


def refresh_neighbour_context(memory: Memory, now: datetime) -> None:
    """The expiry of a memory changed: recompute its contribution to its neighbours."""
    lock_conversations([memory])
    reset_neighbours([memory], now)
    restate_dependents([memory], now)
    notify_embedding_worker(memory.organisation_id)


def refresh_projections(memory: Memory, now: datetime) -> None:
    """The tags of a memory changed, but not its words: update the projections."""
    organisation = Organisation.objects.get(id=memory.organisation_id)
    rewrite_graph(organisation, [memory], now)
