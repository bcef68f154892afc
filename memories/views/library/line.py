"""One memory as a line of the list: drawn with the list, and anew after an act."""

from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.language.excerpts import stems
from memories.library import browse
from memories.library.selection import AS_THEY_CAME
from memories.library.threads.folded import FoldedConversation
from memories.views import conversations, presenter
from memories.views.forms.library import LibraryForm
from orgs.views.access import members_only

# As a line of the table of memories, or as the row that other pages have.
LINE, ROW = "line", "row"


def line(
    request: HttpRequest,
    shown: browse.ListedMemory,
    form: LibraryForm,
    conversation: FoldedConversation | None = None,
) -> dict[str, Any]:
    """For components/memory_line.html, or conversation_line.html where a conversation replaces this
    memory. form: the address of the list, which the links keep."""
    q, query = form.cleaned_data.get("q", ""), form.query()
    memory = shown.memory
    row = presenter.row(
        shown, me=request.actor.member_id, now=timezone.now(), wanted=frozenset(stems(q))
    )
    back = f"?{query}" if query and not conversation else ""
    own = reverse("memory-row", args=[memory.id])
    if conversation:
        row |= conversations.line(conversation, form.cleaned_data.get("sort") or AS_THEY_CAME)
    return {
        **row,
        "url": row["url"] + back,
        "edit_url": row["edit_url"] and row["edit_url"] + back,
        "row_url": f"{own}?as={LINE}&q={quote(q)}" if q else f"{own}?as={LINE}",
        "used": memory.access_count,
        "used_at": memory.last_accessed_at,
    }


@require_safe
@members_only()
def row(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The line, or the row, as it is now. For the scripts that keep a list up to date."""
    form = LibraryForm(request.GET)
    form.is_valid()
    shown = browse.one(request.actor, memory_id, organisation=request.membership[1].name)
    template = "memory_row" if request.GET.get("as") == ROW else "memory_line"
    context = {
        "memory": line(request, shown, form),
        "selectable": template == "memory_line" and request.actor.role != "viewer",
        "panel": True,
    }
    return render(request, f"components/{template}.html", context)
