"""The architectures compared: the newest report, for those who choose how recall searches."""

from dataclasses import replace
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from memories.evaluation.report import predictions, sections
from memories.evaluation.report.tables import Cell, Table, format_cell
from memories.evaluation.report.write_report import CHARTS, Report, find_newest_report
from memories.indexing.projections import (
    ProjectionState,
    list_projections,
    switch_projection,
)
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.page_access import MODERATOR_ROLES, members_only

# By name, as in the address of its file. `scenarios` is made for one size.
TABLES = {
    "ranking": sections.ranking_table,
    "predictions": predictions.predictions_table,
    "complexity": predictions.growth_table,
    "fit": predictions.fit_table,
    "quality": sections.quality_table,
    "cost": sections.cost_table,
    "data": sections.data_table,
}
TABLE_NAMES = (
    "ranking",
    "predictions",
    "complexity",
    "fit",
    "quality",
    "cost",
    "scenarios",
    "data",
)
# Of these the page shows the chosen size.
TABLES_BY_SIZE = {"quality", "cost"}
# Columns of words; every other one is of numbers.
TEXT_COLUMNS = {"architecture", "scenario", "what", "sha256", lazy_text("best there")}
# Names that are written small.
LOWERCASE_PREFIXES = ("nDCG", "p9", "n", "r@", "sha")


@require_safe
@members_only(*MODERATOR_ROLES)
def architectures(request: HttpRequest) -> HttpResponse:
    """What was measured, at one of the sizes."""
    request.stands_under = reverse("playground")
    report = find_newest_report()
    layouts = [_layout(one) for one in list_projections(request.actor)]
    if report is None:
        context = {"report": None, "layouts": layouts}
        return render(request, "memories/insights/architectures.html", context)
    groups = _selected_size(request, report)
    context = {
        "report": report,
        "layouts": layouts,
        "sentence": sections.recommendation_sentence(report),
        "reason": predictions.reason_sentence(report),
        "made_at": parse_datetime(report["made"]["started_at"]),
        "tabs": [_tab(number, groups) for number in sections.list_sizes(report)],
        "stats": _stats(report, groups),
        "charts": [_chart(report, name, groups) for name in CHARTS],
        "tables": [
            _table(name, _build_table(report, name, groups), groups) for name in TABLE_NAMES
        ],
    }
    return render(request, "memories/insights/architectures.html", context)


