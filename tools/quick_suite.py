"""Choose the tests that `make test` runs: as many as fit into seven minutes, the cheapest first.

    make test ARGS="--junitxml=var/times.xml -o junit_duration_report=total"
    python -m tools.quick_suite var/times.xml

It writes tests/long_tests.csv: the tests that `make test` leaves to `make test-slow`, with their
seconds. Those that are in the list already and were not run keep the seconds that stand there. The
run has to be alone on its machine, or all tests look dear alike.
"""

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
LONG_TESTS = ROOT / "tests" / "long_tests.csv"
# Of the seven minutes some are for the start: services, the template, reading every module.
BUDGET_SECONDS = 390.0
# What `make test` runs however long it takes: the beginning of an id -> why.
KEPT = {
    "tests/isolation/test_attacks.py::test_no_attempt_finds_anything": "a leak is the worst fault",
    "tests/isolation/test_limited_keys.py": "a leak is the worst fault",
    "tests/isolation/test_looking.py": "looking changes nothing, on every page",
    "tests/isolation/test_what_is_asked.py": "nobody learns what others asked",
    "tests/abuse/test_abuse.py": "nobody stalls anybody",
    "tests/operations/test_backup.py": "a restore brings nobody back who was erased",
    "tests/fuzz/": "no input is a server error",
    "tests/orgs/placement/test_fence.py": "an organisation is written on one server alone",
    "tests/journeys/test_every_page.py": "each page opens in a browser",
    "tests/texts/test_growth.py": "every rule over text is linear",
}


@dataclass(frozen=True, slots=True)
class RunTime:
    """A test function: the seconds of all its cases together, and how many there are."""

    seconds: float
    cases: int

    @property
    def mean(self) -> float:
        return self.seconds / self.cases


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.quick_suite", description=__doc__)
    parser.add_argument("report", type=Path, help="the JUnit report of a whole run of `make test`")
    report = parser.parse_args(words).report
    times, wall = read_report(report)
    measured = sum(one.seconds for one in times.values())
    allowed = measured * BUDGET_SECONDS / wall
    long = choose_long({**read_long_tests(LONG_TESTS), **times}, allowed)
    write_long_tests(LONG_TESTS, long)
    print(
        f"{len(times)} tests took {measured:.0f} s in {wall:.0f} s; {len(long)} with "
        f"{sum(one.cases for one in long.values())} cases are left to `make test-slow`."
    )
    return 0


def read_report(path: Path) -> tuple[dict[str, RunTime], float]:
    """(the times by test, the seconds of the whole run) of a JUnit report."""
    # The report is our own, of this machine.
    root = ElementTree.parse(path).getroot()  # noqa: S314
    found: dict[str, list[float]] = defaultdict(list)
    for case in root.iter("testcase"):
        place = Path(*case.get("classname", "").split(".")).with_suffix(".py")
        name = case.get("name", "").partition("[")[0]
        found[f"{place.as_posix()}::{name}"].append(float(case.get("time", "0")))
    wall = sum(float(suite.get("time", "0")) for suite in root.iter("testsuite"))
    return {test: RunTime(sum(all_), len(all_)) for test, all_ in found.items()}, wall


def choose_long(times: Mapping[str, RunTime], allowed: float) -> dict[str, RunTime]:
    """The tests that are left out so that the rest takes at most `allowed` seconds: those whose
    cases are the dearest, and none of KEPT."""
    total = sum(one.seconds for one in times.values())
    long = {}
    for test, time in sorted(times.items(), key=lambda one: (-one[1].mean, one[0])):
        if total <= allowed:
            break
        if not test.startswith(tuple(KEPT)):
            long[test] = time
            total -= time.seconds
    return long


def read_long_tests(path: Path) -> dict[str, RunTime]:
    """The list as it is."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        return {row["test"]: RunTime(float(row["seconds"]), int(row["cases"])) for row in rows}


def write_long_tests(path: Path, tests: Mapping[str, RunTime]) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["test", "seconds", "cases"])
        for test, time in sorted(tests.items()):
            rows.writerow([test, f"{time.seconds:.1f}", time.cases])


if __name__ == "__main__":
    sys.exit(main())
