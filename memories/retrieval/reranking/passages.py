"""What the cross-encoder reads of a hit: the turn before it, who speaks, and what is said.

An answer often says little without what it answers. The turn before counts only in the same
conversation and the same audience, while it can be found, and where the answer itself may show it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memories.retrieval.candidates.filters import narrow
from memories.retrieval.types import Filters, Hit, Question
from orgs.database.prepared_statements import fetched

# Characters. The model reads 256 tokens, about 1,000 characters.
BEFORE, TEXT = 200, 1_000

# `before` is the nearest turn, whatever it is: looking for one that may be read would walk
# through a whole conversation. The conditions on n are those of the search itself.
_PASSAGES = """
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
# Between the search and the answer the model thinks, and somebody may forget what was found.
_STILL = """
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND m.status = 'active' AND (%(include_expired)s::bool OR m.expires_at IS NULL
    OR m.expires_at > %(now)s::timestamptz)
"""


def passages(question: Question, hits: Sequence[Hit]) -> Mapping[UUID, str]:
    """Text by hit: "turn before speaker: text", as far as they are known. In the asker's scope.

    hits: such as the answer may show.
    """
    if not hits:
        return {}
    # What the asker filters by chooses answers; the turn before is no answer.
    conditions, values = narrow(replace(question, filters=Filters()))
    values |= {
        "ids": [hit.id for hit in hits],
        "now": question.now,
        "before": BEFORE,
        "text": TEXT,
    }
    narrowed = "".join(f" AND {condition}" for condition in conditions)
    return {
        id_: passage(speaker, content, before)
        for id_, speaker, content, before in fetched(_PASSAGES.format(narrowed=narrowed), values)
    }


def passage(speaker: str, content: str, before: str | None) -> str:
    """One text for the model."""
    said = f"{speaker}: {content}" if speaker else content
    return f"{before} {said}" if before else said


def still_served(
    organisation_id: UUID, ids: Sequence[UUID], now: datetime, *, include_expired: bool = False
) -> set[UUID]:
    """Which of these the asker's scope still has and may serve."""
    values = {
        "organisation": organisation_id,
        "ids": list(ids),
        "now": now,
        "include_expired": include_expired,
    }
    return {id_ for (id_,) in fetched(_STILL, values)}
