"""Propositions of a memory over HTTP."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.proposals import change_waits
from memories.api.serializers.memories import MemorySerializer
from memories.api.serializers.proposals import ChangeWaitsSerializer
from memories.curation.split_memory import SplitResult, split_memory, split_memory_by_model
from memories.language.propositions import MAX_PROPOSITIONS
from memories.review.models import Proposal
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    StrictSerializer,
    TextListField,
    validate_data,
)


class PropositionsRequestSerializer(StrictSerializer):
    propositions = TextListField(
        required=False,
        max_length=MAX_PROPOSITIONS,
        item_length=2_000,
        help_text="Sentences that the caller has found. Left out: see `by`.",
    )
    by = ChoiceField(
        choices=("rules", "model"),
        default="rules",
        help_text="Who finds the propositions if none are sent: rules or a language model.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError where propositions are sent although a model is to find them."""
        if attrs["by"] == "model" and attrs.get("propositions"):
            raise serializers.ValidationError({"by": "Send propositions or let a model find them."})
        return attrs


class RefusedPropositionSerializer(AnswerSerializer):
    text = serializers.CharField()
    reason = serializers.CharField(
        help_text="too-short, too-long, too-few-words, pronoun, question, heading, too-many, "
        "known or forgotten; for the sentences of a model also invented-number, invented-name, "
        "invented-link, invented-words, negation or held-back."
    )


class PropositionsSerializer(AnswerSerializer):
    results = MemorySerializer(
        source="rows", many=True, help_text="All present propositions of the memory."
    )
    refused = RefusedPropositionSerializer(many=True)


class PropositionsView(APIView):
    @extend_schema(
        operation_id="memories_propositions",
        request=PropositionsRequestSerializer,
        responses={200: PropositionsSerializer, 202: ChangeWaitsSerializer},
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Split a memory into propositions: facts of one sentence, for the same readers.

        The memory stays. The same call again changes nothing. A member who may only propose to its
        readers proposes them: 202 with the item of the review queue. 409 if the memory is not
        active, is sensitive or is a proposition itself, and with `by: model` if no language model
        may be used.
        """
        wish, now = validate_data(PropositionsRequestSerializer, request.data), timezone.now()
        found: SplitResult | Proposal
        if wish["by"] == "model":
            found = split_memory_by_model(request.user, memory_id, now=now)
        else:
            given = wish.get("propositions", [])
            found = split_memory(request.user, memory_id, given=given, now=now)
        if isinstance(found, Proposal):
            return change_waits(found)
        return Response(PropositionsSerializer.render(found))
