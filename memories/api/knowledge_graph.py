"""Who knows what, and the things that memories name, over HTTP."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.proposals import change_waits
from memories.api.serializers.proposals import ChangeWaitsSerializer
from memories.knowledge_graph import entities
from memories.knowledge_graph.models import (
    Entity,
    EntitySource,
    EntityType,
    Relation,
    StatedRelationType,
)
from memories.retrieval.experts import rank_experts, relationships
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs.api.base_view import APIView
from orgs.api.cursors import (
    format_position,
    next_page_url,
    paginate,
    parse_cursor,
    parse_position_parts,
)
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    NamedSerializer,
    NumberField,
    StrictSerializer,
    TextField,
    id_and_name,
    query_values,
    validate_data,
)
from orgs.principals import Principal, resolve_principal

MAX_EXPERTS = 100


class ExpertParametersSerializer(StrictSerializer):
    """Query parameters."""

    topic = TextField(
        max_length=300,
        required=False,
        default="",
        allow_blank=True,
        help_text="Words of the topic. Without a topic the list is empty.",
    )
    group = TextField(
        max_length=400,
        required=False,
        help_text="A group by id or external id: only its members and those who spoke there.",
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_EXPERTS, default=10)
    cursor = TextField(max_length=2000, required=False)


class EvidenceSerializer(AnswerSerializer):
    """A memory that shows the knowledge."""

    id = serializers.UUIDField()
    content = serializers.CharField(help_text="The first 500 characters of its text.")
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()

    @staticmethod
    def get_content(row: Memory) -> str:
        return row.content[:500]


class ExpertSerializer(AnswerSerializer):
    """Somebody who has shown knowledge of the topic. All figures are over what the caller reads.

    found_by: whether the evidence has the words of the topic, or is only near in meaning.
    """

    member = NamedSerializer(
        allow_null=True, help_text="Null for a speaker of whom only the name is known."
    )
    name = serializers.CharField(source="expert.name")
    weight = serializers.FloatField(help_text="The sum of the weights of the observations.")
    observations = serializers.IntegerField(source="expert.times")
    memories = serializers.IntegerField(
        source="expert.memories", help_text="The number of memories with an observation."
    )
    last_at = serializers.DateTimeField(
        source="expert.last_at", help_text="The time of the latest observation."
    )
    found_by = ChoiceField(source="expert.by", choices=["words", "meaning"])
    evidence = EvidenceSerializer(many=True, help_text="At most 3 memories, the best first.")

    @staticmethod
    def get_member(known: rank_experts.ExpertWithEvidence) -> dict[str, Any] | None:
        return id_and_name(known.expert.member, known.expert.name)

    @staticmethod
    def get_weight(known: rank_experts.ExpertWithEvidence) -> float:
        return round(known.expert.weight, 6)


class EntityParametersSerializer(StrictSerializer):
    """Query parameters."""

    type = ChoiceField(choices=EntityType.choices, required=False)
    source = ChoiceField(choices=EntitySource.values, required=False)
    min_confidence = serializers.FloatField(min_value=0, max_value=1, required=False)
    memory = serializers.UUIDField(required=False, help_text="Only what this memory names.")
    q = TextField(
        max_length=200,
        required=False,
        help_text="Words of the name, in any letter case, or a name like it; best first.",
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class GiveEntitySerializer(StrictSerializer):
    memory = serializers.UUIDField()
    type = ChoiceField(choices=EntityType.choices)
    name = TextField(max_length=200)
    confidence = NumberField(min_value=0, max_value=1, default=1.0)


class ChangeEntitySerializer(StrictSerializer):
    type = ChoiceField(choices=EntityType.choices, required=False)
    name = TextField(max_length=200, required=False)
    confidence = NumberField(min_value=0, max_value=1, required=False)


class EntitySerializer(AnswerSerializer):
    """One entity that one memory names."""

    id = serializers.UUIDField()
    memory = serializers.UUIDField(source="memory_id")
    node = serializers.UUIDField(
        help_text="Equal in all memories that name the same entity; of a member the member's id."
    )
    type = ChoiceField(choices=EntityType.choices)
    name = serializers.CharField()
    member = NamedSerializer(allow_null=True, help_text="The member who is meant; null for others.")
    source = ChoiceField(choices=EntitySource.values)
    confidence = serializers.FloatField(help_text="0-1.")
    extracted_at = serializers.DateTimeField()
    score = serializers.FloatField(
        allow_null=True, help_text="How well the name fits `q`, 0-1; null without `q`."
    )

    @staticmethod
    def get_score(row: Entity) -> float | None:
        score = getattr(row, "score", None)
        return None if score is None else score / 1000


class RelationshipParametersSerializer(StrictSerializer):
    """Query parameters."""

    relation = ChoiceField(
        choices=[
            *(Relation.KNOWS_ABOUT, Relation.RELATED_TO, Relation.MENTIONS),
            *StatedRelationType.values,
        ],
        required=False,
    )
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = TextField(max_length=2000, required=False)


class RelationshipSerializer(AnswerSerializer):
    """One relationship of an entity, from the memories that the caller reads."""

    relation = serializers.CharField(
        help_text="knows_about, related_to, mentions, or what a text states: works_at, part_of, "
        "reports_to, responsible_for or located_in."
    )
    direction = serializers.CharField(
        help_text="`out`: it is said of this entity (Mina works_at Acme, asked for Mina); `in`: of "
        "the other one; empty: of both."
    )
    source = ChoiceField(
        choices=EntitySource.values,
        allow_null=True,
        help_text="Of a stated relationship where it was found; null for others.",
    )
    kind = serializers.CharField(help_text="person, memory, or the type of the other entity.")
    id = serializers.UUIDField(help_text="The person, the memory, or the node of the other entity.")
    name = serializers.CharField(help_text="Of a memory the first 200 characters of its text.")
    weight = serializers.FloatField(help_text="The sum over the observations.")
    observations = serializers.IntegerField(source="times")
    inferred = serializers.BooleanField(help_text="Whether it is concluded, not stated.")
    confidence = serializers.FloatField(help_text="0-1.")
    last_at = serializers.DateTimeField(help_text="The time of the latest observation.")


def _parse_expert_cursor(text: str) -> rank_experts.ExpertCursor:
    by, weight, times, node, until = parse_position_parts(text)
    return rank_experts.ExpertCursor(
        by, _parse_decimal(weight), int(times), UUID(node), UUID(until)
    )


def _parse_entity_cursor(text: str) -> entities.EntityCursor:
    score, id_ = parse_position_parts(text)
    return entities.EntityCursor(int(score), UUID(id_))


def _parse_relationship_cursor(text: str) -> relationships.RelationshipCursor:
    relation, weight, kind, id_, direction, until = parse_position_parts(text)
    return relationships.RelationshipCursor(
        relation, _parse_decimal(weight), kind, UUID(id_), direction, UUID(until)
    )


def _parse_decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("not a number") from None


class ExpertsView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="experts",
        parameters=[ExpertParametersSerializer],
        responses=ExpertSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List who has shown knowledge of a topic, those with the highest weight first.

        Who is found by words comes before who is found by meaning. Only memories that the caller
        reads count as evidence.
        """
        asked = validate_data(ExpertParametersSerializer, query_values(request))
        limit, cursor = asked["limit"], asked.get("cursor")
        found = rank_experts.find_experts_with_evidence(
            request.user,
            topic=asked["topic"],
            group=asked.get("group"),
            limit=limit + 1,
            after=parse_cursor(request.user, cursor, _parse_expert_cursor) if cursor else None,
            now=timezone.now(),
        )
        last = found[limit - 1].expert.place if len(found) > limit else None
        more = next_page_url(request, format_position(last)) if last else None
        return Response(
            {"results": [ExpertSerializer.render(one) for one in found[:limit]], "next": more}
        )


