"""What can be answered to an item of the review queue."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from memories.access.consent import SharingOff
from memories.access.permissions import NotYours
from memories.access.red_lines import RedLine
from memories.access.visibility import Misplaced
from memories.curation import decide, review_item
from memories.curation.decide import ReviewAnswer
from memories.curation.edit import Outdated
from memories.curation.undo import undo as undo_decision
from memories.library.word_diff import differences
from memories.review import holds
from memories.review import queue as review_queue
from memories.review.models import Proposal
from memories.safety.refusals import HeldBack
from memories.views.forms import review
from memories.views.review import wording
from memories.views.review.queue import kept_query, page, worked_through
from orgs.errors import AlreadyExists, NotFound
from orgs.views.access import MODERATORS, members_only

Verb = Callable[..., Proposal]
REFUSALS = (
    review_queue.Decided,
    holds.Held,
    Misplaced,
    NotYours,
    RedLine,
    AlreadyExists,
    SharingOff,
    HeldBack,
)


@require_POST
@members_only()
def approve(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """As it is."""
    return _decide(request, item_id, decide.approve)


@require_http_methods(["GET", "POST"])
@members_only()
def edit(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """With another text."""
    return _with_form(request, item_id, "edit", review.EditedForm, decide.approve)


@require_http_methods(["GET", "POST"])
@members_only()
def reject(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """With a reason."""
    return _with_form(request, item_id, "reject", review.RejectForm, decide.reject)


@require_http_methods(["GET", "POST"])
@members_only()
def merge(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Merge it into a memory that the readers already have."""
    if request.method == "POST":
        return _with_form(request, item_id, "merge", review.MergeForm, decide.merge)
    return page(request, item_id, step="merge", into=request.GET.get("into", ""))


@require_POST
@members_only()
def drop(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Keep the older of two twins as it is, and drop the newer."""
    return _of_pair(request, item_id, decide.merge)


@require_POST
@members_only()
def supersede(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """The newer of two that disagree is valid from now on; the older is kept as formerly true."""
    return _of_pair(request, item_id, decide.approve)


def _of_pair(request: HttpRequest, item_id: UUID, verb: Verb) -> HttpResponse:
    form = review.PairForm(request.POST)
    if not form.is_valid():
        return page(request, item_id, 422)
    return _decide(request, item_id, verb, form=form)


def _with_form(
    request: HttpRequest, item_id: UUID, step: str, kind: type[review.AnswerForm], verb: Verb
) -> HttpResponse:
    form = kind(request.POST) if request.method == "POST" else None
    if form is not None and form.is_valid():
        return _decide(request, item_id, verb, step=step, form=form)
    return page(request, item_id, 422 if form else 200, step=step, form=form)


def _decide(
    request: HttpRequest,
    item_id: UUID,
    verb: Verb,
    step: str = "",
    form: review.AnswerForm | None = None,
) -> HttpResponse:
    form = form or review.AnswerForm(request.POST)
    answer = ReviewAnswer(**form.cleaned_data) if form.is_valid() else ReviewAnswer()
    try:
        done = verb(request.actor, item_id, answer, now=timezone.now())
    except Outdated as error:
        return _stale(request, item_id, error, answer, step=step, form=form)
    except decide.Unread as error:
        return page(request, item_id, 400, step=step, form=form, refusal=str(error))
    except REFUSALS as error:
        return page(request, item_id, 409, step=step, form=form, refusal=str(error))
    messages.success(request, wording.done(done), extra_tags=reverse("review-undo", args=[item_id]))
    return _onward(request, item_id)


def _stale(
    request: HttpRequest, item_id: UUID, error: Outdated, answer: ReviewAnswer, **more: Any
) -> HttpResponse:
    """What changed since the page was opened; nothing of it is overwritten."""
    memory = error.memory
    seen = answer.into_version if answer.into == memory.id else answer.version
    old = review_item.before_change(request.actor, memory, seen or 0)
    conflict = {"diff": differences(old, memory.content) if old else [], "text": memory.content}
    return page(request, item_id, 409, conflict=conflict, **more)


def _onward(request: HttpRequest, item_id: UUID) -> HttpResponse:
    asked = worked_through(request)
    following = review_item.next_item(request.actor, item_id, now=timezone.now(), filters=asked)
    address = reverse("review-item", args=[following]) if following else reverse("review")
    return redirect(address + kept_query(asked))


@require_POST
@members_only()
def skip(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Leave it to somebody else, or for later."""
    holds.release(request.actor, item_id)
    return _onward(request, item_id)


@require_POST
@members_only()
def undo(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Take the decision back."""
    try:
        undo_decision(request.actor, item_id, now=timezone.now())
    except (AlreadyExists, PermissionError, NotFound) as error:
        if isinstance(error, NotFound):
            raise
        messages.error(request, str(error))
    else:
        messages.success(request, "Undone. It waits again.")
    return redirect("review-item", item_id)


@require_http_methods(["GET", "POST"])
@members_only(*MODERATORS)
def assign(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Give it to a curator, or to nobody."""
    form = review.AssignForm(request.POST or None)
    if not form.is_valid():
        return page(request, item_id, step="assign")
    try:
        given = holds.assign(
            request.actor, item_id, form.cleaned_data["member"], now=timezone.now()
        )
    except review_queue.Decided as error:
        return page(request, item_id, 409, refusal=str(error))
    name = given.assignee.name if given.assignee else "nobody"
    messages.success(request, f"Given to {name}.")
    return redirect("review-item", item_id)
