"""One memory as a line of the list: drawn with the list, and anew after an act."""

from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.browsing import memory_pages
from memories.browsing.conversation_pages.folded_list import FoldedConversation
from memories.browsing.selection import NEWEST_FIRST
from memories.language.excerpts import query_stems
from memories.views import conversation_presenter, memory_presenter
from memories.views.forms.search_forms import MemoryFilterForm
from orgs.views.page_access import members_only

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
