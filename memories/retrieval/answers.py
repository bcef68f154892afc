"""The rows behind the hits, as an answer shows them: one query, no model instances."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from orgs.prepared import fetched


@dataclass(frozen=True, slots=True)
class Row:
    """What an answer says of a memory. Ids and names are those the readers know; of a group they
    know if they read it."""

    id: UUID
    key: str | None
    content: str
    robot_id: str
    robot_name: str
    speaker: str
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


_ROWS = """
SELECT m.id, m.key, m.content, coalesce(r.external_id, r.id::text), r.name, m.speaker,
    b.id, b.name, g.id, g.name, a.kind, m.kind, m.type, m.category, m.tier, m.importance,
    m.occurred_at, m.created_at
FROM memories_memory m
JOIN robots_robot r ON r.organisation_id = m.organisation_id AND r.id = m.robot_id
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
LEFT JOIN orgs_member b ON b.organisation_id = m.organisation_id AND b.id = m.member_id
LEFT JOIN orgs_audience here ON here.organisation_id = m.organisation_id AND here.kind = 'group'
    AND here.key = m.group_id::text AND here.id = ANY (
        (SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[])
LEFT JOIN orgs_group g ON g.organisation_id = m.organisation_id AND g.id = here.group_id
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
"""


def answer_rows(organisation_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Row]:
    """The readable rows by id; call inside the asker's scope."""
    if not ids:
        return {}
    rows = fetched(_ROWS, {"organisation": organisation_id, "ids": list(ids)})
    return {row[0]: Row(*row) for row in rows}
