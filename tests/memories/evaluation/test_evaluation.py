"""The whole command on one group with the fake encoder: what it writes, leaves and refuses."""

import json
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories.evaluation import compare_architectures as evaluation_run
from memories.evaluation import table_sizes
from memories.evaluation.dataset.scenarios import SCENARIOS
from memories.evaluation.measures import run_measurements
from memories.retrieval import recall
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience
from orgs.models.organisations import Organisation

STRATEGY = "triple_tenant"


def left_over() -> int:
    return Organisation.objects.using("owner").filter(slug__startswith="comparison-").count()


def compare(folder: Path, *words: str) -> None:
    call_command(
        "compare_architectures",
        *("--groups", "1", "--output", str(folder), "--questions", "4", "--json"),
        *("--strategies", STRATEGY, "--batches", "1"),
        *words,
    )


@pytest.mark.slow
@pytest.mark.conformance("A32", "A33", "A34", "A35", "A36", "A37", "A38", "A39", "A40", "Q02")
def test_the_command_writes_a_report_and_leaves_nothing(
    committed: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Other tests leave room in this database, which would be filled first: each look finds more.
    looks = count(1)
    monkeypatch.setattr(
        table_sizes, "fetch_table_sizes", lambda: {"memories_memory": next(looks) * 10**8}
    )
    compare(tmp_path)
    assert json.loads(capsys.readouterr().out)["recommendation"] == STRATEGY
    assert left_over() == 0
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    [run], [reference] = report["runs"], report["references"]
    assert (run["strategy"], run["groups"], reference["strategy"]) == (STRATEGY, 1, "hybrid")
    assert run["leakage"] == 0 == len(report["leaks"])
    assert run["insert_ms"] > 0 < run["batch_rows_per_s"]
    assert run["insert_n"] == run_measurements.SINGLE_INSERTS
    assert 0 < run["query_ms"]["p50"] <= run["query_ms"]["p95"] <= run["query_ms"]["p99"]
    assert run["query_ms"]["n"] == 4 * (len(SCENARIOS) + 1)
    assert report["made"]["warm_up_questions"] == run_measurements.WARM_UP
    assert run["bytes_per_memory"] > 0
    assert set(run["recall"]) == {"1", "5", "10"} == set(report["random_recall"])
    # The fake encoder knows words alone: what is asked in its own words is found.
    assert run["recall10_direct"] > 0.9 > report["random_recall"]["10"]
    assert 0 < run["ndcg10"] <= 1 >= run["mrr"] > 0
    assert set(run["scenarios"]) == set(SCENARIOS)
    assert report["data"][0]["messages"] == 500
    assert report["data"][0]["user_probes"] == report["data"][0]["members"] == 50
    assert report["ranking"][0]["strategy"] == STRATEGY == report["recommendation"]
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| Robot mention | Triple tenant |" in markdown
    assert "| Random order | 1 |" in markdown
    assert "132 to 10,754" in markdown
    assert (tmp_path / "charts" / "query.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
@pytest.mark.conformance("A40")
def test_a_leak_fails_the_command_and_still_leaves_nothing(
    committed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaky(actor, query, *, now, load):
        """Recall in a scope that opens every audience of the organisation."""
        principal = recall.resolve_asker(actor, query)
        with organisation_scope(actor.organisation_id):
            everything = frozenset(Audience.objects.values_list("id", flat=True))
        wide = replace(principal, audiences=everything)
        return recall.recall_as_principal(wide, query, now=now, load=load)

    monkeypatch.setattr(run_measurements, "recall", leaky)
    with pytest.raises(SystemExit) as ended:
        compare(tmp_path)
    assert ended.value.code == 1
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["runs"][0]["leakage"] > 0
    leaks = report["leaks"]
    assert all(leak["forbidden"] for leak in leaks)
    assert report["runs"][0]["leakage"] == sum(
        len(leak["forbidden"]) for leak in leaks if leak["strategy"] == STRATEGY
    )
    # Far more than the four questions for what is forbidden: nearly every user was served some.
    assert len([leak for leak in leaks if leak["strategy"] == STRATEGY]) > 40
    assert report["recommendation"] is None
    assert left_over() == 0


@pytest.mark.slow
def test_an_interrupted_comparison_leaves_nothing(
    committed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        assert left_over() == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation_run, "ask_questions", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(tmp_path)
    assert left_over() == 0
    assert not (tmp_path / "report.json").exists()


@pytest.mark.parametrize(
    "words", [("--groups", "x"), ("--groups", "0"), ("--strategies", "best"), ("--questions", "1")]
)
def test_what_makes_no_sense_is_said(tmp_path: Path, words: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        call_command("compare_architectures", "--output", str(tmp_path), *words)
