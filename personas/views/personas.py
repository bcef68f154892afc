"""Personas: listed, one with what robots learned about serving it, described, removed."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.access.consent import SharingOptOutError
from memories.views import memory_presenter
from orgs.errors import AlreadyExistsError
from orgs.views.page_access import MODERATOR_ROLES, WRITERS, members_only
from personas.associations.association_changes import ensure_association
from personas.blocks.block_views import BlockView, fresh_period
from personas.browsing import persona_pages as library
from personas.browsing.persona_pages import PersonaDetails, PersonaListItem
from personas.registry.personas import (
    DESCRIPTION_FIELDS,
    create_or_update_persona,
    delete_persona,
    get_persona_with_counts,
)
from personas.views import associations, labels
from personas.views.forms import NewPersonaForm, PersonaForm, PersonaPageForm
from personas.views.tabs import persona_tabs


@require_safe
@members_only()
def personas(request: HttpRequest) -> HttpResponse:
    """All of them by handle; for who curates also what waits for a decision."""
    form = PersonaPageForm(request.GET)
    after = form.cleaned_data["after"] if form.is_valid() else ""
    found = library.list_personas_page(request.actor, now=timezone.now(), after=after)
    url, curates = reverse("personas-page"), request.actor.moderates
    context = {
        "rows": [_persona_row(one) for one in found.personas],
        "page": {
            "first_url": url if after else "",
            "next_url": f"{url}?{urlencode({'after': found.last})}" if found.last else "",
        },
        "waiting": associations.pending_association_rows(request) if curates else [],
        "add_url": reverse("persona-add") if curates else "",
        "tabs": persona_tabs("personas-page") if curates else [],
    }
    if found.everybody is not None:
        context |= _block_context(request, found.everybody, writes=curates)
    return render(request, "personas/list.html", context)


def _block_context(request: HttpRequest, shown: BlockView, *, writes: bool) -> dict[str, Any]:
    """A shared block with its entries, for personas/persona.html#entries."""
    rows = labels.entry_rows(
        shown, request.actor, now=timezone.now(), fresh_for=fresh_period(), curates=writes
    )
    return {"shown": labels.block_context(shown), "entries": rows, "writes": writes}


def render_entries(request: HttpRequest, shown: BlockView) -> HttpResponse:
    """The list of entries of a shared block, for htmx of who curates."""
    context = _block_context(request, shown, writes=True)
    return render(request, "personas/persona.html#entries", context)


def _persona_row(listed: PersonaListItem) -> dict[str, Any]:
    persona, mine = listed.persona, listed.mine
    return {
        "url": reverse("persona-page", args=[persona.handle]),
        "name": labels.persona_label(persona),
        "handle": persona.handle,
        "description": persona.description,
        "members": getattr(persona, "members", 0),
        "entries": listed.entries,
        "mine": mine is not None and mine.confirmed_at is not None,
        "said": mine is not None and mine.confirmed_at is None,
    }


@require_safe
@members_only()
def persona(request: HttpRequest, handle: str) -> HttpResponse:
    """One persona; for its members and curators with what robots learned."""
    actor, now = request.actor, timezone.now()
    found = library.get_persona_details(
        actor, handle, organisation=request.membership[1].name, now=now
    )
    context = _persona_context(request, found)
    if found.block is not None and found.readers is not None:
        context |= _block_context(request, found.block, writes=found.writes) | {
            "audience": memory_presenter.audience_badge(found.readers, place=found.audience),
            "trends_url": reverse("trends-page", args=[handle]),
        }
    return render(request, "personas/persona.html", context)


def _persona_context(request: HttpRequest, found: PersonaDetails) -> dict[str, Any]:
    one, mine, actor = found.persona, found.mine, request.actor
    facts = (
        (gettext("Figures that count"), one.kpis),
        (gettext("What they want to reach"), one.motivations),
        (gettext("What they typically ask"), one.queries),
    )
    return {
        "persona": {
            "name": labels.persona_label(one),
            "handle": one.handle,
            "description": one.description,
            "members": getattr(one, "members", 0),
            "facts": [(label, lines) for label, lines in facts if lines],
            "edit_url": reverse("persona-edit", args=[one.handle]) if actor.moderates else "",
            "remove_url": reverse("persona-remove", args=[one.handle]) if actor.moderates else "",
            "join_url": reverse("persona-join", args=[one.handle])
            if actor.role in WRITERS and mine is None and not request.membership[0].sharing_off_at
            else "",
        },
        "mine": associations.association_row(mine, one, actor, back="persona") if mine else None,
        "out": request.membership[0].sharing_off_at,
        "back_url": reverse("personas-page"),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*MODERATOR_ROLES)
def add(request: HttpRequest) -> HttpResponse:
    """Make a persona."""
    form = NewPersonaForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _save_persona(request, form.cleaned_data["handle"], form)
    return _render_form(request, form, reverse("personas-page"))


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*MODERATOR_ROLES)
def edit(request: HttpRequest, handle: str) -> HttpResponse:
    """Change the description of a persona."""
    one = get_persona_with_counts(request.actor, handle)
    known = {name: getattr(one, name) for name in DESCRIPTION_FIELDS}
    form = PersonaForm(request.POST or None, initial=known)
    if request.method == "POST" and form.is_valid():
        return _save_persona(request, handle, form)
    return _render_form(
        request, form, reverse("persona-page", args=[handle]), labels.persona_label(one)
    )


def _save_persona(request: HttpRequest, handle: str, form: PersonaForm) -> HttpResponse:
    fields = {name: form.cleaned_data[name] for name in DESCRIPTION_FIELDS}
    one, made = create_or_update_persona(request.actor, handle, fields, now=timezone.now())
    told = (
        gettext("%(one)s is here.") % {"one": labels.persona_label(one)}
        if made
        else gettext("Saved.")
    )
    messages.success(request, told)
    return redirect("persona-page", one.handle)


def _render_form(
    request: HttpRequest, form: PersonaForm, cancel: str, name: str = ""
) -> HttpResponse:
    context = {"form": form, "name": name, "cancel_url": cancel}
    return render(request, "personas/describe.html", context, status=422 if form.errors else 200)


@require_POST
@members_only(*MODERATOR_ROLES)
def remove(request: HttpRequest, handle: str) -> HttpResponse:
    """Remove a persona without memories."""
    try:
        delete_persona(request.actor, handle, now=timezone.now())
    except AlreadyExistsError as refused:
        messages.error(request, str(refused))
        return redirect("persona-page", handle)
    messages.success(
        request, gettext("%(handle)s is removed, and nobody has it any more.") % {"handle": handle}
    )
    return redirect("personas-page")


@require_POST
@members_only(*WRITERS)
def join(request: HttpRequest, handle: str) -> HttpResponse:
    """A member says that they have the persona."""
    one = get_persona_with_counts(request.actor, handle)
    try:
        ensure_association(
            request.actor, member=None, handle=handle, confidence=None, now=timezone.now()
        )
    except SharingOptOutError:
        messages.error(request, gettext("You have opted out of sharing. Opt in again first."))
    else:
        messages.success(
            request,
            gettext("You have this persona now: %(one)s.") % {"one": labels.persona_label(one)},
        )
    return redirect("persona-page", handle)
