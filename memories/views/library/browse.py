"""The page of memories: ask and see what comes up, or leaf through what matches the filters."""

from typing import Any
from urllib.parse import quote, urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.language.excerpts import stems
from memories.library import browse
from memories.library.selection import Selection, is_archive
from memories.retrieval.explanation.reasons import reasons
from memories.retrieval.recall import Query
from memories.views import presenter
from memories.views.forms.library import LibraryForm
from memories.views.forms.memories import LONGEST_QUESTION
from memories.views.library import filters
from orgs.views.access import members_only

HITS = 20
BULK = (
    {"label": "Category, tags, importance", "action": "set"},
    {"label": "Change who may read", "action": "share"},
    {"label": "Archive", "action": "archive"},
    {"label": "Forget", "action": "forget", "caution": True},
)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def library(request: HttpRequest) -> HttpResponse:
    """Recall as you type; without a question what matches, the newest first."""
    form = LibraryForm(request.GET)
    form.is_valid()
    whole = not request.htmx or request.htmx.history_restore_request
    if "q" in form.errors:
        context = _too_long(request)
        page, selection = browse.MemoryPage([]), Selection()
    else:
        selection = filters.selection_of(request.actor, form)
        page, context = _found(request, form, selection, bool(whole))
    if whole:
        context |= filters.surroundings(request, selection, page, context["q"])
    part = "" if whole else "#results"
    response = render(request, f"memories/library/list.html{part}", context)
    if not whole:
        response["HX-Replace-Url"] = address(context["q"], selection)
    return response


def address(q: str, selection: Selection, **more: Any) -> str:
    """The page with these filters, without the empty ones."""
    parts = ({"q": q} if q else {}) | selection.named() | {k: v for k, v in more.items() if v}
    query = urlencode(parts, quote_via=quote)
    return f"{reverse('library')}?{query}" if query else reverse("library")


def _found(
    request: HttpRequest, form: LibraryForm, selection: Selection, whole: bool
) -> tuple[browse.MemoryPage, dict[str, Any]]:
    q, before = form.cleaned_data.get("q", ""), form.cleaned_data.get("before")
    asked = {"organisation": request.membership[1].name, "now": timezone.now(), "whole": whole}
    if q and not is_archive(selection):
        # Half-typed questions are no use of a memory; only a whole page counts as one.
        # Each row is there to be looked after, whoever else keeps the same.
        query = Query(text=q, limit=HITS, counts=whole, prefer_personal=False)
        page = browse.found(request.actor, query, selection, **asked)
        count = len(page.rows)
        words = f"{count} {'memory' if count == 1 else 'memories'}, best first"
    else:
        page = browse.library(request.actor, selection, text=q, older_than=before, **asked)
        words = "Older ones" if before else "The newest first"
    return page, {
        "q": q,
        "memories": _rows(request, page, q),
        "summary": words,
        "empty": filters.why_empty(request, selection, q, before),
        "page": {
            "about": filters.about(page.count),
            "next_url": address(q, selection, before=page.older_than) if page.older_than else "",
            "first_url": address(q, selection) if before else "",
        },
        **_bulk(request, selection, page, q),
    }


def _rows(request: HttpRequest, page: browse.MemoryPage, q: str) -> list[dict[str, Any]]:
    me, now, wanted = request.actor.member_id, timezone.now(), frozenset(stems(q))
    asked = f"?{urlencode({'q': q})}" if q else ""
    rows = []
    for one in page.rows:
        row = presenter.row(one, me=me, now=now, wanted=wanted)
        row["url"] += asked
        if share := page.shares.get(one.memory.id):
            row["reasons"] = reasons(share, one.memory.content, wanted)
        rows.append(row)
    return rows


def _bulk(
    request: HttpRequest, selection: Selection, page: browse.MemoryPage, q: str
) -> dict[str, Any]:
    """What can be done with several; everything that matches only where it was counted."""
    if request.actor.role == "viewer":
        return {}
    url = reverse("memories-change")
    count, exact = page.count or (0, False)
    several = exact and not q and count > len(page.rows)
    return {
        "bulk_actions": [{**one, "url": f"{url}?action={one['action']}"} for one in BULK],
        "bulk_query": urlencode(selection.named()),
        "all_label": f"All {count:,} that match" if several else "",
    }


def _too_long(request: HttpRequest) -> dict[str, Any]:
    text = f"A question can have {LONGEST_QUESTION:,} characters. Shorten it and ask again."
    q = request.GET.get("q", "")[:LONGEST_QUESTION].replace("\x00", "")
    return {"q": q, "empty": {"title": "We could not use this question", "text": text}}
