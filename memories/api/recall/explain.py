"""Why a memory came up for a question, and why it did not."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.memories import validate_data
from memories.api.recall.recall_views import build_query
from memories.api.serializers.recall import RecallSerializer, ScoresSerializer, render_scores
from memories.retrieval.explanation.explain import Explanation, explain_memory
from orgs.api.base_view import APIView
from orgs.api.serializers import AnswerSerializer


class ExplainSerializer(RecallSerializer):
    """A recall, asked about one memory. The order without reranking is explained."""

    explain = None
    rerank = None


class ReasonSerializer(AnswerSerializer):
    code = serializers.CharField(help_text="A stable code, such as matches or below-limit.")
    text = serializers.CharField(help_text="The reason as a sentence.")


class ExplanationSerializer(AnswerSerializer):
    """Where a memory stands in the answer to a question."""

    memory = serializers.UUIDField(source="memory.id")
    served = serializers.BooleanField(help_text="Whether it is among the results.")
    rank = serializers.IntegerField(
        allow_null=True, help_text="Its place, counted from 1; null if it was not found."
    )
    limit = serializers.IntegerField(source="query.limit")
    score = serializers.FloatField(allow_null=True, help_text="0-1; null without a rank.")
    needed = serializers.FloatField(
        allow_null=True,
        help_text="The score of the last result; null if fewer than `limit` were found.",
    )
    scores = ScoresSerializer(allow_null=True)
    reasons = ReasonSerializer(many=True)
    strategy = serializers.CharField()

    @staticmethod
    def get_scores(found: Explanation) -> dict[str, Any] | None:
        return render_scores(found.hit)

    @staticmethod
    def get_score(found: Explanation) -> float | None:
        return round(found.hit.score, 6) if found.hit and found.rank else None

    @staticmethod
    def get_needed(found: Explanation) -> float | None:
        return None if found.needed is None else round(found.needed, 6)


class ExplainView(APIView):
    scopes = {"POST": "read"}
    only_answers = ("POST",)

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
            ExplanationSerializer.render(
                explain_memory(request.user, memory_id, query, now=timezone.now())
            )
        )
