"""Add a memory, correct it, forget it and bring it back."""

from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from memories.access.audience_choices import places
from memories.access.permissions import NotYours
from memories.access.red_lines import RedLine
from memories.curation.edit import Outdated, edit_memory
from memories.ingestion.drafts import Draft, Remembered
from memories.ingestion.remember import remember
from memories.library import browse
from memories.library.browse import ListedMemory
from memories.library.word_diff import differences
from memories.lifecycle.consolidation.undo_summary import undo_summary
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.review.models import Proposal
from memories.safety.refusals import HeldBack
from memories.store.encryption.keys import NoEncryptionKey
from memories.store.encryption.texts import Encrypted
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.views import presenter
from memories.views.forms import memories
from memories.views.memory import acts
from memories.views.memory.versions import undo_of
from orgs.errors import AlreadyExists
from orgs.views.access import WRITERS, members_only

PROPOSED = "Thank you. A curator looks at it before everyone can read it; until then you see it."
FORGOTTEN = "Forgotten. No answer uses it any more."
RESTORED = "It is back, for the same readers as before."
CHANGE_WAITS = (
    "Thank you. Your change waits for a curator; the words of now stay until then. You find its "
    "state under Review."
)
BEFORE_SAVING = "Your change waits for a curator; the words of now stay until then."
KNOWN = "This was known already. That it was said again makes it stronger."


