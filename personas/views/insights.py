"""What personas learn over time: trends, suggestions to others, figures."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from memories.access.visibility import MemoryRequestError
from memories.store.models.choices import Status
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import choice_label, format_number, lazy_text
from orgs.views.page_access import MODERATOR_ROLES, members_only
from orgs.views.time_formats import short_day
from personas.errors import BlockTooLongError
from personas.learning import suggestions as services
from personas.learning.metrics import (
    BlockGrowth,
    BlockMetrics,
    ConversationMetrics,
    compute_persona_metrics,
)
from personas.learning.suggestions import SuggestedLesson
from personas.learning.tool_outcomes import ToolRate
from personas.learning.topics import TopicTrend
from personas.learning.trends import compute_trends as trends_of
from personas.models.suggestions import SuggestionState
from personas.registry.personas import get_persona_with_counts
from personas.views import labels
from personas.views.forms import SuggestionsForm
from personas.views.tabs import persona_tabs

PAGE_SIZE = 50
TREND_LABELS = {
    "rising": (lazy_text("Rising"), "good"),
    "falling": (lazy_text("Falling"), "warn"),
    "flat": (lazy_text("Flat"), ""),
}


@require_safe
@members_only()
def trends(request: HttpRequest, handle: str) -> HttpResponse:
    """Which topics of a persona come up more and more often, or less."""
    found = trends_of(request.actor, handle, now=timezone.now())
    weeks = [short_day(end) for end in found.windows]
    context = {
        "name": labels.persona_label(get_persona_with_counts(request.actor, handle)),
        "weeks": weeks,
        "topics": [_topic_row(one, weeks) for one in found.topics],
        "few": found.few_teachers,
        "back_url": reverse("persona-page", args=[handle]),
    }
    return render(request, "personas/trends.html", context)


def _topic_row(one: TopicTrend, weeks: Sequence[str]) -> dict[str, Any]:
    label, tone = TREND_LABELS[one.found.trend]
    return {
        "topic": one.topic,
        "trend": label,
        "tone": tone,
        "sure": f"p = {one.found.p:.3f}, tau = {one.found.tau:.2f}",
        "total": sum(one.counts),
        "columns": column_chart(one.counts),
        "told": ", ".join(f"{week}: {n}" for week, n in zip(weeks, one.counts, strict=True)),
    }


def column_chart(counts: Sequence[int]) -> dict[str, Any]:
    """A row of columns for personas/columns.html, from the top: svg counts downwards."""
    top = max([*counts, 1])
    return {"top": top, "width": len(counts), "bars": [(n, top - n, n) for n in counts]}


@require_safe
@members_only(*MODERATOR_ROLES)
def suggestions(request: HttpRequest) -> HttpResponse:
    """What one persona learned that may hold for another of the same role."""
    form = SuggestionsForm(request.GET)
    form.is_valid()
    decided = form.cleaned_data.get("show") == "decided"
    found, last = services.list_suggestions(
        request.actor,
        now=timezone.now(),
        limit=PAGE_SIZE,
        state=None if decided else SuggestionState.OPEN,
        before=form.cleaned_data.get("before"),
    )
    url, kept = reverse("suggestions-page"), {"show": "decided"} if decided else {}
    # Where nothing was ever suggested there is nothing to choose from.
    some = bool(found) or bool(
        services.list_suggestions(request.actor, now=timezone.now(), limit=1, state=None)[0]
    )
    context = {
        "tabs": persona_tabs("suggestions-page"),
        "shown": [
            {"label": gettext("Waiting"), "url": url, "current": not decided},
            {"label": gettext("All"), "url": f"{url}?show=decided", "current": decided},
        ]
        if some
        else [],
        "rows": [_lesson_row(one) for one in found],
        "page": {"next_url": f"{url}?{urlencode(kept | {'before': last})}" if last else ""},
    }
    return render(request, "personas/suggestions.html", context)


def _lesson_row(one: SuggestedLesson) -> dict[str, Any]:
    waits = one.state == SuggestionState.OPEN
    return {
        "text": one.text,
        "url": reverse("memory-page", args=[one.memory_id]),
        "origin": one.origin,
        "origin_name": labels.persona_label(one.learner) if one.learner else "",
        "origin_url": reverse("persona-page", args=[one.origin]) if one.origin else "",
        "persona": one.persona,
        "persona_name": labels.persona_label(one.of),
        "persona_url": reverse("persona-page", args=[one.persona]),
        "at": one.decided_at or one.suggested_at,
        "state": "" if waits else choice_label(SuggestionState(one.state)),
        "accept_url": reverse("suggestion-accept-page", args=[one.id]) if waits else "",
        "reject_url": reverse("suggestion-reject-page", args=[one.id]) if waits else "",
    }


@require_POST
@members_only(*MODERATOR_ROLES)
def accept(request: HttpRequest, suggestion_id: UUID) -> HttpResponse:
    """Write the lesson into the other persona's block."""
    try:
        done = services.accept_suggestion(request.actor, suggestion_id, now=timezone.now())
    except (AlreadyExistsError, MemoryRequestError) as refused:
        messages.error(request, str(refused))
    except BlockTooLongError as refused:
        messages.error(
            request,
            gettext(
                "There is no room: the block would have %(length)s of %(limit)s characters. "
                "Shorten it first."
            )
            % {"length": format_number(refused.length), "limit": format_number(refused.limit)},
        )
    else:
        persona = labels.persona_label(done.lesson.of)
        if done.entry.status == Status.ACTIVE:
            messages.success(
                request,
                gettext("Accepted. It stands in what robots learned about %(persona)s.")
                % {"persona": persona},
            )
        else:
            messages.info(
                request, gettext("Accepted. It waits under Review: the gate found something.")
            )
    return redirect("suggestions-page")


