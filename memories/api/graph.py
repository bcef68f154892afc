"""Who knows what, and the things that memories name, over HTTP."""

import json
from dataclasses import astuple
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.access.lookup import principal_for
from memories.api import rendering
from memories.knowledge_graph import entities
from memories.knowledge_graph.models import Entity, EntitySource, EntityType, Relation
from memories.retrieval.experts import experts
from orgs.api.cursors import following, page, read
from orgs.api.serializers import (
    MAX_ITEMS,
    NamedSerializer,
    NumberField,
    StrictSerializer,
    TextField,
    checked,
)

MOST_EXPERTS = 100


class ExpertParametersSerializer(StrictSerializer):
    """Query parameters. Nobody knows about no topic."""

    topic = TextField(max_length=300, required=False, default="", allow_blank=True)
    group = TextField(max_length=400, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_EXPERTS, default=10)
    cursor = TextField(max_length=2000, required=False)


class EvidenceSerializer(serializers.Serializer[Any]):
    """A memory that shows it."""

    id = serializers.UUIDField()
    content = serializers.CharField()
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class ExpertSerializer(serializers.Serializer[Any]):
    """member is null for a speaker whom only a name is known of. weight: the sum of the readable
    observations; found_by: words or meaning; evidence: the most telling memories."""

    member = NamedSerializer(allow_null=True)
    name = serializers.CharField()
    weight = serializers.FloatField()
    observations = serializers.IntegerField()
    memories = serializers.IntegerField()
    last_at = serializers.DateTimeField()
    found_by = serializers.ChoiceField(choices=["words", "meaning"])
    evidence = EvidenceSerializer(many=True)


