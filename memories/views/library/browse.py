"""The page of memories: ask a question, or browse what matches the filters.

The panel beside the list says why a result was found, not each line.
"""

from functools import partial
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.library import browse
from memories.library.selection import AS_THEY_CAME, Selection, is_archive, listed_only
from memories.retrieval.recall import Query
from memories.views.fold import fold
from memories.views.forms.library import LibraryForm
from memories.views.forms.memories import LONGEST_QUESTION
from memories.views.library import columns, filters
from memories.views.library.line import line
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
    """Recall as you type; without a question what matches, in the order that was chosen."""
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
        context |= filters.surroundings(request, form, selection, page)
    else:
        context |= filters.kept(form, selection) | {"fresh": True}
    part = "" if whole else "#results"
    response = render(request, f"memories/library/list.html{part}", context)
    if not whole:
        here = address(context["q"], selection, **_look(form))
        response[_step(request, context["q"])] = here
    return response


def _step(request: HttpRequest, q: str) -> str:
    """The header for the address: each filter is a step of Back, each letter that is typed not."""
    before = QueryDict(urlsplit(request.htmx.current_url or "").query).get("q", "")
    return "HX-Replace-Url" if before and q and before != q else "HX-Push-Url"


def address(q: str, selection: Selection, **more: Any) -> str:
    """The page with these filters, without the empty ones."""
    parts = ({"q": q} if q else {}) | selection.named() | {k: v for k, v in more.items() if v}
    query = urlencode(parts, quote_via=quote)
    return f"{reverse('library')}?{query}" if query else reverse("library")


def _look(form: LibraryForm, **instead: Any) -> dict[str, Any]:
    """How the list is shown, as parts of the address beside its filters."""
    data = form.cleaned_data
    return {"sort": data.get("sort"), "each": "1" if data.get("each") else ""} | instead


def _found(
    request: HttpRequest, form: LibraryForm, selection: Selection, whole: bool
) -> tuple[browse.MemoryPage, dict[str, Any]]:
    data = form.cleaned_data
    q, after, order = data.get("q", ""), data.get("before"), data.get("sort") or AS_THEY_CAME
    asked = {
        "organisation": request.membership[1].name,
        "now": timezone.now(),
        "whole": filters.read_view if whole else None,
    }
    best = bool(q) and not listed_only(selection)
    if best:
        # Half-typed questions do not count as a use of a memory; only a whole page does. Each row
        # is there to be looked after, whoever else keeps the same.
        query = Query(text=q, limit=HITS, counts=whole, prefer_personal=False)
        page = browse.found(request.actor, query, selection, **asked)
    else:
        more = {"text": q, "order": order, "after": after}
        more["fold"] = filters.folds(form, selection)
        page = browse.library(request.actor, selection, **asked, **more)
    here = partial(address, q, selection)
    rows = [
        line(request, one, form, page.conversations.get(one.memory.id))
        | {"folded": one.memory.id in page.folded}
        for one in page.rows
    ]
    return page, {
        "q": q,
        **fold(rows, page.answered),
        "sort": "" if best else order,
        "summary": filters.summary(page, selection, order, best=best, further=bool(after)),
        "heads": columns.heads(order, lambda to: here(**_look(form, sort=to)), sortable=not best),
        "shown": columns.shown(request),
        "columns": columns.choices(request),
        "list_query": form.query(),
        "empty": filters.why_empty(request, selection, q, after),
        "page": {
            "next_url": here(**_look(form), before=page.older_than) if page.older_than else "",
            "next_label": "Older" if order == AS_THEY_CAME else "Next",
            "first_url": here(**_look(form)) if after else "",
            "first_label": "The newest" if order == AS_THEY_CAME else "The first",
        },
        "unsorted_url": here(**_look(form, sort="")) if order and not best else "",
        "each": bool(data.get("each")),
        "each_url": here(**_look(form, each="1")) if page.conversations else "",
        "fold_url": here(**_look(form, each=""))
        if data.get("each") and not (q or is_archive(selection))
        else "",
        **_bulk(request, form, page),
    }


def _bulk(request: HttpRequest, form: LibraryForm, page: browse.MemoryPage) -> dict[str, Any]:
    """What can be done with several; everything that matches only where it was counted."""
    if request.actor.role == "viewer":
        return {}
    url = reverse("memories-change")
    count, exact = page.count or (0, False)
    # What is folded is not chosen with all of it: nobody has seen it.
    if page.lines:
        count = page.lines.alone
    here = len(page.rows) - len(page.conversations)
    several = exact and not form.cleaned_data.get("q") and count > here
    but = ", without the turns of chats" if page.lines and page.lines.conversations else ""
    return {
        "bulk_actions": [{**one, "url": f"{url}?action={one['action']}"} for one in BULK],
        "bulk_query": form.query(),
        "all_label": f"All {count:,} that match{but}" if several else "",
    }


def _too_long(request: HttpRequest) -> dict[str, Any]:
    text = f"A question can have {LONGEST_QUESTION:,} characters. Shorten it and ask again."
    q = request.GET.get("q", "")[:LONGEST_QUESTION].replace("\x00", "")
    return {"q": q, "empty": {"title": "We could not use this question", "text": text}}
