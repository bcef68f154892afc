"""Change who may read one memory: who reads it now and who would. It cannot be undone."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from memories.access.audience_labels import list_audience_choices
from memories.access.consent import SharingOptOutError
from memories.access.permissions import ChangeForbiddenError
from memories.access.visibility import MemoryRequestError, Visibility, WriteAccess, write_access
from memories.browsing import memory_pages
from memories.browsing.memory_pages import ListedMemory
from memories.curation.share_memory import share_memory
from memories.safety.gate_refusals import GateRefusedError
from memories.store.models.memory import Memory
from memories.views import memory_presenter
from memories.views.forms import memory_forms
from memories.views.memory import action_responses
from memories.views.memory.readers import new_readers_context
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.languages.page_text import lazy_text
from orgs.models.audiences import AudienceType
from orgs.views.page_access import WRITERS, members_only
from robots.people.people_administration import list_colleagues

REFUSAL_ERRORS = (
    AlreadyExistsError,
    GateRefusedError,
    MemoryRequestError,
    NotFoundError,
    ChangeForbiddenError,
    PermissionError,
    SharingOptOutError,
)
SOME_PEOPLE_CHOICE = {
    "value": "shared",
    "kind": "explicit",
    "label": lazy_text("Some people"),
    "sentence": lazy_text("You, and those whom you tick below."),
}


@require_http_methods(["GET", "POST"])
@vary_on_headers("HX-Request", "HX-Target")
@members_only(*WRITERS)
def share_memory_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The form, then the change; a person who may not make it sees why."""
    shown = memory_pages.get_editable_memory(
        request.actor, memory_id, organisation=request.membership[1].name
    )
    people = _people_choices(request)
    panel = action_responses.is_panel_request(request)
    if request.htmx and not panel and request.htmx.target != "newly":
        return render(request, "memories/memory/share.html#people", {"people": people})
    audiences = sharing_choices(request, shown.memory) + _some_people_choice(request, people)
    if request.htmx and not panel:
        return render(
            request,
            "memories/memory/share.html#newly",
            _new_readers_context(request, shown, audiences, people),
        )
    # Who only looks for people has not decided yet.
    decided = request.POST if request.method == "POST" and "look" not in request.POST else None
    form = memory_forms.ShareMemoryForm(audiences, people["chosen"], decided)
    if form.is_bound and form.is_valid():
        try:
            share_memory(request.actor, memory_id, **form.placed(), now=timezone.now())
        except REFUSAL_ERRORS as error:
            form.add_error("audience", str(error))
        else:
            if panel:
                return action_responses.event_response(
                    action_responses.SAVED_EVENT,
                    memory_id,
                    gettext("Done. The panel says who can read it now."),
                )
            messages.success(request, gettext("Done. The page says who can read it now."))
            return redirect("memory-page", memory_id)
    return _render_page(request, shown, audiences, form, people)


def _people_choices(request: HttpRequest) -> dict[str, Any]:
    """The people to tick: those already ticked, and those found by the typed name."""
    asked = request.POST if request.method == "POST" else request.GET
    form = memory_forms.FindPeopleForm(asked)
    named = form.cleaned_data["find"] if form.is_valid() else ""
    # Ticks come only from the form, so that no link opens a page with people chosen already.
    ticked = asked.getlist("people") if request.method == "POST" or request.htmx else []
    chosen, found, more = list_colleagues(request.actor, named=named, chosen=ticked)
    return {"find": named, "chosen": chosen, "found": found, "more": more}


def _some_people_choice(request: HttpRequest, people: dict[str, Any]) -> list[dict[str, Any]]:
    """The choice of some people, unless there is nobody else to choose."""
    if not (people["chosen"] or people["found"] or people["find"]):
        return []
    return [
        {
            **SOME_PEOPLE_CHOICE,
            "checked": request.POST.get("audience") == SOME_PEOPLE_CHOICE["value"],
        }
    ]


def _render_page(
    request: HttpRequest,
    shown: ListedMemory,
    audiences: list[dict[str, Any]],
    form: memory_forms.ShareMemoryForm,
    people: dict[str, Any],
) -> HttpResponse:
    context = {
        "memory": memory_presenter.memory_link(shown.memory),
        "audience": memory_presenter.audience_badge(shown.readers, shown.memory),
        "audiences": audiences,
        "form": form,
        "people": people,
        **_new_readers_context(request, shown, audiences, people),
    }
    panel = action_responses.is_panel_request(request)
    status, template = 422 if form.errors else 200, "memories/memory/share.html"
    context["panel"] = panel
    return render(request, f"{template}{'#form' if panel else ''}", context, status=status)


def _new_readers_context(
    request: HttpRequest,
    shown: ListedMemory,
    audiences: list[dict[str, Any]],
    people: dict[str, Any],
) -> dict[str, Any]:
    """Who would newly read it with what is chosen so far."""
    chosen = [id_ for id_, _ in people["chosen"]]
    return {
        "sheet": new_readers_context(request, audiences, chosen, (), shown.memory.id),
        "share_url": reverse("memory-share-page", args=[shown.memory.id]),
    }


def sharing_choices(request: HttpRequest, memory: Memory | None = None) -> list[dict[str, Any]]:
    """The audiences that this person may choose; for one memory with its own chosen."""
    organisation = request.membership[1]
    found = memory_forms.audience_choices(
        list_audience_choices(request.actor, organisation=organisation.name),
        proposes=False,
        chosen=request.POST.get("audience") or (_current_choice(memory) if memory else None),
    )
    left_out = set()
    access = write_access(
        request.actor.role, Visibility.ORGANISATION, members_publish=organisation.members_publish
    )
    if access is not WriteAccess.YES:
        left_out.add("organisation")
    if memory and request.actor.member_id not in (
        memory.member_id,
        memory.author_id,
        memory.speaker_member_id,
    ):
        left_out.add("private")
    return [one for one in found if one["value"] not in left_out]


def _current_choice(memory: Memory) -> str | None:
    match memory.audience.kind:
        case AudienceType.MEMBER:
            return "private"
        case AudienceType.GROUP:
            return f"group:{memory.audience.group_id}"
        case AudienceType.ORGANISATION:
            return "organisation"
    return None
