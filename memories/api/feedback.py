"""Feedback on the hits of a recall, over HTTP."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.lifecycle.surprise import DEFAULT_USEFULNESS
from memories.retrieval.feedback import OUTCOMES, record_feedback
from memories.store.models.choices import Tier
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    NumberField,
    StrictSerializer,
    validate_data,
)


class FeedbackSerializer(StrictSerializer):
    """Feedback on one hit. `outcome` says how the work for which it was used turned out."""

    recall_id = serializers.UUIDField(help_text="The recall that served the memory.")
    memory = serializers.UUIDField()
    usefulness = NumberField(
        min_value=0,
        max_value=1,
        default=DEFAULT_USEFULNESS,
        help_text="0: it was of no use; 1: it was exactly what was needed.",
    )
    outcome = ChoiceField(OUTCOMES, required=False)


class LearnedSerializer(AnswerSerializer):
    """The learned values of the memory after this feedback."""

    surprise = serializers.FloatField(
        help_text="0-1. A moving mean of how much more useful it was than its score."
    )
    success_rate = serializers.FloatField(help_text="0-1; 0.5 without any outcome.")
    consolidation = serializers.FloatField(help_text="0-1; it grows with `updates`.")
    updates = serializers.IntegerField(help_text="The number of feedback reports.")
    tier = ChoiceField(Tier.choices)


class FeedbackView(APIView):
    @extend_schema(
        operation_id="feedback",
        request=FeedbackSerializer,
        responses={201: LearnedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Report how useful a hit of the caller's own recall was.

        Each hit gets feedback once; the second time is 409 `conflict`. A recall of another caller,
        and a memory that was no hit of it, is 404.
        """
        said = validate_data(FeedbackSerializer, request.data)
        learned = record_feedback(
            request.user,
            recall_id=said["recall_id"],
            memory_id=said["memory"],
            usefulness=said["usefulness"],
            outcome=said.get("outcome", ""),
            now=timezone.now(),
        )
        return Response(LearnedSerializer.render(learned), status=201)
