"""The review queue: the list, one item, and what can be answered to it. All of it by keyboard."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

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
from memories.review.models import Cause, Proposal, State
from memories.review.waiting_count import MOST
from memories.safety.refusals import HeldBack
from memories.views.forms import review
from memories.views.review import wording
from orgs.errors import AlreadyExists, NotFound
from orgs.views.access import MODERATORS, members_only

Verb = Callable[..., Proposal]
TABS = (("waiting", "Waiting for you"), ("mine", "Proposed by you"), ("decided", "Decided"))
# Of what waits one kind, with a tab of its own.
DISAGREE = {"show": "waiting", "cause": Cause.CONTRADICTION.value}
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


@require_safe
@members_only()
def queue(request: HttpRequest) -> HttpResponse:
    """What waits for this person, what they have proposed, what was decided."""
    form = review.QueueForm(request.GET)
    form.is_valid()
    asked = form.cleaned_data
    tab = asked.get("show") or ("waiting" if request.actor.moderates else "mine")
    filters: dict[str, Any] = {"cause": asked.get("cause"), "assigned": asked.get("assigned")}
    filters |= {
        "waiting": {"state": State.OPEN, "mine": False},
        "mine": {"mine": True},
        "decided": {"decided": True},
    }[tab]
    organisation = request.membership[1].name
    found = review_item.listed(
        request.actor,
        filters,
        organisation=organisation,
        after=asked.get("after"),
        now=timezone.now(),
    )
    return render(request, "memories/review/queue.html", _list(request, found, tab, asked))


def _list(
    request: HttpRequest, found: review_item.QueuePage, tab: str, asked: dict[str, Any]
) -> dict[str, Any]:
    me, organisation = request.actor.member_id, request.membership[1].name
    url = reverse("review")
    apart = {"show": tab, "cause": asked.get("cause")} == DISAGREE
    kept = {k: asked[k] for k in ("cause", "assigned") if asked.get(k)}
    older = urlencode({"show": tab, **kept, "after": found.after})
    rows = [
        wording.row(item, found.readers[item.memory.audience_id], me, organisation)
        for item in found.items
    ]
    tabs = [
        {
            "label": label,
            "url": f"{url}?show={name}",
            "current": name == tab and not apart,
            "count": _about(found.count.waiting) if name == "waiting" else None,
        }
        for name, label in TABS
    ]
    disagree = {
        "label": Cause.CONTRADICTION.label,
        "url": f"{url}?{urlencode(DISAGREE)}",
        "current": apart,
        "count": None,
    }
    tabs.insert(1, disagree)
    return {
        "tabs": tabs,
        "tab": tab,
        "rows": rows,
        "filters": _filters(request, asked),
        "clear_url": f"{url}?show={tab}",
        "gates_url": reverse("gates") if request.actor.moderates else "",
        "page": {"next_url": f"{url}?{older}" if found.after else ""},
        "done": found.count.done,
        "total": found.count.done + found.count.waiting,
        "progress": _progress(found.count),
        "empty": _empty(tab, bool(kept), request.actor.moderates),
    }


def _about(number: int) -> str:
    return f"{review_queue.CAPPED:,} or more" if number >= review_queue.CAPPED else f"{number:,}"


def _progress(count: review_queue.Count) -> str:
    return f"{count.done:,} of {_about(count.done + count.waiting)}"


def _filters(request: HttpRequest, asked: dict[str, Any]) -> list[dict[str, Any]]:
    causes = [
        {"value": value, "label": label, "selected": asked.get("cause") == value}
        for value, label in Cause.choices
    ]
    found = [{"name": "cause", "label": "Any kind", "options": causes}]
    if request.actor.moderates:
        given = [
            {"value": value, "label": label, "selected": asked.get("assigned") == value}
            for value, label in (("me", "Given to me"), ("nobody", "Given to nobody"))
        ]
        found.append({"name": "assigned", "label": "Given to anybody", "options": given})
    return found


def _empty(tab: str, filtered: bool, moderates: bool) -> dict[str, str]:
    if filtered:
        return {"title": "No match", "text": "Nothing here is of that kind. Clear the filters."}
    if tab == "waiting":
        text = "What members propose for everyone and what readers report comes up here."
        if not moderates:
            text = "What concerns you and needs your word comes up here."
        return {"title": "Nothing waits for you", "text": text}
    if tab == "mine":
        text = "What you suggest for everyone, correct or report is listed here with its state."
        return {"title": "You have proposed nothing yet", "text": text}
    return {"title": "Nothing was decided yet", "text": "Decisions are listed here, newest first."}


@require_safe
@members_only()
def item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """One item. Whoever may decide it has it for five minutes."""
    return _page(request, item_id)


def _page(request: HttpRequest, item_id: UUID, status: int = 200, **more: Any) -> HttpResponse:
    organisation, now = request.membership[1].name, timezone.now()
    found = review_item.open_item(
        request.actor,
        item_id,
        organisation=organisation,
        now=now,
        handing_out=more.get("step") == "assign",
    )
    if found.count:
        # The frame says it as well, and need not ask again.
        request.waiting = min(found.count.waiting, MOST)
    context = wording.page(found, request.actor.member_id, organisation)
    context |= {
        "decides": found.decides,
        "curators": found.curators,
        "count": found.count,
        "total": found.count.done + found.count.waiting if found.count else 0,
        "progress": _progress(found.count) if found.count else "",
        "waiting": _about(found.count.waiting) if found.count else "",
        "moderates": request.actor.moderates,
        "may_undo": _may_undo(request, found.item),
        **more,
    }
    return render(request, "memories/review/item.html", context, status=status)


def _may_undo(request: HttpRequest, item: Proposal) -> bool:
    decided = item.state in (State.APPROVED, State.MERGED, State.REJECTED)
    # What was merged by itself has no decider, so who decides such items takes it back.
    mine = request.actor.member_id == item.decided_by_id or wording.is_by_itself(item)
    return decided and mine


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
    """Into a memory that the readers have already."""
    return _with_form(request, item_id, "merge", review.MergeForm, decide.merge)


@require_POST
@members_only()
def drop(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Keep the older of two twins as it is, and drop the newer."""
    return _of_pair(request, item_id, decide.merge)


