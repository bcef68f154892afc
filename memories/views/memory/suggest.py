"""Ask for a change that is somebody else's to make: suggest another text, report."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memories.access.visibility import MemoryRequestError
from memories.browsing import memory_pages
from memories.review.propose import propose_correction, report_memory
from memories.views import memory_presenter
from memories.views.forms import review_forms
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import lazy_text
from orgs.views.page_access import WRITERS, members_only

PROPOSED_MESSAGE = lazy_text(
    "Thank you. Whoever looks after this memory decides; you find its state under Review."
)


@require_http_methods(["GET", "POST"])
@members_only(*WRITERS)
def suggest_correction(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Another text for a memory."""
    shown = memory_pages.get_detail_page(
        request.actor, memory_id, organisation=request.membership[1].name
    ).shown
    form = review_forms.SuggestForm(request.POST or None, initial={"content": shown.memory.content})
    if request.method == "POST" and form.is_valid():
        try:
            propose_correction(request.actor, memory_id, now=timezone.now(), **form.cleaned_data)
        except (AlreadyExistsError, MemoryRequestError) as error:
            form.add_error("content", str(error))
        else:
            return _redirect_with_thanks(request, memory_id)
    return _render_form(request, shown, form, "suggest")


@require_http_methods(["GET", "POST"])
@members_only()
def report_memory_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Say that a memory is wrong or should not be here."""
    shown = memory_pages.get_detail_page(
        request.actor, memory_id, organisation=request.membership[1].name
    ).shown
    form = review_forms.ReportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            report_memory(
                request.actor, memory_id, reason=form.cleaned_data["reason"], now=timezone.now()
            )
        except AlreadyExistsError as error:
            form.add_error("reason", str(error))
        else:
            return _redirect_with_thanks(request, memory_id)
    return _render_form(request, shown, form, "report")


def _redirect_with_thanks(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    messages.success(request, PROPOSED_MESSAGE)
    return redirect("memory-page", memory_id)


def _render_form(
    request: HttpRequest, shown: memory_pages.ListedMemory, form: Any, step: str
) -> HttpResponse:
    url = reverse("memory-page", args=[shown.memory.id])
    context = {
        "form": form,
        "step": step,
        "memory": {"content": shown.memory.content, "url": url},
        "audience": memory_presenter.audience_badge(shown.readers, shown.memory),
    }
    return render(
        request, "memories/memory/suggest.html", context, status=422 if form.errors else 200
    )
