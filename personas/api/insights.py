"""What personas learn over time, over HTTP: suggestions, trends, figures."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.cursors import next_page_url, parse_cursor
from orgs.api.serializers import query_values, validate_data
from personas.api import insights_serializers as s
from personas.api.serializers import AssociationQuerySerializer
from personas.learning import suggestions
from personas.learning.metrics import compute_persona_metrics
from personas.learning.suggestions import SuggestedLesson
from personas.learning.topics import TopicTrend
from personas.learning.trends import compute_trends
from robots.access.personal_robot_actor import resolve_owner_actor


def _serialize_lesson(one: SuggestedLesson) -> dict[str, Any]:
    names = ("id", "text", "origin", "persona", "state", "suggested_at", "decided_at", "made")
    return {name: getattr(one, name) for name in names} | {"memory": one.memory_id}


def _serialize_topic(one: TopicTrend) -> dict[str, Any]:
    return {"topic": one.topic, "counts": one.counts, **asdict(one.found)}


class SuggestionsView(APIView):
    @extend_schema(
        operation_id="persona_suggestions_list",
        parameters=[s.SuggestionQuerySerializer],
        responses=s.SuggestedLessonSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List lessons that are suggested to personas, newest first; for admins and curators."""
        asked = validate_data(s.SuggestionQuerySerializer, query_values(request))
        cursor = asked.get("cursor")
        lessons, last = suggestions.list_suggestions(
            request.user,
            now=timezone.now(),
            limit=asked["limit"],
            state=None if asked["state"] == "all" else asked["state"],
            persona=asked.get("persona"),
            before=parse_cursor(request.user, cursor) if cursor else None,
        )
        more = next_page_url(request, last.hex) if last else None
        return Response({"results": [_serialize_lesson(one) for one in lessons], "next": more})


class SuggestionAcceptView(APIView):
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="persona_suggestions_accept",
        request=None,
        responses=s.LessonAcceptedSerializer,
    )
    def post(self, request: Request, suggestion_id: UUID) -> Response:
        """Write a suggested lesson into the block of the persona; for admins and curators.

        The gates and the limit of the block (422 `over-limit`) apply as for every entry. 409 if the
        suggestion is decided already, 400 `misplaced` if the lesson is not valid any more.
        """
        done = suggestions.accept_suggestion(request.user, suggestion_id, now=timezone.now())
        return Response(_serialize_lesson(done.lesson) | {"status": done.entry.status})


class SuggestionRejectView(APIView):
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="persona_suggestions_reject",
        request=None,
        responses=s.SuggestedLessonSerializer,
    )
    def post(self, request: Request, suggestion_id: UUID) -> Response:
        """Reject a suggested lesson; for admins and curators.

        It is not suggested to that persona again.
        """
        return Response(
            _serialize_lesson(
                suggestions.reject_suggestion(request.user, suggestion_id, now=timezone.now())
            )
        )


class TrendsView(APIView):
    @extend_schema(
        operation_id="persona_trends",
        parameters=[AssociationQuerySerializer],
        responses=s.TrendsSerializer,
    )
    def get(self, request: Request, handle: str) -> Response:
        """Show how often the topics of a persona were named in each of the last eight weeks.

        At most 50 topics with at least 3 mentions are listed, rising and falling ones first. There
        are fewer weeks if the server keeps its log for a shorter time. No topic is listed while
        fewer than three people taught the persona. 404 for a caller who does
        not read the memories of the persona.
        """
        asked = validate_data(AssociationQuerySerializer, query_values(request))
        actor = resolve_owner_actor(request.user, asked.get("member"))
        found = compute_trends(actor, handle, now=timezone.now())
        body = {
            "windows": found.windows,
            "topics": [_serialize_topic(one) for one in found.topics],
            "few_teachers": found.few_teachers,
        }
        return Response({"persona": handle, **body})


class FiguresView(APIView):
    @extend_schema(operation_id="persona_metrics", responses=s.PersonaFiguresSerializer)
    def get(self, request: Request) -> Response:
        """Figures about personas and their blocks; for admins and curators."""
        found = asdict(compute_persona_metrics(request.user, now=timezone.now()))
        members = [{"personas": n, "members": many} for n, many in found["members"].items()]
        return Response(found | {"members": members})
