"""What was forgotten and can be brought back."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.browsing import memory_pages
from memories.views import memory_presenter
from memories.views.forms.search_forms import RecallForm
from orgs.views.page_access import WRITERS, members_only


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
