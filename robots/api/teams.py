"""Teams of robots over HTTP. What they have at hand is in memories/api/context."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import NamedSerializer, query_values, validate_data
from orgs.database.rls import organisation_scope
from robots.api.pagination import paginated_response
from robots.api.serializers import teams as s
from robots.api.serializers.robots import PageSerializer
from robots.models.teams import Team, TeamRobot
from robots.teams import failover, team_robots, teams
from robots.teams.failover import Promotion


def serialize_team(team: Team) -> dict[str, Any]:
    names = ("name", "purpose", "working_memory_tokens", "created_at")
    return (
        {"id": team.public_id} | {name: getattr(team, name) for name in names} | _robot_counts(team)
    )


def _robot_counts(team: Team) -> dict[str, int]:
    return {name: getattr(team, name, 0) for name in ("active", "passive")}


def serialize_team_robot(row: TeamRobot) -> dict[str, Any]:
    names = ("status", "joined_at", "last_seen_at")
    return {"robot": NamedSerializer.render(row.robot)} | {
        name: getattr(row, name) for name in names
    }


def _serialize_promotions(done: list[Promotion]) -> list[dict[str, Any]]:
    return [
        {
            "promoted": NamedSerializer.render(one.promoted.robot),
            "fallen": NamedSerializer.render(one.fallen.robot) if one.fallen else None,
        }
        for one in done
    ]


class TeamsView(APIView):
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="teams_list",
        parameters=[PageSerializer],
        responses=s.TeamSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the teams of robots of the organisation, newest first."""
        return paginated_response(
            request, teams.list_teams(request.user.organisation_id), serialize_team
        )

    @extend_schema(
        operation_id="teams_create",
        request=s.TeamCreateSerializer,
        responses={201: s.TeamSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a team without robots; for admins and curators.

        409 if the id or the name is taken.
        """
        data = validate_data(s.TeamCreateSerializer, request.data)
        return Response(
            serialize_team(teams.create_team(request.user, data, now=timezone.now())), status=201
        )


class TeamView(APIView):
    scopes = {"PATCH": "manage", "DELETE": "manage"}

    @extend_schema(operation_id="teams_get", responses=s.TeamSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """One team, by id."""
        return Response(serialize_team(teams.get_team_with_counts(request.user, reference)))

    @extend_schema(
        operation_id="teams_patch", request=s.TeamPatchSerializer, responses=s.TeamSerializer
    )
    def patch(self, request: Request, reference: str) -> Response:
        """Change a team's name, purpose or budget of tokens; for admins and curators."""
        data = validate_data(s.TeamPatchSerializer, request.data)
        changed = teams.update_team(request.user, reference, data, now=timezone.now())
        return Response(serialize_team(changed))

    @extend_schema(operation_id="teams_delete", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, reference: str) -> Response:
        """Remove a team; for admins and curators.

        409 `team-in-use` if memories are for it alone.
        """
        teams.remove_team(request.user, reference, now=timezone.now())
        return Response(status=204)


class TeamRobotsView(APIView):
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="team_robots_list",
        parameters=[PageSerializer],
        responses=s.TeamRobotSerializer(many=True),
    )
    def get(self, request: Request, reference: str) -> Response:
        """List the robots of a team, those that joined last first."""
        asked = validate_data(PageSerializer, query_values(request))
        with organisation_scope(request.user.organisation_id):
            rows = team_robots.list_team_robots(request.user, reference)
            body = paginate(
                request,
                rows,
                limit=asked["limit"],
                cursor=asked.get("cursor"),
                render=serialize_team_robot,
            )
        return Response(body)

    @extend_schema(
        operation_id="team_robots_add",
        request=s.TeamRobotAddSerializer,
        responses={200: s.TeamRobotSerializer, 201: s.TeamRobotSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Put a robot into a team (201); for admins.

        From now on the robot reads the notes of the team. 200 if it is in the team already, 409 if
        it has another `status` there or the team has 1,000 robots. The personal robot of a member
        is 403. The change is recorded in the audit trail.
        """
        data = validate_data(s.TeamRobotAddSerializer, request.data)
        row, created = team_robots.add_team_robot(
            request.user, reference, data["robot"], status=data.get("status"), now=timezone.now()
        )
        return Response(serialize_team_robot(row), status=201 if created else 200)


class TeamRobotView(APIView):
    scopes = {"DELETE": "manage"}

    @extend_schema(operation_id="team_robots_remove", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, reference: str, robot: str) -> Response:
        """Take a robot out of a team; for admins and curators. It reads nothing of the team then.

        If it was the last active robot, the passive one that joined first becomes active. The
        change is recorded in the audit trail.
        """
        team_robots.remove_team_robot(request.user, reference, robot, now=timezone.now())
        return Response(status=204)


class HeartbeatView(APIView):
    # It changes who works, and no memory.
    scopes = {"POST": "read"}

    @extend_schema(operation_id="teams_heartbeat", request=None, responses=s.HeartbeatSerializer)
    def post(self, request: Request, reference: str) -> Response:
        """Send a heartbeat of the calling robot, which is in the team.

        Each active robot that is silent is replaced by a passive robot that is not silent. If no
        robot is active, a passive one becomes active.
        """
        row, done = failover.record_heartbeat(request.user, reference, now=timezone.now())
        return Response({"status": row.status, "promotions": _serialize_promotions(done)})


class PromoteView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="teams_promote",
        request=s.PromoteSerializer,
        responses=s.PromotionsSerializer,
    )
    def post(self, request: Request, reference: str) -> Response:
        """Make a passive robot active, or replace the silent active robots.

        For the robots of the team, curators and admins. Without a name: 409 `still-active` if no
        active robot is silent, 409 `nobody-passive` if no robot can replace one.
        """
        data = validate_data(s.PromoteSerializer, request.data)
        done = failover.promote_robot(
            request.user, reference, data.get("robot"), now=timezone.now()
        )
        return Response({"promotions": _serialize_promotions(done)})


class DemoteView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="teams_demote", request=s.DemoteSerializer, responses=s.TeamRobotSerializer
    )
    def post(self, request: Request, reference: str) -> Response:
        """Make an active robot passive; for the robots of the team, curators and admins.

        409 `last-active` if no other robot is active.
        """
        data = validate_data(s.DemoteSerializer, request.data)
        row = failover.demote_robot(request.user, reference, data["robot"], now=timezone.now())
        return Response(serialize_team_robot(row))
