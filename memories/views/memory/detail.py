"""One memory: what it says, who can read it, where it comes from."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.language.propositions import is_divisible
from memories.library import browse
from memories.review.red_line import may_protect
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.views import conversations, origins, presenter
from memories.views.forms.library import LibraryForm
from memories.views.insights.tier_words import standing
from memories.views.memory import versions
from orgs.models.audiences import AudienceKind
from orgs.views.access import ADMINS, WRITERS, members_only


@require_safe
@vary_on_headers("HX-Target")
@members_only()
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The page, or for the side panel its fragment."""
    found = browse.detail(request.actor, memory_id, organisation=request.membership[1].name)
    panel = request.htmx.target == "panel-body"
    return render(
        request, f"memories/memory/detail.html{'#panel' if panel else ''}", _context(request, found)
    )


def _context(request: HttpRequest, found: browse.Detail) -> dict[str, Any]:
    me, row, changeable = request.actor.member_id, found.shown.memory, found.shown.changeable
    return {
        "memory": presenter.about(row, me),
        "learned": origins.learned(row, me),
        "audience": presenter.gone(row) or presenter.audience(found.shown.readers, row),
        "restated": presenter.restated(found.shown.memory, found.restatement),
        "standing": standing(found.standing, timezone.now())
        if row.status == Status.ACTIVE
        else None,
        "turns": presenter.conversation(found, me),
        "thread_url": _thread_url(found),
        "heard_by": presenter.heard_by(found, me),
        "versions": versions.timeline(found.history, row, me, changeable=changeable)
        if row.version > 1
        else [],
        "versions_url": reverse("memory-versions", args=[row.id]) if found.history.before else "",
        "derived_from": [presenter.link(other) for other in found.lineage.derived_from],
        "used_in": [presenter.link(other) for other in found.lineage.used_in],
        "further_back": [
            [presenter.link(other) for other in level] for level in found.lineage.further_back
        ],
        **_question(request, row),
        "trail_url": reverse("memory-trail", args=[row.id]) if request.actor.role in ADMINS else "",
        **_actions(request, found),
        **_asking(request, found),
    }


def _thread_url(found: browse.Detail) -> str:
    """The conversation that it is a turn of, or that the first it was made from is."""
    rows = [found.shown.memory, *found.lineage.derived_from]
    turns = (one for one in rows if one.conversation and one.status == Status.ACTIVE)
    turn = next(turns, None)
    return conversations.url(turn.id) if turn else ""


def _question(request: HttpRequest, row: Memory) -> dict[str, str]:
    """What was asked before it was opened, and the list that it was opened from."""
    form = LibraryForm(request.GET)
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


def _asking(request: HttpRequest, found: browse.Detail) -> dict[str, str]:
    """What a reader can ask for: everybody reports, who writes suggests where they cannot edit."""
    row = found.shown.memory
    if row.status != Status.ACTIVE or row.audience.kind == AudienceKind.MEMBER:
        return {}
    urls = {"report_url": reverse("memory-report", args=[row.id])}
    held = row.red_line or row.sensitive
    if not found.shown.changeable and not held and request.actor.role in WRITERS:
        urls["suggest_url"] = reverse("memory-suggest", args=[row.id])
    return urls


def _actions(request: HttpRequest, found: browse.Detail) -> dict[str, str]:
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
    noted = row.audience.kind == AudienceKind.ROBOT
    if active and protectable and not noted and may_protect(request.actor, row):
        step = "memory-unprotect" if row.red_line else "memory-protect"
        urls[f"{step.removeprefix('memory-')}_url"] = reverse(step, args=[row.id])
    if found.shown.changeable:
        query = _question(request, row)["list_query"]
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
