"""Entities that memories name: listed, searched, and given by hand.

An asker sees of an entity only what readable memories say. Whoever may change a memory may add
entities to it. Entities found by rules cannot be edited; they are found anew when the memory is
indexed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import TrigramWordSimilarity
from django.db.models import Case, F, IntegerField, Q, QuerySet, When
from django.db.models.functions import Cast, Round

from memories.access.permissions import (
    ChangeForbiddenError,
    lock_changeable_memory,
    may_publish,
    record_memory_audit,
)
from memories.knowledge_graph.action_item_tasks import delete_task, sync_entity_task
from memories.knowledge_graph.models import (
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
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.expiry import not_expired_q
from orgs.models.base import id_like
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired

NOT_EDITABLE_MESSAGE = (
    "The rules found this in the memory; only what was given by hand is changed here."
)


# Of a search by name: how many words are looked for, among how many of the newest entities a name
# may be merely like the text, how alike (0-1), and the score of the likest.
MAX_SEARCH_WORDS, NEWEST_COMPARED, LEAST_LIKENESS, LIKE_SCORE = 10, 20_000, 0.5, 700


@dataclass(frozen=True, slots=True)
class EntityCursor:
    """Where a page of a search ended. score: 0-1,000."""

    score: int
    id: UUID


def readable_entities(
    principal: Principal, filters: Mapping[str, Any], now: datetime
) -> "QuerySet[Entity]":
    """The entities of readable memories, with `q` those whose names match; evaluate inside the
    principal's scope."""
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
        rows = _match_name(rows, text)
    return rows


def _match_name(rows: "QuerySet[Entity]", text: str) -> "QuerySet[Entity]":
    """The entities whose names have all words of a text or are like it, with a `score`: 1,000 the
    same name, 900 one that begins so, 800 one that has its words, else less by their trigrams.

    Likeness is looked for among the newest NEWEST_COMPARED alone.
    """
    words = Q()
    for word in text.split()[:MAX_SEARCH_WORDS]:
        words &= Q(name__icontains=word)
    newest = rows.order_by("-id").values("id")[:NEWEST_COMPARED]
    found = rows.annotate(likeness=TrigramWordSimilarity(text, "name")).annotate(
        score=Case(
            When(name__iexact=text, then=1000),
            When(name__istartswith=text, then=900),
            When(words, then=800),
            default=Cast(Round(F("likeness") * LIKE_SCORE), IntegerField()),
            output_field=IntegerField(),
        )
    )
    return found.filter(words | Q(likeness__gte=LEAST_LIKENESS, id__in=newest))


def search_entities(
    principal: Principal,
    filters: Mapping[str, Any],
    *,
    limit: int,
    after: EntityCursor | None = None,
    now: datetime,
) -> list[Entity]:
    """The entities that match `q` of the filters, best first, of equal ones the newest first; call
    inside the scope. after: where the page before ended."""
    # The score stands in rows whose names were matched.
    rows = readable_entities(principal, filters, now).order_by("-score", "-id")  # type: ignore[misc]
    if after is not None:
        worse = Q(score__lt=after.score) | Q(score=after.score, id__lt=after.id)
        rows = rows.filter(worse)
    return list(rows[:limit])


def _findable_q(now: datetime) -> Q:
    return not_expired_q(now, "memory__") & Q(memory__status=Status.ACTIVE)


def get_entity(actor: Actor, entity_id: UUID, *, now: datetime) -> Entity:
    """One entity. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        return get_readable_entity(principal, entity_id, now)


def get_readable_entity(principal: Principal, entity_id: UUID, now: datetime) -> Entity:
    """One entity of a readable memory, inside the principal's scope. Raises NotFoundError."""
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


def _get_given_entity(
    principal: Principal, entity_id: UUID, now: datetime
) -> tuple[Entity, Memory]:
    made = get_readable_entity(principal, entity_id, now)
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
