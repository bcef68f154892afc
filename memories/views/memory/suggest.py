"""Ask for a change that is somebody else's to make: suggest another text, report."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memories.access.visibility import Misplaced
from memories.library import browse
from memories.review.propose import propose_correction, report_memory
from memories.views import presenter
from memories.views.forms import review
from orgs.errors import AlreadyExists
from orgs.views.access import WRITERS, members_only

SUGGESTED = "Thank you. Whoever looks after this memory decides; you find its state under Review."


@require_http_methods(["GET", "POST"])
@members_only(*WRITERS)
def suggest(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Another text for a memory."""
    shown = browse.detail(request.actor, memory_id, organisation=request.membership[1].name).shown
    form = review.SuggestForm(request.POST or None, initial={"content": shown.memory.content})
    if request.method == "POST" and form.is_valid():
        try:
            propose_correction(request.actor, memory_id, now=timezone.now(), **form.cleaned_data)
        except (AlreadyExists, Misplaced) as error:
            form.add_error("content", str(error))
        else:
            return _thanks(request, memory_id)
    return _ask(request, shown, form, "suggest")


@require_http_methods(["GET", "POST"])
@members_only()
def report(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Say that a memory is wrong or should not be here."""
    shown = browse.detail(request.actor, memory_id, organisation=request.membership[1].name).shown
    form = review.ReportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            report_memory(
                request.actor, memory_id, reason=form.cleaned_data["reason"], now=timezone.now()
            )
        except AlreadyExists as error:
            form.add_error("reason", str(error))
        else:
            return _thanks(request, memory_id)
    return _ask(request, shown, form, "report")


def _thanks(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    messages.success(request, SUGGESTED)
    return redirect("memory-page", memory_id)


def _ask(request: HttpRequest, shown: browse.ListedMemory, form: Any, step: str) -> HttpResponse:
    url = reverse("memory-page", args=[shown.memory.id])
    context = {
        "form": form,
        "step": step,
        "memory": {"content": shown.memory.content, "url": url},
        "audience": presenter.audience(shown.readers, shown.memory),
    }
    return render(
        request, "memories/memory/suggest.html", context, status=422 if form.errors else 200
    )
