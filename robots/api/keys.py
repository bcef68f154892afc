"""Keys of robots over HTTP, and enrolment keys, by which robots register themselves.

The answer that makes a key is the only one with its text.
"""

from datetime import timedelta
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
    CountField,
    NamedSerializer,
    ReferenceListField,
    StrictSerializer,
    TextField,
    TextListField,
    id_and_name,
    validate_data,
)
from orgs.models.base import new_id
from orgs.models.organisations import Group
from orgs.principals import Actor
from robots.access import robot_administration
from robots.access.enrolment import (
    MAX_LIFETIME_DAYS,
    MAX_ROBOTS,
    NEWCOMER_SCOPES,
    create_enrolment_key,
    enrol_robot,
    groups_by_key,
    list_enrolment_keys,
    revoke_enrolment_key,
)
from robots.access.key_limits import (
    find_key_groups,
    find_key_limits,
    update_key_limits,
)
from robots.api.authentication import (
    EnrolmentKeyAuthentication,
    KeyAuthentication,
    MemberSessionAuthentication,
)
from robots.api.pagination import paginated_response
from robots.api.permissions import IsEnrolling
from robots.api.robots import serialize_robot
from robots.api.serializers import robots as s
from robots.models.enrolments import EnrolmentKey
from robots.models.keys import MAX_NETWORKS, Key, KeyScope
from robots.models.robots import Robot
from robots.registry.robots import may_see_activity

MAX_DAYS = 3_650
GROUPS_HELP = (
    "The groups of the robot to which the key is limited, by id: it reads and writes what is in "
    "them and nothing else. {} A key with `manage` is not limited so."
)
NETWORKS_HELP = (
    "The networks from which the key opens anything, as CIDR: 203.0.113.0/24, 2001:db8::/48. {}"
)
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
    groups = ReferenceListField(
        required=False, min_length=1, help_text=GROUPS_HELP.format("Left out, no limit.")
    )
    networks = TextListField(
        required=False,
        min_length=1,
        max_length=MAX_NETWORKS,
        item_length=100,
        help_text=NETWORKS_HELP.format("Left out, from everywhere."),
    )


class KeyChangeSerializer(StrictSerializer):
    """What is left out stays as it is."""

    groups = ReferenceListField(
        required=False,
        allow_null=True,
        min_length=1,
        help_text=GROUPS_HELP.format("Null takes the limit away."),
    )
    networks = TextListField(
        required=False,
        allow_null=True,
        min_length=1,
        max_length=MAX_NETWORKS,
        item_length=100,
        help_text=NETWORKS_HELP.format("Null takes the limit away."),
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
    groups = NamedSerializer(
        many=True,
        allow_null=True,
        help_text="The groups to which it is limited, as far as the caller may know them; null "
        "without a limit.",
    )
    networks = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="The networks from which it opens anything; null without a limit.",
    )
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


def serialize_key(
    key: Key, actor: Actor, robot: Robot, groups: list[Group] | None
) -> dict[str, Any]:
    """groups: of `find_key_groups`."""
    used = key.last_used_at if may_see_activity(actor, robot) else None
    return KeySerializer.render(  # type: ignore[no-any-return]
        key, robot=robot, last_used_at=used, groups=groups
    )


def serialize_single_key(key: Key, actor: Actor) -> dict[str, Any]:
    """`serialize_key` for a key with its robot."""
    return serialize_key(key, actor, key.robot, find_key_groups(actor, [key])[key.id])


