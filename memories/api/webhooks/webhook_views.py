"""Endpoints of webhooks and their deliveries over HTTP; one service call a view.

A robot has its own by any of its keys that may `write`: a webhook carries out nothing that the key
does not read, and ends with it. An admin has their own.
"""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.webhooks import serializers as s
from memories.webhooks import delivery_log, endpoints
from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.serializers import query_values, validate_data
from orgs.principals import resolve_principal

# A secret that is shown once lies in no cache.
UNCACHED = {"Cache-Control": "no-store"}


def _with_secret(made: endpoints.EndpointWithSecret, *, status: int) -> Response:
    body = s.WebhookWithSecretSerializer.render(made.endpoint, secret=made.secret)
    return Response(body, status=status, headers=UNCACHED)


class WebhooksView(APIView):
    @extend_schema(operation_id="webhooks_list", responses=s.WebhookSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the caller's own webhooks, newest first; at most 20."""
        with resolve_principal(request.user).scope():
            rows = list(endpoints.own_endpoints(request.user).order_by("-id"))
        return Response(
            {"results": [s.WebhookSerializer.render(row) for row in rows], "next": None}
        )

    @extend_schema(
        operation_id="webhooks_create",
        request=s.WebhookCreateSerializer,
        responses={201: s.WebhookWithSecretSerializer},
    )
    def post(self, request: Request) -> Response:
        """Have events sent to an address from now on. The answer has the secret that signs them.

        For robots, which are sent what the key of this call reads, as long as it is valid; and for
        admins. 403 for a robot that acts for a member or serves a viewer, 404 for other members,
        409 with 20.
        """
        data = validate_data(s.WebhookCreateSerializer, request.data)
        made = endpoints.create_endpoint(request.user, **data, now=timezone.now())
        return _with_secret(made, status=201)


class WebhookView(APIView):
    @extend_schema(operation_id="webhooks_get", responses=s.WebhookSerializer)
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """One webhook of the caller."""
        with resolve_principal(request.user).scope():
            row = endpoints.get_endpoint(request.user, webhook_id)
        return Response(s.WebhookSerializer.render(row))

    @extend_schema(
        operation_id="webhooks_change",
        request=s.WebhookChangeSerializer,
        responses=s.WebhookSerializer,
    )
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        """Change a webhook. A robot's then sends by the key of this call."""
        data = validate_data(s.WebhookChangeSerializer, request.data)
        row = endpoints.update_endpoint(request.user, webhook_id, data, now=timezone.now())
        return Response(s.WebhookSerializer.render(row))

    @extend_schema(operation_id="webhooks_delete", responses={204: OpenApiResponse(None)})
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        """Delete a webhook with its deliveries; nothing more is sent."""
        endpoints.delete_endpoint(request.user, webhook_id, now=timezone.now())
        return Response(status=204)


class WebhookRotateView(APIView):
    @extend_schema(
        operation_id="webhooks_rotate", request=None, responses=s.WebhookWithSecretSerializer
    )
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """A new secret, which is in this answer alone. The former one signs as well for 24 hours,
        one before it no more."""
        made = endpoints.rotate_secret(request.user, webhook_id, now=timezone.now())
        return _with_secret(made, status=200)


class WebhookTestView(APIView):
    @extend_schema(
        operation_id="webhooks_test", request=None, responses={202: s.DeliverySerializer}
    )
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """Have the event `webhook.test` sent, which says nothing. 409 while one waits, or while the
        webhook is switched off."""
        row = delivery_log.enqueue_test(request.user, webhook_id, now=timezone.now())
        return Response(s.DeliverySerializer.render(row), status=202)


class DeliveriesView(APIView):
    @extend_schema(
        operation_id="webhooks_deliveries",
        parameters=[s.DeliveriesQuerySerializer],
        responses=s.DeliverySerializer(many=True),
    )
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """List what a webhook was sent and is owed, newest first, without what its owner may not
        know of any more."""
        asked = validate_data(s.DeliveriesQuerySerializer, query_values(request))
        with resolve_principal(request.user).scope():
            rows = delivery_log.filter_deliveries(
                delivery_log.endpoint_deliveries(request.user, webhook_id),
                state=asked.get("state", ""),
                event=asked.get("event", ""),
            )
            found = paginate(
                request,
                rows,
                limit=asked["limit"],
                cursor=asked.get("cursor"),
                render=s.DeliverySerializer.render,
            )
        return Response(found)


class RedeliverView(APIView):
    @extend_schema(
        operation_id="webhooks_redeliver", request=None, responses={202: s.DeliverySerializer}
    )
    def post(self, request: Request, webhook_id: UUID, delivery_id: UUID) -> Response:
        """Have a delivery sent once more, with the same `webhook-id`, if its owner may still know
        of it. 409 while it waits, or while the webhook is switched off."""
        row = delivery_log.redeliver(request.user, webhook_id, delivery_id, now=timezone.now())
        return Response(s.DeliverySerializer.render(row), status=202)
