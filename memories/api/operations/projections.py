"""Index layouts over HTTP."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.indexing.projections import STRATEGIES, list_projections, switch_projection
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    FlagField,
    StrictSerializer,
    validate_data,
)

STATES = ("off", "filling", "ready", "stopped")


class ProjectionSerializer(AnswerSerializer):
    """An index layout that a strategy needs."""

    name = ChoiceField(sorted(STRATEGIES))
    strategy = serializers.CharField(help_text="The strategy of a recall that needs it.")
    enabled = serializers.BooleanField()
    state = ChoiceField(
        STATES,
        help_text="`filling`: a search in it finds less than there is. `stopped`: its job failed "
        "or was cancelled.",
    )
    rows = serializers.IntegerField(help_text="Those that the caller reads.")


class SwitchSerializer(StrictSerializer):
    enabled = FlagField()


class ProjectionsView(APIView):
    @extend_schema(operation_id="projections_list", responses=ProjectionSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The index layouts of the organisation: which are on, how large and how far."""
        found = list_projections(request.user)
        results = [ProjectionSerializer.render(one) for one in found]
        return Response({"results": results, "next": None})


class ProjectionView(APIView):
    @extend_schema(
        operation_id="projections_switch", request=SwitchSerializer, responses=ProjectionSerializer
    )
    def put(self, request: Request, name: str) -> Response:
        """Switch an index layout on and fill it, or off and delete its rows; a job does the work.
        What is on is filled anew. For curators, admins and keys with `manage`."""
        on = validate_data(SwitchSerializer, request.data)["enabled"]
        found = switch_projection(request.user, name, on=on, now=timezone.now())
        return Response(ProjectionSerializer.render(found))