@require_POST
@members_only()
def supersede(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """The newer of two that disagree holds from now on; the older is kept as what was true."""
    return _of_pair(request, item_id, decide.approve)


def _of_pair(request: HttpRequest, item_id: UUID, verb: Verb) -> HttpResponse:
    form = review.PairForm(request.POST)
    if not form.is_valid():
        return _page(request, item_id, 422)
    return _decide(request, item_id, verb, form=form)


def _with_form(
    request: HttpRequest, item_id: UUID, step: str, kind: type[review.AnswerForm], verb: Verb
) -> HttpResponse:
    form = kind(request.POST) if request.method == "POST" else None
    if form is not None and form.is_valid():
        return _decide(request, item_id, verb, step=step, form=form)
    return _page(request, item_id, 422 if form else 200, step=step, form=form)


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
        return _page(request, item_id, 400, step=step, form=form, refusal=str(error))
    except REFUSALS as error:
        return _page(request, item_id, 409, step=step, form=form, refusal=str(error))
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
    return _page(request, item_id, 409, conflict=conflict, **more)


def _onward(request: HttpRequest, item_id: UUID) -> HttpResponse:
    following = review_item.next_item(request.actor, item_id, now=timezone.now())
    return redirect("review-item", following) if following else redirect("review")


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
        return _page(request, item_id, step="assign")
    try:
        given = holds.assign(
            request.actor, item_id, form.cleaned_data["member"], now=timezone.now()
        )
    except review_queue.Decided as error:
        return _page(request, item_id, 409, refusal=str(error))
    name = given.assignee.name if given.assignee else "nobody"
    messages.success(request, f"Given to {name}.")
    return redirect("review-item", item_id)
