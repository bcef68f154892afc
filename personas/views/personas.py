"""Personas: listed, one with what robots learned about serving it, described, removed."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from memories.access.consent import SharingOff
from memories.views import presenter
from orgs.errors import AlreadyExists
from orgs.views.access import MODERATORS, WRITERS, members_only
from personas.associations.associate import associate
from personas.blocks.blocks import fresh_for
from personas.library import personas as library
from personas.library.personas import ListedPersona, PersonaPage
from personas.registry.personas import DESCRIBED, describe_persona, persona_shown, remove_persona
from personas.views import associations, words
from personas.views.forms import NewPersonaForm, PageForm, PersonaForm
from personas.views.tabs import tabs_of


@require_safe
@members_only()
def personas(request: HttpRequest) -> HttpResponse:
    """All of them by handle; for who curates also what waits for a decision."""
    form = PageForm(request.GET)
    after = form.cleaned_data["after"] if form.is_valid() else ""
    listed, last = library.personas_listed(request.actor, now=timezone.now(), after=after)
    url, curates = reverse("personas-page"), request.actor.moderates
    context = {
        "rows": [_row(one) for one in listed],
        "page": {
            "first_url": url if after else "",
            "next_url": f"{url}?{urlencode({'after': last})}" if last else "",
        },
        "waiting": associations.waiting_rows(request) if curates else [],
        "add_url": reverse("persona-add") if curates else "",
        "tabs": tabs_of("personas-page") if curates else [],
    }
    return render(request, "personas/list.html", context)


def _row(listed: ListedPersona) -> dict[str, Any]:
    persona, mine = listed.persona, listed.mine
    return {
        "url": reverse("persona-page", args=[persona.handle]),
        "name": words.name_of(persona),
        "handle": persona.handle,
        "description": persona.description,
        "members": getattr(persona, "members", 0),
        "entries": listed.entries,
        "mine": mine is not None and mine.confirmed_at is not None,
        "said": mine is not None and mine.confirmed_at is None,
    }


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def persona(request: HttpRequest, handle: str) -> HttpResponse:
    """One persona; for its members and curators with what robots learned."""
    return shown(request, handle)


def shown(request: HttpRequest, handle: str, **more: Any) -> HttpResponse:
    """The page of a persona, or for htmx its list of entries."""
    actor, now = request.actor, timezone.now()
    found = library.persona_page(actor, handle, organisation=request.membership[1].name, now=now)
    context = _about(request, found)
    if found.block is not None and found.readers is not None:
        context |= {
            "shown": words.block(found.block),
            "entries": words.entries(
                found.block, actor, now=now, fresh_for=fresh_for(), curates=found.writes
            ),
            "audience": presenter.audience(found.readers, place=found.audience),
            "writes": found.writes,
            "trends_url": reverse("trends-page", args=[handle]),
        }
    part = "#entries" if request.htmx.target == "entries" else ""
    return render(request, f"personas/persona.html{part}", context | more)


def _about(request: HttpRequest, found: PersonaPage) -> dict[str, Any]:
    one, mine, actor = found.persona, found.mine, request.actor
    facts = (
        ("Figures that count", one.kpis),
        ("What they want to reach", one.motivations),
        ("What they typically ask", one.queries),
    )
    return {
        "persona": {
            "name": words.name_of(one),
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
        "mine": associations.row(mine, one, actor, back="persona") if mine else None,
        "out": request.membership[0].sharing_off_at,
        "back_url": reverse("personas-page"),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*MODERATORS)
def add(request: HttpRequest) -> HttpResponse:
    """Make a persona."""
    form = NewPersonaForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _described(request, form.cleaned_data["handle"], form)
    return _form(request, form, reverse("personas-page"))


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*MODERATORS)
def edit(request: HttpRequest, handle: str) -> HttpResponse:
    """Change the description of a persona."""
    one = persona_shown(request.actor, handle)
    known = {name: getattr(one, name) for name in DESCRIBED}
    form = PersonaForm(request.POST or None, initial=known)
    if request.method == "POST" and form.is_valid():
        return _described(request, handle, form)
    return _form(request, form, reverse("persona-page", args=[handle]), words.name_of(one))


def _described(request: HttpRequest, handle: str, form: PersonaForm) -> HttpResponse:
    fields = {name: form.cleaned_data[name] for name in DESCRIBED}
    one, made = describe_persona(request.actor, handle, fields, now=timezone.now())
    told = f"{words.name_of(one)} is here." if made else "Saved."
    messages.success(request, told)
    return redirect("persona-page", one.handle)


def _form(request: HttpRequest, form: PersonaForm, cancel: str, name: str = "") -> HttpResponse:
    context = {"form": form, "name": name, "cancel_url": cancel}
    return render(request, "personas/describe.html", context, status=422 if form.errors else 200)


@require_POST
@members_only(*MODERATORS)
def remove(request: HttpRequest, handle: str) -> HttpResponse:
    """Remove a persona without memories."""
    try:
        remove_persona(request.actor, handle, now=timezone.now())
    except AlreadyExists as refused:
        messages.error(request, str(refused))
        return redirect("persona-page", handle)
    messages.success(request, f"{handle} is removed, and nobody has it any more.")
    return redirect("personas-page")


@require_POST
@members_only(*WRITERS)
def join(request: HttpRequest, handle: str) -> HttpResponse:
    """A member says that they have the persona."""
    one = persona_shown(request.actor, handle)
    try:
        associate(request.actor, member=None, handle=handle, confidence=None, now=timezone.now())
    except SharingOff:
        messages.error(request, "You have opted out of sharing. Opt in again first.")
    else:
        messages.success(request, f"You have this persona now: {words.name_of(one)}.")
    return redirect("persona-page", handle)
