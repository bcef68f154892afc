"""Groups and members over HTTP; lists show what the caller may know of."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.serializers import validate_data
from orgs.database.rls import organisation_scope
from orgs.members.members import change_role, remove_member
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.principals import Actor
from robots.api.pagination import paginated_response
from robots.api.robots import serialize_robot
from robots.api.serializers import robots as s
from robots.identities import identity_links
from robots.people import directory
from robots.people.members_without_account import (
    create_member_without_account,
    ensure_member,
)


def serialize_group(group: Group) -> dict[str, Any]:
    names = ("id", "external_id", "name", "confidential", "profile", "contradiction_policy")
    return {name: getattr(group, name) for name in (*names, "created_at")}


def serialize_member(member: Member, actor: Actor) -> dict[str, Any]:
    """email: only for those who administer; else null."""
    email = member.user.email if actor.administers and member.user else None
    names = ("id", "name", "role", "created_at")
    return {name: getattr(member, name) for name in names} | {"email": email}


def _members_response(request: Request, rows: "QuerySet[Member]", *narrowed: Any) -> Response:
    if request.user.administers:
        rows = rows.select_related("user")
    return paginated_response(
        request, rows, lambda member: serialize_member(member, request.user), *narrowed
    )


class GroupsView(APIView):
    within_groups = ("GET",)
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="groups_list",
        parameters=[s.GroupFiltersSerializer],
        responses=s.GroupSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the groups that a person may read, or in which a robot sits, newest first.

        A key that manages sees also those that are not confidential, as its admins do.
        """
        return paginated_response(
            request,
            directory.manageable_groups(request.user),
            serialize_group,
            s.GroupFiltersSerializer,
            directory.narrow_groups,
        )

    @extend_schema(
        operation_id="groups_create",
        request=s.GroupCreateSerializer,
        responses={200: s.GroupSerializer, 201: s.GroupSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a group; for keys that manage, curators and admins. The caller is in the group.

        409 if the external id or the name is taken; with `"if_exists": "return"` 200 and the group
        that the caller knows by this external id.
        """
        data = validate_data(s.GroupCreateSerializer, request.data)
        now = timezone.now()
        if data.pop("if_exists") == s.FAIL:
            group, created = directory.create_group_with_members(request.user, data, now), True
        else:
            group, created = directory.ensure_group(request.user, data, now)
        return Response(serialize_group(group), status=201 if created else 200)


class GroupView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="groups_get", responses=s.GroupSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """One group, by id or external id."""
        return Response(serialize_group(directory.get_manageable_group(request.user, reference)))

    @extend_schema(
        operation_id="groups_patch", request=s.GroupPatchSerializer, responses=s.GroupSerializer
    )
    def patch(self, request: Request, reference: str) -> Response:
        """Change a group's name, whether curators read it, who reads what is posted in it, or which
        contradictions are decided by themselves.

        The name is changed by keys that manage, curators and admins, the others by admins, keys
        that manage and the group's owner.
        """
        data = validate_data(s.GroupPatchSerializer, request.data)
        group = directory.get_manageable_group(request.user, reference)
        return Response(
            serialize_group(directory.update_group(request.user, group, data, timezone.now()))
        )


class GroupMembersView(APIView):
    within_groups = ("GET",)
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="group_members_list",
        parameters=[s.PageSerializer],
        responses=s.MemberSerializer(many=True),
    )
    def get(self, request: Request, reference: str) -> Response:
        """List the members of a group, newest first."""
        group = directory.get_manageable_group(request.user, reference)
        return _members_response(request, directory.group_members(group))

    @extend_schema(
        operation_id="group_members_change",
        request=s.GroupMembersSerializer,
        responses=s.MemberSerializer(many=True),
    )
    def post(self, request: Request, reference: str) -> Response:
        """Add and remove members of a group; what they may read changes at once.

        The answer is the first page of its members. The change is recorded in the audit trail.
        """
        data = validate_data(s.GroupMembersSerializer, request.data)
        group = directory.get_manageable_group(request.user, reference)
        directory.update_group_members(
            request.user, group, data.get("add", []), data.get("remove", []), timezone.now()
        )
        return _members_response(request, directory.group_members(group))


class GroupRobotsView(APIView):
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="group_robots_list",
        parameters=[s.PageSerializer],
        responses=s.RobotSerializer(many=True),
    )
    def get(self, request: Request, reference: str) -> Response:
        """List the robots that sit in a group, newest first; without personal robots."""
        group = directory.get_manageable_group(request.user, reference)
        return self._page(request, group)

    @extend_schema(
        operation_id="group_robots_change",
        request=s.GroupRobotsSerializer,
        responses=s.RobotSerializer(many=True),
    )
    def post(self, request: Request, reference: str) -> Response:
        """Seat robots in a group and take others out; what they may read changes at once.

        For keys that manage, curators and admins, as for its members. The answer is the first page
        of its robots. Each change is recorded in the audit trail.
        """
        data = validate_data(s.GroupRobotsSerializer, request.data)
        group = directory.get_manageable_group(request.user, reference)
        directory.update_group_robots(
            request.user, group, data.get("add", []), data.get("remove", []), timezone.now()
        )
        return self._page(request, group)

    def _page(self, request: Request, group: Group) -> Response:
        return paginated_response(
            request,
            directory.group_robots(group),
            lambda robot: serialize_robot(robot, request.user),
        )


class MembersView(APIView):
    within_groups = ("GET",)
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="members_list",
        parameters=[s.MemberFiltersSerializer],
        responses=s.MemberSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List members, newest first: for people and keys that manage all of the organisation, for
        other robots those of its groups."""
        return _members_response(
            request,
            directory.manageable_members(request.user),
            s.MemberFiltersSerializer,
            partial(directory.narrow_members, request.user),
        )

    @extend_schema(
        operation_id="members_create",
        request=s.MemberCreateSerializer,
        responses={200: s.MemberSerializer, 201: s.MemberSerializer},
    )
    def post(self, request: Request) -> Response:
        """Add a member without an account; for keys that manage, curators and admins.

        409 `conflict` if the identity belongs to a member already; with `"if_exists": "return"`
        200 and that member, if the caller may know them or act for them.
        """
        data = validate_data(s.MemberCreateSerializer, request.data)
        now = timezone.now()
        if data.pop("if_exists") == s.FAIL:
            made = create_member_without_account(request.user, data, now)
            return Response(serialize_member(made, request.user), status=201)
        member, created = ensure_member(request.user, data, now)
        return Response(serialize_member(member, request.user), status=201 if created else 200)


class MemberView(APIView):
    within_groups = ("GET",)
    scopes = {"PATCH": "manage", "DELETE": "manage"}

    @extend_schema(operation_id="members_get", responses=s.MemberSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """One member, by id, platform:identifier or the calling robot's own name for them."""
        member = identity_links.get_member_by_any_name(request.user, reference)
        return self._member(request, member)

    @extend_schema(
        operation_id="members_patch", request=s.MemberPatchSerializer, responses=s.MemberSerializer
    )
    def patch(self, request: Request, reference: str) -> Response:
        """Change a member's role; what they may read and do changes at once.

        For admins and keys that manage. 409 if the organisation would be left without an admin.
        """
        data = validate_data(s.MemberPatchSerializer, request.data)
        member = directory.get_manageable_member(request.user, reference)
        if "role" in data:
            member = change_role(
                request.user, member_id=member.id, role=data["role"], now=timezone.now()
            )
        return self._member(request, member)

    @extend_schema(operation_id="members_remove", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, reference: str) -> Response:
        """Remove a member from the organisation: from the next call on they read nothing in it.

        What they wrote stays. For admins and keys that manage. 409 for the last admin.
        """
        member = directory.get_manageable_member(request.user, reference)
        remove_member(request.user, member_id=member.id, now=timezone.now())
        return Response(status=204)

    def _member(self, request: Request, member: Member) -> Response:
        with organisation_scope(member.organisation_id):
            return Response(serialize_member(member, request.user))
