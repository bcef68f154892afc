"""`@pytest.mark.conformance("H05")` ties a test to a row of the contract.

With --conformance-report every row is printed with its tests and their result, and
var/conformance.json is written: {"H05": {"tests": [...], "status": "passed"}}.
"""

import csv
import json
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


def rows_of(item: pytest.Item) -> list[str]:
    """The rows that a test proves."""
    return [row for mark in item.iter_markers("conformance") for row in mark.args]


def known_rows() -> list[str]:
    """The ids of the contract, in its order."""
    with ROWS.open(newline="") as file:
        return [row["id"] for row in csv.DictReader(file)]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Any:
    outcome = yield
    outcome.get_result().user_properties.append(("conformance", rows_of(item)))


class Report:
    """Collects results by row; a row has passed when all its tests ran and passed."""

    def __init__(self) -> None:
        self.results: dict[str, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for row in dict(report.user_properties).get("conformance", []):
            tests = self.results.setdefault(row, {})
            if report.failed:
                tests[report.nodeid] = "failed"
            elif report.skipped:
                tests[report.nodeid] = "skipped"
            elif report.when == "call":
                tests.setdefault(report.nodeid, "passed")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        found = {}
        for row in [*known_rows(), *sorted(set(self.results) - set(known_rows()))]:
            tests = self.results.get(row, {})
            status = "missing"
            if tests:
                status = "passed" if set(tests.values()) == {"passed"} else "failed"
            found[row] = {"tests": sorted(tests), "status": status}
            terminalreporter.write_line(f"{row:5} {status:8} {' '.join(sorted(tests))}")
        path = ROOT / "var" / "conformance.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1))
        passed = sum(row["status"] == "passed" for row in found.values())
        terminalreporter.write_line(f"{passed} of {len(found)} rows proven; see {path.name}")
