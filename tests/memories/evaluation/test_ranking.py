"""The ranking, the random order and the tables, against values worked out by hand."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.db import connections

from memories.evaluation.dataset.scenarios import FORBIDDEN, IN_GROUP, EvaluationQuestion
from memories.evaluation.measures import run_measurements
from memories.evaluation.measures.rank_architectures import find_recommended, rank_architectures
from memories.evaluation.measures.run_measurements import (
    QuestionResult,
    compute_measures,
    compute_random_recall,
)
from memories.evaluation.report import predictions
from memories.evaluation.report.charts import render_bar_chart
from memories.evaluation.table_sizes import bytes_per_memory, fetch_table_sizes
from memories.retrieval.strategies.registry import DEFAULT_STRATEGY
from tests.world import World


def run(
    strategy: str, *, groups: int = 1, quality: float, ms: float, room: int, leakage: int = 0
) -> dict[str, Any]:
    return {
        "strategy": strategy,
        "groups": groups,
        "projections": [],
        "recall": {"1": quality, "5": quality, "10": quality},
        "ndcg10": quality,
        "mrr": quality,
        "query_ms": {"p50": ms, "p95": ms, "p99": ms, "n": 10},
        "insert_ms": 10.0,
        "insert_ms_p95": 12.0,
        "batch_rows_per_s": 1000.0,
        "bytes_per_memory": room,
        "leakage": leakage,
        "questions": 10,
        "recall10_direct": quality,
        "recall10_paraphrased": quality,
        "scenarios": {},
    }


@pytest.mark.conformance("A39")
def test_the_ranking_follows_from_the_figures() -> None:
    runs = [
        run("graph", quality=0.9, ms=20, room=8000),
        run("multi_level", quality=0.8, ms=10, room=4000),
        run("partitioned", quality=1.0, ms=10, room=4000, leakage=1),
    ]
    found = rank_architectures(runs)
    # graph: .7 x .9 + .15 x 10/20 + .05 x 1 + .10 x 4000/8000; multi_level: .7 x .8 + .3 x 1.
    assert [(row["strategy"], round(row["score"], 6)) for row in found] == [
        ("multi_level", 0.86),
        ("graph", 0.805),
        ("partitioned", 0.0),
    ]
    assert find_recommended(found) == "multi_level"
    assert find_recommended(found[2:]) is None, "what leaks is never recommended"
    # The mean over the sizes: at ten groups graph is the best of all in everything.
    more = [
        run("graph", groups=10, quality=1.0, ms=10, room=4000),
        run("multi_level", groups=10, quality=0.5, ms=20, room=8000),
    ]
    found = rank_architectures([*runs[:2], *more])
    assert [(row["strategy"], round(row["score"], 6)) for row in found] == [
        ("graph", round((0.805 + 1.0) / 2, 6)),
        ("multi_level", round((0.86 + 0.7 * 0.5 + 0.15 / 2 + 0.05 + 0.1 / 2) / 2, 6)),
    ]


def asked(
    *gold: str, readable: int = 0, scenario: str = "announcements", in_part: str = ""
) -> EvaluationQuestion:
    return EvaluationQuestion(
        scenario, "?", False, IN_GROUP, 0, 0, frozenset(gold), readable, frozenset(in_part)
    )


@pytest.mark.conformance("A34", "A35", "A36", "A40")
def test_a_run_is_judged_over_its_questions() -> None:
    outcomes = [
        QuestionResult(asked("a"), ["a", "x"], 10.0),
        QuestionResult(asked("b", "c"), ["x", "b", "y", "z", "w", "c"], 30.0),
        QuestionResult(asked(scenario=FORBIDDEN), ["s"], 20.0, forbidden=["s"]),
    ]
    found = compute_measures(outcomes)
    assert found["recall"] == {"1": 0.5, "5": 0.75, "10": 1.0}
    assert found["mrr"] == pytest.approx((1 + 1 / 2) / 2)
    # The second: (1/log2(3) + 1/log2(7)) / (1 + 1/log2(3)) = (.63093 + .35621) / 1.63093.
    assert found["ndcg10"] == pytest.approx((1 + 0.605263) / 2, abs=1e-5)
    assert found["query_ms"] == {"n": 3, "p50": 20.0, "p95": 30.0, "p99": 30.0}
    assert (found["questions"], found["leakage"]) == (2, 1)


@pytest.mark.conformance("A36")
def test_who_says_that_they_know_counts_twice_as_much_as_who_shows_it() -> None:
    some = asked("a", "b", in_part="a")
    # (1 + 2/log2(3)) / (2 + 1/log2(3)); recall and mrr know no grades.
    found = compute_measures([QuestionResult(some, ["a", "b"], 1.0)])
    assert found["ndcg10"] == pytest.approx(0.859719, abs=1e-5)
    assert (found["recall"]["10"], found["mrr"]) == (1.0, 1.0)


@pytest.mark.conformance("A35")
def test_a_random_order_finds_k_of_what_is_readable() -> None:
    told = [asked("a", readable=100), asked("b", readable=5), asked(scenario=FORBIDDEN)]
    assert compute_random_recall(told) == pytest.approx(
        {"1": (0.01 + 0.2) / 2, "5": (0.05 + 1) / 2, "10": (0.1 + 1) / 2}
    )


@pytest.mark.conformance("A37")
def test_room_is_that_of_the_tables_an_architecture_needs() -> None:
    before = {"memories_memory": 1000, "memories_edge": 500}
    after = {"memories_memory": 5000, "memories_edge": 2500, "memories_partition_user": 900}
    assert bytes_per_memory(before, after, 10, ()) == 400
    assert bytes_per_memory(before, after, 10, ("graph",)) == 600
    assert bytes_per_memory(before, after, 10, ("partitions",)) == 490


@pytest.mark.conformance("A37")
def test_a_size_is_that_of_the_table_with_its_indexes_and_long_values(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    here.remember(here.robot("bolt"), "Samba runs in the cellar.", speaker="irc:ann")
    here.embed()
    parts = """
        SELECT pg_relation_size(c.oid) + pg_indexes_size(c.oid)
            + coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)
            + pg_relation_size(c.oid, 'fsm') + pg_relation_size(c.oid, 'vm')
            + pg_relation_size(c.oid, 'init'), pg_indexes_size(c.oid)
        FROM pg_class c WHERE c.oid = %s::regclass"""
    tables = ("memories_memory", "memories_text", "memories_embedding", "memories_edge")
    with connections["owner"].cursor() as cursor:
        for _ in range(20):
            found, measured = fetch_table_sizes(), {}
            for table in tables:
                cursor.execute(parts, [table])
                measured[table] = cursor.fetchone()
            # Autovacuum may add to a table between the two.
            if fetch_table_sizes() == found:
                break
    for table in tables:
        whole, indexes = measured[table]
        assert found[table] == whole > indexes > 0, table


@pytest.mark.conformance("A34")
def test_percentiles_and_number_of_what_was_asked() -> None:
    outcomes = [QuestionResult(asked("a"), ["a"], float(ms)) for ms in range(1, 1_001)]
    assert compute_measures(outcomes)["query_ms"] == {
        "n": 1_000,
        "p50": 500,
        "p95": 950,
        "p99": 990,
    }


@pytest.mark.conformance("A34")
def test_the_first_questions_warm_up_and_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = [asked(str(n)) for n in range(20)]
    done: list[tuple[str, str]] = []

    def ask(place: object, one: EvaluationQuestion, strategy: str, by: object) -> QuestionResult:
        done.append((strategy, min(one.gold)))
        return QuestionResult(one, [], 1.0)

    monkeypatch.setattr(run_measurements, "_ask_question", ask)
    found = run_measurements.ask_questions(None, questions, ["graph", "hybrid"])
    # Every second question by one strategy and then by the other, ten each.
    warm = [str(n) for n in range(0, 20, 2)]
    assert done[:20] == [("graph", n) for n in warm] + [("hybrid", n) for n in warm]
    # Then each by both, taking turns at beginning.
    assert done[20:24] == [("graph", "0"), ("hybrid", "0"), ("hybrid", "1"), ("graph", "1")]
    assert {name: len(some) for name, some in found.items()} == {"graph": 20, "hybrid": 20}


def two_architectures(sizes: tuple[int, ...]) -> dict[str, Any]:
    """A report: a query of `graph` takes twice as long at each ten times the messages, that of
    `partitioned` takes as long at each size."""
    runs = []
    for place, groups in enumerate(sizes):
        slow = run("graph", groups=groups, quality=0.9, ms=10.0 * 2**place, room=4000)
        flat = run("partitioned", groups=groups, quality=0.5, ms=30.0, room=8000)
        slow["projections"], flat["projections"] = ["graph"], []
        for one, quality in ((slow, 0.9), (flat, 0.95)):
            one["scenarios"] = {"announcements": {"ndcg10": quality, "query_ms": {"p50": 5.0}}}
        runs += [slow, flat]
    data = [{"groups": groups, "messages": 500 * groups} for groups in sizes]
    ranking = rank_architectures(runs)
    return {"runs": runs, "references": [], "data": data, "ranking": ranking,
            "recommendation": "graph"}  # fmt: skip


@pytest.mark.conformance("A39")
def test_what_was_measured_stands_beside_what_was_predicted() -> None:
    table = predictions.predictions_table(two_architectures((1, 10, 100, 1000)))
    assert table.columns[4:] == [
        "foreseen at 100", "measured at 100", "foreseen at 1,000", "measured at 1,000",
    ]  # fmt: skip
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    assert len(rows) == 6
    assert rows["Graph", "query, ms"] == ["15 to 50", "132 to 10,754", 40.0, 40.0, 80.0, 80.0]
    assert rows["Partitioned", "query, ms"][2:] == [30.0] * 4
    assert rows["Graph", "insert, ms"][:2] == ["5 to 10", None]
    assert rows["Partitioned", "storage, bytes a memory"] == [None, None, *[8000.0] * 4]
    report = two_architectures((1, 10, 100))
    report["runs"][4]["query_ms"] = {"p50": 90.0}
    graph = predictions.predictions_table(report).rows[0]
    assert graph[4:] == [40.0, 90.0], "what is foreseen does not look at what is measured there"
    assert predictions.predictions_table(two_architectures((1,))).rows[0][4:] == []


@pytest.mark.conformance("A39")
def test_complexity_fit_and_reason_come_from_the_report() -> None:
    report = two_architectures((1, 10, 100))
    rows = predictions.growth_table(report).rows
    assert rows == [
        [1, "Partitioned", 0, 0.0, 0.0, 0.0], [2, "Graph", 1, 0.3, 0.0, 0.0],
    ]  # fmt: skip
    assert predictions.fit_table(report).rows == [
        ["Announcements", "Partitioned", 95.0, 5.0, 90.0, 5.0]
    ]
    reason = predictions.reason_sentence(report)
    assert "nobody is better in quality, speed, writing and room" in reason
    assert "the next, Partitioned, has 0." in reason
    assert "it is the best in 0 of 1 scenarios at the largest size." in reason
    assert predictions.reason_sentence({**report, "recommendation": None}) == ""
    alone = predictions.growth_table(two_architectures((1,))).rows
    assert alone[0][3:] == [None, None, None]


def test_bars_share_one_scale() -> None:
    drawn = render_bar_chart(
        "Size <1>", "ms", ["A", "B"], {"at 1": [10.0, None], "at 10": [40.0, 20.0]}
    )
    assert "Size &lt;1&gt;" in drawn
    assert drawn.count("<rect") == 3
    widths = [part.split('"')[1] for part in drawn.split("width=")[1:]]
    full = 720 - 132 - 92
    assert widths == [f"{full / 4:.1f}", f"{full:.1f}", f"{full / 2:.1f}"]


@pytest.mark.conformance("Q02", "A38", "A40")
def test_auto_takes_what_the_packaged_report_recommends() -> None:
    report = json.loads((settings.BASE_DIR / "docs/architectures/report.json").read_text("utf-8"))
    runs = report["runs"]
    assert len({(run["strategy"], run["groups"]) for run in runs}) == len(runs)
    assert {run["groups"] for run in runs} >= {1, 10, 100}
    assert sum(run["leakage"] for run in [*runs, *report["references"]]) == 0
    assert (
        find_recommended(rank_architectures(runs)) == report["recommendation"] == DEFAULT_STRATEGY
    )
