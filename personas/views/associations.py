"""Associations: confirmed, taken back, and their section on My memories."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from memories.access.consent import SharingOptOutError
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal
from orgs.views.page_access import members_only
from personas.associations.association_changes import confirm_association, delete_association
from personas.associations.association_news import SaidPersona, list_said_personas
from personas.browsing import persona_pages as library
from personas.browsing.own_personas import OwnPersona, list_own_personas
from personas.models.personas import Association, Persona
from personas.views import labels


def association_row(
    one: Association, persona: Persona, actor: Actor, *, back: str
) -> dict[str, Any]:
    """For personas/association.html. back: the page to return to, as `_back` knows it."""
    waits = one.confirmed_at is None
    return {
        "name": labels.persona_label(persona),
        "handle": persona.handle,
        "url": reverse("persona-page", args=[persona.handle]),
        "sure": labels.confidence_label(one.confidence),
        "told_by": labels.asserted_by(one, actor),
        "since": one.confirmed_at or one.discovered_at,
        "waits": waits,
        "confirm_url": _confirm_url(one) if waits else "",
        "leave_url": reverse("persona-association-remove", args=[one.id]),
        "back": back,
    }


def pending_association_rows(request: HttpRequest) -> list[dict[str, Any]]:
    """The associations that wait for confirmation."""
    found = []
    for one in library.list_pending_associations(request.actor):
        who = "" if _is_own(request, one) else one.member.name
        told = {"who": who, "member": who or gettext("You")}
        found.append(association_row(one, one.persona, request.actor, back="personas") | told)
    return found


def _confirm_url(association: Association) -> str:
    return reverse("persona-association-confirm", args=[association.id])


def own_personas_section(request: HttpRequest, principal: Principal) -> dict[str, Any]:
    """The member's personas on My memories."""
    found = list_own_personas(principal, now=timezone.now())
    return {
        **_notice(found, request.actor),
        "personas": [
            association_row(one.association, one.association.persona, request.actor, back="me")
            | {"new": one.new, "entries": one.entries}
            | ({"confirm_url": _confirm_url(one.association)} if one.new else {})
            for one in found
        ],
        "list_url": reverse("personas-page"),
        "robot_url": "" if request.actor.role == Role.VIEWER else reverse("me-robot"),
        "out": request.membership[0].sharing_off_at,
    }


def persona_news(request: HttpRequest, *, most: int) -> list[dict[str, Any]]:
    """What others say that the member does, for the page of their news."""
    actor = request.actor
    with organisation_scope(actor.organisation_id):
        return [_news_line(one, actor) for one in list_said_personas(actor, most=most)]


def _news_line(said: SaidPersona, actor: Actor) -> dict[str, Any]:
    one = said.association
    sentence = gettext("%(who)s says that this is what you do") % {
        "who": labels.asserted_by(one, actor)
    }
    return {
        "what": sentence[:1].upper() + sentence[1:],
        "text": labels.persona_label(one.persona),
        "state": {"label": gettext("You have it"), "tone": "good"}
        if one.confirmed_at
        else {"label": gettext("Waits for your yes"), "tone": "warn"},
        "at": said.at,
        "url": f"{reverse('me')}#personas",
        "answered": said.answered,
    }


def _notice(found: Sequence[OwnPersona], actor: Actor) -> dict[str, str]:
    """The notice at the top of the page: what is new to the member or waits for them."""
    asked = [one.association for one in found if one.new or not one.association.confirmed_at]
    if not asked:
        return {}
    names = [labels.persona_label(one.persona) for one in asked]
    robots = {labels.asserted_by(one, actor) for one in asked}
    told = {"who": robots.pop() if len(robots) == 1 else "", "names": ", ".join(names)}
    sentence = (
        gettext("%(who)s says what you do: %(names)s.")
        if told["who"]
        else gettext("robots say what you do: %(names)s.")
    ) % told
    return {
        "notice": sentence[:1].upper() + sentence[1:],
        "notice_url": "#personas",
        # An unconfirmed association has no effect yet, so there is nothing to undo.
        "notice_label": gettext("See it and answer")
        if any(one.confirmed_at is None for one in asked)
        else gettext("See it and undo it"),
    }


def _return_url(request: HttpRequest, one: Association) -> str:
    """The page on which the button was pressed."""
    match request.POST.get("back"):
        case "me":
            return f"{reverse('me')}#personas"
        case "persona":
            return reverse("persona-page", args=[one.persona.handle])
    return reverse("personas-page")


def _is_own(request: HttpRequest, one: Association) -> bool:
    return one.member_id == request.actor.member_id


@require_POST
@members_only()
def confirm_association_page(request: HttpRequest, association_id: UUID) -> HttpResponse:
    """Confirm an association, as its member or a curator."""
    try:
        one = confirm_association(request.actor, association_id, now=timezone.now())
    except SharingOptOutError:
        messages.error(
            request, gettext("Nothing was confirmed: who opts out of sharing has no persona.")
        )
        return redirect("personas-page")
    who = (
        gettext("You have")
        if _is_own(request, one)
        else gettext("%(name)s has") % {"name": one.member.name}
    )
    messages.success(
        request,
        gettext("Confirmed. %(who)s this persona: %(persona)s.")
        % {"who": who, "persona": labels.persona_label(one.persona)},
    )
    return redirect(_return_url(request, one))


@require_POST
@members_only()
def remove_association(request: HttpRequest, association_id: UUID) -> HttpResponse:
    """Leave a persona, or say that a robot was wrong; leaving can be undone."""
    one = delete_association(request.actor, association_id, now=timezone.now())
    if not _is_own(request, one):
        messages.success(
            request, gettext("%(name)s does not have this persona.") % {"name": one.member.name}
        )
        return redirect(_return_url(request, one))
    undo = reverse("persona-join", args=[one.persona.handle]) if one.confirmed_at else ""
    told = gettext(
        "You and your robot read nothing of this persona any more. The others keep theirs."
    )
    messages.success(request, told, extra_tags=undo)
    return redirect(_return_url(request, one))
