"""Entities that memories name: listed, given by hand, and their relationships.

An asker sees of an entity only what readable memories say. Whoever may change a memory may add
entities to it. Entities found by rules cannot be edited; they are found anew when the memory is
indexed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memories.access.permissions import (
    ChangeForbiddenError,
    lock_changeable_memory,
    may_publish,
    record_memory_audit,
)
from memories.knowledge_graph.action_item_tasks import delete_task, sync_entity_task
from memories.knowledge_graph.models import (
    PERSON_NOT_REMOVED_SQL,
    QUESTION_NOT_EXPIRED_SQL,
    Entity,
    EntitySource,
    EntityType,
)
from memories.knowledge_graph.node_ids import compute_node_id, strip_platform
from memories.language.terms import term_key
from memories.review.changes import ENTITY, Approval, propose_change
from memories.review.models import Proposal
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.expiry import not_expired_q, not_expired_sql
from orgs.models.base import id_like, new_id
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired

NOT_EDITABLE_MESSAGE = (
    "The rules found this in the memory; only what was given by hand is changed here."
)

# Who knows about an entity, which memories name it, and what else these name, over readable rows.
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
    SELECT 'knows_about' AS relation, 'person' AS kind, e.source AS id,
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
    SELECT 'related_to', other.type, other.node, other.name, 1, .5 * named.confidence
        * other.confidence, true, other.extracted_at
    FROM named JOIN memories_entity other ON other.organisation_id = %(organisation)s
        AND other.memory_id = named.memory_id AND other.node <> %(node)s::uuid
    UNION ALL
    SELECT 'mentions', 'memory', m.id, left(m.content, 200), 1, named.confidence, false,
        coalesce(m.occurred_at, m.created_at)
    FROM named JOIN memories_memory m ON m.organisation_id = %(organisation)s
        AND m.id = named.memory_id
)
SELECT * FROM (
    SELECT relation, kind, id, (array_agg(name ORDER BY at DESC))[1] AS name,
        sum(weight::numeric) AS weight, count(*)::int, bool_and(inferred),
        CASE WHEN bool_or(sure >= 1) THEN 1
             ELSE 1 - exp(sum(ln(1 - least(sure, .999)))) END::float8, max(at)
    FROM found WHERE %(relation)s::text IS NULL OR relation = %(relation)s::text
    GROUP BY relation, kind, id
) AS summed
WHERE %(weight)s::numeric IS NULL
   OR (relation = 'mentions', -weight, relation, kind, id)
    > (%(last)s::text = 'mentions', -%(weight)s::numeric, %(last)s::text, %(kind)s::text,
       %(id)s::uuid)
ORDER BY relation = 'mentions', -weight, relation, kind, id
LIMIT %(limit)s::int
"""


@dataclass(frozen=True, slots=True)
class RelationshipCursor:
    """Where a page of relationships ended, and the newest memory that the first page used."""

    relation: str
    weight: Decimal
    kind: str
    id: UUID
    until: UUID


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship of an entity. kind: person, memory or the type of the other entity.

    inferred: concluded, not said. confidence: 0-1. times: number of observations that the asker may
    read.
    """

    relation: str
    kind: str
    id: UUID
    name: str
    weight: float
    times: int
    inferred: bool
    confidence: float
    last_at: datetime
    place: RelationshipCursor


def readable_entities(
    principal: Principal, filters: Mapping[str, Any], now: datetime
) -> "QuerySet[Entity]":
    """The entities of readable memories, newest first; evaluate inside the principal's scope."""
    rows = Entity.objects.filter(organisation_id=principal.organisation_id)
    rows = rows.filter(_findable_q(now)).select_related("member")
    for name in ("type", "source"):
        if value := filters.get(name):
            rows = rows.filter(**{name: value})
    if (least := filters.get("min_confidence")) is not None:
        rows = rows.filter(confidence__gte=least)
    if memory_id := filters.get("memory"):
        rows = rows.filter(memory_id=memory_id)
    if text := filters.get("q"):
        rows = rows.filter(name__icontains=text)
    return rows


def _findable_q(now: datetime) -> Q:
    return not_expired_q(now, "memory__") & Q(memory__status=Status.ACTIVE)


