"""The page of memories: ask a question, or browse what matches the filters.

The panel beside the list says why a result was found, not each line.
"""

from functools import partial
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from uuid import UUID

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.browsing import memory_pages
from memories.browsing.conversation_pages.folded_list import FoldedConversation
from memories.browsing.selection import NEWEST_FIRST, Selection, is_inactive, is_list_only
from memories.language.excerpts import query_stems
from memories.retrieval.resolve_filters import Query
from memories.views import conversation_presenter, memory_presenter
from memories.views.browsing import list_filters
from memories.views.forms.memory_forms import MAX_QUERY_CHARACTERS
from memories.views.forms.search_forms import MemoryFilterForm, RecallForm
from memories.views.memory_presenter import split_irrelevant
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.page_access import WRITERS, members_only

# One memory as a line of the list: drawn with the list, and anew after an act.

# As a line of the table of memories, or as the row that other pages have.
LINE_TEMPLATE, ROW_TEMPLATE = "line", "row"


def memory_line(
    request: HttpRequest,
    shown: memory_pages.ListedMemory,
    form: MemoryFilterForm,
    conversation: FoldedConversation | None = None,
) -> dict[str, Any]:
    """For components/memory_line.html, or conversation_line.html where a conversation replaces this
    memory. form: the address of the list, which the links keep."""
    q, query = form.cleaned_data.get("q", ""), form.query()
    memory = shown.memory
    row = memory_presenter.memory_row(
        shown, me=request.actor.member_id, now=timezone.now(), wanted=frozenset(query_stems(q))
    )
    back = f"?{query}" if query and not conversation else ""
    own = reverse("memory-row", args=[memory.id])
    if conversation:
        row |= conversation_presenter.conversation_line(
            conversation, form.cleaned_data.get("sort") or NEWEST_FIRST
        )
    return {
        **row,
        "url": row["url"] + back,
        "edit_url": row["edit_url"] and row["edit_url"] + back,
        "row_url": f"{own}?as={LINE_TEMPLATE}&q={quote(q)}" if q else f"{own}?as={LINE_TEMPLATE}",
        "used": memory.access_count,
        "used_at": memory.last_accessed_at,
    }


