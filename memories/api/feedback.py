"""Feedback on the hits of a recall, over HTTP."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.retrieval.feedback import OUTCOMES, give_feedback
from memories.store.models.choices import Tier
from orgs.api.serializers import NumberField, StrictSerializer, checked


class FeedbackSerializer(StrictSerializer):
    """usefulness: 0 for of no use, 1 for just what was needed."""

    recall_id = serializers.UUIDField()
    memory = serializers.UUIDField()
    usefulness = NumberField(min_value=0, max_value=1)
    outcome = serializers.ChoiceField(OUTCOMES, required=False)


class LearnedSerializer(serializers.Serializer[Any]):
    """What is known of the memory now: all but updates in 0-1."""

    surprise = serializers.FloatField()
    success_rate = serializers.FloatField()
    consolidation = serializers.FloatField()
    updates = serializers.IntegerField()
    tier = serializers.ChoiceField(Tier.choices)


class FeedbackView(APIView):
    @extend_schema(
        operation_id="feedback",
        request=FeedbackSerializer,
        responses={201: LearnedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Say once how useful a hit of your own recall was."""
        said = checked(FeedbackSerializer, request.data)
        learned = give_feedback(
            request.user,
            recall_id=said["recall_id"],
            memory_id=said["memory"],
            usefulness=said["usefulness"],
            outcome=said.get("outcome", ""),
            now=timezone.now(),
        )
        return Response(asdict(learned), status=201)
