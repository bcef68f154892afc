"""What stands beside an entity: who knows about it, what texts state of it, what is named with it.

An asker sees what readable memories say, and only what stands directly beside the entity.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from memories.knowledge_graph.entities import get_readable_entity
from memories.knowledge_graph.models import PERSON_NOT_REMOVED_SQL, QUESTION_NOT_EXPIRED_SQL
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.models.base import new_id
from orgs.principals import Actor, resolve_principal

# What the newest memories state of a node (`out`), and of others with it (`in`).
_STATED_SQL = """(
        SELECT s.memory_id, s.relation, 'out' AS direction, s.source, s.object AS other_node,
            s.confidence, s.stated_at
        FROM memories_statedrelation s
        WHERE s.organisation_id = %(organisation)s AND s.subject = %(node)s::uuid
          AND s.memory_id <= %(until)s::uuid
        ORDER BY s.memory_id DESC LIMIT 1000
    ) UNION ALL (
        SELECT s.memory_id, s.relation, 'in', s.source, s.subject, s.confidence, s.stated_at
        FROM memories_statedrelation s
        WHERE s.organisation_id = %(organisation)s AND s.object = %(node)s::uuid
          AND s.memory_id <= %(until)s::uuid
        ORDER BY s.memory_id DESC LIMIT 1000)"""
# Who knows about an entity, which memories name it, what else these name, and what they state of
# it, over readable rows. Only what is directly beside the entity is read, so a circle ends nothing.
# The confidence of several observations is combined: 1 - product of (1 - each).
_RELATIONSHIPS_SQL = f"""
WITH named AS MATERIALIZED (
    SELECT e.memory_id, e.confidence FROM memories_entity e
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = e.memory_id
    WHERE e.organisation_id = %(organisation)s AND e.node = %(node)s::uuid
      AND e.memory_id <= %(until)s::uuid AND m.status = 'active'
      AND {not_expired_sql()}
    ORDER BY e.memory_id DESC LIMIT 1000
), found AS (
    SELECT 'knows_about' AS relation, 'in' AS direction, NULL AS source, 'person' AS kind,
        e.source AS id,
        (SELECT coalesce(p.name, m.speaker) FROM memories_memory m
         LEFT JOIN orgs_member p ON p.organisation_id = %(organisation)s AND p.id = e.source
         WHERE m.organisation_id = %(organisation)s AND m.id = e.memory_id) AS name,
        e.weight, .5::float8 AS sure, true AS inferred, e.observed_at AS at
    FROM (
        SELECT e.* FROM memories_edge e
        WHERE e.organisation_id = %(organisation)s AND e.target = %(node)s::uuid
          AND e.relation = 'knows_about' AND e.memory_id <= %(until)s::uuid
        ORDER BY e.memory_id DESC LIMIT 1000
    ) AS e
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = e.memory_id
    WHERE m.status = 'active' AND {not_expired_sql()}
      AND {QUESTION_NOT_EXPIRED_SQL} AND {PERSON_NOT_REMOVED_SQL}
    UNION ALL
    SELECT 'related_to', '', NULL, other.type, other.node, other.name, 1, .5 * named.confidence
        * other.confidence, true, other.extracted_at
    FROM named JOIN memories_entity other ON other.organisation_id = %(organisation)s
        AND other.memory_id = named.memory_id AND other.node <> %(node)s::uuid
    UNION ALL
    SELECT 'mentions', 'in', NULL, 'memory', m.id, left(m.content, 200), 1, named.confidence, false,
        coalesce(m.occurred_at, m.created_at)
    FROM named JOIN memories_memory m ON m.organisation_id = %(organisation)s
        AND m.id = named.memory_id
    UNION ALL
    SELECT s.relation, s.direction, s.source, other.type, other.node, other.name, 1, s.confidence,
        false, s.stated_at
    FROM ({_STATED_SQL}) AS s
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = s.memory_id
    JOIN memories_entity other ON other.organisation_id = %(organisation)s
        AND other.memory_id = s.memory_id AND other.node = s.other_node
    WHERE m.status = 'active' AND {not_expired_sql()}
      AND NOT EXISTS (SELECT 1 FROM orgs_member gone WHERE gone.organisation_id = %(organisation)s
                      AND gone.id = s.other_node AND gone.removed_at IS NOT NULL)
)
SELECT * FROM (
    SELECT relation, direction, min(source) AS source, kind, id,
        (array_agg(name ORDER BY at DESC))[1] AS name,
        sum(weight::numeric) AS weight, count(*)::int, bool_and(inferred),
        CASE WHEN bool_or(sure >= 1) THEN 1
             ELSE 1 - exp(sum(ln(1 - least(sure, .999)))) END::float8, max(at)
    FROM found WHERE %(relation)s::text IS NULL OR relation = %(relation)s::text
    GROUP BY relation, direction, kind, id
) AS summed
WHERE %(weight)s::numeric IS NULL
   OR (relation = 'mentions', -weight, relation, kind, id, direction)
    > (%(last)s::text = 'mentions', -%(weight)s::numeric, %(last)s::text, %(kind)s::text,
       %(id)s::uuid, %(direction)s::text)
ORDER BY relation = 'mentions', -weight, relation, kind, id, direction
LIMIT %(limit)s::int
"""


@dataclass(frozen=True, slots=True)
class RelationshipCursor:
    """Where a page of relationships ended, and the newest memory that the first page used."""

    relation: str
    weight: Decimal
    kind: str
    id: UUID
    direction: str
    until: UUID


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship of an entity. kind: person, memory or the type of the other entity.

    direction: "out" if it is said of this entity, "in" if of the other, empty if of both. source:
    where it was found, of a stated one.
    inferred: concluded, not said. confidence: 0-1. times: number of observations that the asker may
    read.
    """

    relation: str
    direction: str
    source: str | None
    kind: str
    id: UUID
    name: str
    weight: float
    times: int
    inferred: bool
    confidence: float
    last_at: datetime
    place: RelationshipCursor


def list_relationships(
    actor: Actor,
    entity_id: UUID,
    *,
    relation: str | None = None,
    limit: int = 50,
    after: RelationshipCursor | None = None,
    now: datetime,
) -> list[Relationship]:
    """The relationships of an entity in readable memories, the strongest first. Raises
    NotFoundError.

    after: the last one of the page before.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        row = get_readable_entity(principal, entity_id, now)
        until = after.until if after else new_id()
        values = {
            "organisation": principal.organisation_id,
            "node": row.node,
            "relation": relation,
            "limit": limit,
            "until": until,
            "weight": after.weight if after else None,
            "last": after.relation if after else None,
            "kind": after.kind if after else None,
            "id": after.id if after else None,
            "direction": after.direction if after else None,
            "now": now,
        }
        return [_relationship_from_row(one, until) for one in fetch_all(_RELATIONSHIPS_SQL, values)]


def _relationship_from_row(row: tuple[Any, ...], until: UUID) -> Relationship:
    found, direction, source, kind, id_, name, weight, times, inferred, confidence, last_at = row
    return Relationship(
        relation=found,
        direction=direction,
        source=source,
        kind=kind,
        id=id_,
        name=name,
        weight=float(weight),
        times=times,
        inferred=inferred,
        confidence=confidence,
        last_at=last_at,
        place=RelationshipCursor(found, weight, kind, id_, direction, until),
    )
