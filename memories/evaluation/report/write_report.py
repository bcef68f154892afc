"""Write a report as JSON, Markdown and charts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from memories.evaluation.report import predictions, sections
from memories.evaluation.report.charts import render_bar_chart

Report = dict[str, Any]
REPORT_FILE = "report.json"
# name: (title, unit, what of a run)
CHARTS: dict[str, tuple[str, str, Callable[[Report], float]]] = {
    "recall": ("Recall@10", "percent of the planted facts", lambda r: 100 * r["recall"]["10"]),
    "query": ("Median query", "milliseconds, encoder included", lambda r: r["query_ms"]["p50"]),
    "insert": ("Single insert", "milliseconds, median", lambda r: r["insert_ms"]),
    "room": ("Room", "bytes a memory, indexes included", lambda r: float(r["bytes_per_memory"])),
}


def write_report(report: Report, folder: Path) -> Report:
    """report.json, report.md and charts/*.svg in the folder. Returns the report."""
    charts = folder / "charts"
    charts.mkdir(parents=True, exist_ok=True)
    for name in CHARTS:
        (charts / f"{name}.svg").write_text(render_chart(report, name), encoding="utf-8")
    (folder / "report.md").write_text(render_markdown(report), encoding="utf-8")
    # Written last and atomically, so that a reader of it finds the other files.
    draft = folder / f"{REPORT_FILE}.new"
    draft.write_bytes(orjson.dumps(report, option=orjson.OPT_INDENT_2))
    draft.replace(folder / REPORT_FILE)
    return report


def render_chart(report: Report, name: str) -> str:
    """One figure of every architecture and size, as SVG."""
    title, unit, take = CHARTS[name]
    order = sections.list_strategies_by_rank(report)
    series = {
        f"at {groups:,}": [
            take(run) if (run := sections.find_run(report, strategy, groups)) else None
            for strategy in order
        ]
        for groups in sections.list_sizes(report)
    }
    labels = [sections.ARCHITECTURE_NAMES[strategy] for strategy in order]
    return render_bar_chart(f"{title}, by number of groups", unit, labels, series)


def render_markdown(report: Report) -> str:
    """The whole report to read."""
    made = report["made"]
    tables = [
        sections.ranking_table(report),
        predictions.predictions_table(report),
        predictions.growth_table(report),
        predictions.fit_table(report),
        sections.quality_table(report),
        sections.cost_table(report),
        *(sections.scenarios_table(report, groups) for groups in sections.list_sizes(report)),
        sections.data_table(report),
    ]
    parts = [
        "# The architectures compared",
        sections.recommendation_sentence(report),
        predictions.reason_sentence(report),
        f"Made by `{made['command']}` on {made['started_at'][:10]} in {made['seconds']:,} seconds.",
        "\n".join(f"![{CHARTS[name][0]}](charts/{name}.svg)" for name in CHARTS),
        *(table.markdown() for table in tables),
        "### The machine\n\n" + "\n".join(f"- {name}: {value}" for name, value in made.items()),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"