@require_POST
@members_only(*MODERATOR_ROLES)
def reject(request: HttpRequest, suggestion_id: UUID) -> HttpResponse:
    """Leave the lesson where it is."""
    try:
        services.reject_suggestion(request.actor, suggestion_id, now=timezone.now())
    except AlreadyExistsError as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, gettext("Rejected. It is not suggested there again."))
    return redirect("suggestions-page")


@require_safe
@members_only(*MODERATOR_ROLES)
def metrics(request: HttpRequest) -> HttpResponse:
    """Counts of the last eight weeks; nobody is named."""
    found = compute_persona_metrics(request.actor, now=timezone.now())
    talked = {one.persona: one for one in found.conversations}
    rows = [_block_row(one, talked.get(one.persona)) for one in found.blocks]
    names = {row["handle"]: row for row in rows}
    context = {
        "tabs": persona_tabs("persona-figures"),
        "since": found.since,
        "with_persona": sum(many for personas, many in found.members.items() if personas),
        "everybody": sum(found.members.values()),
        "members": _member_chart(found.members),
        "gate": found.gate,
        "associations": found.associations,
        "told": any(found.associations.values()),
        "looked": any(found.gate.values()),
        "blocks": [row for row in rows if row["used"] and not row["few"]],
        "few": [row for row in rows if row["few"]],
        "unused": [row for row in rows if not row["used"] and not row["few"]],
        "talked": any(row["messages"] for row in rows),
        "tools": [_tool_row(names[of.persona], one) for of in found.tools for one in of.tools],
    }
    return render(request, "personas/figures.html", context)


def _tool_row(persona: Mapping[str, Any], one: ToolRate) -> dict[str, Any]:
    return {
        "persona": persona["name"],
        "url": persona["url"],
        "tool": one.tool,
        "calls": one.successes + one.failures,
        "rate": f"{one.success_rate:.0%}",
    }


def _block_row(one: BlockMetrics, talked: ConversationMetrics | None) -> dict[str, Any]:
    now = one.weeks[-1] if one.weeks else BlockGrowth(timezone.now(), 0, 0)
    each = talked.messages_each if talked else None
    return {
        "few": one.few_teachers,
        "used": any(week.entries for week in one.weeks) or bool(one.reads or one.writes or each),
        "name": labels.persona_label(one),
        "handle": one.persona,
        "url": reverse("persona-page", args=[one.persona]),
        "entries": now.entries,
        "characters": now.characters,
        "limit": one.limit,
        "columns": column_chart([week.entries for week in one.weeks])
        if any(week.entries for week in one.weeks)
        else {},
        "told": ", ".join(f"{short_day(week.at)}: {week.entries}" for week in one.weeks),
        "reads": one.reads,
        "writes": one.writes,
        "ratio": "" if one.reads_a_write is None else _ratio_words(one.reads_a_write),
        "messages": "" if each is None else format_number(round(each)),
    }


def _ratio_words(reads_a_write: float) -> str:
    """Which of the two happens more often, and how many times; empty if nothing was read."""
    if reads_a_write == 0:
        return ""
    more, rest = max(reads_a_write, 1 / reads_a_write), reads_a_write >= 1
    if round(more) == 1:
        return gettext("read about as often as written")
    words = (
        gettext("read about %(times)s times as often as written")
        if rest
        else gettext("written about %(times)s times as often as read")
    )
    return words % {"times": format_number(round(more))}


def _member_chart(members: Mapping[int, int]) -> dict[str, Any]:
    """How many members have no persona, one, two; for components/chart.html."""
    return {
        "title": gettext("How many personas members have"),
        "sentence": gettext("Of those who share"),
        "kind": "bars",
        "unit": gettext("members"),
        "first_column": gettext("Personas"),
        "max": max([*members.values(), 1]),
        "values": [
            {
                "label": ngettext("%(count)s persona", "%(count)s personas", count)
                % {"count": format_number(count)}
                if count
                else gettext("No persona"),
                "value": many,
                "text": format_number(many),
            }
            for count, many in sorted(members.items())
        ],
    }
