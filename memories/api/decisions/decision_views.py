"""Decisions and their dissents over HTTP."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.decisions import serializers as forms
from memories.api.proposals import change_waits
from memories.api.serializers.proposals import ChangeWaitsSerializer
from memories.curation.decision_records import decision_queries
from memories.curation.decision_records.dissents import (
    DissentAnswer,
    DissentDraft,
    add_dissent,
    answer_dissent,
)
from memories.curation.decision_records.prepare_decision import prepare_decision
from memories.curation.decision_records.record_decision import (
    ClaimDraft,
    DecisionDraft,
    record_decision,
)
from memories.curation.decision_records.topic_rules import topic_hash, topic_words
from memories.review.models import Proposal
from orgs.api.base_view import APIView
from orgs.api.cursors import next_page_url
from orgs.api.cursors import parse_cursor as read_cursor
from orgs.api.serializers import query_values, validate_data


def build_decision_draft(given: dict[str, Any]) -> DecisionDraft:
    """A validated decision as the service takes it; without a topic it is a debate's."""
    fields = {"topic": "", **given}
    fields["claims"] = tuple(ClaimDraft(**one) for one in fields.pop("claims", ()))
    fields["dissents"] = tuple(DissentDraft(**one) for one in fields.pop("dissents", ()))
    for name in ("participants", "tags", "based_on"):
        fields[name] = tuple(fields.get(name, ()))
    return DecisionDraft(**fields)


class DecisionsView(APIView):
    within_groups = ("GET", "POST")

    @extend_schema(
        operation_id="decisions_list",
        parameters=[forms.DecisionListParametersSerializer],
        responses=forms.DecisionSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the active decisions, the newest first."""
        asked = validate_data(forms.DecisionListParametersSerializer, query_values(request))
        limit, cursor = asked["limit"], asked.pop("cursor", None)
        found = decision_queries.list_decisions(
            request.user,
            decision_queries.DecisionQuery(**{**asked, "limit": limit + 1}),
            after=read_cursor(request.user, cursor, decision_queries.DecisionCursor.of)
            if cursor
            else None,
            now=timezone.now(),
        )
        last = found[limit - 1].place if len(found) > limit else None
        return Response(
            {
                "results": [forms.DecisionSerializer.render(one) for one in found[:limit]],
                "next": next_page_url(request, last.text) if last else None,
            }
        )

    @extend_schema(
        operation_id="decisions_record",
        request=forms.RecordDecisionSerializer,
        responses={201: forms.RecordedSerializer, 200: forms.RecordedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Record a decision as a memory of the tier slow, with its votes, claims and dissents.

        201 for a new decision, 200 if the same one was recorded before.
        """
        draft = build_decision_draft(validate_data(forms.RecordDecisionSerializer, request.data))
        made = record_decision(request.user, draft, now=timezone.now())
        return Response(
            forms.RecordedSerializer.render(made), status=200 if made.deduplicated else 201
        )


class DecisionView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="decisions_get",
        parameters=[forms.ActingSerializer],
        responses=forms.ChainedDecisionSerializer,
    )
    def get(self, request: Request, decision_id: UUID) -> Response:
        """One decision, with the decisions that it replaced and those that replaced it."""
        place = validate_data(forms.ActingSerializer, query_values(request))
        return Response(
            forms.ChainedDecisionSerializer.render(
                decision_queries.get_decision(request.user, decision_id, **place)
            )
        )


class SimilarView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="decisions_similar",
        parameters=[forms.SimilarParametersSerializer],
        responses=forms.SimilarDecisionSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List decisions on similar topics, the most similar first.

        Two topics are similar if more than a tenth of their words is in both.
        """
        asked = validate_data(forms.SimilarParametersSerializer, query_values(request))
        found = decision_queries.list_similar_decisions(
            request.user, asked.pop("topic"), now=timezone.now(), **asked
        )
        return Response(
            {
                "results": [forms.SimilarDecisionSerializer.render(one) for one in found],
                "next": None,
            }
        )


class PrepareView(APIView):
    @extend_schema(
        operation_id="decisions_prepare",
        parameters=[forms.SimilarParametersSerializer],
        responses=forms.PreparationSerializer,
    )
    def get(self, request: Request) -> Response:
        """A text for a prompt on a topic: risk warnings, open dissents, then similar decisions."""
        asked = validate_data(forms.SimilarParametersSerializer, query_values(request))
        made = prepare_decision(request.user, asked.pop("topic"), now=timezone.now(), **asked)
        return Response(forms.PreparationSerializer.render(made))


class TopicDissentsView(APIView):
    @extend_schema(
        operation_id="decisions_dissents",
        parameters=[forms.DissentParametersSerializer],
        responses=forms.DissentSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the dissents on active decisions, of one topic or of all, the newest first."""
        asked = validate_data(forms.DissentParametersSerializer, query_values(request))
        topic, hashed = asked.pop("topic", None), asked.pop("topic_hash", None)
        if topic is not None:
            hashed = topic_hash(topic_words(topic))
        found = decision_queries.list_dissents(request.user, hashed, now=timezone.now(), **asked)
        return Response(
            {"results": [forms.DissentSerializer.render(one) for one in found], "next": None}
        )


class DissentsView(APIView):
    @extend_schema(
        operation_id="dissents_add",
        request=forms.AddDissentSerializer,
        responses={201: forms.DissentSerializer},
    )
    def post(self, request: Request, decision_id: UUID) -> Response:
        """Add a dissent to a decision that the caller reads.

        409 if the decision is not active or has 100 dissents, and 409 `held-back` for words that a
        gate does not let reach its readers.
        """
        given = validate_data(forms.AddDissentSerializer, request.data)
        place = {name: given.pop(name, None) for name in ("member", "group")}
        made = add_dissent(
            request.user, decision_id, DissentDraft(**given), now=timezone.now(), **place
        )
        return Response(forms.DissentSerializer.render(made), status=201)


class DissentView(APIView):
    @extend_schema(
        operation_id="dissents_patch",
        request=forms.AnswerDissentSerializer,
        responses={200: forms.DissentSerializer, 202: ChangeWaitsSerializer},
    )
    def patch(self, request: Request, decision_id: UUID, dissent_id: UUID) -> Response:
        """Acknowledge or rebut a dissent; for callers who may edit the decision.

        A member who may only propose to its readers proposes the answer: 202 with the item of the
        review queue.
        """
        given = validate_data(forms.AnswerDissentSerializer, request.data)
        place = {name: given.pop(name, None) for name in ("member", "group")}
        row = answer_dissent(
            request.user,
            decision_id,
            dissent_id,
            DissentAnswer(**given),
            now=timezone.now(),
            **place,
        )
        if isinstance(row, Proposal):
            return change_waits(row)
        return Response(forms.DissentSerializer.render(row))
