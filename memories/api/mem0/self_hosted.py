"""The addresses of a self-hosted mem0 server, which several agents call."""

from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.mem0 import serializers as s
from memories.api.mem0 import views
from memories.api.mem0.base import parameters
from orgs.api.serializers import validate_data


class SelfHostedMemoriesView(views.MemoriesView):
    def get(self, request: Request) -> Response:
        """The memories of a user, an agent or a run: the newest, at most `limit`."""
        given = parameters(request)
        limit = given.pop("top_k", given.pop("limit", str(s.DEFAULT_PAGE_SIZE)))
        at = validate_data(s.PageSerializer, {"page_size": limit})
        asked = validate_data(s.ListSerializer, given)
        _, rows = views.list_memories(
            request.user,
            asked,
            views.wanted_filters(asked),
            page=1,
            size=at["page_size"],
            now=timezone.now(),
        )
        return Response({"results": rows})


class SelfHostedSearchView(views.SearchView):
    """The same search."""


class SelfHostedMemoryView(views.MemoryView):
    def put(self, request: Request, memory: UUID) -> Response:
        """Change its text or metadata."""
        super().put(request, memory)
        return Response({"message": "Memory updated successfully!"})
