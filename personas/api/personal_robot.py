"""The keys of a member's own robot over HTTP, for that member's session."""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    CountField,
    StrictSerializer,
    TextField,
    validate_data,
)
from personas.associations.personal_robot import create_own_key, list_own_keys, revoke_own_key
from robots.api.keys import (
    MAX_DAYS,
    KeySerializer,
    NewKeySerializer,
    new_key_response,
    serialize_single_key,
)


class OwnKeyCreateSerializer(StrictSerializer):
    label = TextField(max_length=100, help_text="What it is for.")
    days = CountField(
        min_value=1,
        max_value=MAX_DAYS,
        required=False,
        help_text="After how many days it ends; left out, never.",
    )


class OwnKeysSerializer(AnswerSerializer):
    results = KeySerializer(many=True)


class OwnKeysView(APIView):
    @extend_schema(operation_id="own_keys_list", responses=OwnKeysSerializer)
    def get(self, request: Request) -> Response:
        """List the keys of one's own robot, newest first. For members who have signed in."""
        keys = list_own_keys(request.user)
        return Response({"results": [serialize_single_key(key, request.user) for key in keys]})

    @extend_schema(
        operation_id="own_keys_create",
        request=OwnKeyCreateSerializer,
        responses={201: NewKeySerializer},
    )
    def post(self, request: Request) -> Response:
        """Make a key of one's own robot, which is made with its first key; the text of the key is
        in this answer alone. For members who have signed in and may write."""
        data = validate_data(OwnKeyCreateSerializer, request.data)
        made = create_own_key(
            request.user,
            label=data["label"],
            lifetime=timedelta(days=data["days"]) if "days" in data else None,
            now=timezone.now(),
        )
        return new_key_response(request, made)


class OwnKeyView(APIView):
    @extend_schema(operation_id="own_keys_revoke", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, key_id: UUID) -> Response:
        """Revoke a key of one's own robot at once; a second time changes nothing."""
        revoke_own_key(request.user, key_id, now=timezone.now())
        return Response(status=204)
