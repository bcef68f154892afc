"""The working memory of a robot over HTTP."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.context import serializers as s
from memories.context.token_budget import RECENT
from memories.context.working_memory import (
    add_to_working_memory,
    get_working_memory,
    remove_from_working_memory,
    render_working_memory,
)
from memories.context.working_memory_values import WorkingMemory, WorkingMemoryEntry
from orgs.api.base_view import APIView
from orgs.api.serializers import NamedSerializer, query_values, validate_data


def _render_entry(entry: WorkingMemoryEntry) -> dict[str, Any]:
    item = entry.item
    return {
        "memory": item.id,
        "content": entry.content,
        "tokens": item.tokens,
        "importance": item.importance,
        "access_count": item.access_count,
        "added_at": item.added_at,
        "last_used_at": item.last_used_at,
    }


def _render_working_memory(
    found: WorkingMemory, entries: list[WorkingMemoryEntry], text: str | None
) -> dict[str, Any]:
    return {
        "budget": found.budget,
        "tokens": found.tokens,
        "count": found.count,
        "entries": [_render_entry(entry) for entry in entries],
        "evicted": [
            {
                "memory": one.id,
                "content": one.content,
                "evicted_at": one.evicted_at,
                "reason": one.reason,
            }
            for one in found.evicted
        ],
        "text": text,
        "text_tokens": None if text is None else sum(entry.item.tokens for entry in entries),
    }


def render_working_memory_in_order(
    found: WorkingMemory, order: str | None, *, by: str, most: int | None, now: datetime
) -> dict[str, Any]:
    """The whole working memory; with an order or a token budget also the text that fits, and its
    entries."""
    if order is None and most is None:
        return _render_working_memory(found, found.entries, None)
    most = found.budget if most is None else most
    text, entries = render_working_memory(found, order or RECENT, by=by, max_tokens=most, now=now)
    return _render_working_memory(found, entries, text)


class WorkingMemoryView(APIView):
    # These calls change the working memory of the robot and no memory.
    scopes = {"POST": "read", "DELETE": "read"}

    @extend_schema(
        operation_id="working_memory_get",
        parameters=[s.LookSerializer],
        responses=s.WorkingMemorySerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """The working memory of a robot, the last used first, or a text that fits into a budget.

        For the robot itself, curators and admins.
        """
        asked = validate_data(s.LookSerializer, query_values(request))
        order, by = asked.pop("order", None), asked.pop("by")
        most, now = asked.pop("max_tokens", None), timezone.now()
        found = get_working_memory(request.user, reference, now=now, **asked)
        shown = render_working_memory_in_order(found, order, by=by, most=most, now=now)
        return Response({"robot": NamedSerializer.render(found.owner)} | shown)

    @extend_schema(
        operation_id="working_memory_add",
        request=s.AddSerializer,
        responses=s.AddedSerializer,
    )
    def post(self, request: Request, reference: str) -> Response:
        """Add a memory to the working memory; for the robot itself.

        The least important memories make room. 413 `over-budget` if the memory alone is larger than
        the budget.
        """
        asked = validate_data(s.AddSerializer, request.data)
        memory = asked.pop("memory")
        out = add_to_working_memory(request.user, reference, memory, now=timezone.now(), **asked)
        return Response({"memory": memory, "evicted": out})

    @extend_schema(
        operation_id="working_memory_remove",
        parameters=[s.RemoveSerializer],
        responses={204: None},
    )
    def delete(self, request: Request, reference: str) -> Response:
        """Take one memory or all out of the working memory; no memory is forgotten."""
        asked = validate_data(s.RemoveSerializer, query_values(request))
        memory = asked.pop("memory", None)
        remove_from_working_memory(request.user, reference, memory, now=timezone.now(), **asked)
        return Response(status=204)
