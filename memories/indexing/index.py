"""Index memories for search, in bulk, or remove them; call inside the writer's scope."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memories.indexing import partitions
from memories.indexing.context_update import (
    LABELLED,
    Going,
    come_between,
    take_back,
    wait_in_turn,
)
from memories.indexing.models import Embedding, Pending, Reading, Text
from memories.jobs.hints import hint_embedding, hint_patterns
from memories.language import cues
from memories.restatement.restate import restate_following, restate_without
from memories.store import projections
from memories.store.dependents import take_along
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetched
from orgs.models.base import new_id
from orgs.models.organisations import Organisation, Projection

# Postgres allows tsvectors up to 1 MiB and word positions up to 16,383; later words are not
# indexed.
INDEXED_CHARACTERS = 100_000


# OFFSET 0, so that the words of a content are parsed once for both of their uses.
_PARSED = """
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
_INTO_TEXT = rf"""
INSERT INTO memories_text (id, organisation_id, memory_id, audience_id, kind, group_id, own,
                           lexemes, length, speaker_key, asks, timed)
SELECT id, %(organisation)s, id, audience_id, kind, group_id, own,
       {LABELLED},
       length, speaker_key, asks AND length <= %(short)s, timed
FROM """
_INSERT_TEXT = f"{_INTO_TEXT} ({_PARSED}) AS parsed"
# Both inserts use words that are parsed once.
_INSERT_TEXT_AND_PARTITION = rf"""
WITH parsed AS MATERIALIZED ({_PARSED}), texts AS ({_INTO_TEXT} parsed)
INSERT INTO memories_partition (organisation_id, memory_id, audience_id, kind, group_id, owner,
                                parties, words, length, speaker, asks, timed)
SELECT %(organisation)s, id, audience_id, kind, group_id, owner, parties::uuid[],
       memories_sparse_words({LABELLED}), length,
       memories_speaker_place(speaker_key), asks AND length <= %(short)s, timed
FROM parsed
JOIN unnest(%(ids)s::uuid[], %(owners)s::uuid[], %(parties)s::text[])
    AS whose (id, owner, parties) USING (id)
WHERE kind = ANY(%(partitioned)s)
"""


# The rows of `columns_of`.
GIVEN = """
FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[],
            %(robots)s::uuid[], %(authors)s::uuid[])
    AS given (id, memory, audience, kind, robot, author)
"""
_OWE = f"""
INSERT INTO memories_pending (id, organisation_id, memory_id, audience_id, kind, state, attempts,
                              reason, created_at, reading)
SELECT id, %(organisation)s, memory, audience, kind, 'waiting', 0, '', %(now)s, %(reading)s::text
{GIVEN}
"""


def columns_of(rows: Sequence[Memory], now: datetime) -> dict[str, Any]:
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


def about(memory: Memory) -> str:
    """The words beside the content by which a memory is found: when, who, about what."""
    at = memory.occurred_at
    when = f"{at:%-d %B %Y}" if at else ""
    return f"{when} {memory.speaker} {memory.topic}".strip()


def index(
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
    fetched(
        _INSERT_TEXT_AND_PARTITION if partitioned else _INSERT_TEXT,
        {
            "organisation": organisation.id,
            "language": organisation.language,
            "ids": [row.id for row in rows],
            "audiences": [row.audience_id for row in rows],
            "kinds": [row.kind for row in rows],
            "groups": [row.group_id for row in rows],
            "about": [about(row) for row in rows],
            "contents": [row.content[:INDEXED_CHARACTERS] for row in rows],
            "speakers": [row.speaker.lower() for row in rows],
            "asks": [cues.is_question(row.content) for row in rows],
            "timed": [cues.names_time(row.content) for row in rows],
            "short": cues.SHORT_QUESTION,
            **(_whose(rows) if partitioned else {}),
        },
    )
    reading = Reading.FRESH if fresh else Reading.AGAIN
    fetched(_OWE, columns_of(rows, now) | {"reading": reading.value})
    if come_between(rows):
        # New turns push older ones apart. Later the older neighbours would be out of reach of an
        # update.
        wait_in_turn(rows)
        take_back(rows, now)
        restate_following(rows, now)


def _whose(rows: Sequence[Memory]) -> dict[str, Any]:
    return {
        "owners": [row.member_id for row in rows],
        "parties": ["{" + ",".join(map(str, partitions.parties(row))) + "}" for row in rows],
        "partitioned": list(partitions.PARTITIONED),
    }


def unindex(
    rows: Sequence[Memory], now: datetime, *, by_subject: bool = False, archived: bool = False
) -> None:
    """Take memories out of every search; call before their audience changes, if it does.

    Their contribution to neighbouring turns is removed at once. Their propositions are forgotten
    with them, and unless they are only archived their summaries as well. by_subject: their subject
    forgets them.
    """
    if not rows:
        return
    gone = take_along(rows, now, by_subject=by_subject, archived=archived)
    unindex(gone, now, by_subject=by_subject, archived=archived)
    take_out(rows, now)


def take_out(rows: Sequence[Memory], now: datetime, *, going: Going | None = None) -> None:
    """Take memories out of search without touching their propositions and summaries.

    going: tells which memories are about to be deleted, so that they are not queued again.
    """
    if not rows:
        return
    organisation_id, ids = rows[0].organisation_id, [row.id for row in rows]
    wait_in_turn(rows)
    # Deleted first: this waits for a worker that uses these words; then its contributions are
    # removed.
    for model in (Text, Embedding, Pending):
        model.objects.filter(organisation_id=organisation_id, memory_id__in=ids).delete()
    partitions.remove(organisation_id, ids)
    take_back(rows, now, going=going)
    restate_without(rows, now)
    projections.withdraw(organisation_id, ids)
    hint_embedding(organisation_id)
    if any(row.shareable for row in rows):
        hint_patterns(organisation_id)


def reindex(memory: Memory, now: datetime) -> None:
    """Index a memory with its present words, for its present readers."""
    organisation = Organisation.objects.get(id=memory.organisation_id)
    index([memory], organisation=organisation, now=now)
    hint_embedding(memory.organisation_id)


def lend_anew(memory: Memory, now: datetime) -> None:
    """The expiry of a memory changed: recompute its contribution to its neighbours."""
    wait_in_turn([memory])
    take_back([memory], now)
    restate_following([memory], now)
    hint_embedding(memory.organisation_id)


def note_again(memory: Memory, now: datetime) -> None:
    """The tags of a memory changed, but not its words: update the projections."""
    organisation = Organisation.objects.get(id=memory.organisation_id)
    projections.renew(organisation, [memory], now)
