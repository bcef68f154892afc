"""A robot's stream over HTTP."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.context.prompt_context import MAX_CONTEXT_TOKENS
from memories.api.serializers.memories import (
    RememberedSerializer,
    check_content,
    content_field,
)
from memories.api.serializers.recall import MAX_QUERY_CHARACTERS
from memories.context.streams.stream_scores import IMPORTANCE_BY_TYPE, KINDS, OBSERVATION
from memories.context.streams.streams import (
    DEFAULT_SUMMARY_TOKENS,
    METADATA_KEY,
    add_stream_entry,
    recall_stream,
    resolve_own_stream,
    stream_entries,
    summarise_stream,
)
from memories.retrieval.timeframes.parse_timeframe import TimeRange, parse_timeframe
from memories.store.models.memory import Memory
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import (
    MAX_ITEMS,
    ChoiceField,
    CountField,
    NumberField,
    StrictSerializer,
    TextField,
    TimeField,
    UpperTimeField,
    query_values,
    validate_data,
)


class EntryRequestSerializer(StrictSerializer):
    content = content_field()
    kind = ChoiceField(KINDS, default=OBSERVATION)
    importance = NumberField(
        min_value=0,
        max_value=1,
        required=False,
        help_text=f"By default that of the kind: {IMPORTANCE_BY_TYPE}.",
    )
    occurred_at = TimeField(required=False, help_text="When it happened; by default now.")

    def validate_content(self, value: str) -> str:
        return check_content(value)


class StreamFiltersSerializer(StrictSerializer):
    """Query parameters."""

    kind = ChoiceField(KINDS, required=False)
    since = TimeField(required=False, help_text="It happened then or later.")
    until = UpperTimeField(required=False, help_text="It happened then or earlier.")
    timeframe = TextField(
        max_length=200,
        required=False,
        help_text="A time in words, such as `last week`, in UTC; not together with since or until.",
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError where both ways to name a time are used."""
        if "timeframe" in attrs and (attrs.get("since") or attrs.get("until")):
            raise ValidationError({"timeframe": ["Either a timeframe or since and until."]})
        return attrs


class SummaryParametersSerializer(StreamFiltersSerializer):
    kind = None  # type: ignore[assignment]
    limit = None  # type: ignore[assignment]
    cursor = None  # type: ignore[assignment]
    max_tokens = serializers.IntegerField(
        min_value=1,
        max_value=MAX_CONTEXT_TOKENS,
        default=DEFAULT_SUMMARY_TOKENS,
        help_text="Of the summary.",
    )


class StreamRecallRequestSerializer(StrictSerializer):
    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    limit = CountField(min_value=1, max_value=MAX_ITEMS, default=10)


class StreamEntrySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    kind = ChoiceField(KINDS)
    content = serializers.CharField()
    importance = serializers.FloatField(help_text="0-1.")
    occurred_at = serializers.DateTimeField()


class ScoredEntrySerializer(StreamEntrySerializer):
    relevance = serializers.FloatField(help_text="0-1; 0 if it does not match the query.")
    score = serializers.FloatField(
        help_text="0-1: .3 exp(-hours since it happened / 24) + .3 importance + .4 relevance."
    )


class StreamAnswerSerializer(serializers.Serializer[Any]):
    recall_id = serializers.UUIDField(help_text="For feedback on the results.")
    results = ScoredEntrySerializer(many=True)


class StreamSummarySerializer(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {
            "from": serializers.DateTimeField(allow_null=True),
            "to": serializers.DateTimeField(allow_null=True),
            "count": serializers.IntegerField(help_text="The entries in the range."),
            "kinds": serializers.DictField(
                child=serializers.IntegerField(), help_text="The same by kind."
            ),
            "text": serializers.CharField(help_text="The chosen entries, one on each line."),
            "tokens": serializers.IntegerField(help_text="Of the text."),
            "memories": serializers.ListField(
                child=serializers.UUIDField(), help_text="The chosen entries, as in the text."
            ),
        }


def _parse_range(asked: dict[str, Any], now: datetime) -> TimeRange:
    """Raises TimeframeError."""
    if "timeframe" in asked:
        return parse_timeframe(asked["timeframe"], now=now)
    return asked.get("since"), asked.get("until")


def _render_entry(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "kind": memory.metadata[METADATA_KEY],
        "content": memory.content,
        "importance": memory.importance,
        "occurred_at": memory.occurred_at or memory.created_at,
    }


class StreamsView(APIView):
    @extend_schema(
        operation_id="streams_list",
        parameters=[StreamFiltersSerializer],
        responses=StreamEntrySerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the entries of the calling robot's own stream, newest first; a person is 403."""
        asked, now = (
            validate_data(StreamFiltersSerializer, query_values(request)),
            timezone.now(),
        )
        span = _parse_range(asked, now)
        principal = resolve_own_stream(request.user)
        with principal.scope():
            rows = stream_entries(principal, kind=asked.get("kind"), span=span, now=now)
            cursor = asked.get("cursor")
            return Response(
                paginate(request, rows, limit=asked["limit"], cursor=cursor, render=_render_entry)
            )

    @extend_schema(
        operation_id="streams_record",
        request=EntryRequestSerializer,
        responses={201: RememberedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Add an observation, a reflection or an insight, which only the robot itself reads."""
        asked = validate_data(EntryRequestSerializer, request.data)
        made = add_stream_entry(request.user, asked.pop("content"), now=timezone.now(), **asked)
        return Response(RememberedSerializer.render(made), status=201)


class StreamRecallView(APIView):
    scopes = {"POST": "read"}
    only_answers = ("POST",)

    @extend_schema(
        operation_id="streams_recall",
        request=StreamRecallRequestSerializer,
        responses=StreamAnswerSerializer,
    )
    def post(self, request: Request) -> Response:
        """The entries with the highest score for a query, the best first."""
        asked = validate_data(StreamRecallRequestSerializer, request.data)
        found = recall_stream(
            request.user, asked["query"], limit=asked["limit"], now=timezone.now()
        )
        results = [
            {
                **_render_entry(one.memory),
                "relevance": round(one.relevance, 6),
                "score": round(one.score, 6),
            }
            for one in found.entries
        ]
        return Response({"recall_id": found.recall_id, "results": results})


class StreamSummaryView(APIView):
    @extend_schema(
        operation_id="streams_summary",
        parameters=[SummaryParametersSerializer],
        responses=StreamSummarySerializer,
    )
    def get(self, request: Request) -> Response:
        """Summarise a range of the stream by a few of its entries.

        Insights come first, then reflections, then up to five observations that represent the rest.
        """
        asked = validate_data(SummaryParametersSerializer, query_values(request))
        now = timezone.now()
        since, until = _parse_range(asked, now)
        found = summarise_stream(
            request.user, (since, until), max_tokens=asked["max_tokens"], now=now
        )
        return Response(
            {
                "from": since,
                "to": until,
                "count": found.count,
                "kinds": found.kinds,
                "text": found.text,
                "tokens": found.tokens,
                "memories": [memory.id for memory in found.memories],
            }
        )
