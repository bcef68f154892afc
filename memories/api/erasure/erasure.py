"""Forgetting many and erasing for good: one service call a view."""

from dataclasses import asdict

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.erasure import serializers as s
from memories.privacy.forget_content import forget_content
from memories.privacy.purge import purge_deleted
from orgs.api.serializers import checked


class PurgeView(APIView):
    @extend_schema(
        operation_id="memories_purge", request=s.PurgeSerializer, responses=s.PurgedSerializer
    )
    def post(self, request: Request) -> Response:
        """Erase for good what has been in the trash for long; nothing brings it back."""
        asked = checked(s.PurgeSerializer, request.data)
        return Response(asdict(purge_deleted(request.user, now=timezone.now(), **asked)))


class ForgetContentView(APIView):
    @extend_schema(
        operation_id="memories_forget_content",
        request=s.ForgetContentSerializer,
        responses=s.ForgottenContentSerializer,
    )
    def post(self, request: Request) -> Response:
        """Forget every memory that holds some words; each can be restored."""
        asked = checked(s.ForgetContentSerializer, request.data)
        return Response(asdict(forget_content(request.user, now=timezone.now(), **asked)))
