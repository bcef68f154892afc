"""Folders on the server whose new files are imported, over HTTP; one service call a view."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.imports import folder_serializers as s
from memories.ingestion.folder_import import subscriptions
from memories.ingestion.folder_import.subscriptions import FolderOptions
from orgs.api.base_view import APIView
from orgs.api.serializers import validate_data

MANAGED = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), "manage")


def _render(request: Request, subscription_id: UUID) -> dict[str, Any]:
    found = subscriptions.get_subscription(request.user, subscription_id)
    return s.ImportSubscriptionSerializer.render(found)


class ImportSubscriptionsView(APIView):
    scopes: dict[str, str] = MANAGED

    @extend_schema(
        operation_id="import_subscriptions_list", responses=s.ImportSubscriptionListSerializer
    )
    def get(self, request: Request) -> Response:
        """List the folders whose new files are imported, by path; without pages. For admins, and
        for robots by a key with `manage` and `write`."""
        rows = subscriptions.list_subscriptions(request.user)
        return Response({"results": [s.ImportSubscriptionSerializer.render(row) for row in rows]})

    @extend_schema(
        operation_id="import_subscriptions_create",
        request=s.ImportSubscriptionRequestSerializer,
        responses={201: s.ImportSubscriptionSerializer},
    )
    def post(self, request: Request) -> Response:
        """Have a folder of the organisation on the server looked through now and each period: each
        file that is new or has changed becomes an import of the caller.

        409 `no-import-folder` where the server has no folder for imports, 409 `conflict` for a
        folder that is looked through already, 409 `too-many` with 20.
        """
        given = validate_data(s.ImportSubscriptionRequestSerializer, request.data)
        made = subscriptions.subscribe_to_folder(
            request.user,
            given.pop("folder"),
            period_minutes=given.pop("period_minutes"),
            options=FolderOptions(by_group=given.pop("speaker_scope") == "group", **given),
            now=timezone.now(),
        )
        return Response(_render(request, made.id), status=201)


class ImportSubscriptionView(APIView):
    scopes: dict[str, str] = MANAGED

    @extend_schema(
        operation_id="import_subscriptions_get", responses=s.ImportSubscriptionSerializer
    )
    def get(self, request: Request, subscription_id: UUID) -> Response:
        """One folder."""
        return Response(_render(request, subscription_id))

    @extend_schema(
        operation_id="import_subscriptions_change",
        request=s.ImportSubscriptionChangeSerializer,
        responses=s.ImportSubscriptionSerializer,
    )
    def patch(self, request: Request, subscription_id: UUID) -> Response:
        """Pause it, or look through the folder now and each period again, or change the period. One
        whose author may not import any more stays paused."""
        given = validate_data(s.ImportSubscriptionChangeSerializer, request.data)
        subscriptions.change_folder_subscription(
            request.user, subscription_id, now=timezone.now(), **given
        )
        return Response(_render(request, subscription_id))

    @extend_schema(
        operation_id="import_subscriptions_remove", responses={204: OpenApiResponse(None)}
    )
    def delete(self, request: Request, subscription_id: UUID) -> Response:
        """Remove it. What it imported stays, and so do the files."""
        subscriptions.remove_folder_subscription(request.user, subscription_id, now=timezone.now())
        return Response(status=204)
