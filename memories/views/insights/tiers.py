"""The tiers: how full they are, what moved between them and why."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.insights.statistics import MONTH
from memories.insights.tier_figures import (
    MAX_COUNTED,
    MAX_LATEST,
    TierFigures,
    TierMoveEntry,
    get_tier_figures,
    get_tier_figures_and_moves,
)
from memories.lifecycle.decay import STRONG_FROM, WEAK_BELOW
from memories.lifecycle.tiers import TIER_RULES
from memories.views import memory_presenter
from memories.views.insights.audit_trail import csv_response
from memories.views.insights.tier_presenter import REASON_NAMES, TIER_LABELS, move_row
from orgs.languages.page_text import format_decimal, format_number, lazy_text
from orgs.views.page_access import members_only
from orgs.views.time_formats import local_time, short_day

# The list of moves as a file.
MOVES_FILE = "lately"
MOVES_COLUMNS = (
    lazy_text("When"),
    lazy_text("Memory"),
    lazy_text("From"),
    lazy_text("To"),
    lazy_text("Why"),
)
CHART_NAMES = ("strength", "memories", "moves", "reasons", "fullness", "learning")
ADVICE_SENTENCES = {
    "too_easy": lazy_text("Rising is too easy: most of what rises sinks again within a week."),
    "could_be_easier": lazy_text("Rising could be easier: nearly all that rises stays up."),
}


@require_safe
@members_only()
def tiers(request: HttpRequest) -> HttpResponse:
    """The page."""
    found, moves = get_tier_figures_and_moves(request.actor, now=timezone.localtime())
    context = {
        "sentence": _sentence(found),
        "total": found.total,
        "capped": found.capped,
        "most": MAX_COUNTED,
        "charts": [_chart(name, found) for name in CHART_NAMES],
        "moves": _move_rows(moves),
        "latest": MAX_LATEST,
        "moves_csv": reverse("tiers-csv", args=[MOVES_FILE]),
        "policy_url": reverse("tier-policy"),
        "advice": ADVICE_SENTENCES.get(found.moves.advice, ""),
    }
    return render(request, "memories/insights/tiers.html", context)


@require_safe
@never_cache
@members_only()
def tiers_file(request: HttpRequest, name: str) -> HttpResponse:
    """The numbers of a chart as CSV."""
    if name == MOVES_FILE:
        moves = get_tier_figures_and_moves(request.actor, now=timezone.localtime())[1]
        return csv_response(f"tiers-{name}", [MOVES_COLUMNS, *map(_csv_row, moves)])
    if name not in CHART_NAMES:
        raise Http404
    chart = _chart(name, get_tier_figures(request.actor, now=timezone.localtime()))
    numbers = [(value["label"], value["value"]) for value in chart["values"]]
    return csv_response(f"tiers-{name}", [(chart["first_column"], chart["unit"]), *numbers])


def _csv_row(one: TierMoveEntry) -> tuple[str, ...]:
    words = move_row(one)
    when = local_time(one.moved_at).isoformat(timespec="seconds")
    return when, memory_presenter.short_text(one.text), words["from"], words["to"], words["why"]


def _move_rows(moves: Sequence[TierMoveEntry]) -> list[dict[str, Any]]:
    return [
        move_row(one)
        | {
            "text": memory_presenter.short_text(one.text),
            "url": reverse("memory-page", args=[one.memory_id]),
        }
        for one in moves
    ]


def _chart(name: str, found: TierFigures) -> dict[str, Any]:
    """One chart for components/chart.html; `empty` says what will appear where nothing is yet."""
    parts = {
        "memories": _memories_chart,
        "fullness": _fullness_chart,
        "strength": _strength_chart,
        "moves": _moves_chart,
        "reasons": _reasons_chart,
        "learning": _learning_chart,
    }
    chart = {"kind": "bars", "unit": gettext("memories"), "first_column": gettext("Tier")} | parts[
        name
    ](found)
    top = max([value["value"] for value in chart["values"]], default=0) or 1
    return {"max": top, "csv_url": reverse("tiers-csv", args=[name])} | chart


def _memories_chart(found: TierFigures) -> dict[str, Any]:
    most, number = max(
        ((tier, found.by_tier[tier]) for tier in TIER_LABELS),
        key=lambda one: one[1],
        default=("", 0),
    )
    share = _percent_of(number, found.total)
    return {
        "title": gettext("Memories in each tier"),
        "sentence": gettext("Most are %(tier)s: %(share)s %%")
        % {"tier": TIER_LABELS[most].lower(), "share": share}
        if 2 * number > found.total
        else gettext("%(tier)s has the most: %(share)s %%")
        % {"tier": TIER_LABELS[most], "share": share},
        "values": [
            {"label": word, "value": found.by_tier[key], "url": _tier_url(key, found)}
            for key, word in TIER_LABELS.items()
        ],
        "empty": "" if found.total else gettext("How many memories each tier holds appears here."),
    }


def _fullness_chart(found: TierFigures) -> dict[str, Any]:
    rooms = ", ".join(
        f"{format_number(found.room[rule.tier])} {TIER_LABELS[rule.tier].lower()}"
        for rule in TIER_RULES
    )
    over = gettext("is summarised once a day") if found.evicts else gettext("stays all the same")
    return {
        "title": gettext("How full each tier is"),
        "meaning": gettext("Longer is fuller. Full is no fault; what is over 100 % is."),
        "sentence": gettext(
            "Where those who read the same have most. There is room for %(rooms)s; what is "
            "over %(over)s."
        )
        % {"rooms": rooms, "over": over},
        "unit": gettext("% full"),
        "max": 100,
        "values": [
            _percent_value(TIER_LABELS[rule.tier], found.fullest[rule.tier])
            | {"url": _tier_url(rule.tier, found)}
            for rule in TIER_RULES
        ],
        "empty": "" if found.total else gettext("How full each tier is appears here."),
    }


def _sentence(found: TierFigures) -> str:
    """What the page says, in one sentence; empty without memories."""
    if not found.total:
        return ""
    strong, weak = found.by_strength["strong"], found.by_strength["weak"]
    return gettext(
        "Of %(total)s memories that you may read, %(strong)s are strong and %(weak)s weak; "
        "%(moves)s moves between the tiers in 30 days."
    ) % {
        "total": format_number(found.total),
        "strong": format_number(strong),
        "weak": format_number(weak),
        "moves": format_number(found.moves.month),
    }


def _strength_chart(found: TierFigures) -> dict[str, Any]:
    """A histogram in ten equal parts, the weakest at the left."""
    return {
        "kind": "columns",
        "title": gettext("How strong they are"),
        "sentence": gettext(
            "Strong from %(strong_from)s %%, weak below %(weak_below)s %%; use keeps them strong"
        )
        % {
            "strong_from": format_decimal(100 * STRONG_FROM, ".0f"),
            "weak_below": format_decimal(100 * WEAK_BELOW, ".0f"),
        },
        "first_column": gettext("Strength"),
        "values": [
            {"label": f"{10 * tenth}-{10 * tenth + 10} %", "value": found.by_tenth[tenth]}
            for tenth in range(10)
        ],
        "empty": ""
        if found.total
        else gettext("How many are strong, fading or weak appears here."),
    }


def _moves_chart(found: TierFigures) -> dict[str, Any]:
    """Moves by day, today at the right."""
    moves, today = found.moves, timezone.localdate()
    by_day: Counter[date] = Counter()
    for (day, _), number in found.moved.items():
        by_day[day] += number
    days = [today - timedelta(days=ago) for ago in reversed(range(MONTH.days + 1))]
    return {
        "kind": "columns",
        "title": gettext("What moved, by day"),
        "sentence": gettext(
            "In the last hour %(up)s up and %(down)s down, in the last day %(up_day)s and "
            "%(down_day)s; %(velocity)s a day in the last 30 days"
        )
        % {
            "up": format_number(moves.up_last_hour),
            "down": format_number(moves.down_last_hour),
            "up_day": format_number(moves.up_last_day),
            "down_day": format_number(moves.down_last_day),
            "velocity": format_decimal(moves.velocity, ",.1f"),
        },
        "unit": gettext("moves"),
        "first_column": gettext("Day"),
        "values": [{"label": short_day(day), "value": by_day[day]} for day in days],
        "empty": "" if moves.month else gettext("What rose and what sank appears here."),
    }


def _reasons_chart(found: TierFigures) -> dict[str, Any]:
    by_reason: Counter[str] = Counter()
    for (_, reason), number in found.moved.items():
        by_reason[reason] += number
    return {
        "title": gettext("Why they moved"),
        "sentence": gettext("In the last 30 days"),
        "unit": gettext("moves"),
        "first_column": gettext("Why"),
        "values": [
            {"label": REASON_NAMES.get(reason, reason), "value": number}
            for reason, number in by_reason.most_common()
        ],
        "empty": "" if by_reason else gettext("Why memories rise and sink appears here."),
    }


def _learning_chart(found: TierFigures) -> dict[str, Any]:
    recalls, moves = found.recalls, found.moves
    known = recalls.asked or found.reported or moves.risen
    return {
        "title": gettext("What use teaches"),
        "meaning": gettext(
            "Longer is better for answers and for rises. Surprise is neither good nor bad."
        ),
        "sentence": gettext(
            "In 30 days: %(asked)s questions that you asked by the API and %(risen)s memories "
            "that rose. %(reported)s have had feedback."
        )
        % {
            "asked": format_number(recalls.asked),
            "risen": format_number(moves.risen),
            "reported": format_number(found.reported),
        },
        "unit": "%",
        "first_column": gettext("What"),
        "max": 100,
        "values": [
            _percent_value(gettext("Questions with an answer"), recalls.hit_rate),
            _percent_value(gettext("Surprise on average"), found.surprise),
            _percent_value(gettext("Rises not undone in a week"), moves.effectiveness),
        ],
        "empty": ""
        if known
        else gettext(
            "How often questions that you ask by the API are answered appears here. Those on these "
            "pages and those of robots are not counted."
        ),
    }


def _tier_url(name: str, found: TierFigures) -> str:
    """Where the memories of a tier are; empty where it has none."""
    return f"{reverse('library')}?tier={name}" if found.by_tier[name] else ""


def _percent_value(label: str, share: float) -> dict[str, Any]:
    number = round(100 * share)
    return {"label": label, "value": number, "text": f"{number} %"}


def _percent_of(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0