@require_safe
@members_only(*MODERATOR_ROLES)
def architectures_file(request: HttpRequest, name: str) -> HttpResponse:
    """One of the tables as CSV."""
    report = find_newest_report()
    if report is None or name not in TABLE_NAMES:
        raise Http404
    table = _build_table(report, name, _selected_size(request, report))
    answer = HttpResponse(table.csv(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="architectures-{name}.csv"'
    return answer


STATE_LABELS = {
    "off": lazy_text("Off"),
    "filling": lazy_text("Being filled: a search in it finds less than there is"),
    "ready": lazy_text("Ready"),
    "stopped": lazy_text("The filling stopped: press to fill it again"),
}
LAYOUT_LABELS = {
    "graph": lazy_text("Who knows what"),
    "partitions": lazy_text("Partitions by kind"),
}


def _layout(one: ProjectionState) -> dict[str, Any]:
    return {
        "name": one.name,
        "label": LAYOUT_LABELS[one.name],
        "strategy": one.strategy,
        "state": STATE_LABELS[one.state],
        "rows": format_number(one.rows),
        "enabled": one.enabled,
    }


@require_POST
@members_only(*MODERATOR_ROLES)
def switch_layout(request: HttpRequest) -> HttpResponse:
    """Switch an index layout on or off, and go back to the page."""
    form = LayoutForm(request.POST)
    if not form.is_valid():
        raise Http404
    data = form.cleaned_data
    switch_projection(request.actor, data["name"], on=data["on"] == "1", now=timezone.now())
    return redirect("architectures")


class LayoutForm(forms.Form):
    """Which layout, and whether it is to be on."""

    name = forms.ChoiceField(choices=[(name, name) for name in LAYOUT_LABELS])
    on = forms.ChoiceField(choices=[("1", "on"), ("0", "off")])


def _selected_size(request: HttpRequest, report: Report) -> int:
    """The size that the address names, or else the largest."""
    sizes = sections.list_sizes(report)
    asked = request.GET.get("groups", "")
    return int(asked) if asked.isascii() and asked.isdigit() and int(asked) in sizes else sizes[-1]


def _tab(number: int, chosen: int) -> dict[str, Any]:
    return {
        "label": sections.format_group_count(number),
        "url": f"{reverse('architectures')}?groups={number}",
        "current": number == chosen,
    }


def _build_table(report: Report, name: str, groups: int) -> Table:
    if name == "scenarios":
        return sections.scenarios_table(report, groups)
    return TABLES[name](report)


def _stats(report: Report, groups: int) -> list[dict[str, Any]]:
    """The recommended one at this size, against a random order and the predictions."""
    run = sections.find_run(report, report["recommendation"], groups)
    data = next(one for one in report["data"] if one["groups"] == groups)
    leaks = sum(one["leakage"] for one in report["runs"])
    if run is None:
        return [
            {"label": gettext("Rows served to the wrong person"), "value": leaks, "tone": "bad"}
        ]
    low, high = sections.PREDICTED["query"]
    by_chance = sections.to_percent(data["random_recall"]["10"])
    return [
        {
            "label": gettext("Found among the first ten"),
            "value": f"{sections.to_percent(run['recall']['10'])}",
            "unit": "%",
            "change": gettext("A random order would find %(by_chance)s %%")
            % {"by_chance": by_chance},
        },
        {
            "label": gettext("Median query"),
            "value": f"{run['query_ms']['p50']:.0f}",
            "unit": "ms",
            "change": gettext("The authors predicted %(low)s to %(high)s ms")
            % {"low": low, "high": high},
        },
        {
            "label": gettext("Messages"),
            "value": format_number(data["messages"]),
            "change": gettext("Of %(members)s members")
            % {"members": format_number(data["members"])},
        },
        {
            "label": gettext("Rows served to the wrong person"),
            "value": leaks,
            "change": gettext("Over every architecture and size"),
            "tone": "bad" if leaks else "",
        },
    ]


def _chart(report: Report, name: str, groups: int) -> dict[str, Any]:
    """One figure of every architecture at this size, for components/chart.html."""
    title, unit, take = CHARTS[name]
    values = []
    for strategy in sections.list_strategies_by_rank(report):
        run = sections.find_run(report, strategy, groups)
        if run:
            value = round(take(run), 1)
            values.append(
                {
                    "label": sections.ARCHITECTURE_NAMES[strategy],
                    "value": value,
                    "text": format_cell(value),
                }
            )
    return {
        "title": title,
        "sentence": unit,
        "kind": "bars",
        "unit": unit,
        "first_column": gettext("Architecture"),
        "max": max([value["value"] for value in values], default=0) or 1,
        "meaning": gettext("Longer is better.")
        if name == "recall"
        else gettext("Shorter is better."),
        "values": values,
        "csv_url": _csv_url("quality" if name == "recall" else "cost", groups),
    }


def _csv_url(name: str, groups: int) -> str:
    return f"{reverse('architectures-csv', args=[name])}?groups={groups}"


def _table(name: str, table: Table, groups: int) -> dict[str, Any]:
    """What the page shows of a table: one size and no fingerprints; the file has all of it."""
    left_out = {"sha256"}
    if name in TABLES_BY_SIZE:
        size = list(table.columns).index("groups")
        table = replace(table, rows=[row for row in table.rows if row[size] == groups])
        left_out |= {"groups"}
    kept = [n for n, column in enumerate(table.columns) if column not in left_out]
    columns = [table.columns[n] for n in kept]
    numbers = [column not in TEXT_COLUMNS for column in columns]
    rows = [[_cell(row[n]) for n in kept] for row in table.rows]
    return {
        "id": name,
        "title": table.title,
        "note": table.note,
        "columns": list(zip(map(_column_title, columns), numbers, strict=True)),
        "rows": [list(zip(row, numbers, strict=True)) for row in rows],
        "csv_url": _csv_url(name, groups),
    }


def _cell(value: Cell) -> str:
    """As in the file, but a dash for what there is none of and no zeros that say nothing."""
    return "–" if value is None else "0" if value == 0 else format_cell(value)


def _column_title(name: str) -> str:
    return name if name.startswith(LOWERCASE_PREFIXES) else name[0].upper() + name[1:]
