"""Protect a memory, and take the protection off."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memories.access.visibility import MemoryRequestError
from memories.browsing import memory_pages
from memories.review.models import Proposal
from memories.review.protect import protect_memory, unprotect_memory
from memories.views import memory_presenter
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import lazy_text
from orgs.views.page_access import members_only

PROPOSED_MESSAGE = lazy_text(
    "Thank you. Whoever looks after this memory decides; you find its state under Review."
)


class ProtectForm(forms.Form):
    """Why a memory is protected from now on, or no more."""

    reason = forms.CharField(
        label=lazy_text("Why"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}),
        help_text=lazy_text("Everybody who can read this memory reads the reason as well."),
        error_messages={"required": lazy_text("Say why in a few words.")},
    )


@require_http_methods(["GET", "POST"])
@members_only()
def protect(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """With a reason."""
    form = ProtectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            made = protect_memory(request.actor, memory_id, reason=reason, now=timezone.now())
        except (AlreadyExistsError, MemoryRequestError) as error:
            form.add_error(None, str(error))
        else:
            asked = isinstance(made, Proposal)
            messages.success(
                request, PROPOSED_MESSAGE if asked else gettext("Protected. It stays as it is.")
            )
            return redirect("memory-page", memory_id)
    return _render_page(request, memory_id, form, "protect")


@require_http_methods(["GET", "POST"])
@members_only()
def unprotect(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """With a reason, which stays beside the memory."""
    form = ProtectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            made = unprotect_memory(request.actor, memory_id, reason=reason, now=timezone.now())
        except (AlreadyExistsError, MemoryRequestError) as error:
            form.add_error(None, str(error))
        else:
            asked = isinstance(made, Proposal)
            messages.success(
                request, PROPOSED_MESSAGE if asked else gettext("It is not protected any more.")
            )
            return redirect("memory-page", memory_id)
    return _render_page(request, memory_id, form, "unprotect")


def _render_page(
    request: HttpRequest, memory_id: UUID, form: ProtectForm, step: str
) -> HttpResponse:
    memory = memory_pages.get_memory(request.actor, memory_id)
    context = {
        "form": form,
        "step": step,
        "memory": {"content": memory.content, "url": reverse("memory-page", args=[memory.id])},
        "protected": memory_presenter.protection_context(memory, request.actor.member_id),
        "expires": memory_presenter.memory_context(memory, request.actor.member_id)["expires"],
    }
    return render(
        request, "memories/memory/red_line.html", context, status=422 if form.errors else 200
    )
