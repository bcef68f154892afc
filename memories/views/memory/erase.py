"""Erase one memory for good, after somebody has typed that they mean it."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memories.access.permissions import RedLineError
from memories.privacy.erase_memory import erase_memory, preview_erase
from memories.store.models.choices import Status
from memories.views import memory_presenter
from memories.views.forms.memory_forms import CONFIRM_ERASURE
from orgs.views.page_access import WRITERS, members_only


@require_http_methods(["GET", "POST"])
@members_only()
def erase_memory_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """What goes and what stays; then it is gone."""
    name = request.membership[1].name
    stays = preview_erase(request.actor, memory_id, organisation=name)
    shown = stays.shown
    forgotten = shown.memory.status == Status.FORGOTTEN
    trash = forgotten and request.membership[0].role in WRITERS
    context = {
        "memory": {"text": shown.memory.content, **memory_presenter.memory_link(shown.memory)},
        "audience": memory_presenter.audience_badge(shown.readers, shown.memory),
        "stays": stays,
        "word": CONFIRM_ERASURE,
        "back": "trash" if trash else "me",
    }
    if request.method == "GET":
        return render(request, "memories/memory/erase.html", context)
    if request.POST.get("confirm", "").strip() != CONFIRM_ERASURE:
        context["error"] = True
        return render(request, "memories/memory/erase.html", context, status=422)
    try:
        erase_memory(request.actor, memory_id, confirm=str(memory_id), now=timezone.now())
    except RedLineError as error:
        context["refusal"] = str(error)
        return render(request, "memories/memory/erase.html", context, status=409)
    messages.success(request, gettext("Erased for good."))
    return redirect(context["back"])
