"""Who calls, over HTTP: what a key or a session is, where it is, and what limits it."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.recall import MAX_QUERY_CHARACTERS
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    MAX_ITEMS,
    MAX_REFERENCES,
    AnswerSerializer,
    ChoiceField,
    NamedSerializer,
)
from orgs.models.memberships import Role
from robots.conversations.message_types import MAX_CONTENT_BYTES
from robots.people.caller import Caller, describe_caller, list_own_organisations


class CallerGroupSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    external_id = serializers.CharField()
    name = serializers.CharField()


class LimitsSerializer(AnswerSerializer):
    """What one call, minute or day may have; null: no limit."""

    reads_per_minute = serializers.IntegerField(allow_null=True, help_text="Of this key or person.")
    writes_per_minute = serializers.IntegerField(
        allow_null=True, help_text="Of this key or person."
    )
    organisation_reads_per_minute = serializers.IntegerField(
        allow_null=True, help_text="Of the organisation's keys and people together."
    )
    organisation_writes_per_minute = serializers.IntegerField(
        allow_null=True, help_text="Of the organisation's keys and people together."
    )
    organisation_bytes_per_day = serializers.IntegerField(
        allow_null=True, help_text="Of the bodies of all writing calls of the organisation."
    )
    call_seconds = serializers.FloatField(help_text="Then a call is 503 `out-of-time`.")
    body_bytes = serializers.IntegerField(help_text="Of a request's body.")
    answer_text_bytes = serializers.IntegerField(help_text="Of the texts in one answer.")
    memory_bytes = serializers.IntegerField(help_text="Of a memory's text, in UTF-8.")
    message_bytes = serializers.IntegerField(help_text="Of a message's text, in UTF-8.")
    query_characters = serializers.IntegerField(help_text="Of the query of a recall.")
    items = serializers.IntegerField(help_text="Of a batch, a page and most lists.")
    references = serializers.IntegerField(help_text="Of a list of members, robots and the like.")


class CallerSerializer(AnswerSerializer):
    """Who calls."""

    kind = ChoiceField(["robot", "member"])
    id = serializers.CharField(help_text="As other calls name it.")
    name = serializers.CharField()
    role = ChoiceField(
        Role.choices,
        allow_null=True,
        help_text="Of a member; of a personal robot that of its member; else null.",
    )
    member = NamedSerializer(
        allow_null=True, help_text="Of a personal robot the member whom it serves; else null."
    )
    organisation = NamedSerializer()
    scopes = serializers.ListField(
        child=serializers.CharField(),
        help_text="What the key may: read, write, act_for, manage. Of a member what the role may.",
    )
    groups = CallerGroupSerializer(
        many=True, help_text="The groups in which it is, the oldest first; at most 1,000."
    )
    more_groups = serializers.BooleanField(
        help_text="Whether there are more; `GET /groups` has all."
    )
    only_groups = serializers.BooleanField(
        help_text="Whether the key is limited to groups: it reads and writes what is in `groups` "
        "and nothing else."
    )
    limits = LimitsSerializer()

    @staticmethod
    def get_limits(caller: Caller) -> dict[str, Any]:
        """The limits as they are set; 0 in the settings means none."""
        rates = settings.LIMITS
        return {
            "reads_per_minute": rates["key-reads"] or None,
            "writes_per_minute": rates["key-writes"] or None,
            "organisation_reads_per_minute": rates["organisation-reads"] or None,
            "organisation_writes_per_minute": rates["organisation-writes"] or None,
            "organisation_bytes_per_day": settings.ORGANISATION_BYTES_PER_DAY or None,
            "call_seconds": settings.REQUEST_SECONDS,
            "body_bytes": settings.REQUEST_BODY_MAX_BYTES,
            "answer_text_bytes": settings.ANSWER_TEXTS_MAX_BYTES,
            "memory_bytes": settings.MEMORY_MAX_BYTES,
            "message_bytes": MAX_CONTENT_BYTES,
            "query_characters": MAX_QUERY_CHARACTERS,
            "items": MAX_ITEMS,
            "references": MAX_REFERENCES,
        }


class OwnOrganisationSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    slug = serializers.CharField()
    role = ChoiceField(
        Role.choices, allow_null=True, help_text="Of the person there; null for a robot."
    )
    current = serializers.BooleanField(help_text="Whether this call is answered from it.")


class OwnOrganisationsSerializer(AnswerSerializer):
    results = OwnOrganisationSerializer(many=True)


class OwnOrganisationsView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="me_organisations", responses=OwnOrganisationsSerializer)
    def get(self, request: Request) -> Response:
        """The organisations in which the caller is, by name: of a person all that they have joined,
        of a robot its own."""
        found = list_own_organisations(request.user)
        return Response({"results": [OwnOrganisationSerializer.render(one) for one in found]})


class CallerView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="me", responses=CallerSerializer)
    def get(self, request: Request) -> Response:
        """Who calls: the robot of the key, or the member who has signed in, with its organisation,
        scopes, groups and limits."""
        return Response(CallerSerializer.render(describe_caller(request.user)))
