"""Index memories for search, in bulk, or remove them; call inside the writer's scope."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from memories.indexing import partition_projection
from memories.indexing.models import Embedding, EnrichmentState, Pending, Text
from memories.indexing.neighbour_context import (
    LABELLED_LEXEMES_SQL,
    DeletionFilter,
    lock_conversations,
    reset_neighbours,
    splits_conversation,
)
from memories.jobs.leases import WORKER
from memories.jobs.worker_hints import notify_embedding_worker, notify_pattern_worker
from memories.knowledge_graph.graph_projection import GRAPH_PROJECTION, rewrite_graph
from memories.language import query_cues
from memories.language.text_language import prepare_text, prepare_words
from memories.restatement.restate import delete_and_restate_dependents, restate_dependents
from memories.store.models.memory import Memory
from memories.store.text_parts import MAX_WHOLE_TOKENS, split_text
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.organisations import Organisation, Projection
from orgs.placement.all_organisations import list_organisation_ids

# Every text has its words by the organisation's configuration, so that they are found whatever
# language the question is in; a text of another language has those by its own as well. OFFSET 0, so
# that the words of a content are parsed once for both of their uses.
_PARSED_WORDS_SQL = """
    SELECT id, audience_id, kind, group_id, speaker_key, asks, timed,
        memories_index_words(%(language)s::regconfig, about) || words
            || coalesce(memories_index_words(%(language)s::regconfig, shared), '') AS own,
        coalesce((SELECT sum(coalesce(array_length(positions, 1), 1)) FROM unnest(words)), 0)
            AS length
    FROM unnest(%(ids)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[], %(groups)s::uuid[],
                %(about)s::text[], %(configurations)s::text[], %(contents)s::text[],
                %(shared)s::text[], %(speakers)s::text[], %(asks)s::bool[], %(timed)s::bool[])
        AS given (id, audience_id, kind, group_id, about, configuration, content, shared,
                  speaker_key, asks, timed),
        LATERAL (SELECT memories_index_words(configuration::regconfig, content) AS words
                 OFFSET 0) AS parsed
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
    if not organisation.has_parts and any(
        len(row.content) > MAX_WHOLE_TOKENS and split_text(row.content) for row in rows
    ):
        # Only then does a recall look for them.
        Organisation.objects.filter(id=organisation.id, has_parts=False).update(has_parts=True)
    partitioned = Projection.PARTITIONS in organisation.projections
    fetch_all(
        _INSERT_TEXT_AND_PARTITION_SQL if partitioned else _INSERT_TEXT_SQL,
        {
            "organisation": organisation.id,
            "short": query_cues.SHORT_QUERY_LEXEMES,
            **_word_columns(rows, organisation.language),
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


def _word_columns(rows: Sequence[Memory], language: str) -> dict[str, Any]:
    """The values of _PARSED_WORDS_SQL. language: the organisation's configuration; shared: the text
    for that, None where it is the text's own."""
    texts = [prepare_text(row.content) for row in rows]
    configurations = [text.configuration or language for text in texts]
    return {
        "language": language,
        "ids": [row.id for row in rows],
        "audiences": [row.audience_id for row in rows],
        "kinds": [row.kind for row in rows],
        "groups": [row.group_id for row in rows],
        "speakers": [row.speaker.lower() for row in rows],
        "asks": [query_cues.ends_with_question_mark(row.content) for row in rows],
        "timed": [query_cues.has_time_word(row.content) for row in rows],
        "about": [prepare_words(metadata_text(row)) for row in rows],
        "configurations": configurations,
        "contents": [text.own for text in texts],
        "shared": [
            None if configuration == language and text.own == text.shared else text.shared
            for text, configuration in zip(texts, configurations, strict=True)
        ],
    }


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


# Index the words of all memories of an organisation anew: for another language, or by newer rules.
# Meanwhile each memory is found by its vector, and by its old words as far as a question still has
# these. Runs in the role of the worker.

# One transaction holds the locks of so many rows for well under a second.
REBUILD_BATCH_SIZE = 500
_UPDATE_TEXT_SQL = rf"""
UPDATE memories_text t SET own = fresh.own, lexemes = fresh.lexemes, length = fresh.length,
    asks = fresh.asks
FROM (SELECT id, own, length, asks AND length <= %(short)s AS asks,
        {LABELLED_LEXEMES_SQL} AS lexemes
      FROM ({_PARSED_WORDS_SQL}) AS parsed) AS fresh
WHERE t.organisation_id = %(organisation)s AND t.memory_id = fresh.id
  AND t.own IS DISTINCT FROM fresh.own
RETURNING t.memory_id
"""


def list_outdated_word_indexes() -> list[UUID]:
    """The organisations whose words are indexed for another language than theirs."""
    return list_organisation_ids(~Q(indexed_language=F("language")))


def rebuild_words(organisation_id: UUID, *, now: datetime) -> int:
    """Index the words of every memory anew; returns how many changed.

    Those are queued for embedding as well, because turns lend their words to their neighbours. What
    breaks off is begun anew, and changes only what is left.
    """
    with organisation_scope(organisation_id, using=WORKER):
        languages = Organisation.objects.using(WORKER).values_list("language", flat=True)
        language = languages.get(id=organisation_id)
    changed, after = 0, UUID(int=0)
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            words = Text.objects.filter(
                organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("id")
            )
            rows = list(
                Memory.objects.using(WORKER)
                .filter(Exists(words), organisation_id=organisation_id, id__gt=after)
                .select_for_update(of=("self",), no_key=True)
                .order_by("id")[:REBUILD_BATCH_SIZE]
            )
            changed += _rebuild_batch(organisation_id, rows, language, now) if rows else 0
        if len(rows) < REBUILD_BATCH_SIZE:
            break
        after = rows[-1].id
    with organisation_scope(organisation_id):
        # Not if it was changed meanwhile: then all is done once more.
        Organisation.objects.filter(id=organisation_id, language=language).update(
            indexed_language=language
        )
    notify_embedding_worker(organisation_id)
    return changed


def _rebuild_batch(organisation_id: UUID, rows: list[Memory], language: str, now: datetime) -> int:
    found = fetch_all(
        _UPDATE_TEXT_SQL,
        {
            "organisation": organisation_id,
            "short": query_cues.SHORT_QUERY_LEXEMES,
            **_word_columns(rows, language),
        },
        WORKER,
    )
    ids = {id_ for (id_,) in found}
    partition_projection.refresh_partition_rows(organisation_id, ids, using=WORKER)
    Pending.objects.using(WORKER).bulk_create(
        [
            Pending(
                organisation_id=organisation_id,
                memory_id=row.id,
                audience_id=row.audience_id,
                kind=row.kind,
                reading=EnrichmentState.DONE,
                created_at=now,
            )
            for row in rows
            if row.id in ids
        ],
        ignore_conflicts=True,
    )
    return len(ids)
