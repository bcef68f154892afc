"""A member's preferences over HTTP."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.preferences import forms
from memories.preferences import preferences as service
from memories.preferences.alerts import REASONS
from orgs.api.cursors import page
from orgs.api.serializers import (
    DocumentField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
    checked,
)

MOST = 200


class WhoseSerializer(StrictSerializer):
    """Query parameters. A robot says for whom; it needs the member's leave."""

    member = TextField(max_length=400, required=False)


class PreferenceParametersSerializer(WhoseSerializer):
    kind = serializers.ChoiceField(forms.KINDS, required=False)
    recipient = TextField(
        max_length=forms.NAME, required=False, help_text="The writing style for this one."
    )
    q = TextField(
        max_length=1000, required=False, help_text="By meaning, best first; one page, no recipient."
    )
    limit = serializers.IntegerField(min_value=1, max_value=MOST, default=50)
    cursor = TextField(max_length=2000, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "q" in attrs and ("recipient" in attrs or "cursor" in attrs):
            raise serializers.ValidationError({"q": ["It stands without recipient and cursor."]})
        return attrs


class DetailsSerializer(StrictSerializer):
    """What the kinds have; a field of another kind is refused."""

    text = TextField(max_length=forms.TEXT, required=False)
    vip_senders = TextListField(
        max_length=forms.MOST_SENDERS, item_length=forms.NAME, required=False, allow_null=True
    )
    quiet_hours = DocumentField(
        required=False,
        allow_null=True,
        help_text="{from, to, zone?}: HH:MM; the member's own time zone where it has none.",
    )
    recipient = TextField(max_length=forms.NAME, required=False)
    tone = TextField(max_length=forms.NAME, required=False, allow_null=True)
    notes = TextField(max_length=forms.TEXT, required=False, allow_null=True)
    topic = TextField(max_length=forms.NAME, required=False)
    finding = TextField(max_length=forms.TEXT, required=False)
    source_url = TextField(max_length=forms.TEXT, required=False, allow_null=True)
    importance = NumberField(min_value=0, max_value=1, required=False)
    member = TextField(max_length=400, required=False)


class PutPreferenceSerializer(DetailsSerializer):
    kind = serializers.ChoiceField(forms.KINDS)


class AlertParametersSerializer(WhoseSerializer):
    sender = TextField(max_length=forms.NAME, required=False, allow_blank=True, default="")
    at = serializers.DateTimeField(required=False, help_text="Now, if it is left out.")


class PreferenceSerializer(serializers.Serializer[Any]):
    """content: as it is remembered and found. score: only where it was asked by meaning."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(forms.KINDS)
    details = serializers.DictField()
    content = serializers.CharField()
    importance = serializers.FloatField()
    score = serializers.FloatField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class WrittenPreferenceSerializer(serializers.Serializer[Any]):
    """preference: null where the member took the same away and has to agree first."""

    new = serializers.BooleanField()
    preference = PreferenceSerializer(allow_null=True)


class AlertSerializer(serializers.Serializer[Any]):
    alert = serializers.BooleanField()
    why = serializers.ChoiceField(REASONS)


def _preference(one: service.Preference) -> dict[str, Any]:
    memory = one.memory
    return {
        "id": memory.id,
        "kind": one.kind,
        "details": one.details,
        "content": memory.content,
        "importance": memory.importance,
        "score": one.score,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }


class PreferencesView(APIView):
    @extend_schema(
        operation_id="preferences_list",
        parameters=[PreferenceParametersSerializer],
        responses=PreferenceSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """A member's own preferences, newest first; by meaning with `q`."""
        asked = checked(PreferenceParametersSerializer, request.query_params.dict())
        owner, now = service.owner_of(request.user, asked.get("member")), timezone.now()
        if owner is None:
            return Response({"results": [], "next": None})
        kind, limit = asked.get("kind"), asked["limit"]
        if "q" in asked:
            found = service.ask(owner, asked["q"], kind=kind, limit=limit, now=now)
            return Response({"results": [_preference(one) for one in found], "next": None})
        with owner.principal.scope():
            body = page(
                request,
                service.preferences(owner, kind=kind, recipient=asked.get("recipient"), now=now),
                limit=limit,
                cursor=asked.get("cursor"),
                render=lambda row: _preference(service.as_preference(row)),
            )
        return Response(body)

    @extend_schema(
        operation_id="preferences_put",
        request=PutPreferenceSerializer,
        responses={200: WrittenPreferenceSerializer, 201: WrittenPreferenceSerializer},
    )
    def post(self, request: Request) -> Response:
        """Write a preference: 201 for a new one, 200 where one of before was corrected."""
        given = checked(PutPreferenceSerializer, request.data)
        kind, whose = given.pop("kind"), given.pop("member", None)
        importance = given.pop("importance", None)
        made = service.put_preference(
            request.user, kind, given, member=whose, importance=importance, now=timezone.now()
        )
        shown = _preference(made.preference) if made.preference else None
        body = {"new": made.new, "preference": shown}
        return Response(body, status=201 if made.new else 200)


class AlertsView(APIView):
    @extend_schema(
        operation_id="preferences_alerts",
        parameters=[AlertParametersSerializer],
        responses=AlertSerializer,
    )
    def get(self, request: Request) -> Response:
        """Whether the member wants to be told at once: VIP senders always, others not in the quiet
        hours."""
        asked = checked(AlertParametersSerializer, request.query_params.dict())
        now = timezone.now()
        allowed, why = service.may_alert(
            request.user,
            sender=asked["sender"],
            at=asked.get("at", now),
            member=asked.get("member"),
            now=now,
        )
        return Response({"alert": allowed, "why": why})


class PreferenceView(APIView):
    @extend_schema(
        operation_id="preferences_get",
        parameters=[WhoseSerializer],
        responses=PreferenceSerializer,
    )
    def get(self, request: Request, preference_id: UUID) -> Response:
        """One of the member's own preferences."""
        whose = checked(WhoseSerializer, request.query_params.dict()).get("member")
        found = service.get_preference(
            request.user, preference_id, member=whose, now=timezone.now()
        )
        return Response(_preference(found))

    @extend_schema(
        operation_id="preferences_patch",
        request=DetailsSerializer,
        responses=PreferenceSerializer,
    )
    def patch(self, request: Request, preference_id: UUID) -> Response:
        """Replace some of its details; null takes one away."""
        changes = checked(DetailsSerializer, request.data)
        whose, importance = changes.pop("member", None), changes.pop("importance", None)
        found = service.change_preference(
            request.user,
            preference_id,
            changes,
            member=whose,
            importance=importance,
            now=timezone.now(),
        )
        return Response(_preference(found))

    @extend_schema(
        operation_id="preferences_forget",
        parameters=[WhoseSerializer],
        responses={204: OpenApiResponse(None)},
    )
    def delete(self, request: Request, preference_id: UUID) -> Response:
        """Take it out of every answer; it lies in the trash."""
        whose = checked(WhoseSerializer, request.query_params.dict()).get("member")
        service.forget_preference(request.user, preference_id, member=whose, now=timezone.now())
        return Response(status=204)
