"""What others said of a member's personas, as news to that member.

An association tells only days, so the moment is that of its entry in the audit trail. Nothing is
stored for it, and a line goes with the association.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from orgs.database.prepared_statements import fetch_all
from orgs.principals import Actor
from personas.associations.association_changes import visible_associations
from personas.models.personas import Association

# Of each association of the member when somebody else last said or confirmed it.
_ALL = """
SELECT a.id, max(e.at) FROM personas_association a
JOIN orgs_auditentry e ON e.organisation_id = a.organisation_id AND e.target = a.id
WHERE a.organisation_id = %(organisation)s AND a.member_id = %(member)s
  AND e.action IN ('association.made', 'association.confirmed')
  AND (e.robot IS NOT NULL OR e.member IS DISTINCT FROM %(member)s)
GROUP BY a.id ORDER BY 2 DESC, 1 DESC LIMIT %(most)s
"""
# Those that the member has not answered; since a moment.
_SINCE = """
SELECT a.id FROM personas_association a
WHERE a.organisation_id = %(organisation)s AND a.member_id = %(member)s
  AND a.told_at IS NULL AND a.confirmed_by_id IS DISTINCT FROM %(member)s
  AND EXISTS (
    SELECT 1 FROM orgs_auditentry e
    WHERE e.organisation_id = a.organisation_id AND e.target = a.id AND e.at > %(since)s
      AND e.action IN ('association.made', 'association.confirmed')
      AND (e.robot IS NOT NULL OR e.member IS DISTINCT FROM %(member)s))
LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class SaidPersona:
    """at: when somebody else last said or confirmed it. answered: whether the member did too."""

    association: Association
    at: datetime
    answered: bool


def list_said_personas(actor: Actor, *, most: int) -> list[SaidPersona]:
    """The member's associations that somebody else said or confirmed, the newest first. Call inside
    the organisation's scope."""
    said: dict[UUID, datetime] = dict(fetch_all(_ALL, _values(actor, most)))
    rows = visible_associations(actor).in_bulk(said)
    return [
        SaidPersona(row, at, row.told_at is not None or row.confirmed_by_id == actor.member_id)
        for id_, at in said.items()
        if (row := rows.get(id_))
    ]


def count_said_personas(actor: Actor, since: datetime, *, most: int) -> int:
    """How many of them came after a moment and wait for the member's answer, `most` at most. Call
    inside the organisation's scope."""
    values = _values(actor, most) | {"since": since.astimezone(UTC)}
    return len(fetch_all(_SINCE, values))


def _values(actor: Actor, most: int) -> dict[str, Any]:
    return {"organisation": actor.organisation_id, "member": actor.member_id, "most": most}
