"""Add a memory, correct it, forget it and bring it back."""

from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from memories.access.audience_labels import list_audience_choices
from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import proposes_to_everyone
from memories.browsing import memory_pages
from memories.browsing.memory_pages import ListedMemory
from memories.browsing.word_diff import diff_words
from memories.curation.edit_memory import OutdatedVersionError, edit_memory
from memories.ingestion.drafts import Draft, RememberResult
from memories.ingestion.remember import remember
from memories.lifecycle.consolidation.summarise import undo_summary
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.questions.work_list import AlikeQuestions, close_questions, get_question
from memories.review.models import Proposal
from memories.safety.gate_refusals import GateRefusedError
from memories.store.encryption.keys import MissingEncryptionKeyError
from memories.store.encryption.texts import EncryptedTextError
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.views import memory_presenter
from memories.views.forms import memory_forms
from memories.views.memory import action_responses
from memories.views.memory.versions import undo_url
from memories.views.review.open_questions import question_row
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.languages.page_text import format_number, lazy_text
from orgs.organisations.references import parse_uuid
from orgs.views.page_access import WRITERS, members_only

PROPOSED_MESSAGE = lazy_text(
    "Thank you. A curator looks at it before everyone can read it; until then you see it."
)
FORGOTTEN_MESSAGE = lazy_text("Forgotten. No answer uses it any more.")
RESTORED_MESSAGE = lazy_text("It is back, for the same readers as before.")
CHANGE_WAITS = lazy_text(
    "Thank you. Your change waits for a curator; the words of now stay until then. You find its "
    "state under Review."
)
BEFORE_SAVING = lazy_text("Your change waits for a curator; the words of now stay until then.")
ALREADY_KNOWN_MESSAGE = lazy_text(
    "This was known already. That it was said again makes it stronger."
)


@require_http_methods(["GET", "POST"])
@members_only(*WRITERS)
def add_memory(request: HttpRequest) -> HttpResponse:
    """A new memory, for the readers that the writer chooses."""
    audiences = _audience_choices(request)
    question = _find_question(request)
    if question:
        request.stands_under = reverse("open-questions")
    form = memory_forms.AddMemoryForm(audiences, request.POST or None)
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
            outcome = remember(request.actor, draft, now=timezone.now())
        except MissingEncryptionKeyError as error:
            form.add_error("sensitive", str(error))
        else:
            if question:
                _close_question(request, question)
            return _redirect_to_added(request, outcome)
    context = {
        "form": form,
        "audiences": audiences,
        "question": question_row(question) if question else None,
        "cancel_url": reverse("open-questions" if question else "library"),
    }
    return render(request, "memories/memory/add.html", context, status=422 if form.errors else 200)


def _find_question(request: HttpRequest) -> AlikeQuestions | None:
    """What the memory is to answer, by the address of the form; None for nothing."""
    if "question" not in request.GET:
        return None
    try:
        question_id = parse_uuid(request.GET["question"])
        if question_id is None:
            raise Http404
        return get_question(request.actor, question_id, now=timezone.now())
    except NotFoundError as error:
        raise Http404 from error


def _close_question(request: HttpRequest, question: AlikeQuestions) -> None:
    """Take an answered question off the list; perhaps somebody did meanwhile."""
    with suppress(NotFoundError):
        close_questions(request.actor, question.id, answered=True, now=timezone.now())


def _audience_choices(request: HttpRequest) -> list[dict[str, Any]]:
    organisation = request.membership[1]
    proposes = proposes_to_everyone(
        request.actor.role, members_publish=organisation.members_publish
    )
    return memory_forms.audience_choices(
        list_audience_choices(request.actor, organisation=organisation.name),
        proposes=proposes,
        # An address chooses nothing wider than private: one that means to share leaves it open.
        chosen=request.POST.get("audience") or (None if "audience" in request.GET else "private"),
    )


def _redirect_to_added(request: HttpRequest, outcome: RememberResult) -> HttpResponse:
    if outcome.status != "active":
        messages.info(request, PROPOSED_MESSAGE)
    else:
        messages.success(
            request, ALREADY_KNOWN_MESSAGE if outcome.deduplicated else gettext("Remembered.")
        )
    if request.POST.get("first") == "1":
        # From the example on the first page, which goes on with it.
        return redirect(f"{reverse('home')}?first={outcome.id}")
    return redirect("memory-page", outcome.id)


@require_http_methods(["GET", "POST"])
@vary_on_headers("HX-Target")
@members_only(*WRITERS)
def edit_memory_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Correct a memory; somebody else's change in between is shown, never overwritten."""
    shown = memory_pages.get_editable_memory(
        request.actor, memory_id, organisation=request.membership[1].name
    )
    memory = shown.memory
    form = memory_forms.EditMemoryForm(
        request.POST or None,
        initial=_initial_values(memory),
        grouped=memory_presenter.can_be_shareable(memory),
    )
    if request.method == "POST" and form.is_valid():
        response = _save(request, shown, form)
        if response is not None:
            return response
    return _render_edit(request, shown, form, 422 if form.errors else 200)


def _initial_values(memory: Memory) -> dict[str, Any]:
    return {
        "content": memory.content,
        "category": memory.category,
        "importance": memory_forms.nearest_importance(memory.importance),
        "shareable": memory.shareable,
        "sensitive": memory.sensitive,
        "version": memory.version,
    }


