"""The first page: how much there is, what is new, and what to do first."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.browsing.conversation_pages.folded_list import FoldedConversation
from memories.browsing.selection import READER_FILTERS
from memories.insights.overview import (
    MAX_COUNTED,
    MAX_PENDING_COUNTED,
    Overview,
    OverviewFigures,
    get_overview,
    get_overview_figures,
)
from memories.insights.statistics import RecallCounts
from memories.review.review_queue import MAX_COUNT as MAX_WAITING
from memories.review.waiting_count import MAX_COUNT
from memories.views import conversation_presenter, memory_presenter
from memories.views.insights import first_steps
from memories.views.insights.audit_trail import csv_response
from memories.views.insights.tier_presenter import TIER_LABELS
from orgs.languages.page_text import format_number, lazy_text
from orgs.models.audiences import AudienceType
from orgs.views import time_formats
from orgs.views.page_access import ADMINS, MODERATOR_ROLES, members_only

AUDIENCE_LABELS = {
    "organisation": lazy_text("Everyone"),
    "group": lazy_text("Groups"),
    "explicit": lazy_text("Some people"),
    "profession": lazy_text("A profession"),
    "member": lazy_text("Only you"),
    "review": lazy_text("In review"),
    "robot": lazy_text("Robots’ notes"),
}
KIND_LABELS = {
    "organisation": lazy_text("For everyone"),
    "group": lazy_text("Said in a group"),
    "user": lazy_text("About one in a group"),
    "interaction": lazy_text("With a robot in a group"),
    "direct": lazy_text("One to one"),
}
CHART_NAMES = ("days", "robots", "readers", "kinds", "tiers")


@require_safe
@members_only()
def home(request: HttpRequest) -> HttpResponse:
    """The overview."""
    now, organisation = timezone.localtime(), request.membership[1]
    found = get_overview(request.actor, organisation=organisation.name, now=now)
    me = request.actor.member_id
    request.waiting = min(found.review.waiting, MAX_COUNT)
    context = {
        "stats": _stat_tiles(found, request.actor.role),
        "charts": [_chart(name, found.figures) for name in CHART_NAMES],
        "latest": [
            conversation_presenter.conversation_row(one)
            if isinstance(one, FoldedConversation)
            else memory_presenter.memory_row(one, me=me, now=now, wanted=frozenset())
            for one in found.latest
        ],
        "steps": first_steps.list_first_steps(found, request.actor.role),
        "example": first_steps.first_example(request, found),
        "tour": first_steps.demo_stories(request.actor.role) if organisation.demo else [],
        "remove_url": reverse("demo-remove")
        if organisation.demo and request.actor.role in ADMINS
        else "",
        "code": first_steps.example_requests() if request.actor.role in MODERATOR_ROLES else "",
    }
    return render(request, "memories/insights/overview.html", context)


def _stat_tiles(found: Overview, role: str) -> list[dict[str, Any]]:
    """The numbers at the head of the page."""
    numbers = found.figures
    waiting, done, failed = found.review.waiting, found.review.done, found.failed
    late = (
        gettext("The oldest for %(owed_since)s")
        % {"owed_since": time_formats.elapsed_time(found.owed_since)}
        if found.owed_since
        else ""
    )
    return [
        {
            "label": gettext("Memories you may read"),
            "value": gettext("more than %(max_counted)s")
            % {"max_counted": format_number(MAX_COUNTED)}
            if numbers.capped
            else format_number(numbers.total),
            "url": reverse("library"),
        },
        {"label": gettext("New this week"), "value": format_number(numbers.this_week)},
        {
            "label": gettext("Waiting for your decision"),
            "value": _capped_label(waiting, MAX_WAITING),
            "change": gettext("%(done)s decided by you this week") % {"done": format_number(done)}
            if done
            else "",
            "url": reverse("review"),
        },
        {
            "label": gettext("Not indexed yet"),
            "value": _capped_label(found.owed, MAX_PENDING_COUNTED),
            "change": "; ".join(
                filter(
                    None,
                    [
                        gettext("%(failed)s could not be")
                        % {"failed": _capped_label(failed, MAX_PENDING_COUNTED)}
                        if failed
                        else "",
                        late,
                    ],
                )
            ),
            "tone": "bad" if failed else "",
            "url": reverse("jobs") if role in MODERATOR_ROLES else "",
        },
        *_question_tile(found.recalls),
    ]


def _question_tile(recalls: RecallCounts) -> list[dict[str, Any]]:
    """Nothing where nothing was counted: questions on pages and those of robots are not."""
    if not recalls.asked:
        return []
    return [
        {
            "label": gettext("Your questions by the API, answered"),
            "value": f"{100 * recalls.hit_rate:.0f} %",
            "change": gettext("Of %(asked)s in 30 days") % {"asked": format_number(recalls.asked)},
            "url": reverse("tiers"),
        }
    ]


def _capped_label(number: int, most: int) -> str:
    """A number that was counted up to `most`."""
    return (
        gettext("%(most)s or more") % {"most": format_number(most)}
        if number >= most
        else format_number(number)
    )


def _labelled_counts(counted: Mapping[str, int], words: Mapping[str, str]) -> list[dict[str, Any]]:
    known = [(key, word) for key, word in words.items() if counted.get(key)]
    return [{"key": key, "label": word, "value": counted[key]} for key, word in known]


def _filtered_url(name: str, value: object) -> str:
    """The list of memories with this filter."""
    return f"{reverse('library')}?{name}={value}"


def _add_filter_urls(name: str, values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [value | {"url": _filtered_url(name, value["key"])} for value in values]


def _count_by_reader_filter(counted: Mapping[str, int]) -> dict[str, int]:
    """By the words of the list's filter: personas, industries and roles are one."""
    several = {kind: name for name, kinds in READER_FILTERS.items() for kind in kinds}
    found: Counter[str] = Counter()
    for kind, number in counted.items():
        found[str(several.get(AudienceType(kind), kind))] += number
    return found


