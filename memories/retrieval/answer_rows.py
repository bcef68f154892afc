"""The rows of the hits for an answer: one query, no model instances."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.retrieval.search_types import Hit
from memories.review.contradictions import UNDECIDED_SQL
from memories.store.known_use import CURRENT_TIER_SQL, WITH_USE
from memories.store.models.memory import MADE_FROM_KEYS
from orgs.database.answer_size import LONGEST_TEXT_BYTES
from orgs.database.driver.pipeline import Rows
from orgs.database.prepared_statements import fetch_all
from robots.registry.personal_robot_sql import visible_robot_sql


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The facts of a memory in an answer. Ids and names are only those that the asker may know; of
    a group if they read it. author: the person who wrote it; speaker: whose words it gives, a
    member only if speaker_id is set; reworded: who changed the words, if not the speaker. robot:
    None if the asker may not see it (`personal_robot_privacy`). superseded_by: the memory that
    holds since valid_until, if the asker reads it and it exists. undecided: a memory that says
    otherwise, where somebody is to decide which of both holds, if the asker reads it. metadata,
    source: None if they have more than MAX_DOCUMENT_CHARACTERS as JSON."""

    id: UUID
    key: str | None
    content: str
    robot_id: str | None
    robot_name: str | None
    author_id: UUID | None
    author_name: str | None
    speaker: str
    speaker_id: UUID | None
    speaker_name: str | None
    reworded_id: str | None
    reworded_name: str | None
    member_id: UUID | None
    member_name: str | None
    group_id: UUID | None
    group_name: str | None
    audience_kind: str
    kind: str
    type: str
    category: str
    tier: str
    importance: float
    occurred_at: datetime | None
    created_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    superseded_by: UUID | None
    undecided: UUID | None
    tags: list[str]
    metadata: dict[str, Any] | None
    source: dict[str, Any] | None


# A document of a memory in a list; a longer one only the memory itself has.
MAX_DOCUMENT_CHARACTERS = 16_384
_DOCUMENT_PREFIX = MAX_DOCUMENT_CHARACTERS + 1
# Robots that the asker may see (`personal_robot_privacy`).
_ROBOT_VISIBLE_SQL = visible_robot_sql("r", "m")
_REWORDER_VISIBLE_SQL = visible_robot_sql("x", "m")
# As `Memory.open_source`.
_OPEN_SOURCE_SQL = f"(m.source - '{{{','.join(MADE_FROM_KEYS)}}}'::text[])"
_ROWS_OF = f"""
SELECT m.id, m.key, m.content, coalesce(r.external_id, r.id::text), r.name, w.id, w.name,
    m.speaker, s.id, s.name, coalesce(x.external_id, x.id::text, e.id::text),
    coalesce(x.name, e.name), b.id, b.name, g.id, g.name, a.kind, m.kind, m.type, m.category,
    {CURRENT_TIER_SQL}, m.importance, m.occurred_at, m.created_at,
    m.valid_from, m.valid_until, n.id, ({UNDECIDED_SQL}), array_to_string(m.tags, ','),
    left(m.metadata::text, {_DOCUMENT_PREFIX}), left({_OPEN_SOURCE_SQL}::text, {_DOCUMENT_PREFIX})
FROM memories_memory m
LEFT JOIN robots_robot r ON r.organisation_id = m.organisation_id AND r.id = m.robot_id
    AND {_ROBOT_VISIBLE_SQL}
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
{WITH_USE}
LEFT JOIN orgs_member b ON b.organisation_id = m.organisation_id AND b.id = m.member_id
LEFT JOIN orgs_member w ON w.organisation_id = m.organisation_id AND w.id = m.author_id
LEFT JOIN orgs_member s ON s.organisation_id = m.organisation_id AND s.id = m.speaker_member_id
LEFT JOIN orgs_member e ON e.organisation_id = m.organisation_id AND e.id = m.reworded_by_id
LEFT JOIN robots_robot x ON x.organisation_id = m.organisation_id AND x.id = m.reworded_by_robot_id
    AND {_REWORDER_VISIBLE_SQL}
LEFT JOIN orgs_audience here ON here.organisation_id = m.organisation_id AND here.kind = 'group'
    AND here.key = m.group_id::text AND here.id = ANY (
        (SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
LEFT JOIN orgs_group g ON g.organisation_id = m.organisation_id AND g.id = here.group_id
LEFT JOIN memories_memory n ON n.organisation_id = m.organisation_id
    AND n.id = m.superseded_by_id AND n.status = 'active'
WHERE m.organisation_id = %(organisation)s AND m.id """
_ROWS_SQL = f"{_ROWS_OF} = ANY(%(ids)s)"
# The first of the ids whose texts fit into one answer.
_FITTING = """
SELECT t.id FROM (
    SELECT m.id, i.place, sum(octet_length(m.content)) OVER (ORDER BY i.place) AS so_far
    FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS i (id, place)
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = i.id
) AS t WHERE t.so_far <= %(most_bytes)s OR t.place = 1"""
_FITTING_ROWS = f"{_ROWS_OF} IN ({_FITTING})"


