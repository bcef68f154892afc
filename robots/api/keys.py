"""Keys of robots over HTTP. The answer that makes a key is the only one with its text."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    CountField,
    NamedSerializer,
    StrictSerializer,
    TextField,
    validate_data,
)
from orgs.models.base import new_id
from orgs.principals import Actor
from robots.access import robot_administration
from robots.api.pagination import paginated_response
from robots.api.serializers import robots as s
from robots.models.keys import Key, KeyScope
from robots.models.robots import Robot
from robots.registry.robots import may_see_activity

MAX_DAYS = 3_650
# A key that is shown once lies in no cache.
UNCACHED = {"Cache-Control": "no-store"}


class KeyCreateSerializer(StrictSerializer):
    label = TextField(max_length=100, help_text="What it is for.")
    scopes = serializers.ListField(
        child=ChoiceField(KeyScope.choices),
        min_length=1,
        max_length=len(KeyScope.values),
        default=[KeyScope.READ.value, KeyScope.WRITE.value],
        help_text="What it may; by default read and write.",
    )
    days = CountField(
        min_value=1,
        max_value=MAX_DAYS,
        required=False,
        help_text="After how many days it ends; left out, never.",
    )


class KeyRenewSerializer(StrictSerializer):
    hours = ChoiceField(
        [0, 24], default=24, help_text="For how many hours the old key works beside the new one."
    )


class KeySerializer(AnswerSerializer):
    """A key without its secret."""

    id = serializers.UUIDField()
    robot = NamedSerializer()
    label = serializers.CharField()
    prefix = serializers.CharField(help_text="A part of its text by which it is recognised.")
    scopes = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Null before its first use. Of the personal robot of another member only admins "
        "see it.",
    )


class NewKeySerializer(KeySerializer):
    key = serializers.CharField(help_text="Its whole text, which is stored nowhere.")


def serialize_key(key: Key, actor: Actor, robot: Robot) -> dict[str, Any]:
    used = key.last_used_at if may_see_activity(actor, robot) else None
    return KeySerializer.render(key, robot=robot, last_used_at=used)  # type: ignore[no-any-return]


def new_key_response(request: Request, made: tuple[Key, str]) -> Response:
    key, secret = made
    body = serialize_key(key, request.user, key.robot) | {"key": secret}
    return Response(body, status=201, headers=UNCACHED)


class KeysView(APIView):
    scopes = {"GET": "manage", "POST": "manage"}

    @extend_schema(
        operation_id="keys_list",
        parameters=[s.PageSerializer],
        responses=KeySerializer(many=True),
    )
    def get(self, request: Request, reference: str) -> Response:
        """List the keys of a robot, newest first, also revoked and expired ones.

        For keys that manage, curators and admins.
        """
        robot, keys = robot_administration.list_robot_keys(request.user, reference)
        return paginated_response(
            request, keys, lambda key: serialize_key(key, request.user, robot)
        )

    @extend_schema(
        operation_id="keys_create", request=KeyCreateSerializer, responses={201: NewKeySerializer}
    )
    def post(self, request: Request, reference: str) -> Response:
        """Make a key of a robot; its text is in this answer alone. For admins and keys that manage.

        403 for the personal robot of another member. What a key with `manage` makes ends to manage
        with the admin who made the first one.
        """
        data = validate_data(KeyCreateSerializer, request.data)
        robot, _ = robot_administration.list_robot_keys(request.user, reference)
        made = robot_administration.create_robot_key(
            request.user,
            robot_id=robot.id,
            key_id=new_id(),
            label=data["label"],
            scopes=data["scopes"],
            lifetime=timedelta(days=data["days"]) if "days" in data else None,
            now=timezone.now(),
        )
        return new_key_response(request, made)


class KeyView(APIView):
    scopes = {"DELETE": "manage"}

    @extend_schema(operation_id="keys_revoke", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, reference: str, key_id: UUID) -> Response:
        """Revoke a key at once; a second time changes nothing. For admins and keys that manage."""
        key = robot_administration.get_robot_key(request.user, reference, key_id)
        robot_administration.revoke_robot_key(request.user, key_id=key.id, now=timezone.now())
        return Response(status=204)


class KeyRenewView(APIView):
    scopes = {"POST": "manage"}

    @extend_schema(
        operation_id="keys_renew", request=KeyRenewSerializer, responses={201: NewKeySerializer}
    )
    def post(self, request: Request, reference: str, key_id: UUID) -> Response:
        """Make a key with the same scopes in the place of an older one. For admins and keys that
        manage.

        409 for a key that is revoked, has expired or was renewed already.
        """
        data = validate_data(KeyRenewSerializer, request.data)
        key = robot_administration.get_robot_key(request.user, reference, key_id)
        made = robot_administration.renew_key(
            request.user, key_id=key.id, now=timezone.now(), overlap=timedelta(hours=data["hours"])
        )
        return new_key_response(request, made)
