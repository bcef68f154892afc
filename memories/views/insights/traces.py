"""The recorded recalls, for curators."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.insights import traces as service
from memories.insights.traces import Trace, WantedTraces
from memories.retrieval.answering.confidence import NO, UNSURE, YES
from memories.views import presenter
from memories.views.forms.traces import MINE, TracesForm
from orgs.views.access import MODERATORS, members_only

OUTCOMES = {"success": "It helped", "failure": "It did not help", "": ""}
# What is said of an answer, and the tone of its badge.
ANSWERS = {
    YES: {"label": "Yes", "tone": "good"},
    UNSURE: {"label": "Unsure", "tone": "warn"},
    NO: {"label": "No", "tone": "outline"},
}


@require_safe
@never_cache
@members_only(*MODERATORS)
def traces(request: HttpRequest) -> HttpResponse:
    """The list, of the last seven days or of one."""
    form = TracesForm(service.robots_to_choose(request.actor), request.GET)
    wanted = _wanted(form, timezone.localtime())
    rows, more = service.traces(request.actor, wanted)
    context = {
        "form": form,
        "narrowed": bool(form.cleaned_data.get("who") or form.cleaned_data.get("day")),
        "traces": [_row(one) for one in rows],
        "page": {"next_url": _next(form, more)} if more else {},
    }
    return render(request, "memories/insights/traces.html", context)


def _wanted(form: TracesForm, now: datetime) -> WantedTraces:
    form.is_valid()
    given = form.cleaned_data
    who, day, before = given.get("who", ""), given.get("day"), given.get("before")
    since, until = now - service.LATELY, now + timedelta(seconds=1)
    if day:
        since = datetime.combine(day, time.min, now.tzinfo or UTC)
        until = since + timedelta(days=1)
    return WantedTraces(
        robot=UUID(who) if who and who != MINE else None,
        mine=who == MINE,
        since=since,
        until=min(until, before) if before else until,
    )


def _next(form: TracesForm, more: datetime) -> str:
    asked = {name: str(form.cleaned_data.get(name) or "") for name in ("who", "day")}
    return f"{reverse('traces')}?{presenter.urlencode(asked | {'before': more.isoformat()})}"


def _row(one: Trace) -> dict[str, Any]:
    return {
        "url": reverse("trace-page", args=[one.id]),
        "at": one.at,
        "who": one.robot.name if one.robot else "You",
        "robot_url": reverse("robot-page", args=[one.robot.id]) if one.robot else "",
        "group": one.group,
        "memories": one.memories,
        "folded": one.folded,
        "answered": ANSWERS.get(one.answered),
        "sure": _percent(one.confidence),
        "strategy": one.strategy,
        "took": f"{one.took_ms:.0f} ms",
    }


@require_safe
@never_cache
@members_only(*MODERATORS)
def trace(request: HttpRequest, recall_id: UUID) -> HttpResponse:
    """One recall with what came."""
    now, name = timezone.now(), request.membership[1].name
    found = service.trace(request.actor, recall_id, organisation=name, now=now)
    me = request.actor.member_id
    came = [
        presenter.row(one.shown, me=me, now=now, wanted=frozenset())
        | {
            "score": f"{one.hit.score:.2f}",
            "sure": _percent(one.hit.sure),
            "folded": one.hit.folded,
            "useful": None if one.usefulness is None else f"{one.usefulness:.2f}",
            "outcome": OUTCOMES[one.outcome],
        }
        for one in found.came
    ]
    context = {
        "trace": _row(found.trace),
        "came": [row for row in came if not row["folded"]],
        "folded": [row for row in came if row["folded"]],
        "ask_url": _ask(found.trace),
    }
    return render(request, "memories/insights/trace.html", context)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}".replace("%", " %")


def _ask(one: Trace) -> str:
    """The address to ask the same robot again; empty for one's own and for a removed robot."""
    if one.robot is None or one.robot.retired_at:
        return ""
    asked = {"as_whom": f"robot:{one.robot.id}", "group": str(one.group_id or "")}
    return f"{reverse('playground')}?{presenter.urlencode(asked)}"
