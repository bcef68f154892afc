"""A member's preferences over HTTP."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.preferences import preference_details
from memories.preferences import preferences as service
from memories.preferences.alerts import REASONS
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    DocumentField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
    TimeField,
    query_values,
    validate_data,
)

MAX_LISTED = 200


class WhoseSerializer(StrictSerializer):
    """Query parameters."""

    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot asks; the robot needs the member's delegation. A "
        "person leaves it out.",
    )


class PreferenceParametersSerializer(WhoseSerializer):
    kind = ChoiceField(preference_details.PREFERENCE_TYPES, required=False)
    recipient = TextField(
        max_length=preference_details.MAX_NAME_CHARACTERS,
        required=False,
        help_text="Only the writing style for this recipient.",
    )
    q = TextField(
        max_length=1000,
        required=False,
        help_text="Search by meaning, best first, in one page; not together with recipient or "
        "cursor.",
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_LISTED, default=50)
    cursor = TextField(max_length=2000, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "q" in attrs and ("recipient" in attrs or "cursor" in attrs):
            raise serializers.ValidationError({"q": ["Send it without recipient and cursor."]})
        return attrs


class DetailsSerializer(StrictSerializer):
    """The details of a preference. A field that its kind does not have is 400 `bad-preference`."""

    text = TextField(
        max_length=preference_details.MAX_TEXT_CHARACTERS,
        required=False,
        help_text="Of a preference and of custom_instructions; required.",
    )
    vip_senders = TextListField(
        max_length=preference_details.MAX_SENDERS,
        item_length=preference_details.MAX_NAME_CHARACTERS,
        required=False,
        allow_null=True,
        help_text="Of an alert: senders that always alert.",
    )
    quiet_hours = DocumentField(
        required=False,
        allow_null=True,
        help_text="Of an alert: {from, to, zone?}, the times as HH:MM. Without `zone` the time "
        "zone of the member counts.",
    )
    recipient = TextField(
        max_length=preference_details.MAX_NAME_CHARACTERS,
        required=False,
        help_text="Of a writing_style; required, never changed.",
    )
    tone = TextField(
        max_length=preference_details.MAX_NAME_CHARACTERS,
        required=False,
        allow_null=True,
        help_text="Of a writing_style, which needs tone or notes.",
    )
    notes = TextField(
        max_length=preference_details.MAX_TEXT_CHARACTERS,
        required=False,
        allow_null=True,
        help_text="Of a writing_style.",
    )
    topic = TextField(
        max_length=preference_details.MAX_NAME_CHARACTERS,
        required=False,
        help_text="Of a research_finding; required.",
    )
    finding = TextField(
        max_length=preference_details.MAX_TEXT_CHARACTERS,
        required=False,
        help_text="Of a research_finding; required.",
    )
    source_url = TextField(
        max_length=preference_details.MAX_TEXT_CHARACTERS,
        required=False,
        allow_null=True,
        help_text="Of a research_finding: an http or https address.",
    )
    importance = NumberField(
        min_value=0, max_value=1, required=False, help_text="By default that of the kind."
    )
    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot writes; the robot needs the member's delegation.",
    )


class PutPreferenceSerializer(DetailsSerializer):
    kind = ChoiceField(preference_details.PREFERENCE_TYPES)


class AlertParametersSerializer(WhoseSerializer):
    sender = TextField(
        max_length=preference_details.MAX_NAME_CHARACTERS,
        required=False,
        allow_blank=True,
        default="",
        help_text="Who would cause the alert, as in `vip_senders`.",
    )
    at = TimeField(required=False, help_text="The time of the alert; by default now.")


class PreferenceSerializer(AnswerSerializer):
    """One preference."""

    id = serializers.UUIDField(source="memory.id", help_text="Also the id of its memory.")
    kind = ChoiceField(preference_details.PREFERENCE_TYPES)
    details = serializers.DictField(
        help_text="The details of its kind; empty if somebody made them invalid by hand."
    )
    content = serializers.CharField(source="memory.content", help_text="The text of its memory.")
    importance = serializers.FloatField(source="memory.importance", help_text="0-1.")
    score = serializers.FloatField(allow_null=True, help_text="0-1; null without `q`.")
    created_at = serializers.DateTimeField(source="memory.created_at")
    updated_at = serializers.DateTimeField(source="memory.updated_at")


class WrittenPreferenceSerializer(AnswerSerializer):
    """A written preference."""

    new = serializers.BooleanField()
    preference = PreferenceSerializer(
        allow_null=True,
        help_text="Null if the member forgot the same before, so that it waits for their consent.",
    )


class AlertSerializer(AnswerSerializer):
    alert = serializers.BooleanField(help_text="Whether the member wants the alert.")
    why = ChoiceField(REASONS)


class PreferencesView(APIView):
    @extend_schema(
        operation_id="preferences_list",
        parameters=[PreferenceParametersSerializer],
        responses=PreferenceSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the preferences of a member, newest first, or with `q` the best matches first.

        For a robot that names no member the list is empty.
        """
        asked = validate_data(PreferenceParametersSerializer, query_values(request))
        owner, now = service.find_owner(request.user, asked.get("member")), timezone.now()
        if owner is None:
            return Response({"results": [], "next": None})
        kind, limit = asked.get("kind"), asked["limit"]
        if "q" in asked:
            found = service.recall_preferences(owner, asked["q"], kind=kind, limit=limit, now=now)
            return Response(
                {"results": [PreferenceSerializer.render(one) for one in found], "next": None}
            )
        with owner.principal.scope():
            body = paginate(
                request,
                service.select_preferences(
                    owner, kind=kind, recipient=asked.get("recipient"), now=now
                ),
                limit=limit,
                cursor=asked.get("cursor"),
                render=lambda row: PreferenceSerializer.render(service.to_preference(row)),
            )
        return Response(body)

    @extend_schema(
        operation_id="preferences_put",
        request=PutPreferenceSerializer,
        responses={200: WrittenPreferenceSerializer, 201: WrittenPreferenceSerializer},
    )
    def post(self, request: Request) -> Response:
        """Write a preference: 201 for a new one, 200 if an existing one was changed or repeated.

        A member has one alert preference, one text of custom instructions, and one writing style
        for each recipient. A robot cannot
        bring back what the member forgot (403 `not-yours`).
        """
        given = validate_data(PutPreferenceSerializer, request.data)
        kind, whose = given.pop("kind"), given.pop("member", None)
        importance = given.pop("importance", None)
        made = service.write_preference(
            request.user, kind, given, member=whose, importance=importance, now=timezone.now()
        )
        body = WrittenPreferenceSerializer.render(made)
        return Response(body, status=201 if made.new else 200)


