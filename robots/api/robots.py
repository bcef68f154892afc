"""Robots over HTTP; the list shows what the caller may know of."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.serializers import validate_data
from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from robots.api.pagination import paginated_response
from robots.api.serializers import robots as s
from robots.models.robots import Robot
from robots.people import directory
from robots.registry.robots import get_robot, may_see_activity, update_robot


def serialize_robot(robot: Robot, actor: Actor) -> dict[str, Any]:
    return {
        "id": robot.public_id,
        "name": robot.name,
        "purpose": robot.purpose,
        "personality": robot.personality,
        "metadata": robot.metadata,
        "working_memory_tokens": robot.working_memory_tokens,
        "created_at": robot.created_at,
        "last_active_at": robot.last_active_at if may_see_activity(actor, robot) else None,
    }


class RobotsView(APIView):
    @extend_schema(
        operation_id="robots_list",
        parameters=[s.PageSerializer],
        responses=s.RobotSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the robots of the organisation, newest first."""
        rows = Robot.objects.filter(organisation_id=request.user.organisation_id)
        return paginated_response(request, rows, lambda robot: serialize_robot(robot, request.user))

    @extend_schema(
        operation_id="robots_register",
        request=s.RegisterSerializer,
        responses={200: s.RobotSerializer, 201: s.RobotSerializer},
    )
    def post(self, request: Request) -> Response:
        """Register a robot (201), or update the one with this id (200).

        For admins and keys that manage; every robot may update itself. Empty texts change nothing.
        """
        data = validate_data(s.RegisterSerializer, request.data)
        robot, created = directory.register_or_update_robot(request.user, data, timezone.now())
        return Response(serialize_robot(robot, request.user), status=201 if created else 200)


class RobotView(APIView):
    @extend_schema(operation_id="robots_get", responses=s.RobotSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """One robot, by id."""
        with organisation_scope(request.user.organisation_id):
            robot = get_robot(request.user.organisation_id, reference)
        return Response(serialize_robot(robot, request.user))

    @extend_schema(
        operation_id="robots_patch", request=s.RobotPatchSerializer, responses=s.RobotSerializer
    )
    def patch(self, request: Request, reference: str) -> Response:
        """Change a robot; fields that are left out stay.

        A robot changes itself; curators, admins and keys that manage change every robot. An empty
        purpose or personality is removed. The name of a personal robot cannot be changed.
        """
        data = validate_data(s.RobotPatchSerializer, request.data)
        robot = update_robot(request.user, reference, data, now=timezone.now())
        return Response(serialize_robot(robot, request.user))
