"""The caller's organisation over HTTP, and who is invited to it."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    FlagField,
    StrictSerializer,
    TextField,
    validate_data,
)
from orgs.members.invitations import (
    invitation_url,
    invite_member,
    mail_invitation,
    withdraw_invitation,
)
from orgs.models.memberships import Role
from orgs.organisations.organisations import (
    LANGUAGES,
    get_own_organisation,
    update_organisation,
)
from orgs.organisations.quotas import list_usage
from robots.api.keys import UNCACHED
from robots.api.pagination import paginated_response
from robots.api.serializers import robots as s
from robots.people.people_administration import open_invitations


class OrganisationPatchSerializer(StrictSerializer):
    name = TextField(max_length=200, required=False)
    language = ChoiceField(
        LANGUAGES,
        required=False,
        help_text="In which new texts are searched: a text-search configuration of PostgreSQL. "
        "`simple` for a language that is not among them.",
    )
    members_publish = FlagField(
        required=False, help_text="Members publish to the organisation without review."
    )


class OrganisationSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    slug = serializers.CharField(help_text="Its short name in addresses and commands.")
    language = serializers.CharField()
    members_publish = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class ResourceUsageSerializer(AnswerSerializer):
    used = serializers.IntegerField()
    allowed = serializers.IntegerField(allow_null=True, help_text="null: any number.")


class OrganisationUsageSerializer(AnswerSerializer):
    memories = ResourceUsageSerializer(help_text="With those that are archived.")
    bytes = ResourceUsageSerializer(help_text="Of the texts of memories and messages.")
    robots = ResourceUsageSerializer(help_text="Without the built-in ones and the retired.")
    groups = ResourceUsageSerializer()


class InvitationCreateSerializer(StrictSerializer):
    email = serializers.EmailField(max_length=254, help_text="They sign in with this address.")
    name = TextField(max_length=200, required=False, help_text="What colleagues call them.")
    role = ChoiceField(Role.choices, default=Role.MEMBER)
    mail = FlagField(
        default=False, help_text="Send them the link as well, where the server sends mail."
    )


class InvitationSerializer(AnswerSerializer):
    id = serializers.UUIDField(help_text="Of the member whom they become.")
    name = serializers.CharField()
    email = serializers.CharField(source="user.email")
    role = ChoiceField(Role.choices)
    expires_at = serializers.DateTimeField(source="invite_expires_at", allow_null=True)


class NewInvitationSerializer(InvitationSerializer):
    url = serializers.CharField(help_text="The link by which they join; it is stored nowhere.")
    mailed = serializers.BooleanField(help_text="Whether a mail with the link was sent to them.")


class OrganisationView(APIView):
    scopes = {"PATCH": "manage"}

    @extend_schema(operation_id="organisation_get", responses=OrganisationSerializer)
    def get(self, request: Request) -> Response:
        """The organisation of the key, or the one that the person has chosen."""
        return Response(OrganisationSerializer.render(get_own_organisation(request.user)))

    @extend_schema(
        operation_id="organisation_patch",
        request=OrganisationPatchSerializer,
        responses=OrganisationSerializer,
    )
    def patch(self, request: Request) -> Response:
        """Change name, language or settings; for admins and keys that manage."""
        data = validate_data(OrganisationPatchSerializer, request.data)
        changed = update_organisation(request.user, data, now=timezone.now())
        return Response(OrganisationSerializer.render(changed))


class OrganisationUsageView(APIView):
    scopes = {"GET": "manage"}

    @extend_schema(operation_id="organisation_usage", responses=OrganisationUsageSerializer)
    def get(self, request: Request) -> Response:
        """How much the organisation keeps, and may keep; for admins and keys that manage."""
        kept = {one.resource: one for one in list_usage(request.user)}
        return Response(OrganisationUsageSerializer.render(request.user, **kept))


class InvitationsView(APIView):
    scopes = {"GET": "manage", "POST": "manage"}

    @extend_schema(
        operation_id="invitations_list",
        parameters=[s.PageSerializer],
        responses=InvitationSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the open invitations, newest first; for admins and keys that manage."""
        return paginated_response(
            request, open_invitations(request.user), InvitationSerializer.render
        )

    @extend_schema(
        operation_id="invitations_create",
        request=InvitationCreateSerializer,
        responses={201: NewInvitationSerializer},
    )
    def post(self, request: Request) -> Response:
        """Invite an address; the link is in this answer alone. For admins and keys that manage.

        An address that is invited already gets a new link, and the old one ends. 409 for the
        address of a member who has joined.
        """
        data = validate_data(InvitationCreateSerializer, request.data)
        wants_mail, email = data.pop("mail"), data["email"]
        member, secret = invite_member(request.user, now=timezone.now(), **data)
        body: dict[str, Any] = InvitationSerializer.render(member, email=email)
        body |= {
            "url": invitation_url(member, secret),
            "mailed": wants_mail and mail_invitation(request.user, member, secret, email=email),
        }
        return Response(body, status=201, headers=UNCACHED)


class InvitationView(APIView):
    scopes = {"DELETE": "manage"}

    @extend_schema(operation_id="invitations_withdraw", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, member_id: UUID) -> Response:
        """Withdraw an invitation: its link stops working. For admins and keys that manage."""
        withdraw_invitation(request.user, member_id=member_id, now=timezone.now())
        return Response(status=204)
