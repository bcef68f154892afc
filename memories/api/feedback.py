"""Feedback on the hits of a recall and on calls of tools, over HTTP."""

import re
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.lifecycle.surprise import DEFAULT_USEFULNESS
from memories.retrieval.feedback import (
    OUTCOMES,
    TOOL_PATTERN,
    ToolReport,
    record_feedback,
    record_tool_outcome,
)
from memories.store.models.choices import Tier
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    NumberField,
    StrictSerializer,
    TextField,
    validate_data,
)

NO_TOOL = "A name of a tool: at most 64 letters, digits and _ . : / -, a letter or a digit first."
NEEDED = "It is needed: a hit has `recall_id` and `memory`, a call of a tool `tool` and `outcome`."
EITHER = "Give feedback on a hit or on a call of a tool, not on both."
_OF_HITS = {"recall_id", "memory", "usefulness"}
_OF_CALLS = {"persona", "member"}


class FeedbackSerializer(StrictSerializer):
    """Feedback on one hit, with `recall_id` and `memory`, or on one call of a tool, with `tool` and
    `outcome`. `outcome` says how the work for which it was used turned out."""

    recall_id = serializers.UUIDField(
        required=False, help_text="The recall that served the memory."
    )
    memory = serializers.UUIDField(required=False, help_text="The hit.")
    usefulness = NumberField(
        min_value=0,
        max_value=1,
        required=False,
        help_text="0: it was of no use; 1: it was exactly what was needed. "
        f"{DEFAULT_USEFULNESS} where it is left out.",
    )
    outcome = ChoiceField(OUTCOMES, required=False, help_text="With `tool` it is needed.")
    tool = TextField(
        pattern=TOOL_PATTERN,
        max_length=64,
        required=False,
        help_text="A robot says: the name of the tool that it called, in place of `recall_id` and "
        "`memory`. A persona has at most 100 tools in eight weeks; further ones, and those whose "
        "name seems to name somebody, count as `other`.",
    )
    persona = TextField(
        max_length=60,
        required=False,
        help_text="With `tool`: the handle of the persona that the call served, one of the "
        "member's. Without it, the one of which the member's robots are surest.",
    )
    member = TextField(
        max_length=400, required=False, help_text="With `tool`: the member for whom the robot acts."
    )

    def validate_tool(self, value: str) -> str:
        """The name. Raises ValidationError for what is no name of a tool."""
        if not re.fullmatch(TOOL_PATTERN, value):
            raise serializers.ValidationError(NO_TOOL)
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError unless it is about one hit or about one call."""
        given = set(attrs)
        of_call = "tool" in attrs
        needed = {"outcome"} if of_call else {"recall_id", "memory"}
        strange = _OF_HITS if of_call else _OF_CALLS
        if missing := sorted(needed - given):
            raise serializers.ValidationError({name: [NEEDED] for name in missing})
        if wrong := sorted(strange & given):
            raise serializers.ValidationError({name: [EITHER] for name in wrong})
        return attrs


class ToolCountedSerializer(AnswerSerializer):
    """Under which persona and tool the call is counted. Nothing says who reported it."""

    persona = serializers.CharField()
    tool = serializers.CharField(help_text="`other` where it is not counted under its name.")


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
    within_groups = ("POST",)

    @extend_schema(
        operation_id="feedback",
        request=FeedbackSerializer,
        responses={200: ToolCountedSerializer, 201: LearnedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Report how useful a hit of the caller's own recall was (201), or how a call of a tool
        turned out (200).

        Each hit gets feedback once; the second time is 409 `conflict`. A recall of another caller,
        and a memory that was no hit of it, is 404. Each report of a call counts. It is counted for
        a persona: 409 `association-first` where the member has none that the robot reads, 404 for
        another one, 403 for people and for keys that are limited to groups.
        """
        said = validate_data(FeedbackSerializer, request.data)
        if "tool" in said:
            counted = record_tool_outcome(
                request.user,
                ToolReport(
                    tool=said["tool"],
                    outcome=said["outcome"],
                    persona=said.get("persona"),
                    member=said.get("member"),
                ),
                now=timezone.now(),
            )
            return Response(ToolCountedSerializer.render(counted))
        learned = record_feedback(
            request.user,
            recall_id=said["recall_id"],
            memory_id=said["memory"],
            usefulness=said.get("usefulness", DEFAULT_USEFULNESS),
            outcome=said.get("outcome", ""),
            now=timezone.now(),
        )
        return Response(LearnedSerializer.render(learned), status=201)
