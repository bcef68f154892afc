"""Why a memory came up for a question, and why it did not."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.memories import validate_data
from memories.api.recall.recall_views import build_query
from memories.api.serializers.recall import RecallSerializer, ScoresSerializer
from memories.retrieval.explanation.explain import Explanation, explain_memory


class ExplainSerializer(RecallSerializer):
    """A recall, asked about one memory. The order without reranking is explained."""

    explain = None
    rerank = None


class ReasonSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="A stable code, such as matches or below-limit.")
    text = serializers.CharField(help_text="The reason as a sentence.")


class ExplanationSerializer(serializers.Serializer[Any]):
    """Where a memory stands in the answer to a question."""

    memory = serializers.UUIDField()
    served = serializers.BooleanField(help_text="Whether it is among the results.")
    rank = serializers.IntegerField(
        allow_null=True, help_text="Its place, counted from 1; null if it was not found."
    )
    limit = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True, help_text="0-1; null without a rank.")
    needed = serializers.FloatField(
        allow_null=True,
        help_text="The score of the last result; null if fewer than `limit` were found.",
    )
    scores = ScoresSerializer(allow_null=True)
    reasons = ReasonSerializer(many=True)
    strategy = serializers.CharField()


def _render_explanation(found: Explanation) -> dict[str, Any]:
    hit = found.hit
    scores = None
    if hit is not None:
        names = ("relevance", "vector", "keyword", "similarity", "cues", "strength", "answers")
        scores = {name: getattr(hit, name) for name in names}
        if hit.unconfirmed:
            scores["unconfirmed_days"] = hit.unconfirmed
    return {
        "memory": found.memory.id,
        "served": found.served,
        "rank": found.rank,
        "limit": found.query.limit,
        "score": round(hit.score, 6) if hit and found.rank else None,
        "needed": None if found.needed is None else round(found.needed, 6),
        "scores": scores,
        "reasons": [{"code": one.code, "text": one.text} for one in found.reasons],
        "strategy": found.strategy,
    }


class ExplainView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="memories_explain",
        request=ExplainSerializer,
        responses=ExplanationSerializer,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Explain where one memory stands in the answer to a question.

        It does not count as access.
        """
        query = build_query(validate_data(ExplainSerializer, request.data))
        return Response(
            _render_explanation(explain_memory(request.user, memory_id, query, now=timezone.now()))
        )
