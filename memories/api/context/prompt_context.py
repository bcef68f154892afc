"""The context for a prompt, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.recall import (
    MAX_QUERY_CHARACTERS,
    FiltersSerializer,
    about_field,
    choices_field,
    with_about,
)
from memories.api.serializers.timeframes import AsOfField, TimeframeField, validate_timeframe
from memories.context.assembly.assemble import build_context
from memories.context.assembly.layout import Citation, PromptContext
from memories.context.sources.context_query import (
    CONTEXT_ORDERS,
    DEFAULT_MAX_ENTITIES,
    DEFAULT_MAX_TOKENS,
    ContextQuery,
)
from memories.context.sources.further_sources import MAX_ENTITIES
from memories.context.sources.pieces import STATUSES
from memories.knowledge_graph.models import EntityType
from memories.retrieval.answering.confidence import ANSWERED_VALUES, classify_confidence
from memories.retrieval.reranking.rerank import NOT_RERANKED_REASONS
from memories.retrieval.scoring_profiles import PROFILES
from memories.retrieval.timeframes.parse_timeframe import TimeRange
from memories.store.models.choices import Category
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    MAX_ITEMS,
    ChoiceField,
    CountField,
    FlagField,
    NumberField,
    ReferenceListField,
    StrictSerializer,
    TextField,
    validate_data,
)
from orgs.limits.rate_limits import weigh_context

MAX_CONTEXT_TOKENS = 200_000


class ContextRequestSerializer(StrictSerializer):
    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    max_tokens = CountField(
        min_value=1,
        max_value=MAX_CONTEXT_TOKENS,
        default=DEFAULT_MAX_TOKENS,
        help_text="The most tokens of the whole text.",
    )
    group = TextField(max_length=300, required=False, help_text="The group in which it is asked.")
    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot asks. A personal robot that names neither a member "
        "nor a group asks for its own member.",
    )
    about = about_field()
    order = ChoiceField(
        CONTEXT_ORDERS,
        required=False,
        help_text="The order of the memories in the text; by default the best answer comes first. "
        "With `strength` the strongest of those that were found are also taken first.",
    )
    max_entities = CountField(
        min_value=0,
        max_value=MAX_ENTITIES,
        required=False,
        help_text=f"By default none; with `entity_types` {DEFAULT_MAX_ENTITIES}.",
    )
    max_memories = CountField(
        min_value=0,
        max_value=MAX_ITEMS,
        required=False,
        help_text="The most entries of the section `memories`; by default as many as fit.",
    )
    min_strength = NumberField(
        min_value=0,
        max_value=1,
        required=False,
        help_text="The least strength, 0-1. Weaker memories are left out; preferences are not. By "
        "default none is left out, and weak ones come last.",
    )
    filters = FiltersSerializer(
        required=False, help_text="Of the recalled memories, as in a recall."
    )
    timeframe = TimeframeField(
        required=False, help_text="Of the recalled memories, as in a recall."
    )
    as_of = AsOfField()
    profile = ChoiceField(
        PROFILES, default="balanced", help_text="How memories are scored, as in a recall."
    )
    rerank = FlagField(
        default=False, help_text="Whether a cross-encoder reorders the first 20 memories."
    )
    categories = choices_field(Category)
    entity_types = choices_field(EntityType)
    include_direct = FlagField(
        required=False,
        help_text="As in a recall. Left out: what the member told this robot in direct "
        "conversations, if no group is named; `false`: not even that.",
    )
    include_recent = FlagField(
        default=True,
        help_text="At most 12 messages of the last 7 days that say something, of at most 3 "
        "conversations.",
    )
    include_profile = FlagField(
        default=False,
        help_text="A section `profile`: the facts that hold about the member for whom it is, as in "
        "`GET /profiles`, in at most a fifth of the budget; not with `as_of`.",
    )
    include_shared = FlagField(
        default=True, help_text="Also memories that everyone in the organisation reads."
    )
    shared_limit = CountField(
        min_value=0,
        max_value=MAX_ITEMS,
        required=False,
        help_text="How many memories that everyone in the organisation reads may come up, at most.",
    )
    prefer_personal = FlagField(
        default=True,
        help_text="If facts of several audiences say the same, only that of the nearest is given.",
    )
    accounts = ReferenceListField(
        required=False,
        help_text="Names or ids of calendars and mailboxes; by default all of the member.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One of the two lists of categories at most."""
        if attrs.get("categories") and attrs.get("filters", {}).get("categories"):
            raise serializers.ValidationError(
                {"categories": ["Give `categories` or `filters.categories`, not both."]}
            )
        return with_about(attrs)

    def validate_timeframe(self, value: Any) -> tuple[str | TimeRange, ...]:
        """The times as a tuple, as in a recall."""
        return validate_timeframe(value)