class AlertsView(APIView):
    @extend_schema(
        operation_id="preferences_alerts",
        parameters=[AlertParametersSerializer],
        responses=AlertSerializer,
    )
    def get(self, request: Request) -> Response:
        """Whether a member wants an alert: from VIP senders always, from others outside quiet
        hours.

        404 for a robot that names no member.
        """
        asked = validate_data(AlertParametersSerializer, query_values(request))
        now = timezone.now()
        allowed, why = service.check_alert(
            request.user,
            sender=asked["sender"],
            at=asked.get("at", now),
            member=asked.get("member"),
            now=now,
        )
        return Response({"alert": allowed, "why": why})


class PreferenceView(APIView):
    own_rights = ("DELETE",)

    @extend_schema(
        operation_id="preferences_get",
        parameters=[WhoseSerializer],
        responses=PreferenceSerializer,
    )
    def get(self, request: Request, preference_id: UUID) -> Response:
        """One preference of a member."""
        whose = validate_data(WhoseSerializer, query_values(request)).get("member")
        found = service.get_preference(
            request.user, preference_id, member=whose, now=timezone.now()
        )
        return Response(PreferenceSerializer.render(found))

    @extend_schema(
        operation_id="preferences_patch",
        request=DetailsSerializer,
        responses=PreferenceSerializer,
    )
    def patch(self, request: Request, preference_id: UUID) -> Response:
        """Change details of a preference; null removes one, and those that are left out stay."""
        changes = validate_data(DetailsSerializer, request.data)
        whose, importance = changes.pop("member", None), changes.pop("importance", None)
        found = service.update_preference(
            request.user,
            preference_id,
            changes,
            member=whose,
            importance=importance,
            now=timezone.now(),
        )
        return Response(PreferenceSerializer.render(found))

    @extend_schema(
        operation_id="preferences_forget",
        parameters=[WhoseSerializer],
        responses={204: OpenApiResponse(None)},
    )
    def delete(self, request: Request, preference_id: UUID) -> Response:
        """Forget a preference. Its memory is in the trash and can be restored."""
        whose = validate_data(WhoseSerializer, query_values(request)).get("member")
        service.forget_preference(request.user, preference_id, member=whose, now=timezone.now())
        return Response(status=204)