@require_safe
@members_only()
def refresh_row(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The line, or the row, as it is now. For the scripts that keep a list up to date."""
    form = MemoryFilterForm(request.GET)
    form.is_valid()
    shown = memory_pages.get_listed_memory(
        request.actor, memory_id, organisation=request.membership[1].name
    )
    template = "memory_row" if request.GET.get("as") == ROW_TEMPLATE else "memory_line"
    context = {
        "memory": memory_line(request, shown, form),
        "selectable": template == "memory_line" and request.actor.role != "viewer",
        "panel": True,
    }
    return render(request, f"components/{template}.html", context)


# What was forgotten and can be brought back.


@require_safe
@members_only(*WRITERS)
def trash(request: HttpRequest) -> HttpResponse:
    """What this person may bring back; nothing of it is deleted by itself."""
    form = RecallForm(request.GET)
    form.is_valid()
    now = timezone.now()
    page = memory_pages.list_forgotten(
        request.actor,
        now=now,
        organisation=request.membership[1].name,
        older_than=form.cleaned_data.get("before"),
    )
    me, here = request.actor.member_id, reverse("trash")
    rows = []
    for shown in page.rows:
        row = memory_presenter.memory_row(shown, me=me, now=now, wanted=frozenset())
        row |= {
            "forgotten_at": shown.memory.forgotten_at or now,
            "restore_url": reverse("memory-restore-page", args=[shown.memory.id]),
            "erase_url": reverse("memory-erase", args=[shown.memory.id])
            if shown.memory.id in page.erasable
            else "",
        }
        rows.append(row)
    pages = {
        "first_url": here if form.cleaned_data.get("before") else "",
        "next_url": f"{here}?before={page.older_than}" if page.older_than else "",
    }
    return render(request, "memories/browsing/trash.html", {"memories": rows, "page": pages})


MAX_HITS = 20
BULK_ACTIONS = (
    {"label": lazy_text("Category, tags, importance"), "action": "set"},
    {"label": lazy_text("Change who may read"), "action": "share"},
    {"label": lazy_text("Archive"), "action": "archive"},
    {"label": lazy_text("Forget"), "action": "forget", "caution": True},
)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def memory_list(request: HttpRequest) -> HttpResponse:
    """Recall as you type; without a question what matches, in the order that was chosen."""
    form = MemoryFilterForm(request.GET)
    form.is_valid()
    whole = not request.htmx or request.htmx.history_restore_request
    if "q" in form.errors:
        context = _too_long_context(request)
        page, selection = memory_pages.MemoryListPage([]), Selection()
    else:
        selection = list_filters.parse_selection(request.actor, form)
        page, context = _load_page(request, form, selection, bool(whole))
    if whole:
        context |= list_filters.page_context(request, form, selection, page)
    else:
        context |= list_filters.saved_filters_context(form, selection) | {"fresh": True}
    part = "" if whole else "#results"
    response = render(request, f"memories/browsing/list.html{part}", context)
    if not whole:
        here = list_url(context["q"], selection, **_display_parameters(form))
        response[_history_header(request, context["q"])] = here
    return response


def _history_header(request: HttpRequest, q: str) -> str:
    """The header for the address: each filter is a step of Back, each letter that is typed not."""
    before = QueryDict(urlsplit(request.htmx.current_url or "").query).get("q", "")
    return "HX-Replace-Url" if before and q and before != q else "HX-Push-Url"


def list_url(q: str, selection: Selection, **more: Any) -> str:
    """The page with these filters, without the empty ones."""
    parts = ({"q": q} if q else {}) | selection.named() | {k: v for k, v in more.items() if v}
    query = urlencode(parts, quote_via=quote)
    return f"{reverse('library')}?{query}" if query else reverse("library")


def _display_parameters(form: MemoryFilterForm, **instead: Any) -> dict[str, Any]:
    """How the list is shown, as parts of the address beside its filters."""
    data = form.cleaned_data
    return {"sort": data.get("sort"), "each": "1" if data.get("each") else ""} | instead


def _load_page(
    request: HttpRequest, form: MemoryFilterForm, selection: Selection, whole: bool
) -> tuple[memory_pages.MemoryListPage, dict[str, Any]]:
    data = form.cleaned_data
    q, after, order = data.get("q", ""), data.get("before"), data.get("sort") or NEWEST_FIRST
    asked = {
        "organisation": request.membership[1].name,
        "now": timezone.now(),
        "whole": list_filters.parse_saved_view if whole else None,
    }
    best = bool(q) and not is_list_only(selection)
    if best:
        # Half-typed questions do not count as a use of a memory; only a whole page does. Each row
        # is there to be looked after, whoever else keeps the same.
        query = Query(text=q, limit=MAX_HITS, counts=whole, prefer_personal=False)
        page = memory_pages.search_memories(request.actor, query, selection, **asked)
    else:
        more = {"text": q, "order": order, "after": after}
        more["fold"] = list_filters.should_fold(form, selection)
        page = memory_pages.list_memories(request.actor, selection, **asked, **more)
    here = partial(list_url, q, selection)
    rows = [
        memory_line(request, one, form, page.conversations.get(one.memory.id))
        | {"folded": one.memory.id in page.folded}
        for one in page.rows
    ]
    return page, {
        "q": q,
        **split_irrelevant(rows, page.answered),
        **memory_presenter.answer_context(page, me=request.actor.member_id),
        "sort": "" if best else order,
        "summary": list_filters.summary_labels(
            page, selection, order, best=best, further=bool(after)
        ),
        "heads": list_filters.column_heads(
            order, lambda to: here(**_display_parameters(form, sort=to)), sortable=not best
        ),
        "shown": list_filters.selected_columns(request),
        "columns": list_filters.column_choices(request),
        "list_query": form.query(),
        # While the page is open it is told how many came after its first line.
        "newest": rows[0]["id"] if rows and not (best or q or after or order) else "",
        "empty": list_filters.empty_state(request, selection, q, after),
        "page": {
            "next_url": here(**_display_parameters(form), before=page.older_than)
            if page.older_than
            else "",
            "next_label": gettext("Older") if order == NEWEST_FIRST else gettext("Next"),
            "first_url": here(**_display_parameters(form)) if after else "",
            "first_label": gettext("The newest") if order == NEWEST_FIRST else gettext("The first"),
        },
        "unsorted_url": here(**_display_parameters(form, sort="")) if order and not best else "",
        "each": bool(data.get("each")),
        "each_url": here(**_display_parameters(form, each="1")) if page.conversations else "",
        "fold_url": here(**_display_parameters(form, each=""))
        if data.get("each") and not (q or is_inactive(selection))
        else "",
        **_bulk_context(request, form, page),
    }


def _bulk_context(
    request: HttpRequest, form: MemoryFilterForm, page: memory_pages.MemoryListPage
) -> dict[str, Any]:
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
    but = gettext(", without the turns of chats") if page.lines and page.lines.conversations else ""
    return {
        "bulk_actions": [{**one, "url": f"{url}?action={one['action']}"} for one in BULK_ACTIONS],
        "bulk_query": form.query(),
        "all_label": gettext("All %(count)s that match%(but)s")
        % {"count": format_number(count), "but": but}
        if several
        else "",
    }


def _too_long_context(request: HttpRequest) -> dict[str, Any]:
    text = gettext(
        "A question can have %(max_query_characters)s characters. Shorten it and ask again."
    ) % {"max_query_characters": format_number(MAX_QUERY_CHARACTERS)}
    q = request.GET.get("q", "")[:MAX_QUERY_CHARACTERS].replace("\x00", "")
    return {"q": q, "empty": {"title": gettext("We could not use this question"), "text": text}}
