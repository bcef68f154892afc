"""One memory: what it says, who can read it, where it comes from."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.browsing import memory_pages
from memories.language.propositions import is_divisible
from memories.review.protect import may_protect
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.views import conversation_presenter, memory_presenter, origin_presenter
from memories.views.forms.search_forms import MemoryFilterForm
from memories.views.insights.tier_presenter import tier_history_context
from memories.views.memory import versions
from orgs.models.audiences import AudienceType
from orgs.views.page_access import ADMINS, WRITERS, members_only


@require_safe
@vary_on_headers("HX-Target")
@members_only()
def memory_detail(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The page, or for the side panel its fragment."""
    found = memory_pages.get_detail_page(
        request.actor, memory_id, organisation=request.membership[1].name
    )
    panel = request.htmx.target == "panel-body"
    if request.GET.get("from") == "me":
        request.stands_under = reverse("me")
    return render(
        request,
        f"memories/memory/detail.html{'#panel' if panel else ''}",
        _page_context(request, found),
    )


def _page_context(request: HttpRequest, found: memory_pages.MemoryDetailPage) -> dict[str, Any]:
    me, row, changeable = request.actor.member_id, found.shown.memory, found.shown.changeable
    return {
        "memory": memory_presenter.memory_context(row, me),
        "learned": origin_presenter.origin_sentence(row, me),
        "audience": memory_presenter.audience_badge(found.shown.readers, row),
        "writer": row.teller.name if found.writer_reads and row.teller else "",
        "restated": memory_presenter.restatement_context(found.shown.memory, found.restatement),
        "standing": tier_history_context(found.standing, timezone.now())
        if row.status == Status.ACTIVE
        else None,
        "turns": memory_presenter.turn_rows(found, me),
        "thread_url": _conversation_url(found),
        "heard_by": memory_presenter.contribution_rows(found, me),
        "versions": versions.version_rows(found.history, row, me, changeable=changeable)
        if row.version > 1
        else [],
        "life": versions.fact_life(found, timezone.now()),
        "versions_url": reverse("memory-versions", args=[row.id]) if found.history.before else "",
        "derived_from": [
            memory_presenter.memory_link(other) for other in found.lineage.derived_from
        ],
        "used_in": [memory_presenter.memory_link(other) for other in found.lineage.used_in],
        "further_back": [
            [memory_presenter.memory_link(other) for other in level]
            for level in found.lineage.further_back
        ],
        **_query_context(request, row),
        **_origin_context(request),
        "trail_url": reverse("memory-trail", args=[row.id]) if request.actor.role in ADMINS else "",
        **_action_urls(request, found),
        **_proposal_urls(request, found),
    }


def _conversation_url(found: memory_pages.MemoryDetailPage) -> str:
    """The conversation that it is a turn of, or that the first it was made from is."""
    rows = [found.shown.memory, *found.lineage.derived_from]
    turns = (one for one in rows if one.conversation and one.status == Status.ACTIVE)
    turn = next(turns, None)
    return conversation_presenter.conversation_url(turn.id) if turn else ""


def _query_context(request: HttpRequest, row: Memory) -> dict[str, str]:
    """What was asked before it was opened, and the list that it was opened from."""
    form = MemoryFilterForm(request.GET)
    form.is_valid()
    asked = {k: form.cleaned_data.get(k) or "" for k in ("q", "group")}
    query = urlencode({k: v for k, v in asked.items() if v})
    why, library, back = reverse("memory-why", args=[row.id]), reverse("library"), form.query()
    return {
        "q": asked["q"],
        "why_url": f"{why}?{query}" if asked["q"] else why,
        "back_url": f"{library}?{back}" if back else library,
        "list_query": f"?{back}" if back else "",
    }


def _origin_context(request: HttpRequest) -> dict[str, str]:
    """Of a memory that was opened from My memories: the way back there."""
    if request.GET.get("from") != "me":
        return {}
    return {"back_url": reverse("me"), "back_label": gettext("My memories")}


def _proposal_urls(request: HttpRequest, found: memory_pages.MemoryDetailPage) -> dict[str, str]:
    """What a reader can ask for: everybody reports, who writes suggests where they cannot edit."""
    row = found.shown.memory
    if row.status != Status.ACTIVE or row.audience.kind == AudienceType.MEMBER:
        return {}
    urls = {"report_url": reverse("memory-report", args=[row.id])}
    held = row.red_line or row.sensitive
    if not found.shown.changeable and not held and request.actor.role in WRITERS:
        urls["suggest_url"] = reverse("memory-suggest", args=[row.id])
    return urls


def _action_urls(request: HttpRequest, found: memory_pages.MemoryDetailPage) -> dict[str, str]:
    row = found.shown.memory
    urls: dict[str, str] = {}
    if found.restorable:
        urls["restore_url"] = reverse("memory-restore-page", args=[row.id])
    if row.status not in (Status.ACTIVE, Status.PENDING_REVIEW):
        return urls
    if found.shown.forgettable:
        urls["forget_url"] = reverse("memory-forget", args=[row.id])
    active = row.status == Status.ACTIVE
    protectable = row.red_line or not (is_proposition(row) or is_summary(row))
    noted = row.audience.kind == AudienceType.ROBOT
    if active and protectable and not noted and may_protect(request.actor, row):
        step = "memory-unprotect" if row.red_line else "memory-protect"
        urls[f"{step.removeprefix('memory-')}_url"] = reverse(step, args=[row.id])
    if found.shown.changeable:
        query = _query_context(request, row)["list_query"]
        urls["edit_url"] = reverse("memory-edit", args=[row.id]) + query
        if active and is_summary(row):
            if found.shown.forgettable and not row.red_line:
                urls["originals_url"] = reverse("memory-originals", args=[row.id])
        elif active:
            if not row.red_line:
                urls["share_url"] = reverse("memory-share-page", args=[row.id])
            if not (row.sensitive or is_proposition(row)) and is_divisible(row.content):
                urls["split_url"] = reverse("memory-split", args=[row.id])
    return urls
