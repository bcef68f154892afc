"""Several items of the review queue at once: a preview, then all of them in one act."""

from collections import Counter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from memories.curation.bulk_review.decide_bulk import (
    BulkDecision,
    BulkReviewError,
    BulkReviewPreview,
    decide_in_bulk,
    preview_bulk_review,
    undo_bulk_decision,
)
from memories.review.models import Proposal, ProposalCause
from memories.safety.gate_refusals import GateRefusedError
from memories.views import memory_presenter
from memories.views.forms import review_forms
from memories.views.review import changed, decision_buttons, item_presenter
from memories.views.review.queue_page import filters_query, parse_filters
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import choice_label, format_number, lazy_text
from orgs.views.page_access import members_only

# What has become of each kind: one, several.
DONE_LABELS = {
    ProposalCause.PUBLISH: lazy_text("approved and shared"),
    ProposalCause.CORRECTION: "corrected",
    ProposalCause.DUPLICATE: lazy_text("kept as two"),
    ProposalCause.RED_LINE: "protected",
}


@require_POST
@members_only()
def bulk_review(request: HttpRequest) -> HttpResponse:
    """What would be decided; with `confirm` it is."""
    form = review_forms.BulkReviewForm(request.POST)
    if not form.is_valid():
        messages.info(request, gettext("Choose one or more items first."))
        return redirect(_back_url(request))
    if not form.cleaned_data["confirm"]:
        return _render_preview(request, form.ids())
    try:
        act = decide_in_bulk(request.actor, form.cleaned_data["chosen"], now=timezone.now())
    except (BulkReviewError, GateRefusedError) as error:
        return _render_preview(request, form.ids(), 409, refusal=str(error))
    undo_url = reverse("review-several-undo", args=[act.id])
    messages.success(request, done_message(act), extra_tags=undo_url)
    return redirect(_back_url(request))


@require_POST
@members_only()
def undo_bulk_review(request: HttpRequest, act: UUID) -> HttpResponse:
    """Take the whole act back."""
    try:
        count = undo_bulk_decision(request.actor, act, now=timezone.now())
    except (AlreadyExistsError, PermissionError) as error:
        messages.error(request, str(error))
    else:
        words = (
            gettext("It waits again.")
            if count == 1
            else gettext("%(count)s items wait again.") % {"count": format_number(count)}
        )
        messages.success(request, gettext("Undone. %(words)s") % {"words": words})
    return redirect("review")


def _render_preview(
    request: HttpRequest, ids: list[UUID], status: int = 200, refusal: str = ""
) -> HttpResponse:
    organisation = request.membership[1].name
    plan = preview_bulk_review(request.actor, ids, organisation=organisation, now=timezone.now())
    if not plan.deciding and not plan.apart:
        raise Http404
    context = _plan_context(plan, request.actor.member_id, organisation) | {
        "refusal": refusal,
        "kept": filters_query(parse_filters(request)),
    }
    return render(request, "memories/review/several.html", context, status=status)


def _plan_context(plan: BulkReviewPreview, me: object, organisation: str) -> dict[str, Any]:
    kinds: dict[tuple[str, str], list[Proposal]] = {}
    for item in plan.deciding:
        key = (
            choice_label(ProposalCause(item.cause)),
            decision_buttons.harmless_button(item).label,
        )
        kinds.setdefault(key, []).append(item)
    return {
        "count": len(plan.deciding),
        "kinds": [
            {
                "kind": kind,
                "answer": answer,
                "count": len(items),
                "items": [_item_row(i, me, organisation) for i in items],
            }
            for (kind, answer), items in kinds.items()
        ],
        "newly": [
            {
                "count": one.items,
                "whom": decision_buttons.target_label(one.audience),
                "audience": memory_presenter.audience_badge(one.readers),
            }
            for one in plan.newly
        ],
        "unchanged": len(plan.deciding) - sum(one.items for one in plan.newly),
        "apart": [
            item_presenter.item_line(item, me, organisation) | {"reason": reason}
            for item, reason in plan.apart
        ],
    }


def _item_row(item: Proposal, me: object, organisation: str) -> dict[str, Any]:
    """With the whole text, because the person who decides has to read it."""
    shown = item_presenter.item_line(item, me, organisation)
    return shown | {
        "choice": f"{item.id}:{item.memory.version}",
        "content": item.memory.content,
        "diff": item_presenter.correction_diff(item),
        "published": changed.published_parts(item),
        "other": item.other.content if item.cause == ProposalCause.DUPLICATE and item.other else "",
    }


def done_message(act: BulkDecision) -> str:
    """What has happened, for the toast."""
    counts = Counter(ProposalCause(item.cause) for item in act.items)
    parts = [f"{format_number(count)} {DONE_LABELS[cause]}" for cause, count in counts.items()]
    return gettext("Decided together: %(parts)s.") % {"parts": ", ".join(parts)}


def _back_url(request: HttpRequest) -> str:
    return reverse("review") + filters_query(parse_filters(request))