class EntityParametersSerializer(StrictSerializer):
    """Query parameters."""

    type = serializers.ChoiceField(choices=EntityType.choices, required=False)
    source = serializers.ChoiceField(choices=EntitySource.values, required=False)
    min_confidence = serializers.FloatField(min_value=0, max_value=1, required=False)
    memory = serializers.UUIDField(required=False)
    q = TextField(max_length=200, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class GiveEntitySerializer(StrictSerializer):
    memory = serializers.UUIDField()
    type = serializers.ChoiceField(choices=EntityType.choices)
    name = TextField(max_length=200)
    confidence = NumberField(min_value=0, max_value=1, default=1.0)


class ChangeEntitySerializer(StrictSerializer):
    type = serializers.ChoiceField(choices=EntityType.choices, required=False)
    name = TextField(max_length=200, required=False)
    confidence = NumberField(min_value=0, max_value=1, required=False)


class EntitySerializer(serializers.Serializer[Any]):
    """One thing named by one memory. node is the same wherever the same thing is named."""

    id = serializers.UUIDField()
    memory = serializers.UUIDField()
    node = serializers.UUIDField()
    type = serializers.ChoiceField(choices=EntityType.choices)
    name = serializers.CharField()
    member = NamedSerializer(allow_null=True)
    source = serializers.ChoiceField(choices=EntitySource.values)
    confidence = serializers.FloatField()
    extracted_at = serializers.DateTimeField()


class RelationshipParametersSerializer(StrictSerializer):
    """Query parameters."""

    relation = serializers.ChoiceField(
        choices=[Relation.KNOWS_ABOUT, Relation.RELATED_TO, Relation.MENTIONS], required=False
    )
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = TextField(max_length=2000, required=False)


class RelationshipSerializer(serializers.Serializer[Any]):
    """kind: person, memory, or the type of the other thing; inferred: concluded, not said."""

    relation = serializers.CharField()
    kind = serializers.CharField()
    id = serializers.UUIDField()
    name = serializers.CharField()
    weight = serializers.FloatField()
    observations = serializers.IntegerField()
    inferred = serializers.BooleanField()
    confidence = serializers.FloatField()
    last_at = serializers.DateTimeField()


def _expert(known: experts.ExpertWithEvidence) -> dict[str, Any]:
    one = known.expert
    return {
        "member": {"id": str(one.member), "name": one.name} if one.member else None,
        "name": one.name,
        "weight": round(one.weight, 6),
        "observations": one.times,
        "memories": one.memories,
        "last_at": one.last_at,
        "found_by": one.by,
        "evidence": [
            {
                "id": row.id,
                "content": row.content[:500],
                "occurred_at": row.occurred_at,
                "created_at": row.created_at,
            }
            for row in known.evidence
        ],
    }


def _entity(row: Entity) -> dict[str, Any]:
    return {
        "id": row.id,
        "memory": row.memory_id,
        "node": row.node,
        "type": row.type,
        "name": row.name,
        "member": rendering.named(row.member),
        "source": row.source,
        "confidence": row.confidence,
        "extracted_at": row.extracted_at,
    }


def _written(place: experts.ExpertCursor | entities.RelationshipCursor) -> str:
    return json.dumps([str(part) for part in astuple(place)])


def _expert_place(text: str) -> experts.ExpertCursor:
    by, weight, times, node, until = _parts(text)
    return experts.ExpertCursor(by, _number(weight), int(times), UUID(node), UUID(until))


def _relationship_place(text: str) -> entities.RelationshipCursor:
    relation, weight, kind, id_, until = _parts(text)
    return entities.RelationshipCursor(relation, _number(weight), kind, UUID(id_), UUID(until))


def _parts(text: str) -> list[str]:
    """The parts of a cursor. Raises ValueError for the cursor of another list."""
    parts = json.loads(text)
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("not a place")
    return parts


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("not a number") from None


class ExpertsView(APIView):
    @extend_schema(
        operation_id="experts",
        parameters=[ExpertParametersSerializer],
        responses=ExpertSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Who has shown to know about a topic, most first; only readable evidence counts."""
        asked = checked(ExpertParametersSerializer, request.query_params.dict())
        limit, cursor = asked["limit"], asked.get("cursor")
        found = experts.who_knows(
            request.user,
            topic=asked["topic"],
            group=asked.get("group"),
            limit=limit + 1,
            after=read(request.user, cursor, _expert_place) if cursor else None,
            now=timezone.now(),
        )
        last = found[limit - 1].expert.place if len(found) > limit else None
        more = following(request, _written(last)) if last else None
        return Response({"results": [_expert(one) for one in found[:limit]], "next": more})


class EntitiesView(APIView):
    @extend_schema(
        operation_id="entities_list",
        parameters=[EntityParametersSerializer],
        responses=EntitySerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """What the memories that the caller may read name, newest first."""
        asked = checked(EntityParametersSerializer, request.query_params.dict())
        principal = principal_for(request.user)
        with principal.scope():
            body = page(
                request,
                entities.entities(principal, asked, timezone.now()),
                limit=asked["limit"],
                cursor=asked.get("cursor"),
                render=_entity,
            )
        return Response(body)

    @extend_schema(
        operation_id="entities_give",
        request=GiveEntitySerializer,
        responses={201: EntitySerializer},
    )
    def post(self, request: Request) -> Response:
        """Say what a memory names."""
        data = checked(GiveEntitySerializer, request.data)
        return Response(
            _entity(entities.give_entity(request.user, now=timezone.now(), **data)), status=201
        )


class EntityView(APIView):
    @extend_schema(operation_id="entities_get", responses=EntitySerializer)
    def get(self, request: Request, entity_id: UUID) -> Response:
        """One thing that a memory names."""
        return Response(_entity(entities.get_entity(request.user, entity_id, now=timezone.now())))

    @extend_schema(
        operation_id="entities_patch", request=ChangeEntitySerializer, responses=EntitySerializer
    )
    def patch(self, request: Request, entity_id: UUID) -> Response:
        """Correct what was given by hand."""
        changes = checked(ChangeEntitySerializer, request.data)
        row = entities.change_entity(request.user, entity_id, changes, now=timezone.now())
        return Response(_entity(row))

    @extend_schema(operation_id="entities_remove", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, entity_id: UUID) -> Response:
        """Take back what was given by hand."""
        entities.remove_entity(request.user, entity_id, now=timezone.now())
        return Response(status=204)


class RelationshipsView(APIView):
    @extend_schema(
        operation_id="entities_relationships",
        parameters=[RelationshipParametersSerializer],
        responses=RelationshipSerializer(many=True),
    )
    def get(self, request: Request, entity_id: UUID) -> Response:
        """Who knows about it, what is named with it and where, the strongest first."""
        asked = checked(RelationshipParametersSerializer, request.query_params.dict())
        limit, cursor = asked["limit"], asked.get("cursor")
        found = entities.relationships(
            request.user,
            entity_id,
            relation=asked.get("relation"),
            limit=limit + 1,
            after=read(request.user, cursor, _relationship_place) if cursor else None,
            now=timezone.now(),
        )
        more = following(request, _written(found[limit - 1].place)) if len(found) > limit else None
        names = ("relation", "kind", "id", "name", "weight", "inferred", "confidence", "last_at")
        results = [
            {name: getattr(one, name) for name in names} | {"observations": one.times}
            for one in found[:limit]
        ]
        return Response({"results": results, "next": more})