def mark_undecided(
    hit: Hit, row: AnswerRow, *, as_of: date | None, shareable_with: object | None
) -> Hit:
    """The hit with the memory that says otherwise, where somebody is to decide which of both holds.

    as_of, shareable_with: of the question. What is undecided now was not so at another time, and
    the other memory may not be shareable.
    """
    if row.undecided and as_of is None and shareable_with is None:
        return replace(hit, undecided=row.undecided)
    return hit


def short_document(value: dict[str, Any]) -> dict[str, Any] | None:
    """The document, or None if it is too long for a list (`MAX_DOCUMENT_CHARACTERS`)."""
    if not value:
        return value
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= MAX_DOCUMENT_CHARACTERS else None


def fetch_answer_rows(organisation_id: UUID, ids: Sequence[UUID]) -> dict[UUID, AnswerRow]:
    """The readable rows, by id; call inside the asker's scope."""
    if not ids:
        return {}
    return parse_answer_rows(fetch_all(*answer_rows_statement(organisation_id, ids)))


def answer_rows_statement(organisation_id: UUID, ids: Sequence[UUID]) -> tuple[str, dict[str, Any]]:
    """The statement of `fetch_answer_rows`, and its parameters. Of more texts than always fit into
    one answer it leaves out the last ones that do not."""
    asked = {"organisation": organisation_id, "ids": list(ids)}
    most = settings.ANSWER_TEXTS_MAX_BYTES
    if len(ids) * LONGEST_TEXT_BYTES <= most:
        return _ROWS_SQL, asked
    return _FITTING_ROWS, asked | {"most_bytes": most}


def first_fitting_ids(organisation_id: UUID, ids: Sequence[UUID]) -> list[UUID]:
    """The first of these memories whose texts fit into one answer, without those that the scope
    does not read."""
    values = {"organisation": organisation_id, "ids": list(ids)}
    rows = fetch_all(_FITTING, values | {"most_bytes": settings.ANSWER_TEXTS_MAX_BYTES})
    return [id_ for (id_,) in rows]


def parse_answer_rows(rows: Rows) -> dict[UUID, AnswerRow]:
    """The rows that the statement found, by id."""
    # Tags and documents come as text: the driver's own way for arrays and JSON took a fifth of the
    # time of the whole statement.
    found: dict[UUID, AnswerRow] = {}
    for *facts, tags, metadata, source in rows:
        facts += [tags.split(",") if tags else [], *map(_parse_document, (metadata, source))]
        found[facts[0]] = AnswerRow(*facts)
    return found


def _parse_document(text: str) -> dict[str, Any] | None:
    if text == "{}":
        return {}
    return json.loads(text) if len(text) <= MAX_DOCUMENT_CHARACTERS else None
