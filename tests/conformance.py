"""`@pytest.mark.conformance("H05")` ties a test to a row of the contract.

With --conformance-report every row is printed with its tests and their result, and
var/conformance.json is written: {"H05": {"tests": [...], "status": "passed"}}.

A row whose tests prove only a part of it says which clause is not proven:
`@pytest.mark.conformance("W01", open="MCP configuration")`. Such a row is `partial`, with the
clauses under "open".
"""

import csv
import json
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "docs" / "conformance.csv"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--conformance-report", action="store_true")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--conformance-report") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Report(), "conformance-report")


def rows_of(item: pytest.Item) -> list[tuple[str, str]]:
    """The rows that a test proves, each with the clause of it that stays open ("" for none)."""
    return [
        (row, mark.kwargs.get("open", ""))
        for mark in item.iter_markers("conformance")
        for row in mark.args
    ]


def known_rows() -> list[str]:
    """The ids of the contract, in its order."""
    with ROWS.open(newline="") as file:
        return [row["id"] for row in csv.DictReader(file)]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Any:
    outcome = yield
    outcome.get_result().user_properties.append(("conformance", rows_of(item)))


def status_of(results: Mapping[str, str], open_clauses: Collection[str]) -> str:
    """missing, failed (a skipped test is one that proved nothing), partial or passed."""
    if not results:
        return "missing"
    if set(results.values()) != {"passed"}:
        return "failed"
    return "partial" if open_clauses else "passed"


class Report:
    """Collects results by row; a row has passed when all its tests ran and passed."""

    def __init__(self) -> None:
        self.results: dict[str, dict[str, str]] = {}
        self.open: dict[str, set[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for row, clause in dict(report.user_properties).get("conformance", []):
            tests = self.results.setdefault(row, {})
            if clause:
                self.open.setdefault(row, set()).add(clause)
            if report.failed:
                tests[report.nodeid] = "failed"
            elif report.skipped:
                tests[report.nodeid] = "skipped"
            elif report.when == "call":
                tests.setdefault(report.nodeid, "passed")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        found: dict[str, dict[str, Any]] = {}
        for row in [*known_rows(), *sorted(set(self.results) - set(known_rows()))]:
            tests, clauses = self.results.get(row, {}), sorted(self.open.get(row, ()))
            status = status_of(tests, clauses)
            found[row] = {"tests": sorted(tests), "status": status}
            line = f"{row:5} {status:8} {' '.join(sorted(tests))}"
            if clauses:
                found[row]["open"] = clauses
                line += f" (open: {'; '.join(clauses)})"
            terminalreporter.write_line(line)
        path = ROOT / "var" / "conformance.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1))
        counts = Counter(row["status"] for row in found.values())
        terminalreporter.write_line(
            f"{counts['passed']} of {len(found)} rows proven, {counts['partial']} in part; "
            f"see {path.name}"
        )
