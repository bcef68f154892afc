"""Why recall returns a memory for a question, or why not."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.browsing import memory_pages
from memories.retrieval.explanation.explain import Explanation, explain_memory, tier_weight
from memories.retrieval.ranking.cues import MAX_CUES
from memories.retrieval.resolve_filters import Query
from memories.views import memory_presenter
from memories.views.forms.search_forms import RecallForm
from orgs.views.page_access import members_only

MAX_HITS = 20


@require_safe
@vary_on_headers("HX-Target")
@members_only()
def explanation_page(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The page with a question to ask, or for the memory page its fragment."""
    form = RecallForm(request.GET)
    form.is_valid()
    q, group = form.cleaned_data.get("q", ""), form.cleaned_data.get("group") or None
    if q:
        filters = {"groups": [group]} if group else {}
        query = Query(text=q, limit=MAX_HITS, filters=filters)
        found = explain_memory(request.actor, memory_id, query, now=timezone.now())
        context = {"memory": _memory_row(found.memory), **explanation_context(found)}
    else:
        context = {"memory": _memory_row(memory_pages.get_memory(request.actor, memory_id))}
    context |= {
        "q": q,
        "group": group,
        "why_url": reverse("memory-why", args=[memory_id]),
        "back_url": reverse("memory-page", args=[memory_id]),
    }
    part = request.htmx.target == "why"
    return render(request, f"memories/memory/explain.html{'#why' if part else ''}", context)


def _memory_row(memory: Any) -> dict[str, Any]:
    return {"content": memory.content, "status": memory_presenter.status_badge(memory)}


def explanation_context(found: Explanation) -> dict[str, Any]:
    """For memories/memory/explain.html: a verdict, the reasons, and each part of the score."""
    return {
        "verdict": _verdict_sentence(found),
        "served": found.served,
        "reasons": [reason.text for reason in found.reasons],
        "scores": _score_rows(found),
    }


def _verdict_sentence(found: Explanation) -> str:
    if found.served:
        place = "first" if found.rank == 1 else gettext("at place %(rank)s") % {"rank": found.rank}
        return gettext("This comes up %(place)s for that question.") % {"place": place}
    return gettext("This does not come up for that question.")


def _score_rows(found: Explanation) -> list[dict[str, Any]]:
    share, hit = found.share, found.hit
    if share is None or hit is None:
        return []
    parts = [
        (gettext("Close in meaning"), share.meaning),
        (gettext("Shares words"), share.words),
        (gettext("Who, when, how much"), max(0.0, hit.cues) / MAX_CUES),
        (gettext("Strength"), share.strength),
        (gettext("Its tier"), tier_weight(found.memory)),
        (gettext("All together"), hit.score),
    ]
    return [
        {"label": label, "value": min(1.0, value), "text": f"{value:.0%}".removesuffix("%")}
        for label, value in parts
        if value is not None
    ]
