"""Break glass in the admin, and where members read of it."""

from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from memories.privacy.break_glass import (
    DisclosureClosedError,
    list_disclosures,
    open_disclosure,
    read_disclosed_memory,
)
from orgs.languages.page_text import lazy_text
from orgs.support.support_sessions import find_organisation_session
from orgs.views.page_access import members_only
from orgs.views.support.support_access import support_only


class DisclosureReasonForm(forms.Form):
    reason = forms.CharField(
        label=lazy_text("Why do you need to read it?"),
        min_length=10,
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=lazy_text(
            "In a sentence. Whose memory it is, and the organisation's admins, read it."
        ),
    )


@require_http_methods(["GET", "POST"])
@support_only
def open_for_support(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Ask for a reason, then open one memory for fifteen minutes."""
    look = find_organisation_session(request)
    if look is None:
        return redirect(f"{reverse('support-organisation')}?next={request.path}")
    form = DisclosureReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            open_disclosure(
                organisation_id=look.organisation_id,
                memory_id=memory_id,
                staff=request.user,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
        except DisclosureClosedError as closed:
            return _render_page(request, memory_id, closed=str(closed), status=409)
        return redirect("support-read", memory_id)
    return _render_page(request, memory_id, form=form, status=422 if form.errors else 200)


@require_safe
@support_only
def read_for_support(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """What the memory says, while it is open to this person."""
    look = find_organisation_session(request)
    if look is None:
        return redirect(f"{reverse('support-organisation')}?next={request.path}")
    try:
        memory, disclosure = read_disclosed_memory(
            organisation_id=look.organisation_id,
            memory_id=memory_id,
            staff=request.user,
            now=timezone.now(),
        )
    except DisclosureClosedError as closed:
        return _render_page(request, memory_id, closed=str(closed), status=409)
    return _render_page(request, memory_id, content=memory.content, disclosure=disclosure)


def _render_page(
    request: HttpRequest, memory_id: UUID, status: int = 200, **more: object
) -> HttpResponse:
    context = {
        "back": (gettext("The memory’s metadata"), reverse("support-memory", args=[memory_id])),
        "again": reverse("support-open", args=[memory_id]),
    }
    return render(request, "support/disclosure.html", context | more, status=status)


@require_safe
@members_only()
def disclosure_notices(request: HttpRequest) -> HttpResponse:
    """Where support opened what is this member's."""
    found = list_disclosures(request.actor)
    return render(request, "memories/privacy/notices.html", {"disclosures": found})
