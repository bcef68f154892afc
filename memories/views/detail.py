"""One memory: what it says, who can read it, where it comes from."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.models import Status
from memories.services import browsing
from memories.views import presenting
from orgs.access import members_only


@require_safe
@vary_on_headers("HX-Target")
@members_only()
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The page, or for the side panel its fragment."""
    found = browsing.detail(request.actor, memory_id, organisation=request.membership[1].name)
    panel = request.htmx.target == "panel-body"
    return render(
        request, f"memories/detail.html{'#panel' if panel else ''}", _context(request, found)
    )


def _context(request: HttpRequest, found: browsing.Detail) -> dict[str, Any]:
    me, row = request.actor.member_id, found.shown.memory
    return {
        "memory": presenting.about(row, me),
        "learned": presenting.learned(row, me),
        "audience": presenting.gone(row) or presenting.audience(found.shown.readers),
        "turns": presenting.conversation(found, me),
        "heard_by": presenting.heard_by(found, me),
        "back_url": reverse("library"),
        **_actions(found),
    }


def _actions(found: browsing.Detail) -> dict[str, str]:
    row = found.shown.memory
    urls: dict[str, str] = {}
    if found.restorable:
        urls["restore_url"] = reverse("memory-restore-page", args=[row.id])
    if not found.shown.changeable or row.status not in (Status.ACTIVE, Status.PENDING_REVIEW):
        return urls
    urls["edit_url"] = reverse("memory-edit", args=[row.id])
    urls["forget_url"] = reverse("memory-forget", args=[row.id])
    return urls
