"""Organisations over HTTP, made and removed by a superuser's key."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from django.views import View
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.serializers import (
    ChoiceField,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)
from orgs.limits.rate_limits import presented_key
from orgs.members.invitations import invitation_url
from orgs.models.users import User
from orgs.organisations.organisations import LANGUAGES
from orgs.support.superuser_keys import (
    authenticate_superuser_key,
    create_organisation_for,
    remove_organisation_for,
)
from robots.api.keys import UNCACHED
from robots.api.organisation import OrganisationSerializer

SUPERUSERS_ONLY = "Send the key of a superuser, which `manage.py create_superuser_key` makes."


class SuperuserKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer cms_...`; request.user becomes the account."""

    def authenticate(self, request: Request) -> tuple[User, Any] | None:
        key = presented_key(request.META.get("HTTP_AUTHORIZATION", ""))
        if key is None:
            return None
        user = authenticate_superuser_key(key, timezone.now())
        if user is None:
            raise AuthenticationFailed(SUPERUSERS_ONLY)
        return user, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class SuperuserKeyAuthenticationExtension(OpenApiAuthenticationExtension):
    """`SuperuserKeyAuthentication` in the OpenAPI description."""

    target_class = "robots.api.organisations.SuperuserKeyAuthentication"
    name = "superuser_key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "The key of a superuser."}


class IsSuperuser(BasePermission):
    """Whoever came by a superuser's key."""

    def has_permission(self, request: Request, view: View) -> bool:
        if not isinstance(request.user, User):
            raise NotAuthenticated(SUPERUSERS_ONLY)
        return True


class OrganisationCreateSerializer(StrictSerializer):
    name = TextField(max_length=200)
    slug = serializers.SlugField(
        max_length=80,
        required=False,
        help_text="Its short name in addresses and commands; left out, made of the name.",
    )
    language = ChoiceField(LANGUAGES, default="english")
    admin = serializers.EmailField(
        max_length=254, help_text="The address of its first admin, who is invited."
    )


class NewOrganisationSerializer(OrganisationSerializer):
    invite_url = serializers.CharField(
        help_text="The link by which the first admin joins; it is stored nowhere."
    )


class ConfirmationSerializer(StrictSerializer):
    """Query parameters."""

    confirm = TextField(max_length=80, help_text="The slug of the organisation.")


class OrganisationsView(APIView):
    without_tenant = True
    authentication_classes = [SuperuserKeyAuthentication]
    permission_classes = [IsSuperuser]

    @extend_schema(
        operation_id="organisations_create",
        request=OrganisationCreateSerializer,
        responses={201: NewOrganisationSerializer},
    )
    def post(self, request: Request) -> Response:
        """Make an organisation and invite its first admin; for a superuser's key.

        The link of the invitation is in this answer alone. 409 for a slug that is taken.
        """
        data = validate_data(OrganisationCreateSerializer, request.data)
        organisation, member, secret = create_organisation_for(
            request.user, now=timezone.now(), slug=data.pop("slug", ""), **data
        )
        body: dict[str, Any] = OrganisationSerializer.render(organisation)
        body |= {"invite_url": invitation_url(member, secret)}
        return Response(body, status=201, headers=UNCACHED)


class OrganisationRemovalView(APIView):
    without_tenant = True
    authentication_classes = [SuperuserKeyAuthentication]
    permission_classes = [IsSuperuser]

    @extend_schema(
        operation_id="organisations_remove",
        parameters=[ConfirmationSerializer],
        responses={202: OpenApiResponse(None), 204: OpenApiResponse(None)},
    )
    def delete(self, request: Request, organisation_id: UUID) -> Response:
        """Remove an organisation for good, with every row of it; for a superuser's key.

        It is closed at once: its keys and members open nothing any more. 202 while a worker deletes
        the rest of its rows.
        """
        asked = validate_data(ConfirmationSerializer, query_values(request))
        gone = remove_organisation_for(
            request.user, organisation_id, confirm=asked["confirm"], now=timezone.now()
        )
        return Response(status=204 if gone else 202)
