"""Identities of members on other platforms, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from orgs.api.serializers import NamedSerializer, NumberField, StrictSerializer, TextField, checked
from robots.api.serializers.robots import IDENTITY, check_external_id, check_identity
from robots.identities import links
from robots.identities.links import VisibleIdentity


class IdentityCreateSerializer(StrictSerializer):
    identity = TextField(max_length=341, pattern=IDENTITY, help_text="platform:identifier")
    known_as = TextField(
        max_length=300, required=False, allow_blank=True, help_text="Your own name for them."
    )
    confidence = NumberField(min_value=0, max_value=1, required=False)
    evidence = TextField(max_length=1000, required=False, allow_blank=True)
    proof = TextField(
        max_length=40, required=False, help_text="The member's own code, heard from that identity."
    )

    def validate_identity(self, value: str) -> str:
        return check_identity(value)

    def validate_known_as(self, value: str) -> str:
        return check_external_id(value)


class SaidSerializer(serializers.Serializer[Any]):
    """What one robot says; known_as and evidence are for that robot and for admins."""

    robot = NamedSerializer()
    confidence = serializers.FloatField()
    known_as = serializers.CharField(required=False)
    evidence = serializers.CharField(required=False)
    created_at = serializers.DateTimeField()


class IdentitySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    identity = serializers.CharField()
    member = NamedSerializer()
    group = serializers.UUIDField(
        allow_null=True, help_text="The group in which alone it holds, as an import said."
    )
    confirmed_at = serializers.DateTimeField(allow_null=True)
    said_by = SaidSerializer(many=True)


class IdentitiesSerializer(serializers.Serializer[Any]):
    results = IdentitySerializer(many=True)


def body_of(known: VisibleIdentity, name: str) -> dict[str, Any]:
    row = known.identity
    said = []
    for one in known.links:
        full = ("known_as", "evidence") if one.robot_id in known.full else ()
        robot = {"id": one.robot.public_id, "name": one.robot.name}
        names = ("confidence", "created_at", *full)
        said.append({"robot": robot} | {field: getattr(one, field) for field in names})
    return {
        "id": row.id,
        "identity": str(row),
        "member": {"id": str(row.member_id), "name": name},
        "group": row.group_id,
        "confirmed_at": row.confirmed_at,
        "said_by": said,
    }


class IdentitiesView(APIView):
    @extend_schema(operation_id="identities_list", responses=IdentitiesSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """By which identities a member is known, and which robots say so."""
        member, found = links.identities_of(request.user, reference)
        return Response({"results": [body_of(one, member.name) for one in found]})

    @extend_schema(
        operation_id="identities_link",
        request=IdentityCreateSerializer,
        responses={200: IdentitySerializer, 201: IdentitySerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Say that an identity is this member; confidence and evidence open nothing."""
        data = checked(IdentityCreateSerializer, request.data)
        known, created = links.link(request.user, reference, data, now=timezone.now())
        body = body_of(known, known.identity.member.name)
        return Response(body, status=201 if created else 200)


class IdentityView(APIView):
    @extend_schema(operation_id="identities_unlink", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, reference: str, identity: str) -> Response:
        """Take back what this robot said; an admin takes the identity away."""
        links.unlink(request.user, reference, identity, now=timezone.now())
        return Response(status=204)


class ConfirmView(APIView):
    @extend_schema(operation_id="identities_confirm", request=None, responses=IdentitySerializer)
    def post(self, request: Request, reference: str, identity: str) -> Response:
        """Confirm that it is really this member; for admins."""
        known = links.confirm(request.user, reference, identity, now=timezone.now())
        return Response(body_of(known, known.identity.member.name))
