"""The text of a hit for the cross-encoder: the turn before it, the speaker, and its words.

An answer often says little without its question. The previous turn is used only if it is in the
same conversation and audience, is active, and could itself be served.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.search_types import Hit, SearchFilters, SearchRequest
from orgs.database.prepared_statements import fetch_all

# In characters. The model reads 256 tokens, about 1,000 characters.
MAX_BEFORE_CHARACTERS, MAX_TEXT_CHARACTERS = 200, 1_000

# `before` is the directly previous turn: searching for a readable one could read a whole
# conversation. The conditions on n are those of the search itself.
_PASSAGES_SQL = """
SELECT h.id, h.speaker, left(h.content, %(text)s), (
    SELECT right(x.content, %(before)s) FROM memories_memory x
    JOIN memories_text n ON n.organisation_id = x.organisation_id AND n.memory_id = x.id
    WHERE x.organisation_id = %(organisation)s AND x.id = before.id AND x.status = 'active'
      AND (x.expires_at IS NULL OR x.expires_at > %(now)s::timestamptz) {narrowed})
FROM memories_memory h
LEFT JOIN LATERAL (
    SELECT y.id FROM memories_memory y
    WHERE y.organisation_id = %(organisation)s AND y.conversation = h.conversation
      AND y.audience_id = h.audience_id AND y.status = 'active'
      AND (y.position, y.id) < (h.position, h.id)
    ORDER BY y.position DESC, y.id DESC LIMIT 1
) AS before ON true
WHERE h.organisation_id = %(organisation)s AND h.id = ANY(%(ids)s::uuid[])
"""
# While the model runs, somebody may forget a hit.
_STILL_ACTIVE_SQL = """
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND m.status = 'active' AND (%(include_expired)s::bool OR m.expires_at IS NULL
    OR m.expires_at > %(now)s::timestamptz)
"""


def fetch_passages(question: SearchRequest, hits: Sequence[Hit]) -> Mapping[UUID, str]:
    """{hit: "previous turn speaker: text"}, without unknown parts. Call in the asker's scope.

    hits: only ones that the answer may show.
    """
    if not hits:
        return {}
    # The asker's filters are for answers; the previous turn is none.
    conditions, values = build_conditions(replace(question, filters=SearchFilters()))
    values |= {
        "ids": [hit.id for hit in hits],
        "now": question.now,
        "before": MAX_BEFORE_CHARACTERS,
        "text": MAX_TEXT_CHARACTERS,
    }
    narrowed = "".join(f" AND {condition}" for condition in conditions)
    return {
        id_: format_passage(speaker, content, before)
        for id_, speaker, content, before in fetch_all(
            _PASSAGES_SQL.format(narrowed=narrowed), values
        )
    }


def format_passage(speaker: str, content: str, before: str | None) -> str:
    """One text for the model."""
    said = f"{speaker}: {content}" if speaker else content
    return f"{before} {said}" if before else said


def fetch_still_active(
    organisation_id: UUID, ids: Sequence[UUID], now: datetime, *, include_expired: bool = False
) -> set[UUID]:
    """The ids among these that the asker's scope still has and that may be served."""
    values = {
        "organisation": organisation_id,
        "ids": list(ids),
        "now": now,
        "include_expired": include_expired,
    }
    return {id_ for (id_,) in fetch_all(_STILL_ACTIVE_SQL, values)}
