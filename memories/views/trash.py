"""What was forgotten and can be brought back."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.services import browsing
from memories.views import presenting
from memories.views.forms import RecallForm
from orgs.access import WRITERS, members_only

KEPT_DAYS = 30


@require_safe
@members_only(*WRITERS)
def trash(request: HttpRequest) -> HttpResponse:
    """What this person may bring back, for 30 days on this page."""
    form = RecallForm(request.GET)
    form.is_valid()
    now = timezone.now()
    page = browsing.forgotten(
        request.actor,
        organisation=request.membership[1].name,
        since=now - timedelta(days=KEPT_DAYS),
        older_than=form.cleaned_data.get("before"),
    )
    me, here = request.actor.member_id, reverse("trash")
    rows = []
    for shown in page.rows:
        row = presenting.row(shown, me=me, now=now, wanted=frozenset())
        gone_at = shown.memory.forgotten_at or now
        left = KEPT_DAYS - (now - gone_at).days
        row |= {
            "forgotten_at": gone_at,
            "left": f"{left} {'day' if left == 1 else 'days'} left",
            "restore_url": reverse("memory-restore-page", args=[shown.memory.id]),
        }
        rows.append(row)
    pages = {
        "first_url": here if form.cleaned_data.get("before") else "",
        "next_url": f"{here}?before={page.older_than}" if page.older_than else "",
    }
    return render(request, "memories/trash.html", {"memories": rows, "page": pages})
