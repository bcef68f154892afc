"""The working memory of a team over HTTP: read, changed, handed to another team."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.context import serializers as s
from memories.api.context.working_memory import render_working_memory_in_order
from memories.context import team_working_memory
from memories.context.team_working_memory import TeamState
from orgs.api.base_view import APIView
from orgs.api.serializers import NamedSerializer, query_values, validate_data


def _render_state(found: TeamState) -> dict[str, Any]:
    standing = found.standing
    robots = [*standing.active, *standing.passive]
    return {
        "team": NamedSerializer.render(found.team),
        "active": [NamedSerializer.render(one.robot) for one in standing.active],
        "passive": [NamedSerializer.render(one.robot) for one in standing.passive],
        "silent": [
            NamedSerializer.render(r.robot) for r in robots if r.robot_id in standing.silent
        ],
        "in_sync": standing.in_sync,
        "budget": found.budget,
        "tokens": found.tokens,
        "count": found.count,
        "utilisation": round(found.utilisation, 4),
    }


class TeamMemoryView(APIView):
    # These calls change the working memory of the team and no memory.
    scopes = {"POST": "read", "DELETE": "read"}

    @extend_schema(
        operation_id="team_memory_get",
        parameters=[s.TeamLookSerializer],
        responses=s.TeamMemorySerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """The working memory of a team, the last used first, or a text that fits into a budget.

        For the robots of the team, curators and admins.
        """
        asked, now = (
            validate_data(s.TeamLookSerializer, query_values(request)),
            timezone.now(),
        )
        found = team_working_memory.get_team_working_memory(request.user, reference, now=now)
        shown = render_working_memory_in_order(
            found, asked.get("order"), by=asked["by"], most=asked.get("max_tokens"), now=now
        )
        return Response({"team": NamedSerializer.render(found.owner)} | shown)

    @extend_schema(
        operation_id="team_memory_add", request=s.TeamAddSerializer, responses=s.AddedSerializer
    )
    def post(self, request: Request, reference: str) -> Response:
        """Add a memory to the working memory; for a robot of the team.

        Every robot of the team must read the memory. The least important memories make room. 413
        `over-budget` if the memory alone is larger than the budget.
        """
        memory = validate_data(s.TeamAddSerializer, request.data)["memory"]
        out = team_working_memory.add_to_team_working_memory(
            request.user, reference, memory, now=timezone.now()
        )
        return Response({"memory": memory, "evicted": out})

    @extend_schema(
        operation_id="team_memory_remove",
        parameters=[s.TeamRemoveSerializer],
        responses={204: None},
    )
    def delete(self, request: Request, reference: str) -> Response:
        """Take one memory or all out of the working memory; no memory is forgotten."""
        asked = validate_data(s.TeamRemoveSerializer, query_values(request))
        team_working_memory.remove_from_team_working_memory(
            request.user, reference, asked.get("memory"), now=timezone.now()
        )
        return Response(status=204)


class TeamStatusView(APIView):
    @extend_schema(operation_id="teams_status", responses=s.TeamStatusSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """Which robots are active or passive, and how full the working memory is.

        For the robots of the team, curators and admins.
        """
        return Response(
            _render_state(
                team_working_memory.get_team_state(request.user, reference, now=timezone.now())
            )
        )


class TransferView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="teams_transfer",
        request=s.TransferSerializer,
        responses=s.TransferredSerializer,
    )
    def post(self, request: Request, reference: str) -> Response:
        """Move the working memory of a team to another team.

        For robots that are in both teams, curators and admins.
        """
        data = validate_data(s.TransferSerializer, request.data)
        done = team_working_memory.transfer_team_working_memory(
            request.user,
            reference,
            data["to"],
            clear_source=data["clear_source"],
            now=timezone.now(),
        )
        return Response({"moved": done.moved, "kept": done.kept, "evicted": done.evicted})