def new_key_response(request: Request, made: tuple[Key, str]) -> Response:
    key, secret = made
    body = serialize_single_key(key, request.user) | {"key": secret}
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
        groups = find_key_groups(request.user, keys.exclude(groups=None))
        return paginated_response(
            request, keys, lambda key: serialize_key(key, request.user, robot, groups.get(key.id))
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
        limits = find_key_limits(
            request.user,
            robot.id,
            groups=data.get("groups"),
            networks=data.get("networks"),
            scopes=data["scopes"],
        )
        made = robot_administration.create_robot_key(
            request.user,
            robot_id=robot.id,
            key_id=new_id(),
            label=data["label"],
            scopes=data["scopes"],
            lifetime=timedelta(days=data["days"]) if "days" in data else None,
            now=timezone.now(),
            limits=limits,
        )
        return new_key_response(request, made)


class KeyView(APIView):
    scopes = {"PATCH": "manage", "DELETE": "manage"}

    @extend_schema(operation_id="keys_update", request=KeyChangeSerializer, responses=KeySerializer)
    def patch(self, request: Request, reference: str, key_id: UUID) -> Response:
        """Limit a key to groups and networks, from its next call on. For admins and keys that
        manage.

        409 for a key that is revoked or has expired.
        """
        data = validate_data(KeyChangeSerializer, request.data)
        key = robot_administration.get_robot_key(request.user, reference, key_id)
        changed = update_key_limits(request.user, key_id=key.id, given=data, now=timezone.now())
        return Response(serialize_single_key(changed, request.user))

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


# Enrolment.

ENROLMENT_STATES = ("open", "used_up", "ended", "revoked")


class EnrolmentKeyCreateSerializer(StrictSerializer):
    label = TextField(max_length=100, help_text="What it is for; newcomers' keys are called so.")
    scopes = serializers.ListField(
        child=ChoiceField(NEWCOMER_SCOPES),
        min_length=1,
        max_length=len(NEWCOMER_SCOPES),
        default=[KeyScope.READ.value, KeyScope.WRITE.value],
        help_text="What newcomers may; by default read and write, never `manage`.",
    )
    groups = ReferenceListField(
        default=list, help_text="The groups in which newcomers sit, by id; by default none."
    )
    robots = CountField(
        min_value=1, max_value=MAX_ROBOTS, help_text="How many robots it registers at most."
    )
    days = CountField(
        min_value=1, max_value=MAX_LIFETIME_DAYS, help_text="After how many days it ends."
    )


class EnrolmentKeySerializer(AnswerSerializer):
    """An enrolment key without its secret."""

    id = serializers.UUIDField()
    label = serializers.CharField()
    prefix = serializers.CharField(help_text="A part of its text by which it is recognised.")
    scopes = serializers.ListField(child=serializers.CharField(), help_text="What newcomers may.")
    groups = NamedSerializer(
        many=True, help_text="Where newcomers sit, as far as the caller may know the groups."
    )
    robots = serializers.IntegerField(source="most", help_text="How many it registers at most.")
    registered = serializers.IntegerField(source="used", help_text="How many it has registered.")
    state = ChoiceField(ENROLMENT_STATES)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class NewEnrolmentKeySerializer(EnrolmentKeySerializer):
    key = serializers.CharField(help_text="Its whole text, which is stored nowhere.")


class EnrolSerializer(s.RegisterSerializer):
    scopes = serializers.ListField(
        child=ChoiceField(KeyScope.choices),
        min_length=1,
        max_length=len(KeyScope.values),
        required=False,
        help_text="What the robot needs; left out, all that the enrolment key gives.",
    )


class NewcomerSerializer(s.RobotSerializer):
    groups = NamedSerializer(many=True, help_text="The groups in which it sits.")
    scopes = serializers.ListField(child=serializers.CharField(), help_text="What its key may.")
    key = serializers.CharField(help_text="Its own key, which is stored nowhere.")


def serialize_enrolment_key(key: EnrolmentKey, groups: list[Group]) -> dict[str, Any]:
    return EnrolmentKeySerializer.render(  # type: ignore[no-any-return]
        key, groups=groups, state=key.state(timezone.now())
    )


class EnrolmentKeysView(APIView):
    scopes = {"GET": "manage", "POST": "manage"}

    @extend_schema(
        operation_id="enrolment_keys_list",
        parameters=[s.PageSerializer],
        responses=EnrolmentKeySerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the enrolment keys, newest first; for admins and keys that manage."""
        rows = list_enrolment_keys(request.user)
        groups = groups_by_key(request.user, rows)
        return paginated_response(
            request, rows, lambda key: serialize_enrolment_key(key, groups.get(key.id, []))
        )

    @extend_schema(
        operation_id="enrolment_keys_create",
        request=EnrolmentKeyCreateSerializer,
        responses={201: NewEnrolmentKeySerializer},
    )
    def post(self, request: Request) -> Response:
        """Make an enrolment key; its text is in this answer alone. For admins and keys that manage.

        It holds while the admin who answers for it is one.
        """
        data = validate_data(EnrolmentKeyCreateSerializer, request.data)
        key, secret = create_enrolment_key(
            request.user,
            label=data["label"],
            scopes=data["scopes"],
            groups=data["groups"],
            most=data["robots"],
            lifetime=timedelta(days=data["days"]),
            now=timezone.now(),
        )
        groups = groups_by_key(request.user, [key])[key.id]
        body = serialize_enrolment_key(key, groups) | {"key": secret}
        return Response(body, status=201, headers=UNCACHED)


class EnrolmentKeyView(APIView):
    scopes = {"DELETE": "manage"}

    @extend_schema(operation_id="enrolment_keys_revoke", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, key_id: UUID) -> Response:
        """End an enrolment key; what it registered stays. For admins and keys that manage."""
        revoke_enrolment_key(request.user, key_id, now=timezone.now())
        return Response(status=204)


class EnrolView(APIView):
    authentication_classes = [
        EnrolmentKeyAuthentication,
        KeyAuthentication,
        MemberSessionAuthentication,
    ]
    permission_classes = [IsEnrolling]

    @extend_schema(
        operation_id="enrol",
        auth=[{"enrolment_key": []}],
        request=EnrolSerializer,
        responses={201: NewcomerSerializer},
    )
    def post(self, request: Request) -> Response:
        """Register yourself as a new robot and get a key, by an enrolment key.

        The key is in this answer alone. 403 `used-up` after the last robot, `missing-scope` for a
        scope that the enrolment key does not give and without an enrolment key; 409 for an id that
        is registered, and for a name that could be taken for another.
        """
        data = validate_data(EnrolSerializer, request.data)
        made = enrol_robot(request.user, data, now=timezone.now())
        body = serialize_robot(made.robot, made.actor) | {
            "groups": [id_and_name(group.id, group.name) for group in made.groups],
            "scopes": made.key.scopes,
            "key": made.secret,
        }
        return Response(body, status=201, headers=UNCACHED)