@require_http_methods(["GET", "POST"])
@members_only(*WRITERS)
def add(request: HttpRequest) -> HttpResponse:
    """A new memory, for the readers that the writer chooses."""
    audiences = _audiences(request)
    form = memories.AddForm(audiences, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        draft = Draft(
            content=data["content"],
            category=data["category"],
            importance=data["importance"],
            sensitive=data["sensitive"],
            **form.placed(),
        )
        try:
            return _added(request, remember(request.actor, draft, now=timezone.now()))
        except NoEncryptionKey as error:
            form.add_error("sensitive", str(error))
    context = {"form": form, "audiences": audiences, "cancel_url": reverse("library")}
    return render(request, "memories/memory/add.html", context, status=422 if form.errors else 200)


def _audiences(request: HttpRequest) -> list[dict[str, Any]]:
    organisation = request.membership[1]
    proposes = request.actor.role == "member" and not organisation.members_publish
    return memories.audience_choices(
        places(request.actor, organisation=organisation.name),
        proposes=proposes,
        # An address chooses nothing wider than private: one that means to share leaves it open.
        chosen=request.POST.get("audience") or (None if "audience" in request.GET else "private"),
    )


def _added(request: HttpRequest, outcome: Remembered) -> HttpResponse:
    if outcome.status != "active":
        messages.info(request, PROPOSED)
    else:
        messages.success(request, KNOWN if outcome.deduplicated else "Remembered.")
    return redirect("memory-page", outcome.id)


@require_http_methods(["GET", "POST"])
@vary_on_headers("HX-Target")
@members_only(*WRITERS)
def edit(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Correct a memory; somebody else's change in between is shown, never overwritten."""
    shown = browse.editable(request.actor, memory_id, organisation=request.membership[1].name)
    memory = shown.memory
    form = memories.EditForm(
        request.POST or None,
        initial=_as_it_is(memory),
        grouped=presenter.can_be_shareable(memory),
    )
    if request.method == "POST" and form.is_valid():
        response = _saved(request, shown, form)
        if response is not None:
            return response
    return _edit_page(request, shown, form, 422 if form.errors else 200)


def _as_it_is(memory: Memory) -> dict[str, Any]:
    return {
        "content": memory.content,
        "category": memory.category,
        "importance": memories.nearest_importance(memory.importance),
        "shareable": memory.shareable,
        "sensitive": memory.sensitive,
        "version": memory.version,
    }


def _edit_page(
    request: HttpRequest, shown: ListedMemory, form: memories.EditForm, status: int, **more: Any
) -> HttpResponse:
    memory = shown.memory
    panel = acts.in_panel(request)
    context = {
        "form": form,
        "memory": {"content": memory.content, "url": reverse("memory-page", args=[memory.id])},
        "version": form["version"].value(),
        "cancel_url": _page_of(request, memory),
        "action_url": request.get_full_path(),
        "panel": panel,
        "publish_note": "" if shown.publishes else BEFORE_SAVING,
        **more,
    }
    template = f"memories/memory/add.html{'#form' if panel else ''}"
    # The panel shows what could not be saved; a script takes no other answer for that.
    return render(request, template, context, status=422 if panel and status >= 400 else status)


def _saved(
    request: HttpRequest, shown: ListedMemory, form: memories.EditForm
) -> HttpResponse | None:
    """Where to go after saving; None when the form has to be shown again."""
    memory = shown.memory
    data = dict(form.cleaned_data)
    version = data.pop("version")
    if "importance" not in form.changed_data:
        # Three words represent a number; keep the number unless another word was chosen.
        data.pop("importance")
    try:
        saved = edit_memory(request.actor, memory.id, data, now=timezone.now(), version=version)
    except Outdated as error:
        return _conflict(request, replace(shown, memory=error.memory), form)
    except (NoEncryptionKey, Encrypted) as error:
        form.add_error("sensitive", str(error))
        return None
    except (AlreadyExists, HeldBack, RedLine) as error:
        form.add_error("content", str(error))
        return None
    if isinstance(saved, Proposal):
        return _waits(request, memory)
    # What the older versions do not hold has no way back by a version.
    plain = not {"sensitive", "shareable"} & set(form.changed_data)
    undo = undo_of(saved) if plain and saved.version > memory.version else ""
    if acts.in_panel(request):
        return acts.done(acts.SAVED, memory.id, "Saved.", undo=undo)
    messages.success(request, "Saved.", extra_tags=undo)
    return redirect(_page_of(request, memory))


def _waits(request: HttpRequest, memory: Memory) -> HttpResponse:
    if acts.in_panel(request):
        return acts.done(acts.SAVED, memory.id, CHANGE_WAITS)
    messages.info(request, CHANGE_WAITS)
    return redirect(_page_of(request, memory))


def _page_of(request: HttpRequest, memory: Memory) -> str:
    """The memory's page, with the list that it was opened from: the way back to it."""
    url, query = reverse("memory-page", args=[memory.id]), acts.list_query(request.GET.urlencode())
    return f"{url}?{query}" if query else url


def _conflict(request: HttpRequest, shown: ListedMemory, form: memories.EditForm) -> HttpResponse:
    """Their text and ours, word by word; saving again replaces theirs knowingly."""
    memory = shown.memory
    mine, names = form.cleaned_data["content"], ("content", "category", "shareable", "sensitive")
    if all(form.cleaned_data.get(n, getattr(memory, n)) == getattr(memory, n) for n in names):
        # The same form sent twice, or the same thought: nothing is left to decide.
        return redirect("memory-page", memory.id)
    conflict = {"who": "Somebody", "diff": differences(memory.content, mine)}
    return _edit_page(request, shown, form, 409, conflict=conflict, version=memory.version)


@require_POST
@members_only()
def forget(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Forget a memory; the toast offers Undo. A repeated request changes nothing more."""
    memory = browse.readable(request.actor, memory_id)
    try:
        if memory.status != Status.FORGOTTEN:
            forget_memory(request.actor, memory_id, now=timezone.now())
    except RedLine as error:
        if request.htmx:
            return acts.refused(str(error))
        messages.error(request, str(error))
        return redirect("memory-page", memory_id)
    undo = reverse("memory-restore-page", args=[memory_id])
    if request.htmx:
        return acts.done(acts.GONE, memory_id, FORGOTTEN, undo=undo)
    messages.success(request, FORGOTTEN, extra_tags=undo)
    return redirect(acts.list_it_came_from(request) or "library")


@require_POST
@members_only()
def restore(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Bring a forgotten memory back; one that is back already stays."""
    browse.readable(request.actor, memory_id)
    with suppress(AlreadyExists):
        restore_memory(request.actor, memory_id, now=timezone.now())
    if request.htmx:
        return acts.done(acts.BACK, memory_id, RESTORED)
    messages.success(request, RESTORED)
    here = reverse("memory-page", args=[memory_id])
    return redirect(acts.list_it_came_from(request) or here)


@require_POST
@members_only()
def originals(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Bring back what a summary was made of; the summary is archived."""
    try:
        back = undo_summary(request.actor, memory_id, now=timezone.now())
    except (AlreadyExists, NotYours) as error:
        messages.error(request, str(error))
    else:
        are = "memory is" if back == 1 else "memories are"
        messages.success(request, f"{back:,} {are} back. The summary is archived.")
    return redirect("memory-page", memory_id)
