"""Forgetting many and erasing for good: one service call a view."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.erasure import serializers as s
from memories.privacy.erasure.erasure_run import Erasure
from memories.privacy.forget_all import forget_content
from memories.privacy.purge import purge_trash
from memories.privacy.receipts import create_link, load_receipt
from memories.privacy.request_erasure import erase_requested, get_erasure, readable_erasures
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import query_values, validate_data
from orgs.principals import resolve_principal

# The address of a receipt, as API and pages give it.


def receipt_url(request: Request | HttpRequest, erasure: Erasure) -> str:
    """The absolute address of a receipt. Whoever has it may read the receipt."""
    return request.build_absolute_uri(reverse("receipt", args=[create_link(erasure)]))


class PurgeView(APIView):
    own_rights = ("POST",)

    @extend_schema(
        operation_id="memories_purge", request=s.PurgeSerializer, responses=s.PurgedSerializer
    )
    def post(self, request: Request) -> Response:
        """Erase for good the memories that were forgotten before a time; nothing restores them.

        One call erases at most 1,000 of those that the caller may erase. Protected memories stay,
        unless they are the caller's own. With neither `confirm` nor `dry_run` it is 400
        `not-confirmed`, with the number of memories.
        """
        asked = validate_data(s.PurgeSerializer, request.data)
        return Response(
            s.PurgedSerializer.render(purge_trash(request.user, now=timezone.now(), **asked))
        )


class ForgetContentView(APIView):
    own_rights = ("POST",)

    @extend_schema(
        operation_id="memories_forget_content",
        request=s.ForgetContentSerializer,
        responses=s.ForgottenContentSerializer,
    )
    def post(self, request: Request) -> Response:
        """Forget the memories whose text has a substring; each of them can be restored.

        One call forgets at most 200 of those that the caller may forget. Protected memories stay,
        unless they are the caller's own.
        """
        asked = validate_data(s.ForgetContentSerializer, request.data)
        return Response(
            s.ForgottenContentSerializer.render(
                forget_content(request.user, now=timezone.now(), **asked)
            )
        )


def _render_erasure(request: Request, erasure: Erasure) -> dict[str, Any]:
    """An erasure as JSON, with the facts of its receipt; call inside a scope that reads it."""
    return s.ErasureSerializer.render(
        load_receipt(erasure), job=erasure.job_id, receipt=receipt_url(request, erasure)
    )


class ErasuresView(APIView):
    own_rights = ("POST",)

    @extend_schema(
        operation_id="erasures_list",
        parameters=[s.ErasureFiltersSerializer],
        responses=s.ErasureSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List erasures, newest first, without any text.

        Curators and admins see those of members and sources; an erasure of a memory is seen by
        whoever asked for it.
        """
        filters = validate_data(s.ErasureFiltersSerializer, query_values(request))
        principal = resolve_principal(request.user)
        with principal.scope():
            found = paginate(
                request,
                readable_erasures(principal),
                limit=filters["limit"],
                cursor=filters.get("cursor"),
                render=lambda erasure: _render_erasure(request, erasure),
            )
        return Response(found)

    @extend_schema(
        operation_id="erasures_create",
        request=s.ErasureCreateSerializer,
        responses={202: s.ErasureSerializer},
    )
    def post(self, request: Request) -> Response:
        """Erase a member, a memory, or everything from a source.

        A member erases themselves; only an admin erases another member or a source. A memory is
        erased at once; of a member or a source a job erases everything, and the member's access
        ends at once.
        """
        asked = validate_data(s.ErasureCreateSerializer, request.data)
        now = timezone.now()
        with erase_requested(request.user, asked, now=now) as erasure:
            body = _render_erasure(request, erasure)
        return Response(body, status=202)


class ErasureView(APIView):
    @extend_schema(operation_id="erasures_get", responses=s.ErasureSerializer)
    def get(self, request: Request, erasure_id: UUID) -> Response:
        """One erasure and its progress."""
        principal = resolve_principal(request.user)
        with principal.scope():
            return Response(_render_erasure(request, get_erasure(principal, erasure_id)))
