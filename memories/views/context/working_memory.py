"""A robot's working memory, as far as the reader may read it, and what left it and why."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.context.models import EvictionReason
from memories.context.working_memory import get_working_memory
from memories.context.working_memory_values import WorkingMemory
from orgs.languages.page_text import choice_label
from orgs.views.page_access import MODERATOR_ROLES, members_only
from robots.models.robots import Robot
from robots.registry.robots import may_see_work

# The most entries that are shown.
MAX_ENTRIES = 50


@require_safe
@never_cache
@members_only(*MODERATOR_ROLES)
def working_memory(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """The page; looking at it changes nothing."""
    found = get_working_memory(request.actor, str(robot_id), now=timezone.now())
    context = {
        "robot": found.owner.name,
        "back_url": reverse("robot-page", args=[found.owner.id]),
        "count": found.count,
        "tokens": found.tokens,
        "budget": found.budget,
        "closed": isinstance(found.owner, Robot) and not may_see_work(found.owner, request.actor),
        "percent": min(100, round(100 * found.tokens / found.budget)),
        **entry_rows(found),
    }
    return render(request, "memories/context/working_memory.html", context)


def entry_rows(
    found: WorkingMemory, why: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Entries and removed entries, for the templates. why: other words for a reason."""
    return {
        "hidden": found.count - len(found.entries),
        "more": max(0, len(found.entries) - MAX_ENTRIES),
        "entries": [
            {
                "id": entry.item.id,
                "text": entry.content,
                "url": reverse("memory-page", args=[entry.item.id]),
                "tokens": entry.item.tokens,
                "last_used_at": entry.item.last_used_at,
            }
            for entry in found.entries[:MAX_ENTRIES]
        ],
        "evicted": [
            {
                "id": one.id,
                "text": one.content,
                "url": reverse("memory-page", args=[one.id]),
                "reason": why.get(one.reason, choice_label(EvictionReason(one.reason))),
                "at": one.evicted_at,
            }
            for one in found.evicted
        ],
    }