def _render_edit(
    request: HttpRequest,
    shown: ListedMemory,
    form: memory_forms.EditMemoryForm,
    status: int,
    **more: Any,
) -> HttpResponse:
    memory = shown.memory
    panel = action_responses.is_panel_request(request)
    context = {
        "form": form,
        "memory": {"content": memory.content, "url": reverse("memory-page", args=[memory.id])},
        "version": form["version"].value(),
        "cancel_url": _memory_url(request, memory),
        "action_url": request.get_full_path(),
        "panel": panel,
        "publish_note": "" if shown.publishes else BEFORE_SAVING,
        **more,
    }
    template = f"memories/memory/add.html{'#form' if panel else ''}"
    # The panel shows what could not be saved; a script takes no other answer for that.
    return render(request, template, context, status=422 if panel and status >= 400 else status)


def _save(
    request: HttpRequest, shown: ListedMemory, form: memory_forms.EditMemoryForm
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
    except OutdatedVersionError as error:
        return _render_conflict(request, replace(shown, memory=error.memory), form)
    except (MissingEncryptionKeyError, EncryptedTextError) as error:
        form.add_error("sensitive", str(error))
        return None
    except (AlreadyExistsError, GateRefusedError, RedLineError) as error:
        form.add_error("content", str(error))
        return None
    if isinstance(saved, Proposal):
        return _waits(request, memory)
    # What the older versions do not hold has no way back by a version.
    plain = not {"sensitive", "shareable"} & set(form.changed_data)
    undo = undo_url(saved) if plain and saved.version > memory.version else ""
    if action_responses.is_panel_request(request):
        return action_responses.event_response(
            action_responses.SAVED_EVENT, memory.id, gettext("Saved."), undo=undo
        )
    messages.success(request, gettext("Saved."), extra_tags=undo)
    return redirect(_memory_url(request, memory))


def _waits(request: HttpRequest, memory: Memory) -> HttpResponse:
    if action_responses.is_panel_request(request):
        return action_responses.event_response(
            action_responses.SAVED_EVENT, memory.id, CHANGE_WAITS
        )
    messages.info(request, CHANGE_WAITS)
    return redirect(_memory_url(request, memory))


def _memory_url(request: HttpRequest, memory: Memory) -> str:
    """The memory's page, with the list that it was opened from: the way back to it."""
    url, query = (
        reverse("memory-page", args=[memory.id]),
        action_responses.list_query(request.GET.urlencode()),
    )
    return f"{url}?{query}" if query else url


def _render_conflict(
    request: HttpRequest, shown: ListedMemory, form: memory_forms.EditMemoryForm
) -> HttpResponse:
    """Their text and ours, word by word; saving again replaces theirs knowingly."""
    memory = shown.memory
    mine, names = form.cleaned_data["content"], ("content", "category", "shareable", "sensitive")
    if all(form.cleaned_data.get(n, getattr(memory, n)) == getattr(memory, n) for n in names):
        # The same form sent twice, or the same thought: nothing is left to decide.
        return redirect("memory-page", memory.id)
    conflict = {"who": gettext("Somebody"), "diff": diff_words(memory.content, mine)}
    return _render_edit(request, shown, form, 409, conflict=conflict, version=memory.version)


@require_POST
@members_only()
def forget_memory_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Forget a memory; the toast offers Undo. A repeated request changes nothing more."""
    memory = memory_pages.get_memory(request.actor, memory_id)
    try:
        if memory.status != Status.FORGOTTEN:
            forget_memory(request.actor, memory_id, now=timezone.now())
    except RedLineError as error:
        if request.htmx:
            return action_responses.error_response(str(error))
        messages.error(request, str(error))
        return redirect("memory-page", memory_id)
    undo = reverse("memory-restore-page", args=[memory_id])
    if request.htmx:
        return action_responses.event_response(
            action_responses.GONE_EVENT, memory_id, FORGOTTEN_MESSAGE, undo=undo
        )
    messages.success(request, FORGOTTEN_MESSAGE, extra_tags=undo)
    return redirect(action_responses.find_origin_list_url(request) or "library")


@require_POST
@members_only()
def restore_memory_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Bring a forgotten memory back; one that is back already stays."""
    memory_pages.get_memory(request.actor, memory_id)
    with suppress(AlreadyExistsError):
        restore_memory(request.actor, memory_id, now=timezone.now())
    if request.htmx:
        return action_responses.event_response(
            action_responses.BACK_EVENT, memory_id, RESTORED_MESSAGE
        )
    messages.success(request, RESTORED_MESSAGE)
    here = reverse("memory-page", args=[memory_id])
    return redirect(action_responses.find_origin_list_url(request) or here)


@require_POST
@members_only()
def undo_summary_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Bring back what a summary was made of; the summary is archived."""
    try:
        back = undo_summary(request.actor, memory_id, now=timezone.now())
    except (AlreadyExistsError, ChangeForbiddenError) as error:
        messages.error(request, str(error))
    else:
        are = gettext("memory is") if back == 1 else gettext("memories are")
        messages.success(
            request,
            gettext("%(back)s %(are)s back. The summary is archived.")
            % {"back": format_number(back), "are": are},
        )
    return redirect("memory-page", memory_id)
