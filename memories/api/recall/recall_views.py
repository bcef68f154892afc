"""Recall over HTTP: what is read of a body, and the answer as it is sent."""

from typing import IO, Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers import recall as serializers_recall
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import RecallResult, recall, recall_by_key
from memories.retrieval.resolve_filters import Query
from memories.retrieval.strategies.registry import ProjectionOffError
from orgs.api.base_view import APIView
from orgs.api.json_format import JSONRenderer, StrictJSONParser
from orgs.api.serializers import validate_data
from orgs.limits.rate_limits import weigh_question
from robots.access.keys import PresentedKey

_parser, _renderer = StrictJSONParser(), JSONRenderer()


def build_query(data: dict[str, Any]) -> Query:
    """A validated recall as the service takes it."""
    fields = dict(data)
    return Query(text=fields.pop("query"), **fields)


def render_recall(answer: RecallResult) -> dict[str, Any]:
    """The answer as it is sent."""
    query, why_not = answer.query, answer.not_reranked
    more: dict[str, Any] = {}
    if query.strategy == "graph":
        more["people"] = [serializers_recall.render_person(one) for one in answer.people]
    if query.rerank:
        more |= {"reranked": why_not is None, "not_reranked": why_not}
    return serializers_recall.RecallAnswerSerializer.render(
        answer,
        confidence=round(answer.confidence, 4),
        results=[
            serializers_recall.render_hit(found, row, query, answer.merged)
            for found, row in answer.hits
        ],
        timeframe=[{"from": a, "to": b} for a, b in query.ranges] or None,
        took_ms=round(answer.took_ms, 2),
        **more,
    )


def answer_by_key(key: PresentedKey, body: IO[bytes]) -> bytes | None:
    """The answer to a recall by key, as it is sent; None for all that the view below refuses, and
    for what takes more than the key to look up: it says why, or answers."""
    try:
        query = build_query(validate_data(serializers_recall.RecallSerializer, _parser.parse(body)))
        if query.rerank:
            # It counts for more than one call; the usual way counts it.
            return None
        answer = recall_by_key(key, query, now=timezone.now(), load=fetch_answer_rows)
    except (APIException, ProjectionOffError):
        return None
    return None if answer is None else _renderer.render(render_recall(answer))


class RecallView(APIView):
    within_groups = ("POST",)
    scopes = {"POST": "read"}
    only_answers = ("POST",)
    weight = staticmethod(weigh_question)

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
