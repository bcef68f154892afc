"""What was foreseen beside what was measured, how cost grows, and which use each architecture fits.
Pure.

What the authors published are ranges for all architectures (`sections.PREDICTED`). What is foreseen
for each comes from the two smallest sizes of the same run: value = a x messages^k through both.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from typing import Any

from memories.evaluation.dataset.scenarios import SCENARIOS
from memories.evaluation.report.sections import (
    ARCHITECTURE_NAMES,
    PREDICTED,
    PUBLISHED,
    SCENARIO_NAMES,
    Report,
    find_run,
    format_group_count,
    list_sizes,
    list_strategies_by_rank,
    to_percent,
)
from memories.evaluation.report.tables import Cell, Table

# What costs: its name in the table, and where a run has it.
COSTS: dict[str, tuple[str, Callable[[Mapping[str, Any]], float]]] = {
    "query": ("query, ms", lambda run: float(run["query_ms"]["p50"])),
    "insert": ("insert, ms", lambda run: float(run["insert_ms"])),
    "storage": ("storage, bytes a memory", lambda run: float(run["bytes_per_memory"])),
}
_SCORE_PARTS = ("quality", "speed", "writing", "room")


def predictions_table(report: Report) -> Table:
    """For each architecture and cost: as published, and foreseen and measured at each size above
    the two smallest."""
    sizes = list_sizes(report)
    further = sizes[2:]
    rows: list[list[Cell]] = []
    for strategy in list_strategies_by_rank(report):
        for cost, (label, read) in COSTS.items():
            known = _points(report, strategy, read)
            row: list[Cell] = [
                ARCHITECTURE_NAMES[strategy],
                label,
                _format_pair(PREDICTED.get(cost)),
                _format_pair(PUBLISHED.get(cost)),
            ]
            for groups in further:
                row += [_foresee(report, known, groups), _measured(report, strategy, groups, read)]
            rows.append(row)
    columns = ["architecture", "what", "predicted by the authors", "measured by the authors"]
    for groups in further:
        columns += [f"foreseen at {groups:,}", f"measured at {groups:,}"]
    note = "The authors gave one range for all architectures."
    if further:
        first = " and ".join(f"{groups:,}" for groups in sizes[:2])
        note += (
            f" Foreseen: a power of the messages through the medians at {first} groups. Measured: "
            "the median here."
        )
    return Table("Predicted and measured", columns, rows, note)


def growth_table(report: Report) -> Table:
    """How cost grows with the messages over all sizes, and what each architecture keeps beside the
    shared tables; the simplest first."""
    found = []
    for strategy in list_strategies_by_rank(report):
        powers = [_power(_points(report, strategy, read)) for _, read in COSTS.values()]
        run = find_run(report, strategy, list_sizes(report)[-1]) or {"projections": []}
        found.append((len(run["projections"]), powers[0], ARCHITECTURE_NAMES[strategy], powers))
    found.sort(key=lambda one: (one[0], one[1] if one[1] is not None else 0.0, one[2]))
    rows: list[list[Cell]] = [
        [place, name, layouts, *(None if p is None else round(p, 2) for p in powers)]
        for place, (layouts, _, name, powers) in enumerate(found, start=1)
    ]
    columns = ["place", "architecture", "layouts of its own", "query", "insert", "storage"]
    note = (
        "Query, insert and storage: the power of the messages with which the cost grows, fitted "
        "over all sizes: 0 does not grow, 1 doubles with twice the messages. Ranked by the layouts "
        "that it keeps beside the shared tables, then by the growth of a query."
    )
    return Table("Complexity", columns, rows, note)


def fit_table(report: Report) -> Table:
    """Which architecture fits which use, at the largest size, and how far the recommended one is
    behind it there."""
    groups, chosen = list_sizes(report)[-1], report["recommendation"]
    rows: list[list[Cell]] = []
    for scenario in SCENARIOS:
        ranked = rank_for_scenario(report, scenario)
        if not ranked:
            continue
        best, figures = ranked[0]
        mine = dict(ranked).get(chosen)
        behind = None if mine is None else figures["ndcg10"] - mine["ndcg10"]
        rows.append(
            [
                SCENARIO_NAMES[scenario],
                ARCHITECTURE_NAMES[best],
                to_percent(figures["ndcg10"]),
                round(figures["query_ms"]["p50"], 1),
                None if mine is None else to_percent(mine["ndcg10"]),
                None if behind is None else to_percent(behind),
            ]
        )
    columns = ["scenario", "best there", "nDCG@10", "query p50 ms", "recommended nDCG@10",
               "behind by"]  # fmt: skip
    note = f"At {format_group_count(groups)}; equal ones by the median query. Points of 100."
    return Table("Fit to the use", columns, rows, note)


def rank_for_scenario(report: Report, scenario: str) -> list[tuple[str, Mapping[str, Any]]]:
    """(architecture, its figures) in a scenario at the largest size, the best first."""
    groups = list_sizes(report)[-1]
    found = [
        (strategy, run["scenarios"][scenario])
        for strategy in list_strategies_by_rank(report)
        if (run := find_run(report, strategy, groups)) and run["scenarios"].get(scenario)
    ]
    return sorted(found, key=lambda one: (-one[1]["ndcg10"], one[1]["query_ms"]["p50"]))


def reason_sentence(report: Report) -> str:
    """Why the recommended architecture is recommended, from its parts of the score; empty without
    a recommendation."""
    chosen, ranking = report["recommendation"], report["ranking"]
    if chosen is None:
        return ""
    own = next(row for row in ranking if row["strategy"] == chosen)
    firsts = [name for name in _SCORE_PARTS if own[name] >= max(row[name] for row in ranking)]
    best_in = [s for s in SCENARIOS if (r := rank_for_scenario(report, s)) and r[0][0] == chosen]
    asked = [s for s in SCENARIOS if rank_for_scenario(report, s)]
    parts = [f"its score is {own['score']:.3f} of 1"]
    others = [row for row in ranking if row["strategy"] != chosen]
    if others:
        parts.append(f"the next, {ARCHITECTURE_NAMES[others[0]['strategy']]}, has "
                     f"{others[0]['score']:.3f}")  # fmt: skip
    if firsts:
        parts.append(f"nobody is better in {_join(firsts)}")
    parts.append(f"it is the best in {len(best_in)} of {len(asked)} scenarios at the largest size")
    return f"Why: {'; '.join(parts)}."


def _points(
    report: Report, strategy: str, read: Callable[[Mapping[str, Any]], float]
) -> list[tuple[int, float]]:
    """(messages, value) of an architecture by size, the smallest first; values above 0."""
    messages = {one["groups"]: one["messages"] for one in report["data"]}
    found = [
        (messages[groups], read(run))
        for groups in list_sizes(report)
        if (run := find_run(report, strategy, groups))
    ]
    return [(count, value) for count, value in found if count > 0 and value > 0]


def _power(points: Sequence[tuple[int, float]]) -> float | None:
    """The slope of a line through the logarithms, by least squares; None for fewer than two
    sizes."""
    if len({count for count, _ in points}) < 2:
        return None
    xs, ys = [log(count) for count, _ in points], [log(value) for _, value in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    across = sum((one - x) * (other - y) for one, other in zip(xs, ys, strict=True))
    return across / sum((one - x) ** 2 for one in xs)


def _foresee(report: Report, points: Sequence[tuple[int, float]], groups: int) -> Cell:
    """The value at a size, by the two smallest."""
    power = _power(points[:2])
    if power is None:
        return None
    messages = next(one["messages"] for one in report["data"] if one["groups"] == groups)
    count, value = points[1]
    return round(value * exp(power * (log(messages) - log(count))), 1)


def _measured(
    report: Report, strategy: str, groups: int, read: Callable[[Mapping[str, Any]], float]
) -> Cell:
    run = find_run(report, strategy, groups)
    return None if run is None else round(read(run), 1)


def _format_pair(pair: tuple[int, int] | None) -> str | None:
    return None if pair is None else f"{pair[0]:,} to {pair[1]:,}"


def _join(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
