"""Recall over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import rendering
from memories.api.serializers import recall as serializers_recall
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import Query, RecallResult, recall
from orgs.api.serializers import validate_data


def build_query(data: dict[str, Any]) -> Query:
    """A validated recall as the service takes it."""
    fields = dict(data)
    return Query(text=fields.pop("query"), **fields)


def render_recall(answer: RecallResult) -> dict[str, Any]:
    """The answer as it is sent."""
    query = answer.query
    body = {
        "recall_id": answer.recall_id,
        "answered": answer.answered,
        "confidence": round(answer.confidence, 4),
        "results": [
            rendering.render_hit(found, row, explain=query.explain, merged=answer.merged)
            for found, row in answer.hits
        ],
        "query": query.text,
        "timeframe": [{"from": a, "to": b} for a, b in query.ranges] or None,
        "strategy": answer.strategy,
        "took_ms": round(answer.took_ms, 2),
    }
    if query.rerank:
        body |= rendering.render_rerank_state(answer.not_reranked)
    return body


class RecallView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="recall",
        request=serializers_recall.RecallSerializer,
        responses=serializers_recall.RecallAnswerSerializer,
    )
    def post(self, request: Request) -> Response:
        """Answer a question with memories that the caller may read, best first.

        The results count as accesses, and the recall is recorded for later feedback.
        """
        query = build_query(validate_data(serializers_recall.RecallSerializer, request.data))
        answer = recall(request.user, query, now=timezone.now(), load=fetch_answer_rows)
        return Response(render_recall(answer))
