"""The list of memories: ask and see what comes up, or leaf through the newest."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.policies.wording import stems
from memories.services import browsing
from memories.services.recalling import Query, recall
from memories.views import presenting
from memories.views.forms import LONGEST_QUESTION, RecallForm
from orgs.access import members_only

HITS = 20


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def library(request: HttpRequest) -> HttpResponse:
    """Recall as you type; without a question the newest."""
    form = RecallForm(request.GET)
    form.is_valid()
    asked = form.cleaned_data
    context = {"q": asked.get("q", ""), "group": asked.get("group") or None}
    if "q" in form.errors:
        context |= _too_long(request)
    elif context["q"]:
        context |= _answer(request, context["q"], context["group"])
    else:
        context |= _newest(request, context["group"], asked.get("before"))
    part = request.htmx and not request.htmx.history_restore_request
    if not part:
        context |= _surroundings(request, context["group"])
    return render(request, f"memories/recall.html{'#results' if part else ''}", context)


def _rows(request: HttpRequest, shown: list[browsing.Shown], q: str) -> list[dict[str, Any]]:
    me, now = request.actor.member_id, timezone.now()
    wanted = frozenset(stems(q))
    return [presenting.row(one, me=me, now=now, wanted=wanted) for one in shown]


def _answer(request: HttpRequest, q: str, group: str | None) -> dict[str, Any]:
    # Half-typed questions are no use of a memory; only a whole page counts as one.
    query = Query(text=q, limit=HITS, group=group, counts=not request.htmx)
    found = recall(request.actor, query, now=timezone.now())
    memories = [memory for _, memory in found.hits]
    organisation = request.membership[1].name
    shown = browsing.present(request.actor, memories, organisation=organisation, group=group)
    count = len(shown)
    return {
        "memories": _rows(request, shown, q),
        "summary": f"{count} {'memory' if count == 1 else 'memories'}, best first",
        "empty": {
            "title": "No match",
            "text": "Nothing that you may read answers this. Try other words, or fewer.",
            "action_url": reverse("library"),
            "action_label": "See the newest",
        },
    }


def _newest(request: HttpRequest, group: str | None, before: Any) -> dict[str, Any]:
    organisation = request.membership[1].name
    page = browsing.newest(
        request.actor,
        organisation=organisation,
        now=timezone.now(),
        group=group,
        older_than=before,
    )
    return {
        "memories": _rows(request, page.rows, ""),
        "summary": "Older ones" if before else "The newest first",
        "page": _pages(group, page.older_than, before),
        "empty": _nothing_yet(request, group, before),
    }


def _pages(group: str | None, older_than: Any, before: Any) -> dict[str, str]:
    kept = {"group": group} if group else {}
    older = f"{reverse('library')}?{urlencode({**kept, 'before': older_than})}"
    return {
        "next_url": older if older_than else "",
        "first_url": f"{reverse('library')}?{urlencode(kept)}" if before else "",
    }


def _nothing_yet(request: HttpRequest, group: str | None, before: Any) -> dict[str, str]:
    if before:
        text = "You have reached the end of what you may read."
        return {"title": "Nothing older", "text": text, **_newest_link()}
    writes = request.actor.role != "viewer"
    where = "in this group that you may read" if group else "that you may read"
    return {
        "title": "Nothing here yet",
        "text": f"No memory {where} has been kept so far. Robots add what they learn"
        + (", and so can you." if writes else "."),
        "action_url": reverse("memory-add") if writes else "",
        "action_label": "Add the first memory",
    }


def _newest_link() -> dict[str, str]:
    return {"action_url": reverse("library"), "action_label": "See the newest"}


def _too_long(request: HttpRequest) -> dict[str, Any]:
    text = f"A question can have {LONGEST_QUESTION:,} characters. Shorten it and ask again."
    q = request.GET.get("q", "")[:LONGEST_QUESTION].replace("\x00", "")
    return {"q": q, "empty": {"title": "We could not use this question", "text": text}}


def _surroundings(request: HttpRequest, group: str | None) -> dict[str, Any]:
    """What the whole page has around the results."""
    groups = browsing.groups_to_ask_in(request.actor)
    options = [
        {"value": g.id, "label": f"Asked in {g.name}", "selected": str(g.id) == group}
        for g in groups
    ]
    return {
        "filters": [{"name": "group", "label": "Asked anywhere", "options": options}]
        if options
        else [],
        "clear_url": reverse("library") if options else "",
        "recall_url": reverse("library"),
        "add_url": reverse("memory-add") if request.actor.role != "viewer" else "",
        "panel": True,
    }
