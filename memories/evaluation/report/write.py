"""Write a report as JSON, Markdown and charts; and read the newest one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings

from memories.evaluation.report import sections
from memories.evaluation.report.charts import bars

Report = dict[str, Any]
PACKAGED = Path(__file__).resolve().parents[3] / "docs" / "architectures"
FILE = "report.json"
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
        (charts / f"{name}.svg").write_text(chart(report, name), encoding="utf-8")
    (folder / "report.md").write_text(markdown(report), encoding="utf-8")
    # Written last and atomically, so that a reader of it finds the other files.
    draft = folder / f"{FILE}.new"
    draft.write_bytes(orjson.dumps(report, option=orjson.OPT_INDENT_2))
    draft.replace(folder / FILE)
    return report


def chart(report: Report, name: str) -> str:
    """One figure of every architecture and size, as SVG."""
    title, unit, take = CHARTS[name]
    order = sections.ordered(report)
    series = {
        f"at {groups:,}": [
            take(run) if (run := sections.run_of(report, strategy, groups)) else None
            for strategy in order
        ]
        for groups in sections.sizes(report)
    }
    labels = [sections.WORDS[strategy] for strategy in order]
    return bars(f"{title}, by number of groups", unit, labels, series)


def markdown(report: Report) -> str:
    """The whole report to read."""
    made = report["made"]
    tables = [
        sections.ranking(report),
        sections.predictions(report),
        sections.quality(report),
        sections.cost(report),
        *(sections.scenarios(report, groups) for groups in sections.sizes(report)),
        sections.data(report),
    ]
    parts = [
        "# The architectures compared",
        sections.sentence(report),
        f"Made by `{made['command']}` on {made['started_at'][:10]} in {made['seconds']:,} seconds.",
        "\n".join(f"![{CHARTS[name][0]}](charts/{name}.svg)" for name in CHARTS),
        *(table.markdown() for table in tables),
        "### The machine\n\n" + "\n".join(f"- {name}: {value}" for name, value in made.items()),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def newest() -> Report | None:
    """The report that was made here, or else the one that comes with the product."""
    for folder in (Path(settings.DATA_DIR) / "architectures", PACKAGED):
        path = folder / FILE
        if path.is_file():
            found: Report = orjson.loads(path.read_bytes())
            return found
    return None
