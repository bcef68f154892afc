"""Several items of the review queue at once: a preview, then all of them in one act."""

from collections import Counter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from memories.curation.several.act import Act, Stopped, decide_several, undo_several
from memories.curation.several.plan import SeveralPlan, plan_several
from memories.review.models import Cause, Proposal
from memories.safety.refusals import HeldBack
from memories.views import presenter
from memories.views.forms import review
from memories.views.review import answers, wording
from memories.views.review.queue import kept_query, worked_through
from orgs.errors import AlreadyExists
from orgs.views.access import members_only

# What has become of each kind: one, several.
DONE = {
    Cause.PUBLISH: "approved and shared",
    Cause.CORRECTION: "corrected",
    Cause.DUPLICATE: "kept as two",
    Cause.RED_LINE: "protected",
}


@require_POST
@members_only()
def several(request: HttpRequest) -> HttpResponse:
    """What would be decided; with `confirm` it is."""
    form = review.SeveralForm(request.POST)
    if not form.is_valid():
        messages.info(request, "Choose one or more items first.")
        return redirect(_back(request))
    if not form.cleaned_data["confirm"]:
        return _preview(request, form.ids())
    try:
        act = decide_several(request.actor, form.cleaned_data["chosen"], now=timezone.now())
    except (Stopped, HeldBack) as error:
        return _preview(request, form.ids(), 409, refusal=str(error))
    undo_url = reverse("review-several-undo", args=[act.id])
    messages.success(request, done(act), extra_tags=undo_url)
    return redirect(_back(request))


@require_POST
@members_only()
def undo(request: HttpRequest, act: UUID) -> HttpResponse:
    """Take the whole act back."""
    try:
        count = undo_several(request.actor, act, now=timezone.now())
    except (AlreadyExists, PermissionError) as error:
        messages.error(request, str(error))
    else:
        words = "It waits again." if count == 1 else f"{count:,} items wait again."
        messages.success(request, f"Undone. {words}")
    return redirect("review")


def _preview(
    request: HttpRequest, ids: list[UUID], status: int = 200, refusal: str = ""
) -> HttpResponse:
    organisation = request.membership[1].name
    plan = plan_several(request.actor, ids, organisation=organisation, now=timezone.now())
    if not plan.deciding and not plan.apart:
        raise Http404
    context = _plan(plan, request.actor.member_id, organisation) | {
        "refusal": refusal,
        "kept": kept_query(worked_through(request)),
    }
    return render(request, "memories/review/several.html", context, status=status)


def _plan(plan: SeveralPlan, me: object, organisation: str) -> dict[str, Any]:
    kinds: dict[tuple[str, str], list[Proposal]] = {}
    for item in plan.deciding:
        key = (Cause(item.cause).label, answers.harmless(item).label)
        kinds.setdefault(key, []).append(item)
    return {
        "count": len(plan.deciding),
        "kinds": [
            {
                "kind": kind,
                "answer": answer,
                "count": len(items),
                "items": [_shown(i, me, organisation) for i in items],
            }
            for (kind, answer), items in kinds.items()
        ],
        "newly": [
            {
                "count": one.items,
                "whom": answers.whom(one.audience),
                "audience": presenter.audience(one.readers),
            }
            for one in plan.newly
        ],
        "unchanged": len(plan.deciding) - sum(one.items for one in plan.newly),
        "apart": [
            wording.line(item, me, organisation) | {"reason": reason} for item, reason in plan.apart
        ],
    }


def _shown(item: Proposal, me: object, organisation: str) -> dict[str, Any]:
    """With the whole text, because the person who decides has to read it."""
    shown = wording.line(item, me, organisation)
    return shown | {
        "choice": f"{item.id}:{item.memory.version}",
        "content": item.memory.content,
        "diff": wording.corrected(item),
        "other": item.other.content if item.cause == Cause.DUPLICATE and item.other else "",
    }


def done(act: Act) -> str:
    """What has happened, for the toast."""
    counts = Counter(Cause(item.cause) for item in act.items)
    parts = [f"{count:,} {DONE[cause]}" for cause, count in counts.items()]
    return f"Decided together: {', '.join(parts)}."


def _back(request: HttpRequest) -> str:
    return reverse("review") + kept_query(worked_through(request))