def get_entity(actor: Actor, entity_id: UUID, *, now: datetime) -> Entity:
    """One entity. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        return _get_readable_entity(principal, entity_id, now)


def _get_readable_entity(principal: Principal, entity_id: UUID, now: datetime) -> Entity:
    row = readable_entities(principal, {}, now).filter(id=entity_id).first()
    if row is None:
        raise NotFoundError("no such entity")
    return row


@wired
def check_entity_name(actor: Actor, name: str, now: datetime) -> None:
    """Raise GateRefusedError for a name, given by hand, that others must not read."""
    raise NotImplementedError


def add_entity(
    actor: Actor,
    *,
    memory: UUID,
    type: str,
    name: str,
    confidence: float = 1.0,
    now: datetime,
) -> Entity | Proposal:
    """Add an entity to a memory; the same entity found by rules is replaced. An asker who may not
    publish to the memory's readers proposes it, and gets the queue item.

    Raises NotFoundError, ChangeForbiddenError, GateRefusedError, and AlreadyExistsError
    for a memory that is not active.
    """
    check_entity_name(actor, name, now)
    principal = resolve_principal(actor)
    with principal.scope():
        row = lock_changeable_memory(principal, memory)
        if row.status != Status.ACTIVE:
            raise AlreadyExistsError(f"The memory is {row.status}, not active.")
        if not may_publish(actor, row):
            given = {"type": type, "name": name, "confidence": confidence}
            return propose_change(principal, row, ENTITY, given, now)
        made = create_given_entity(row, type, name, confidence=confidence, now=now)
        record_memory_audit(principal, "entity.given", row, now, type=type)
    return made


def create_given_entity(
    memory: Memory, type_: str, name: str, *, confidence: float = 1.0, now: datetime
) -> Entity:
    """Store an entity given by hand, without checking rights; the same entity found by rules is
    deleted."""
    made = Entity(
        id=id_like(memory.id, now),
        organisation_id=memory.organisation_id,
        memory_id=memory.id,
        audience_id=memory.audience_id,
        kind=memory.kind,
        source=EntitySource.GIVEN,
        confidence=confidence,
        extracted_at=now,
    )
    _set_name(made, memory, type_, name)
    _delete_same_node(made)
    made.save(force_insert=True)
    sync_entity_task(made, memory, None, now)
    return made


def update_entity(
    actor: Actor, entity_id: UUID, changes: Mapping[str, Any], *, now: datetime
) -> Entity | Proposal:
    """Correct an entity that was given by hand. An asker who may not publish to the memory's
    readers proposes that, and gets the queue item.

    Raises NotFoundError, ChangeForbiddenError and what a check of names raises.
    """
    check_entity_name(actor, changes.get("name", ""), now)
    principal = resolve_principal(actor)
    with principal.scope():
        made, row = _get_given_entity(principal, entity_id, now)
        if changes and not may_publish(actor, row):
            given = {"entity": str(made.id), **changes}
            return propose_change(principal, row, ENTITY, given, now)
        before = made.node
        made.confidence = changes.get("confidence", made.confidence)
        _set_name(made, row, changes.get("type", made.type), changes.get("name", made.name))
        _delete_same_node(made)
        made.extracted_at = now
        made.save()
        sync_entity_task(made, row, before, now)
        record_memory_audit(principal, "entity.changed", row, now, type=made.type)
    return made


def remove_entity(actor: Actor, entity_id: UUID, *, now: datetime) -> Proposal | None:
    """Remove an entity that was given by hand. An asker who may not publish to the memory's readers
    proposes that, and gets the queue item. Raises NotFoundError and ChangeForbiddenError."""
    principal = resolve_principal(actor)
    with principal.scope():
        made, row = _get_given_entity(principal, entity_id, now)
        if not may_publish(actor, row):
            given = {"entity": str(made.id), "removed": True}
            return propose_change(principal, row, ENTITY, given, now)
        delete_task(made)
        made.delete()
        record_memory_audit(principal, "entity.removed", row, now, type=made.type)
    return None


def apply_approved_entity(change: Approval) -> dict[str, Any]:
    """Give, change or remove an entity as proposed, in the decider's name."""
    given, decider, now = dict(change.given), change.decider, change.now
    entity = given.pop("entity", None)
    done: Entity | Proposal | None
    if entity is None:
        done = add_entity(decider, memory=change.memory.id, now=now, **given)
    elif given.pop("removed", False):
        done = remove_entity(decider, UUID(entity), now=now)
    else:
        done = update_entity(decider, UUID(entity), given, now=now)
    if isinstance(done, Proposal):
        raise ChangeForbiddenError(NOT_EDITABLE_MESSAGE)
    return {"stays": ENTITY}


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
        row = _get_readable_entity(principal, entity_id, now)
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
            "now": now,
        }
        return [_relationship_from_row(one, until) for one in fetch_all(_RELATIONSHIPS_SQL, values)]


def _relationship_from_row(row: tuple[Any, ...], until: UUID) -> Relationship:
    found, kind, id_, name, weight, times, inferred, confidence, last_at = row
    return Relationship(
        relation=found,
        kind=kind,
        id=id_,
        name=name,
        weight=float(weight),
        times=times,
        inferred=inferred,
        confidence=confidence,
        last_at=last_at,
        place=RelationshipCursor(found, weight, kind, id_, until),
    )


def _get_given_entity(
    principal: Principal, entity_id: UUID, now: datetime
) -> tuple[Entity, Memory]:
    made = _get_readable_entity(principal, entity_id, now)
    row = lock_changeable_memory(principal, made.memory_id)
    if made.source != EntitySource.GIVEN:
        raise ChangeForbiddenError(NOT_EDITABLE_MESSAGE)
    return made, row


def _set_name(made: Entity, memory: Memory, type_: str, name: str) -> None:
    """Set name, key and node; a person who is one of the memory's own people becomes that
    member."""
    name = " ".join(name.split())
    words = map(term_key, name.split()) if type_ == EntityType.CONCEPT else [name.casefold()]
    made.type, made.name = type_, strip_platform(name) if type_ == EntityType.PERSON else name
    made.key = " ".join(filter(None, words))[:200] or name.casefold()[:200]
    people = [memory.speaker_member_id, memory.member_id, *memory.listeners]
    member = None
    if type_ == EntityType.PERSON:
        member = Member.objects.filter(
            organisation_id=memory.organisation_id,
            id__in=[one for one in people if one],
            name__iexact=made.name,
            removed_at=None,
        ).first()
    made.member = member
    made.node = member.id if member else compute_node_id(memory.organisation_id, type_, made.key)


def _delete_same_node(made: Entity) -> None:
    """Store an entity in place of another of the same memory and node."""
    Entity.objects.filter(
        organisation_id=made.organisation_id, memory_id=made.memory_id, node=made.node
    ).exclude(id=made.id).delete()