def _search_page(request: Request, principal: Principal, asked: Mapping[str, Any]) -> Any:
    limit, cursor = asked["limit"], asked.get("cursor")
    after = parse_cursor(request.user, cursor, _parse_entity_cursor) if cursor else None
    with principal.scope():
        found = entities.search_entities(
            principal, asked, limit=limit + 1, after=after, now=timezone.now()
        )
        results = [EntitySerializer.render(one) for one in found[:limit]]
    more = None
    if len(found) > limit:
        last = found[limit - 1]
        place = entities.EntityCursor(last.score, last.id)  # type: ignore[attr-defined]
        more = next_page_url(request, format_position(place))
    return {"results": results, "next": more}


class EntitiesView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="entities_list",
        parameters=[EntityParametersSerializer],
        responses=EntitySerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the entities in the memories that the caller may read, newest first, or with `q` the
        best matches first."""
        asked = validate_data(EntityParametersSerializer, query_values(request))
        principal = resolve_principal(request.user)
        if "q" in asked:
            return Response(_search_page(request, principal, asked))
        with principal.scope():
            body = paginate(
                request,
                entities.readable_entities(principal, asked, timezone.now()),
                limit=asked["limit"],
                cursor=asked.get("cursor"),
                render=EntitySerializer.render,
            )
        return Response(body)

    @extend_schema(
        operation_id="entities_give",
        request=GiveEntitySerializer,
        responses={201: EntitySerializer, 202: ChangeWaitsSerializer},
    )
    def post(self, request: Request) -> Response:
        """Add an entity to a memory; for callers who may change the memory.

        The same entity found by rules is replaced. A member who may only propose to its readers
        proposes it: 202 with the item of the review queue. 409 `conflict` if the memory is not
        active.
        """
        data = validate_data(GiveEntitySerializer, request.data)
        made = entities.add_entity(request.user, now=timezone.now(), **data)
        return (
            change_waits(made)
            if isinstance(made, Proposal)
            else Response(EntitySerializer.render(made), 201)
        )


class EntityView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="entities_get", responses=EntitySerializer)
    def get(self, request: Request, entity_id: UUID) -> Response:
        """One entity that a memory names."""
        return Response(
            EntitySerializer.render(
                entities.get_entity(request.user, entity_id, now=timezone.now())
            )
        )

    @extend_schema(
        operation_id="entities_patch",
        request=ChangeEntitySerializer,
        responses={200: EntitySerializer, 202: ChangeWaitsSerializer},
    )
    def patch(self, request: Request, entity_id: UUID) -> Response:
        """Correct an entity that was added by a call; one found by rules is 403 `not-yours`.

        202 as for adding one.
        """
        changes = validate_data(ChangeEntitySerializer, request.data)
        row = entities.update_entity(request.user, entity_id, changes, now=timezone.now())
        return (
            change_waits(row)
            if isinstance(row, Proposal)
            else Response(EntitySerializer.render(row))
        )

    @extend_schema(
        operation_id="entities_remove",
        responses={204: OpenApiResponse(None), 202: ChangeWaitsSerializer},
    )
    def delete(self, request: Request, entity_id: UUID) -> Response:
        """Remove an entity that was added by a call; one found by rules is 403 `not-yours`.

        202 as for adding one.
        """
        waits = entities.remove_entity(request.user, entity_id, now=timezone.now())
        return change_waits(waits) if waits else Response(status=204)


class RelationshipsView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="entities_relationships",
        parameters=[RelationshipParametersSerializer],
        responses=RelationshipSerializer(many=True),
    )
    def get(self, request: Request, entity_id: UUID) -> Response:
        """List who knows about the entity, what texts state of it, what is named together with it,
        and which memories name it.

        The strongest come first; memories come after persons and entities.
        """
        asked = validate_data(RelationshipParametersSerializer, query_values(request))
        limit, cursor = asked["limit"], asked.get("cursor")
        found = relationships.list_relationships(
            request.user,
            entity_id,
            relation=asked.get("relation"),
            limit=limit + 1,
            after=parse_cursor(request.user, cursor, _parse_relationship_cursor)
            if cursor
            else None,
            now=timezone.now(),
        )
        more = (
            next_page_url(request, format_position(found[limit - 1].place))
            if len(found) > limit
            else None
        )
        results = [RelationshipSerializer.render(one) for one in found[:limit]]
        return Response({"results": results, "next": more})
