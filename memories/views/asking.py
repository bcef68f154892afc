"""Ask for a change that is somebody else's to make: suggest another text, report."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memories.policies.visibility import Misplaced
from memories.services import browsing
from memories.services.proposing import propose_correction, report_memory
from memories.views import presenting, review_forms
from orgs.access import WRITERS, members_only
from orgs.services import AlreadyExists

SUGGESTED = "Thank you. Whoever looks after this memory decides; you find its state under Review."


@require_http_methods(["GET", "POST"])
@members_only(*WRITERS)
def suggest(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Another text for a memory."""
    shown = browsing.detail(request.actor, memory_id, organisation=request.membership[1].name).shown
    form = review_forms.SuggestForm(request.POST or None, initial={"content": shown.memory.content})
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
    shown = browsing.detail(request.actor, memory_id, organisation=request.membership[1].name).shown
    form = review_forms.ReportForm(request.POST or None)
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


def _ask(request: HttpRequest, shown: browsing.Shown, form: Any, step: str) -> HttpResponse:
    url = reverse("memory-page", args=[shown.memory.id])
    context = {
        "form": form,
        "step": step,
        "memory": {"content": shown.memory.content, "url": url},
        "audience": presenting.audience(shown.readers),
    }
    return render(request, "memories/ask.html", context, status=422 if form.errors else 200)
