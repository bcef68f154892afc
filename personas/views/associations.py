"""Associations: confirmed, taken back, and their section on My memories."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from memories.access.consent import SharingOff
from memories.views.privacy.sections import shows_on_my_page
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal
from orgs.views.access import members_only
from personas.associations.associate import confirm as confirm_association
from personas.associations.associate import dissociate
from personas.library import personas as library
from personas.library.mine import MyPersona, my_personas
from personas.models.personas import Association, Persona
from personas.views import words


def row(one: Association, persona: Persona, actor: Actor, *, back: str) -> dict[str, Any]:
    """For personas/association.html. back: the page to return to, as `_back` knows it."""
    waits = one.confirmed_at is None
    return {
        "name": words.name_of(persona),
        "handle": persona.handle,
        "url": reverse("persona-page", args=[persona.handle]),
        "sure": words.confidence(one.confidence),
        "told_by": words.told_by(one, actor),
        "since": one.confirmed_at or one.discovered_at,
        "waits": waits,
        "confirm_url": reverse("persona-association-confirm", args=[one.id]) if waits else "",
        "leave_url": reverse("persona-association-remove", args=[one.id]),
        "back": back,
    }


def waiting_rows(request: HttpRequest) -> list[dict[str, Any]]:
    """The associations that wait for confirmation."""
    found = []
    for one in library.waiting(request.actor):
        who = "" if _own(request, one) else one.member.name
        told = {"who": who, "member": who or "You"}
        found.append(row(one, one.persona, request.actor, back="personas") | told)
    return found


@shows_on_my_page("personas/my_section.html")
def my_section(request: HttpRequest, principal: Principal) -> dict[str, Any]:
    """The member's personas on My memories."""
    found = my_personas(principal, now=timezone.now())
    return {
        **_notice(found, request.actor),
        "personas": [
            row(one.association, one.association.persona, request.actor, back="me")
            | {"new": one.new, "entries": one.entries}
            for one in found
        ],
        "list_url": reverse("personas-page"),
        "robot_url": "" if request.actor.role == Role.VIEWER else reverse("me-robot"),
        "out": request.membership[0].sharing_off_at,
    }


def _notice(found: Sequence[MyPersona], actor: Actor) -> dict[str, str]:
    """The notice at the top of the page: what is new to the member or waits for them."""
    asked = [one.association for one in found if one.new or not one.association.confirmed_at]
    if not asked:
        return {}
    names = [words.name_of(one.persona) for one in asked]
    robots = {words.told_by(one, actor) for one in asked}
    who = robots.pop() if len(robots) == 1 else "robots"
    say = "say" if who == "robots" else "says"
    sentence = f"{who} {say} what you do: {', '.join(names)}."
    return {
        "notice": sentence[:1].upper() + sentence[1:],
        "notice_url": "#personas",
        # An unconfirmed association has no effect yet, so there is nothing to undo.
        "notice_label": "See it and answer"
        if any(one.confirmed_at is None for one in asked)
        else "See it and undo it",
    }


def _back(request: HttpRequest, one: Association) -> str:
    """The page on which the button was pressed."""
    match request.POST.get("back"):
        case "me":
            return f"{reverse('me')}#personas"
        case "persona":
            return reverse("persona-page", args=[one.persona.handle])
    return reverse("personas-page")


def _own(request: HttpRequest, one: Association) -> bool:
    return one.member_id == request.actor.member_id


@require_POST
@members_only()
def confirm(request: HttpRequest, association_id: UUID) -> HttpResponse:
    """Confirm an association, as its member or a curator."""
    try:
        one = confirm_association(request.actor, association_id, now=timezone.now())
    except SharingOff:
        messages.error(request, "Nothing was confirmed: who opts out of sharing has no persona.")
        return redirect("personas-page")
    who = "You have" if _own(request, one) else f"{one.member.name} has"
    messages.success(request, f"Confirmed. {who} this persona: {words.name_of(one.persona)}.")
    return redirect(_back(request, one))


@require_POST
@members_only()
def remove(request: HttpRequest, association_id: UUID) -> HttpResponse:
    """Leave a persona, or say that a robot was wrong; leaving can be undone."""
    one = dissociate(request.actor, association_id, now=timezone.now())
    if not _own(request, one):
        messages.success(request, f"{one.member.name} does not have this persona.")
        return redirect(_back(request, one))
    undo = reverse("persona-join", args=[one.persona.handle]) if one.confirmed_at else ""
    told = "You and your robot read nothing of this persona any more. The others keep theirs."
    messages.success(request, told, extra_tags=undo)
    return redirect(_back(request, one))
