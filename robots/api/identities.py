"""Identities of members on other platforms, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.serializers import (
    NamedSerializer,
    NumberField,
    StrictSerializer,
    TextField,
    id_and_name,
    validate_data,
)
from robots.api.serializers.robots import IDENTITY_PATTERN, require_external_id, require_identity
from robots.identities import identity_links
from robots.identities.identity_links import VisibleIdentity


class IdentityCreateSerializer(StrictSerializer):
    identity = TextField(
        max_length=341,
        pattern=IDENTITY_PATTERN,
        help_text="platform:identifier, such as telegram:mina.",
    )
    known_as = TextField(
        max_length=300,
        required=False,
        allow_blank=True,
        help_text="The calling robot's own name for the member.",
    )
    confidence = NumberField(
        min_value=0,
        max_value=1,
        required=False,
        help_text="How sure the caller is; it opens nothing.",
    )
    evidence = TextField(
        max_length=1000, required=False, allow_blank=True, help_text="Why the caller says so."
    )
    proof = TextField(
        max_length=40,
        required=False,
        help_text="The member's own code, received from that identity. It confirms the identity.",
    )

    def validate_identity(self, value: str) -> str:
        return require_identity(value)

    def validate_known_as(self, value: str) -> str:
        return require_external_id(value)


class SaidSerializer(serializers.Serializer[Any]):
    """What one robot says of an identity."""

    robot = NamedSerializer()
    confidence = serializers.FloatField(help_text="0-1.")
    known_as = serializers.CharField(
        required=False, help_text="Only for this robot and for admins."
    )
    evidence = serializers.CharField(
        required=False, help_text="Only for this robot and for admins."
    )
    created_at = serializers.DateTimeField()


class IdentitySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    identity = serializers.CharField()
    member = NamedSerializer()
    group = serializers.UUIDField(
        allow_null=True,
        help_text="An identity of an import may hold in one group alone: its id. Else null.",
    )
    confirmed_at = serializers.DateTimeField(
        allow_null=True, help_text="Null until an admin or the member's code confirms it."
    )
    said_by = SaidSerializer(many=True, help_text="The robots that say so.")


class IdentitiesSerializer(serializers.Serializer[Any]):
    results = IdentitySerializer(many=True)


def serialize_identity(known: VisibleIdentity, name: str) -> dict[str, Any]:
    row = known.identity
    said = []
    for one in known.links:
        full = ("known_as", "evidence") if one.robot_id in known.full else ()
        names = ("confidence", "created_at", *full)
        said.append(
            {"robot": NamedSerializer.render(one.robot)}
            | {field: getattr(one, field) for field in names}
        )
    return {
        "id": row.id,
        "identity": str(row),
        "member": id_and_name(str(row.member_id), name),
        "group": row.group_id,
        "confirmed_at": row.confirmed_at,
        "said_by": said,
    }


class IdentitiesView(APIView):
    @extend_schema(operation_id="identities_list", responses=IdentitiesSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List the identities of a member, at most 100, and which robots say so.

        Robots and admins may ask for every member whom they know, other people for themselves.
        """
        member, found = identity_links.list_identities(request.user, reference)
        return Response({"results": [serialize_identity(one, member.name) for one in found]})

    @extend_schema(
        operation_id="identities_link",
        request=IdentityCreateSerializer,
        responses={200: IdentitySerializer, 201: IdentitySerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Say that an identity is this member: 201 if it is new, else 200. For robots and admins.

        What an admin says, and what comes with the member's code, is confirmed at once. 400
        `wrong-proof` for a wrong code. 409 `conflict` if the identity belongs to another member;
        with a code only if it is confirmed, or that member has no account.
        """
        data = validate_data(IdentityCreateSerializer, request.data)
        known, created = identity_links.link_member_identity(
            request.user, reference, data, now=timezone.now()
        )
        body = serialize_identity(known, known.identity.member.name)
        return Response(body, status=201 if created else 200)


class IdentityView(APIView):
    @extend_schema(operation_id="identities_unlink", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, reference: str, identity: str) -> Response:
        """Remove what the calling robot said of an identity; an admin removes the identity itself.

        An identity that is not confirmed is removed with the last robot that says so, or by a key
        that manages.
        """
        identity_links.unlink_identity(request.user, reference, identity, now=timezone.now())
        return Response(status=204)


class ConfirmView(APIView):
    @extend_schema(operation_id="identities_confirm", request=None, responses=IdentitySerializer)
    def post(self, request: Request, reference: str, identity: str) -> Response:
        """Confirm that an identity is this member; for admins."""
        known = identity_links.confirm_identity(
            request.user, reference, identity, now=timezone.now()
        )
        return Response(serialize_identity(known, known.identity.member.name))
