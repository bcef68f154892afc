"""The recorded recalls, for curators."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.insights import recall_traces as service
from memories.insights.recall_traces import RecallTrace, TraceFilter
from memories.retrieval.answering.confidence import NO, UNSURE, YES
from memories.views import memory_presenter
from memories.views.forms.trace_form import ASKED_BY_ME, TracesForm
from orgs.languages.page_text import format_decimal, format_number, lazy_text
from orgs.views.page_access import MODERATOR_ROLES, members_only

OUTCOME_LABELS = {
    "success": lazy_text("It helped"),
    "failure": lazy_text("It did not help"),
    "": "",
}
# What is said of an answer, and the tone of its badge.
ANSWERED_BADGES = {
    YES: {"label": lazy_text("Yes"), "tone": "good"},
    UNSURE: {"label": lazy_text("Unsure"), "tone": "warn"},
    NO: {"label": lazy_text("No"), "tone": "outline"},
}


# What of the address each page keeps.
FILTERS = ("who", "day", "only")


@require_safe
@never_cache
@members_only(*MODERATOR_ROLES)
def traces(request: HttpRequest) -> HttpResponse:
    """The list, of the last seven days or of one."""
    robots = service.load_traceable_robots(request.actor)
    form = TracesForm([(id_, robot.name) for id_, robot in robots.items()], request.GET)
    wanted = _parse_query(form, timezone.localtime())
    found = service.list_traces(request.actor, wanted, robots)
    context = {
        "form": form,
        "narrowed": any(form.cleaned_data.get(name) for name in FILTERS),
        "only": wanted.only,
        "page_size": service.PAGE_SIZE,
        "traces": [_trace_row(one) for one in found.traces],
        "chart": _hours_chart(found.hours),
        "page": {"next_url": _next_url(form, found.more)} if found.more else {},
    }
    return render(request, "memories/insights/traces.html", context)


def _parse_query(form: TracesForm, now: datetime) -> TraceFilter:
    form.is_valid()
    given = form.cleaned_data
    who, day, before = given.get("who", ""), given.get("day"), given.get("before")
    since, until = now - service.DEFAULT_PERIOD, now + timedelta(seconds=1)
    if day:
        since = datetime.combine(day, time.min, now.tzinfo or UTC)
        until = since + timedelta(days=1)
    return TraceFilter(
        robot=UUID(who) if who and who != ASKED_BY_ME else None,
        mine=who == ASKED_BY_ME,
        only=given.get("only", ""),
        since=since,
        until=min(until, before) if before else until,
    )


def _next_url(form: TracesForm, more: datetime) -> str:
    asked = {name: str(form.cleaned_data.get(name) or "") for name in FILTERS}
    return f"{reverse('traces')}?{memory_presenter.urlencode(asked | {'before': more.isoformat()})}"


def _hours_chart(hours: Sequence[int]) -> dict[str, Any] | None:
    """When recalls were made, for components/chart.html; None without any."""
    if not any(hours):
        return None
    busiest = max(range(len(hours)), key=hours.__getitem__)
    return {
        "kind": "columns",
        "title": gettext("By hour of the day"),
        "sentence": gettext("Most between %(from)s:00 and %(to)s:00: %(count)s.")
        % {"from": busiest, "to": busiest + 1, "count": format_number(hours[busiest])},
        "unit": gettext("recalls"),
        "first_column": gettext("Hour"),
        "max": max(hours),
        "values": [{"label": f"{hour}:00", "value": count} for hour, count in enumerate(hours)],
    }


def _trace_row(one: RecallTrace) -> dict[str, Any]:
    return {
        "url": reverse("trace-page", args=[one.id]),
        "at": one.at,
        "who": one.robot.name if one.robot else gettext("You"),
        "robot_url": reverse("robot-page", args=[one.robot.id]) if one.robot else "",
        "group": one.group,
        "memories": one.memories,
        "folded": one.folded,
        "answered": ANSWERED_BADGES.get(one.answered),
        "sure": _percent_label(one.confidence),
        "strategy": one.strategy,
        "took": gettext("%(took_ms)s ms") % {"took_ms": format_decimal(one.took_ms, ".0f")},
        "first": memory_presenter.memory_link(one.first) if one.first else None,
    }


@require_safe
@never_cache
@members_only(*MODERATOR_ROLES)
def trace(request: HttpRequest, recall_id: UUID) -> HttpResponse:
    """One recall with what came."""
    now, name = timezone.now(), request.membership[1].name
    found = service.get_trace(request.actor, recall_id, organisation=name, now=now)
    me = request.actor.member_id
    came = [
        memory_presenter.memory_row(one.shown, me=me, now=now, wanted=frozenset())
        | {
            "score": format_decimal(one.hit.score, ".2f"),
            "sure": _percent_label(one.hit.sure),
            "folded": one.hit.folded,
            "useful": None if one.usefulness is None else format_decimal(one.usefulness, ".2f"),
            "outcome": OUTCOME_LABELS[one.outcome],
        }
        for one in found.came
    ]
    context = {
        "trace": _trace_row(found.trace),
        "came": [row for row in came if not row["folded"]],
        "folded": [row for row in came if row["folded"]],
        "ask_url": _ask_again_url(found.trace),
    }
    return render(request, "memories/insights/trace.html", context)


def _percent_label(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}".replace("%", " %")


def _ask_again_url(one: RecallTrace) -> str:
    """The address to ask the same robot again; empty for one's own and for a removed robot."""
    if one.robot is None or one.robot.retired_at:
        return ""
    asked = {"as_whom": f"robot:{one.robot.id}", "group": str(one.group_id or "")}
    return f"{reverse('playground')}?{memory_presenter.urlencode(asked)}"
