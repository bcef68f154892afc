"""The context for a prompt, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.serializers.recall import MAX_QUERY_CHARACTERS, choices_field
from memories.context.assembly.assemble import context
from memories.context.assembly.layout import Citation, Context
from memories.context.sources.asked import MIN_STRENGTH, TOKENS, ContextQuery
from memories.context.sources.entities import MOST as MOST_ENTITIES
from memories.context.sources.pieces import STATUSES
from memories.context.sources.recalled import MOST as MOST_MEMORIES
from memories.context.token_budget import ORDERS
from memories.knowledge_graph.models import EntityType
from memories.store.models.choices import Category
from orgs.api.serializers import (
    MAX_ITEMS,
    CountField,
    FlagField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
    checked,
)

MAX_TOKENS = 200_000


class ContextRequestSerializer(StrictSerializer):
    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    max_tokens = CountField(
        min_value=1,
        max_value=MAX_TOKENS,
        default=TOKENS,
        help_text="Of the whole text; it never has more.",
    )
    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    order = serializers.ChoiceField(
        ORDERS, required=False, help_text="Of the memories; by default the best answer first."
    )
    max_entities = CountField(min_value=0, max_value=MOST_ENTITIES, default=10)
    max_memories = CountField(
        min_value=0,
        max_value=MAX_ITEMS,
        default=10,
        help_text=f"With the preferences never more than {MOST_MEMORIES} are given.",
    )
    min_strength = NumberField(
        min_value=0,
        max_value=1,
        default=MIN_STRENGTH,
        help_text="Weaker memories are left out; preferences never are.",
    )
    categories = choices_field(Category)
    entity_types = choices_field(EntityType)
    include_recent = FlagField(default=True, help_text="The last messages of the conversation.")
    include_shared = FlagField(default=True)
    shared_limit = CountField(
        min_value=0,
        max_value=MAX_ITEMS,
        required=False,
        help_text="So many memories at most of those that everyone in the organisation reads.",
    )
    prefer_personal = FlagField(
        default=True, help_text="Of a fact in several audiences the nearest alone."
    )
    accounts = TextListField(
        required=False,
        help_text="Calendars and mailboxes by name or id; by default all of the member's.",
    )


class SectionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    status = serializers.ChoiceField(STATUSES)
    items = serializers.IntegerField(help_text="In the text.")
    left_out = serializers.IntegerField(help_text="Found, and no room for them.")
    weak = serializers.IntegerField(help_text="Found, and weaker than `min_strength`.")
    tokens = serializers.IntegerField()


class CitationSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="As it stands in the text, in brackets.")
    section = serializers.CharField()
    type = serializers.CharField()
    id = serializers.UUIDField()
    cut = serializers.BooleanField(help_text="Whether only its beginning is in the text.")
    details = serializers.DictField(help_text="What the type has besides, such as the audience.")


class ContextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    tokens = serializers.IntegerField()
    recall_id = serializers.UUIDField(
        allow_null=True, help_text="For feedback on the memories in the text."
    )
    citations = CitationSerializer(many=True)
    sections = SectionSerializer(many=True)


def _citation(one: Citation) -> dict[str, Any]:
    piece = one.piece
    return {
        "number": one.number,
        "section": one.section,
        "type": piece.type,
        "id": piece.id,
        "cut": one.cut,
        "details": piece.more,
    }


def _body(found: Context) -> dict[str, Any]:
    return {
        "text": found.text,
        "tokens": found.tokens,
        "recall_id": found.recall_id,
        "citations": [_citation(one) for one in found.citations],
        "sections": [
            {
                "name": one.name,
                "status": one.status,
                "items": one.items,
                "left_out": one.left_out,
                "weak": one.weak,
                "tokens": one.tokens,
            }
            for one in found.sections
        ],
    }


class ContextView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="context", request=ContextRequestSerializer, responses=ContextSerializer
    )
    def post(self, request: Request) -> Response:
        """A block for a prompt: what is known that matters to a query, cited, within a budget."""
        asked = checked(ContextRequestSerializer, request.data)
        for name in ("categories", "entity_types"):
            asked[name] = tuple(asked.get(name, ()))
        if "accounts" in asked:
            asked["accounts"] = tuple(asked["accounts"])
        query = ContextQuery(text=asked.pop("query"), **asked)
        return Response(_body(context(request.user, query, now=timezone.now())))
