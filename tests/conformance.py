"""`@pytest.mark.conformance("H05")` ties a test to a row of the contract.

With --conformance-report every row is printed with its tests and their result, and
var/conformance.json is written: {"H05": {"tests": [...], "status": "passed"}}.

A row whose tests prove only a part of it says which clause is not proven:
`@pytest.mark.conformance("W01", open="MCP configuration")`. Such a row is `partial`, with the
clauses under "open".

`--part 2/4` runs the second of four parts of whatever is chosen. Each test is in one part, the same
one in every run. With --conformance-report the parts of one commit are put together: each prints
what the parts so far prove, and which are missing.
"""

import csv
import json
import re
import subprocess
import zlib
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "docs" / "conformance.csv"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--conformance-report", action="store_true")
    parser.addoption("--part", type=part_of, default=(1, 1), help="2/4: the second of four parts")


def part_of(text: str) -> tuple[int, int]:
    """(number, parts) of `2/4`. Raises ValueError."""
    found = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", text)
    if found is None or int(found[1]) > int(found[2]):
        raise ValueError(f"{text} is no part: say 2/4 for the second of four")
    return int(found[1]), int(found[2])


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--conformance-report") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(
            ConformanceReport(config.getoption("--part")), "conformance-report"
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other parts. A module is in one part: its fixtures are made once."""
    number, parts = config.getoption("--part", (1, 1))
    chosen, others = [], []
    for item in items:
        module = item.nodeid.partition("::")[0]
        mine = zlib.crc32(module.encode()) % parts == number - 1
        (chosen if mine else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = chosen


def marked_rows(item: pytest.Item) -> list[tuple[str, str]]:
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
    outcome.get_result().user_properties.append(("conformance", marked_rows(item)))


def status_of(results: Mapping[str, str], open_clauses: Collection[str]) -> str:
    """missing, failed, skipped (none failed, one proved nothing), partial or passed."""
    for worst in ("failed", "skipped"):
        if worst in results.values():
            return worst
    if not results:
        return "missing"
    return "partial" if open_clauses else "passed"


class ConformanceReport:
    """Collects results by row; a row has passed when all its tests ran and passed.

    part: (number, parts). The results of each part are kept, and those of the same commit are put
    together.
    """

    def __init__(self, part: tuple[int, int], folder: Path = ROOT / "var") -> None:
        self.number, self.parts = part
        self.folder = folder
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
        self.folder.mkdir(exist_ok=True)
        absent = self._join_parts()
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
        path = self.folder / "conformance.json"
        path.write_text(json.dumps(found, indent=1))
        counts = Counter(row["status"] for row in found.values())
        terminalreporter.write_line(
            f"{counts['passed']} of {len(found)} rows proven, {counts['partial']} in part, "
            f"{counts['skipped']} with a test that was skipped; see {path.name}"
        )
        if absent:
            words = ", ".join(f"{number}/{self.parts}" for number in absent)
            terminalreporter.write_line(f"Not run of this commit yet: {words}")

    def _join_parts(self) -> list[int]:
        """Keep the results of this part, and add those of the others that are of the same commit.
        Returns the parts that are not there."""
        commit = commit_of(ROOT)
        absent = []
        for number in range(1, self.parts + 1):
            path = self.folder / f"conformance-{number}-of-{self.parts}.json"
            if number == self.number:
                clauses = {row: sorted(found) for row, found in self.open.items()}
                kept = {"commit": commit, "results": self.results, "open": clauses}
                if self.parts > 1:
                    path.write_text(json.dumps(kept))
                continue
            kept = json.loads(path.read_text()) if path.exists() else {}
            if kept.get("commit") != commit:
                absent.append(number)
                continue
            for row, tests in kept["results"].items():
                self.results.setdefault(row, {}).update(tests)
            for row, found in kept["open"].items():
                self.open.setdefault(row, set()).update(found)
        return absent


def commit_of(folder: Path) -> str:
    """The commit that is checked out, and a mark for changes that are in no commit."""
    words = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip()
