"""What can be answered to an item of the review queue."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from memories.access.consent import SharingOptOutError
from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import MemoryRequestError
from memories.browsing.word_diff import diff_words
from memories.curation import review_decisions, review_pages
from memories.curation.edit_memory import OutdatedVersionError
from memories.curation.review_decisions import ReviewDecision
from memories.curation.undo_review_decision import undo_review_decision as undo_decision
from memories.review import item_locks, review_queue
from memories.review.models import Proposal
from memories.safety.gate_refusals import GateRefusedError
from memories.views.forms import review_forms
from memories.views.review import done_messages
from memories.views.review.queue_page import filters_query, parse_filters, render_item
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.views.page_access import MODERATOR_ROLES, members_only

DecisionFunction = Callable[..., Proposal]
REFUSAL_ERRORS = (
    review_queue.AlreadyDecidedError,
    item_locks.ItemLockedError,
    MemoryRequestError,
    ChangeForbiddenError,
    RedLineError,
    AlreadyExistsError,
    SharingOptOutError,
    GateRefusedError,
)


@require_POST
@members_only()
def approve_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """As it is."""
    return _decide(request, item_id, review_decisions.approve_item)


@require_http_methods(["GET", "POST"])
@members_only()
def approve_edited_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """With another text."""
    return _decide_with_form(
        request, item_id, "edit", review_forms.ApproveEditedForm, review_decisions.approve_item
    )


@require_http_methods(["GET", "POST"])
@members_only()
def reject_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """With a reason."""
    return _decide_with_form(
        request, item_id, "reject", review_forms.RejectForm, review_decisions.reject_item
    )


@require_http_methods(["GET", "POST"])
@members_only()
def merge_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Merge it into a memory that the readers already have."""
    if request.method == "POST":
        return _decide_with_form(
            request, item_id, "merge", review_forms.MergeForm, review_decisions.merge_item
        )
    return render_item(request, item_id, step="merge", into=request.GET.get("into", ""))


@require_POST
@members_only()
def drop_newer(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Keep the older of two twins as it is, and drop the newer."""
    return _decide_pair(request, item_id, review_decisions.merge_item)


@require_POST
@members_only()
def supersede_older(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """The newer of two that disagree is valid from now on; the older is kept as formerly true."""
    return _decide_pair(request, item_id, review_decisions.approve_item)


def _decide_pair(request: HttpRequest, item_id: UUID, verb: DecisionFunction) -> HttpResponse:
    form = review_forms.PairForm(request.POST)
    if not form.is_valid():
        return render_item(request, item_id, 422)
    return _decide(request, item_id, verb, form=form)


def _decide_with_form(
    request: HttpRequest,
    item_id: UUID,
    step: str,
    kind: type[review_forms.ReviewDecisionForm],
    verb: DecisionFunction,
) -> HttpResponse:
    form = kind(request.POST) if request.method == "POST" else None
    if form is not None and form.is_valid():
        return _decide(request, item_id, verb, step=step, form=form)
    return render_item(request, item_id, 422 if form else 200, step=step, form=form)


def _decide(
    request: HttpRequest,
    item_id: UUID,
    verb: DecisionFunction,
    step: str = "",
    form: review_forms.ReviewDecisionForm | None = None,
) -> HttpResponse:
    form = form or review_forms.ReviewDecisionForm(request.POST)
    answer = ReviewDecision(**form.cleaned_data) if form.is_valid() else ReviewDecision()
    try:
        done = verb(request.actor, item_id, answer, now=timezone.now())
    except OutdatedVersionError as error:
        return _render_conflict(request, item_id, error, answer, step=step, form=form)
    except review_decisions.VersionRequiredError as error:
        return render_item(request, item_id, 400, step=step, form=form, refusal=str(error))
    except REFUSAL_ERRORS as error:
        return render_item(request, item_id, 409, step=step, form=form, refusal=str(error))
    messages.success(
        request,
        done_messages.done_message(done),
        extra_tags=reverse("review-undo", args=[item_id]),
    )
    return _redirect_to_next(request, item_id)


def _render_conflict(
    request: HttpRequest,
    item_id: UUID,
    error: OutdatedVersionError,
    answer: ReviewDecision,
    **more: Any,
) -> HttpResponse:
    """What changed since the page was opened; nothing of it is overwritten."""
    memory = error.memory
    seen = answer.into_version if answer.into == memory.id else answer.version
    old = review_pages.get_version_text(request.actor, memory, seen or 0)
    conflict = {"diff": diff_words(old, memory.content) if old else [], "text": memory.content}
    return render_item(request, item_id, 409, conflict=conflict, **more)


def _redirect_to_next(request: HttpRequest, item_id: UUID) -> HttpResponse:
    asked = parse_filters(request)
    following = review_pages.find_next_item(
        request.actor, item_id, now=timezone.now(), filters=asked
    )
    address = reverse("review-item", args=[following]) if following else reverse("review")
    return redirect(address + filters_query(asked))


@require_POST
@members_only()
def lock_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Keep it from others for five minutes; `take_over`: also if somebody else holds it."""
    now, take_over = timezone.now(), request.POST.get("take_over") == "1"
    try:
        item_locks.lock_item(request.actor, item_id, now=now, take_over=take_over)
    except REFUSAL_ERRORS as error:
        return render_item(request, item_id, 409, refusal=str(error))
    return redirect(reverse("review-item", args=[item_id]) + filters_query(parse_filters(request)))


@require_POST
@members_only()
def skip_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Leave it to somebody else, or for later."""
    item_locks.release_lock(request.actor, item_id)
    return _redirect_to_next(request, item_id)


@require_POST
@members_only()
def undo_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Take the decision back."""
    try:
        undo_decision(request.actor, item_id, now=timezone.now())
    except (AlreadyExistsError, PermissionError, NotFoundError) as error:
        if isinstance(error, NotFoundError):
            raise
        messages.error(request, str(error))
    else:
        messages.success(request, gettext("Undone. It waits again."))
    return redirect("review-item", item_id)


@require_http_methods(["GET", "POST"])
@members_only(*MODERATOR_ROLES)
def assign_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Give it to a curator, or to nobody."""
    form = review_forms.AssignForm(request.POST or None)
    if not form.is_valid():
        return render_item(request, item_id, step="assign")
    try:
        given = item_locks.assign_item(
            request.actor, item_id, form.cleaned_data["member"], now=timezone.now()
        )
    except review_queue.AlreadyDecidedError as error:
        return render_item(request, item_id, 409, refusal=str(error))
    name = given.assignee.name if given.assignee else gettext("nobody")
    messages.success(request, gettext("Given to %(name)s.") % {"name": name})
    return redirect("review-item", item_id)