class SectionSerializer(serializers.Serializer[Any]):
    """What a source gave. One that is failed or timed_out gave nothing; the others are there."""

    name = serializers.CharField()
    status = ChoiceField(STATUSES)
    items = serializers.IntegerField(help_text="How many are in the text.")
    left_out = serializers.IntegerField(help_text="How many were found, but had no room.")
    weak = serializers.IntegerField(help_text="How many were found below `min_strength`.")
    tokens = serializers.IntegerField(help_text="Of the section in the text.")


class CitationSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The number in brackets in the text.")
    section = serializers.CharField(help_text="The name of the section.")
    type = serializers.CharField(help_text="What is cited, such as memory or message.")
    id = serializers.UUIDField(help_text="The id of what is cited.")
    cut = serializers.BooleanField(help_text="Whether only its beginning is in the text.")
    details = serializers.DictField(
        help_text="Further fields of this type, such as the audience. Of a memory and a message "
        "also `speaker`, `speaker_member`, `author`, `asserted_by`, `reworded_by` and "
        "`deposit_for`: whose words it gives and who says so, as in a preparation of decisions. "
        "`score` is missing where a memory stands beside another as its question or reply; "
        "`repeats` are the ids of memories that say the same. Of a memory also its `category`, "
        "`strength` (0-1), `tags`, `metadata` and `source` (null above 16,384 characters), and "
        "`state` and `contradicted_by`, which say whether it is true now, as in a recall."
    )


class ContextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    tokens = serializers.IntegerField(help_text="Of the text; at most `max_tokens`.")
    recall_id = serializers.UUIDField(
        allow_null=True,
        help_text="For feedback on the memories in the text; null if memories were not searched.",
    )
    answered = ChoiceField(
        ANSWERED_VALUES,
        allow_null=True,
        help_text="Whether the recalled memories answer the query, as in a recall; null if "
        "memories were not searched.",
    )
    confidence = serializers.FloatField(
        allow_null=True, help_text="The confidence that one of them answers, 0-1."
    )
    reranked = serializers.BooleanField(required=False, help_text="Only with `rerank`.")
    not_reranked = ChoiceField(
        NOT_RERANKED_REASONS, required=False, help_text="Why the order is the plain one."
    )
    citations = CitationSerializer(many=True)
    sections = SectionSerializer(many=True)


def _render_citation(one: Citation) -> dict[str, Any]:
    piece = one.piece
    return {
        "number": one.number,
        "section": one.section,
        "type": piece.type,
        "id": piece.id,
        "cut": one.cut,
        "details": piece.more,
    }


def _render_context(found: PromptContext, *, rerank: bool) -> dict[str, Any]:
    reranked: dict[str, Any] = {"reranked": found.not_reranked is None} if rerank else {}
    if found.not_reranked:
        reranked["not_reranked"] = found.not_reranked
    sure = found.confidence
    return {
        "text": found.text,
        "tokens": found.tokens,
        "recall_id": found.recall_id,
        "answered": None if sure is None else classify_confidence(sure),
        "confidence": sure,
        **reranked,
        "citations": [_render_citation(one) for one in found.citations],
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
    within_groups = ("POST",)
    scopes = {"POST": "read"}
    only_answers = ("POST",)
    weight = staticmethod(weigh_context)

    @extend_schema(
        operation_id="context", request=ContextRequestSerializer, responses=ContextSerializer
    )
    def post(self, request: Request) -> Response:
        """Make a text for a prompt: what matters to a query, with citations, within a token budget.

        The memories in the text count as recalled.
        """
        asked = validate_data(ContextRequestSerializer, request.data)
        for name in ("categories", "entity_types"):
            asked[name] = tuple(asked.get(name, ()))
        if "accounts" in asked:
            asked["accounts"] = tuple(asked["accounts"])
        query = ContextQuery(text=asked.pop("query"), **asked)
        found = build_context(request.user, query, now=timezone.now())
        return Response(_render_context(found, rerank=query.rerank))