def _chart(name: str, found: OverviewFigures) -> dict[str, Any]:
    """One chart for components/chart.html."""
    chart: dict[str, Any] = {
        "kind": "bars",
        "unit": gettext("memories"),
        "first_column": gettext("What"),
    }
    if name == "days":
        values: list[dict[str, Any]] = [
            {
                "label": time_formats.short_day(day),
                "value": number,
                "url": _filtered_url("came", day) if number else "",
            }
            for day, number in found.by_day
        ]
        chart |= {
            "kind": "columns",
            "title": gettext("Learned in four weeks"),
            "first_column": gettext("Day"),
        }
        month = sum(number for _, number in found.by_day)
        chart["sentence"] = gettext("%(month)s, of these %(this_week)s in the last seven days") % {
            "month": format_number(month),
            "this_week": format_number(found.this_week),
        }
        busiest = max(values, key=lambda value: value["value"], default=None)
        if busiest and busiest["value"]:
            chart["sentence"] += gettext("; at most %(value)s, on %(label)s") % {
                "value": format_number(busiest["value"]),
                "label": busiest["label"],
            }
    elif name == "robots":
        values = [
            {"label": name, "value": number, "url": _filtered_url("robot", robot)}
            for robot, name, number in found.by_robot
        ]
        chart |= {
            "title": gettext("What robots brought in seven days"),
            "first_column": gettext("Robot"),
        }
        chart["meaning"] = gettext(
            "Longer is more, not better. A name opens all that it ever brought."
        )
    elif name == "readers":
        alone = {"member": gettext("You and your robots")} if found.helped else {}
        values = _labelled_counts(
            _count_by_reader_filter(found.by_audience), AUDIENCE_LABELS | alone
        )
        for value in values:
            value["audience"] = {"profession": "persona"}.get(value["key"], value["key"])
            value["url"] = (
                _filtered_url("readers", value["key"]) if value["key"] in READER_FILTERS else ""
            )
        chart |= {"title": gettext("Who may read them"), "first_column": gettext("Who")}
    elif name == "kinds":
        values = _add_filter_urls("kind", _labelled_counts(found.by_kind, KIND_LABELS))
        chart["title"] = gettext("Where they were said")
    else:
        values = _add_filter_urls("tier", _labelled_counts(found.by_tier, TIER_LABELS))
        chart["title"] = gettext("In which tier they are")
    if name != "days":
        chart["sentence"] = _largest_share_sentence(values)
    top = max([value["value"] for value in values], default=0) or 1
    return chart | {"values": values, "max": top, "csv_url": reverse("overview-csv", args=[name])}


def _largest_share_sentence(values: list[dict[str, Any]]) -> str:
    if not values:
        return gettext("Nothing yet")
    most = max(values, key=lambda value: value["value"])
    share = 100 * most["value"] / sum(value["value"] for value in values)
    return f"{most['label']}: {share:.0f} %"


@require_safe
@never_cache
@members_only()
def chart_file(request: HttpRequest, name: str) -> HttpResponse:
    """The numbers of a chart as CSV."""
    if name not in CHART_NAMES:
        raise Http404
    found = get_overview_figures(request.actor, now=timezone.localtime())
    chart = _chart(name, found)
    numbers: list[tuple[str, Any]] = [(one["label"], one["value"]) for one in chart["values"]]
    if name == "days":
        numbers = [(day.isoformat(), number) for day, number in found.by_day]
    return csv_response(name, [(chart["first_column"], chart["unit"]), *numbers])
