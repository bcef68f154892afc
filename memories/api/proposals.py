"""The review queue over HTTP: one service call a view."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers import proposals as s
from memories.curation.review_decisions import ReviewDecision, approve_item, merge_item, reject_item
from memories.curation.undo_review_decision import undo_review_decision
from memories.review.item_locks import assign_item, lock_item, release_lock
from memories.review.models import GATE_CAUSES, Proposal, ProposalCause
from memories.review.propose import propose_correction, report_memory
from memories.review.review_queue import filter_items, get_item
from memories.safety.memory_submissions import annotate_originals, load_originals
from memories.state.supersede_wishes import WISHES, load_wishes
from memories.store.models.choices import Status
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import query_values, validate_data
from orgs.principals import Actor, resolve_principal

ACTION_FUNCTIONS = {"approve": approve_item, "reject": reject_item, "merge": merge_item}

# The texts of other tables that an item shows.
TEXTS = ("memory__content", "memory__sealed", "other__content", "other__sealed", "original")


def render_review_item_for(actor: Actor, item: Proposal) -> dict[str, Any]:
    """One item as JSON for the asker: with the original text if they may read it, and with what its
    text would replace."""
    if item.cause not in GATE_CAUSES and WISHES not in item.details:
        return s.ProposalSerializer.render(item)
    principal = resolve_principal(actor)
    held = [item.memory_id] if item.cause in GATE_CAUSES else []
    with principal.scope():
        found = load_originals(actor.organisation_id, held)
        wishes = load_wishes(principal, item)
    return s.ProposalSerializer.render(item, original=found.get(item.memory_id), wishes=wishes)


def change_waits(item: Proposal) -> Response:
    """The answer to a change that waits, 202: the memory is as it was, and a curator decides."""
    body = s.ChangeWaitsSerializer.render(item, status=Status.PENDING_REVIEW)
    return Response(body, status=202)


def list_response(request: Request, filters: dict[str, Any]) -> Response:
    """One page of the queue."""
    principal = resolve_principal(request.user)
    with principal.scope():
        found = paginate(
            request,
            annotate_originals(filter_items(principal, filters)),
            limit=filters["limit"],
            cursor=filters.get("cursor"),
            render=lambda item: s.ProposalSerializer.render(item, original=item.original),
            texts=TEXTS,
        )
    return Response(found)


class ProposalsView(APIView):
    @extend_schema(
        operation_id="proposals_list",
        parameters=[s.ProposalFiltersSerializer],
        responses=s.ProposalSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the items of the review queue that the caller decides or proposed, newest first."""
        return list_response(
            request, validate_data(s.ProposalFiltersSerializer, query_values(request))
        )

    @extend_schema(
        operation_id="proposals_correct",
        request=s.ProposeSerializer,
        responses={201: s.ProposalSerializer},
    )
    def post(self, request: Request) -> Response:
        """Suggest another text for a memory that the caller reads; viewers cannot.

        409 `conflict` while an earlier suggestion waits, 409 `encrypted` for a sensitive memory.
        """
        data = validate_data(s.ProposeSerializer, request.data)
        item = propose_correction(request.user, data.pop("memory"), now=timezone.now(), **data)
        return Response(s.ProposalSerializer.render(item), status=201)


class ProposalView(APIView):
    @extend_schema(operation_id="proposals_get", responses=s.ProposalSerializer)
    def get(self, request: Request, item_id: UUID) -> Response:
        """One item that the caller may decide or has proposed."""
        return Response(render_review_item_for(request.user, get_item(request.user, item_id)))


class DecisionView(APIView):
    @extend_schema(
        operation_id="proposals_decide",
        request=s.DecisionSerializer,
        responses=s.ProposalSerializer,
    )
    def post(self, request: Request, item_id: UUID) -> Response:
        """Approve, reject or merge an item. Each item is decided once.

        409 `decided` if somebody decided it before, 409 `held` while somebody else holds it, 409
        `outdated` if the memory changed since `version`.
        """
        data = validate_data(s.DecisionSerializer, request.data)
        verb = ACTION_FUNCTIONS[data.pop("action")]
        done = verb(request.user, item_id, ReviewDecision(**data), now=timezone.now())
        return Response(render_review_item_for(request.user, done))


class UndoView(APIView):
    @extend_schema(operation_id="proposals_undo", request=None, responses=s.ProposalSerializer)
    def post(self, request: Request, item_id: UUID) -> Response:
        """Undo a decision and reopen its item; for the member who decided it and for admins.

        Everybody who may decide such items undoes an automatic merge and what a policy decided, and
        this also the member who said it. 409 if somebody has changed
        the result since.
        """
        return Response(
            render_review_item_for(
                request.user, undo_review_decision(request.user, item_id, now=timezone.now())
            )
        )


class LockView(APIView):
    @extend_schema(
        operation_id="proposals_lock", request=s.LockSerializer, responses=s.ProposalSerializer
    )
    def post(self, request: Request, item_id: UUID) -> Response:
        """Hold an item for five minutes, so that nobody else decides it; a new call holds it
        longer. What the caller held before is released."""
        asked = validate_data(s.LockSerializer, request.data)
        item = lock_item(request.user, item_id, now=timezone.now(), **asked)
        return Response(render_review_item_for(request.user, item))

    @extend_schema(operation_id="proposals_unlock", responses={200: s.ProposalSerializer})
    def delete(self, request: Request, item_id: UUID) -> Response:
        """Release an item that the caller holds."""
        return Response(render_review_item_for(request.user, release_lock(request.user, item_id)))


class AssignView(APIView):
    @extend_schema(
        operation_id="proposals_assign",
        request=s.AssignSerializer,
        responses=s.ProposalSerializer,
    )
    def post(self, request: Request, item_id: UUID) -> Response:
        """Assign an item to a curator or admin, or with null to nobody; for curators and admins."""
        member = validate_data(s.AssignSerializer, request.data)["member"]
        return Response(
            render_review_item_for(
                request.user, assign_item(request.user, item_id, member, now=timezone.now())
            )
        )


class ReportsView(APIView):
    scopes = {"POST": "read"}

    @extend_schema(
        operation_id="reports_list",
        parameters=[s.ReportFiltersSerializer],
        responses=s.ProposalSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the reports that the caller may decide or has made, newest first."""
        filters = validate_data(s.ReportFiltersSerializer, query_values(request))
        return list_response(request, {**filters, "cause": ProposalCause.REPORT})

    @extend_schema(
        operation_id="reports_create",
        request=s.ReportRequestSerializer,
        responses={201: s.ProposalSerializer},
    )
    def post(self, request: Request) -> Response:
        """Report that a memory is wrong or should not be stored; every reader may do that.

        409 while an earlier report waits.
        """
        data = validate_data(s.ReportRequestSerializer, request.data)
        item = report_memory(
            request.user, data["memory"], reason=data["reason"], now=timezone.now()
        )
        return Response(s.ProposalSerializer.render(item), status=201)
