"""A report in words and tables: the same for Markdown, for CSV and for the page. Pure.

Every number comes from the report, except those that the authors of the architectures published.
"""

from collections.abc import Mapping
from typing import Any

from memories.evaluation.dataset.scenarios import SCENARIOS
from memories.evaluation.report.tables import Cell, Table

# As published for all architectures, in ms: the expected time of a query and of an insert, and the
# measured time of a query.
PREDICTED = {"query": (15, 50), "insert": (5, 10)}
PUBLISHED = {"query": (132, 10_754)}
ARCHITECTURE_NAMES = {
    "triple_tenant": "Triple tenant",
    "partitioned": "Partitioned",
    "graph": "Graph",
    "privacy_scoped": "Privacy scoped",
    "multi_level": "Multi-level",
    "hybrid": "Hybrid search alone",
}
SCENARIO_NAMES = {
    "robot_mention": "Robot mention",
    "member_to_member": "Member to member",
    "announcements": "Announcements",
    "cross_context": "Cross-context",
    "expertise_location": "Expertise location",
    "topic_aggregation": "Topic aggregation",
}
Report = Mapping[str, Any]


def list_sizes(report: Report) -> list[int]:
    """The measured numbers of groups, the smallest first."""
    return sorted({run["groups"] for run in report["runs"]})


def list_strategies_by_rank(report: Report) -> list[str]:
    """The architectures, the best first."""
    return [row["strategy"] for row in report["ranking"]]


def find_run(report: Report, strategy: str, groups: int) -> dict[str, Any] | None:
    """The run of a strategy, or of the reference, at one size; None without one."""
    every = [*report["runs"], *report["references"]]
    same = (r for r in every if (r["strategy"], r["groups"]) == (strategy, groups))
    return next(same, None)


def format_group_count(number: int) -> str:
    """1 group, 10 groups."""
    return "1 group" if number == 1 else f"{number:,} groups"


def to_percent(value: float) -> float:
    """A share of 1 as a share of 100, with one digit."""
    return round(100 * value, 1)


def ranking_table(report: Report) -> Table:
    """The order and its parts."""
    rows: list[list[Cell]] = [
        [
            place,
            ARCHITECTURE_NAMES[row["strategy"]],
            *(round(row[name], 3) for name in _SCORE_PARTS),
            row["leakage"],
        ]
        for place, row in enumerate(report["ranking"], start=1)
    ]
    columns = ["place", "architecture", *_SCORE_PARTS, "leaked rows"]
    return Table("Ranking", columns, rows, report["formula"])


_SCORE_PARTS = ("score", "quality", "speed", "writing", "room")


def quality_table(report: Report) -> Table:
    """What was found, for each architecture and size; a random order beside it."""
    rows: list[list[Cell]] = []
    random = {one["groups"]: one["random_recall"] for one in report["data"]}
    for groups in list_sizes(report):
        rows += [
            _quality_row(ARCHITECTURE_NAMES[run["strategy"]], run)
            for run in _runs_of_size(report, groups)
        ]
        cuts = random[groups]
        rows.append(
            ["Random order", groups, *(to_percent(cuts[k]) for k in ("1", "5", "10")), *[None] * 6]
        )
    columns = ["architecture", "groups", "recall@1", "recall@5", "recall@10", "nDCG@10", "MRR",
               "r@10 own words", "r@10 paraphrased", "questions", "leaked rows"]  # fmt: skip
    note = "Percent; means over the questions. Random order: k of the rows that the asker reads."
    return Table("What is found", columns, rows, note)


def _quality_row(name: str, run: Mapping[str, Any]) -> list[Cell]:
    shares = [*(run["recall"][k] for k in ("1", "5", "10")), run["ndcg10"], run["mrr"],
              run["recall10_direct"], run["recall10_paraphrased"]]  # fmt: skip
    return [name, run["groups"], *map(to_percent, shares), run["questions"], run["leakage"]]


