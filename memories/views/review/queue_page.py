"""The review queue: the list, and one item with what waits beside it. All of it by keyboard."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from memories.curation import review_pages
from memories.curation.undo_review_decision import DECIDED_STATES
from memories.review import review_queue
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.review.waiting_count import MAX_COUNT
from memories.views.forms import review_forms
from memories.views.review import item_presenter
from orgs.languages.page_text import choice_label, format_number, lazy_text
from orgs.views.page_access import members_only

TABS = (
    ("waiting", lazy_text("Waiting for you")),
    ("mine", lazy_text("Proposed by you")),
    ("decided", lazy_text("Decided")),
)
FILTERS = ("cause", "assigned")
# A kind of waiting items that has a tab of its own.
CONTRADICTIONS_TAB = {"show": "waiting", "cause": ProposalCause.CONTRADICTION.value}


@require_safe
@members_only()
def queue_page(request: HttpRequest) -> HttpResponse:
    """What waits for this person, what they have proposed, what was decided."""
    form = review_forms.QueueForm(request.GET)
    form.is_valid()
    asked = form.cleaned_data
    tab = asked.get("show") or ("waiting" if request.actor.moderates else "mine")
    filters: dict[str, Any] = {"cause": asked.get("cause"), "assigned": asked.get("assigned")}
    filters |= {
        "waiting": {"state": ProposalState.OPEN, "mine": False},
        "mine": {"mine": True},
        "decided": {"decided": True},
    }[tab]
    organisation = request.membership[1].name
    found = review_pages.get_queue_page(
        request.actor,
        filters,
        organisation=organisation,
        after=asked.get("after"),
        now=timezone.now(),
    )
    return render(request, "memories/review/queue.html", _queue_context(request, found, tab, asked))


def _queue_context(
    request: HttpRequest, found: review_pages.QueuePage, tab: str, asked: dict[str, Any]
) -> dict[str, Any]:
    me, organisation = request.actor.member_id, request.membership[1].name
    url = reverse("review")
    apart = {"show": tab, "cause": asked.get("cause")} == CONTRADICTIONS_TAB
    kept = {k: asked[k] for k in ("cause", "assigned") if asked.get(k)}
    older = urlencode({"show": tab, **kept, "after": found.after})
    rows = [
        item_presenter.item_row(item, found.readers[item.memory.audience_id], me, organisation)
        for item in found.items
    ]
    tabs = [
        {
            "label": label,
            "url": f"{url}?show={name}",
            "current": name == tab and not apart,
            "count": _capped_label(found.count.waiting) if name == "waiting" else None,
        }
        for name, label in TABS
    ]
    disagree = {
        "label": choice_label(ProposalCause.CONTRADICTION),
        "url": f"{url}?{urlencode(CONTRADICTIONS_TAB)}",
        "current": apart,
        "count": None,
    }
    tabs.insert(1, disagree)
    return {
        "tabs": tabs,
        "tab": tab,
        "rows": rows,
        "filters": _filter_selects(request, asked),
        "clear_url": f"{url}?show={tab}",
        "gates_url": reverse("gates") if request.actor.moderates else "",
        "page": {"next_url": f"{url}?{older}" if found.after else ""},
        "desk": tab == "waiting",
        "beside": [item_presenter.item_line(item, me, organisation) for item in found.items],
        "kept": filters_query(asked),
        "more_url": "",
        "done": found.count.done,
        "total": found.count.done + found.count.waiting,
        "progress": _progress_label(found.count),
        "empty": _empty_state(tab, bool(kept), request.actor.moderates),
    }


def parse_filters(request: HttpRequest) -> dict[str, str]:
    """The kind and the assignee of what the asker works through, as the address of an item has
    them."""
    form = review_forms.QueueForm(request.GET)
    form.is_valid()
    return {name: form.cleaned_data.get(name) or "" for name in FILTERS}


def filters_query(asked: dict[str, Any]) -> str:
    """The same as the end of an address, empty where there is none."""
    kept = {name: asked[name] for name in FILTERS if asked.get(name)}
    return f"?{urlencode(kept)}" if kept else ""


def _capped_label(number: int) -> str:
    return (
        gettext("%(max_count)s or more") % {"max_count": format_number(review_queue.MAX_COUNT)}
        if number >= review_queue.MAX_COUNT
        else format_number(number)
    )


def _progress_label(count: review_queue.QueueProgress) -> str:
    return gettext("%(done)s of %(done2)s") % {
        "done": format_number(count.done),
        "done2": _capped_label(count.done + count.waiting),
    }


def _filter_selects(request: HttpRequest, asked: dict[str, Any]) -> list[dict[str, Any]]:
    causes = [
        {"value": value, "label": label, "selected": asked.get("cause") == value}
        for value, label in ProposalCause.choices
    ]
    found = [{"name": "cause", "label": gettext("Any kind"), "options": causes}]
    if request.actor.moderates:
        given = [
            {"value": value, "label": label, "selected": asked.get("assigned") == value}
            for value, label in (
                ("me", gettext("Given to me")),
                ("nobody", gettext("Given to nobody")),
            )
        ]
        found.append({"name": "assigned", "label": gettext("Given to anybody"), "options": given})
    return found


def _empty_state(tab: str, filtered: bool, moderates: bool) -> dict[str, str]:
    if filtered:
        return {
            "title": gettext("No match"),
            "text": gettext("Nothing here is of that kind. Clear the filters."),
        }
    if tab == "waiting":
        text = gettext("What members propose for everyone and what readers report comes up here.")
        if not moderates:
            text = gettext("What concerns you and needs your word comes up here.")
        return {"title": gettext("Nothing waits for you"), "text": text}
    if tab == "mine":
        text = gettext(
            "What you suggest for everyone, correct or report is listed here with its state."
        )
        return {"title": gettext("You have proposed nothing yet"), "text": text}
    return {
        "title": gettext("Nothing was decided yet"),
        "text": gettext("Decisions are listed here, newest first."),
    }


@require_safe
@members_only()
def item_page(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """One item. To look at it changes nothing; `lock_item` keeps it from others."""
    return render_item(request, item_id)


def render_item(
    request: HttpRequest, item_id: UUID, status: int = 200, **more: Any
) -> HttpResponse:
    """An item with what waits beside it; for a move through the list the item alone.

    more: what the template shows of an answer that is being given.
    """
    organisation, now = request.membership[1].name, timezone.now()
    moving = bool(request.htmx) and not request.htmx.history_restore_request
    asked = parse_filters(request)
    found = review_pages.open_item(
        request.actor,
        item_id,
        organisation=organisation,
        now=now,
        filters=asked,
        handing_out=more.get("step") == "assign",
        moving=moving,
    )
    if found.count:
        # The frame says it as well, and need not ask again.
        request.waiting = min(found.count.waiting, MAX_COUNT)
    me = request.actor.member_id
    context = item_presenter.item_context(found, me, organisation)
    context |= {
        "decides": found.decides,
        "curators": found.curators,
        "count": found.count,
        "total": found.count.done + found.count.waiting if found.count else 0,
        "progress": _progress_label(found.count) if found.count else "",
        "waiting": _capped_label(found.count.waiting) if found.count else "",
        "moderates": request.actor.moderates,
        "may_undo": found.undoes or _has_decided(request, found.item),
        "beside": [
            item_presenter.item_line(row, me, organisation, item_id) for row in found.beside
        ],
        "kept": filters_query(asked),
        "moving": moving,
        **more,
    }
    if more.get("step") == "merge":
        context |= item_presenter.merge_form_context(
            context, more.get("form"), more.get("into", "")
        )
    part = "#item" if moving else ""
    return render(request, f"memories/review/item.html{part}", context, status=status)


def _has_decided(request: HttpRequest, item: Proposal) -> bool:
    return item.state in DECIDED_STATES and request.actor.member_id == item.decided_by_id
