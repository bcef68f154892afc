"""Debates over HTTP: hooks for a program that runs meetings."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.decisions import serializers as forms
from memories.api.decisions.decision_views import build_decision_draft
from memories.api.serializers.recall import HitSerializer, render_hit
from memories.curation.decision_records.debates import (
    Critique,
    CritiqueResult,
    UsedMemory,
    add_critiques,
    close_debate,
    get_debate,
    open_debate,
)
from memories.curation.decision_records.models import DebateState
from memories.lifecycle.surprise import DEFAULT_USEFULNESS
from memories.retrieval.feedback import OUTCOMES
from memories.store.models.choices import Status
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    MAX_REFERENCES,
    AnswerSerializer,
    ChoiceField,
    NumberField,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)


class OpenDebateSerializer(forms.ActingSerializer):
    topic = TextField(max_length=forms.MAX_TOPIC)
    visibility = TextField(
        max_length=200, required=False, help_text="As for a memory; for all texts of the debate."
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=50, default=10, help_text="Of the memories in the answer."
    )


class DebateSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    topic = serializers.CharField()
    state = ChoiceField(DebateState.values)
    recall_id = serializers.UUIDField(allow_null=True, help_text="The recall with which it began.")
    decision = serializers.UUIDField(
        source="decision_id", allow_null=True, help_text="Null while it is open."
    )
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class OpenedDebateSerializer(DebateSerializer):
    """A debate with what is known about its topic."""

    memories = HitSerializer(
        many=True, help_text="Memories of the tiers slow and medium, best first."
    )
    preparation = forms.PreparationSerializer()


class CritiqueSerializer(StrictSerializer):
    content = TextField(max_length=forms.MAX_TEXT)
    by = TextField(max_length=400, required=False, help_text=forms.BY_HELP)


class UsedMemorySerializer(StrictSerializer):
    memory = serializers.UUIDField(help_text="A result of the recall.")
    usefulness = NumberField(
        min_value=0,
        max_value=1,
        default=DEFAULT_USEFULNESS,
        help_text="0: it was of no use; 1: it was exactly what was needed.",
    )


class CriticiseSerializer(forms.ActingSerializer):
    critiques = serializers.ListField(
        child=CritiqueSerializer(), min_length=1, max_length=forms.MAX_PARTS
    )
    recall_id = serializers.UUIDField(
        required=False,
        help_text="The caller's own recall that served the memories; by default that of the "
        "debate.",
    )
    used = UsedMemorySerializer(
        many=True,
        required=False,
        max_length=forms.MAX_PARTS,
        help_text="Memories that the critiques used; each gets feedback.",
    )


class RememberedCritiqueSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    status = ChoiceField(Status.values)


class SurpriseSerializer(AnswerSerializer):
    memory = serializers.UUIDField()
    surprise = serializers.FloatField(help_text="0-1, after this feedback.")


class CriticisedSerializer(AnswerSerializer):
    critiques = RememberedCritiqueSerializer(source="remembered", many=True)
    used = SurpriseSerializer(many=True)

    @staticmethod
    def get_used(done: CritiqueResult) -> list[dict[str, Any]]:
        return [{"memory": id_, "surprise": much} for id_, much in done.surprises]


class CloseDebateSerializer(forms.ActingSerializer, forms.ConclusionSerializer):
    """The decision. Its topic, place and readers are those of the debate."""

    references = serializers.ListField(
        child=serializers.UUIDField(),
        max_length=MAX_REFERENCES,
        required=False,
        help_text="Memories from which it was made. Those that the caller does not read are "
        "skipped.",
    )
    result = ChoiceField(
        OUTCOMES,
        required=False,
        help_text="Feedback on each of the `references` that the recall served.",
    )
    recall_id = serializers.UUIDField(
        required=False,
        help_text="The caller's own recall that served the memories; by default that of the "
        "debate.",
    )


class ClosedDebateSerializer(AnswerSerializer):
    decision = forms.RecordedSerializer()
    updated = serializers.ListField(
        child=serializers.UUIDField(), help_text="The memories that got the `result`."
    )
    job = serializers.UUIDField(help_text="The queued consolidation of the debate's memories.")


class DebatesView(APIView):
    @extend_schema(
        operation_id="debates_open",
        request=OpenDebateSerializer,
        responses={201: OpenedDebateSerializer},
    )
    def post(self, request: Request) -> Response:
        """Open a debate; the answer has the memories and similar decisions on its topic."""
        given = validate_data(OpenDebateSerializer, request.data)
        made = open_debate(request.user, given.pop("topic"), now=timezone.now(), **given)
        hits = [
            render_hit(found, row, made.answer.query, made.answer.merged)
            for found, row in made.answer.hits
        ]
        body = OpenedDebateSerializer.render(
            made.debate, memories=hits, preparation=made.preparation
        )
        return Response(body, status=201)


class DebateView(APIView):
    @extend_schema(
        operation_id="debates_get", parameters=[forms.ActingSerializer], responses=DebateSerializer
    )
    def get(self, request: Request, debate_id: UUID) -> Response:
        """One debate that the caller reads."""
        place = validate_data(forms.ActingSerializer, query_values(request))
        return Response(DebateSerializer.render(get_debate(request.user, debate_id, **place)))


class CritiquesView(APIView):
    @extend_schema(
        operation_id="debates_criticise",
        request=CriticiseSerializer,
        responses={201: CriticisedSerializer},
    )
    def post(self, request: Request, debate_id: UUID) -> Response:
        """Remember critiques in the tier fast, and give feedback on the memories that they used.

        All of it is stored or nothing. Only the caller who opened the debate may do this. 409 if
        the debate is closed or a memory has feedback of this recall already.
        """
        given = validate_data(CriticiseSerializer, request.data)
        critiques = [Critique(**one) for one in given.pop("critiques")]
        given["used"] = [UsedMemory(**one) for one in given.get("used", ())]
        done = add_critiques(request.user, debate_id, critiques, now=timezone.now(), **given)
        return Response(CriticisedSerializer.render(done), status=201)


class OutcomeView(APIView):
    @extend_schema(
        operation_id="debates_outcome",
        request=CloseDebateSerializer,
        responses={201: ClosedDebateSerializer},
    )
    def post(self, request: Request, debate_id: UUID) -> Response:
        """Close a debate with its decision; for the caller who opened it. 409 if it is closed."""
        given = validate_data(CloseDebateSerializer, request.data)
        place = {name: given.pop(name, None) for name in ("member", "group", "result", "recall_id")}
        given["based_on"] = given.pop("references", ())
        draft = build_decision_draft(given)
        done = close_debate(request.user, debate_id, draft, now=timezone.now(), **place)
        return Response(ClosedDebateSerializer.render(done), status=201)