def _runs_of_size(report: Report, groups: int) -> list[dict[str, Any]]:
    every = [*list_strategies_by_rank(report), *(run["strategy"] for run in report["references"])]
    return [run for name in dict.fromkeys(every) if (run := find_run(report, name, groups))]


def cost_table(report: Report) -> Table:
    """Times and room, for each architecture and size."""
    rows: list[list[Cell]] = [
        [
            ARCHITECTURE_NAMES[run["strategy"]],
            groups,
            *(round(run["query_ms"][p], 1) for p in ("p50", "p95", "p99")),
            run["query_ms"]["n"],
            round(run["insert_ms"], 1),
            round(run["insert_ms_p95"], 1),
            round(run["batch_rows_per_s"]),
            run["bytes_per_memory"],
        ]
        for groups in list_sizes(report)
        for run in _runs_of_size(report, groups)
    ]
    columns = ["architecture", "groups", "query p50 ms", "p95", "p99", "n", "insert p50 ms", "p95",
               "batch rows/s", "bytes a memory"]  # fmt: skip
    warm = report["made"]["warm_up_questions"]
    note = (
        f"Queries: from who asks to the rows of the answer, the encoder included and nothing "
        f"cached, after {warm} questions to warm up; n with the forbidden ones. Inserts: until the "
        "database has it on disk, embedding apart. Bytes: with indexes, of the tables that the "
        "architecture needs."
    )
    return Table("What it costs", columns, rows, note)


def scenarios_table(report: Report, groups: int) -> Table:
    """One row for each scenario and architecture at one size."""
    rows: list[list[Cell]] = []
    for scenario in SCENARIOS:
        for run in _runs_of_size(report, groups):
            found = run["scenarios"].get(scenario)
            if found:
                shares = [*(found["recall"][k] for k in ("1", "5", "10")), found["ndcg10"]]
                rest = [found["mrr"], found["recall10_paraphrased"]]
                rows.append(
                    [
                        SCENARIO_NAMES[scenario],
                        ARCHITECTURE_NAMES[run["strategy"]],
                        *map(to_percent, [*shares, *rest]),
                        round(found["query_ms"]["p50"], 1),
                        found["questions"],
                    ]
                )
    columns = ["scenario", "architecture", "recall@1", "recall@5", "recall@10", "nDCG@10", "MRR",
               "r@10 paraphrased", "query p50 ms", "questions"]  # fmt: skip
    return Table(f"Scenarios at {format_group_count(groups)}", columns, rows)


def data_table(report: Report) -> Table:
    """What was generated."""
    columns = ["groups", "messages", "members", "questions", "paraphrased", "forbidden asked",
               "users probed", "rows an asker reads", "filled rows/s", "distinct texts",
               "sha256"]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one["groups"], one["messages"], one["members"], one["questions"], one["paraphrased"],
            one["probes"], one.get("user_probes", 0), round(one["readable"]),
            round(one["fill_rows_per_s"]), one["distinct_texts"], one["sha256"][:16],
        ]
        for one in report["data"]
    ]  # fmt: skip
    return Table("The data", columns, rows, f"Seed {report['made']['seed']}.")


def recommendation_sentence(report: Report) -> str:
    """The recommendation and the figures it rests on, at the largest size."""
    name = report["recommendation"]
    if name is None:
        return "Every architecture let rows through that their asker may not read."
    largest = list_sizes(report)[-1]
    run = find_run(report, name, largest)
    assert run is not None  # noqa: S101 - the recommendation is one of the runs
    leaks = sum(one["leakage"] for one in report["runs"])
    told = "None served a row that its asker may not read" if not leaks else f"{leaks} rows leaked"
    found = to_percent(run["recall"]["10"])
    return (
        f"{ARCHITECTURE_NAMES[name]} is recommended. At {format_group_count(largest)} it has "
        f"{found} percent of what "
        f"answers a question among its first ten results, in {run['query_ms']['p50']:.0f} ms "
        f"(median). {told}."
    )
