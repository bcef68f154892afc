"""The report of the contract says what is proven, proven in part, failed and missing."""

import ast
import csv
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests.architecture.source import syntax_tree
from tests.conformance import (
    ROOT,
    ROWS,
    ConformanceReport,
    known_rows,
    part_of,
    pytest_collection_modifyitems,
    status_of,
)


@pytest.mark.parametrize(
    ("results", "clauses", "status"),
    [
        ({}, [], "missing"),
        ({"a": "passed"}, [], "passed"),
        ({"a": "passed", "b": "passed"}, ["MCP configuration"], "partial"),
        ({"a": "passed", "b": "skipped"}, [], "skipped"),
        ({"a": "failed", "b": "skipped"}, [], "failed"),
        ({"a": "passed", "b": "failed"}, ["MCP configuration"], "failed"),
    ],
)
def test_a_row_is_proven_when_all_its_tests_passed_and_none_says_that_a_clause_is_open(
    results: dict[str, str], clauses: list[str], status: str
) -> None:
    assert status_of(results, clauses) == status


@cache
def marks() -> list[tuple[str, ast.Call]]:
    """Every conformance mark of the suite, with where it stands."""
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if "conformance" not in path.read_text(encoding="utf-8"):
            continue
        for node in ast.walk(syntax_tree(path)):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if named and ast.unparse(node.func) == "pytest.mark.conformance":
                found.append((f"{path.relative_to(ROOT)}:{node.lineno}", node))
    return found


def test_every_mark_names_rows_that_the_contract_has() -> None:
    known = set(known_rows())
    assert len(marks()) > 200
    for place, mark in marks():
        rows = [arg.value for arg in mark.args if isinstance(arg, ast.Constant)]
        assert rows, place
        assert len(rows) == len(mark.args), f"{place}: rows are named as they are"
        assert set(rows) <= known, place


def test_an_open_clause_belongs_to_one_row_and_says_something() -> None:
    for place, mark in marks():
        for keyword in mark.keywords:
            assert keyword.arg == "open", place
            assert isinstance(keyword.value, ast.Constant), place
            assert len(str(keyword.value.value)) > 3, place
            assert len(mark.args) == 1, f"{place}: which row is open?"


def tagged_rows() -> set[str]:
    return {ast.literal_eval(arg) for _, mark in marks() for arg in mark.args}


def test_each_row_has_a_test() -> None:
    assert set(known_rows()) - tagged_rows() == set()


def test_an_open_clause_is_not_stale() -> None:
    """It is about what its row says, leaves nothing to other tests, names no proven row."""
    with ROWS.open(newline="") as file:
        texts = {row["id"]: " ".join(row.values()).lower() for row in csv.DictReader(file)}
    stale = []
    for place, mark in marks():
        for clause in (str(ast.literal_eval(keyword.value)) for keyword in mark.keywords):
            words = set(re.findall(r"\w{3,}", clause.lower())) - {"only", "make", "the", "and"}
            row = ast.literal_eval(mark.args[0])
            named = set(re.findall(r"\b[A-Z]\d\d\b", clause))
            if (
                not any(word in texts[row] for word in words)
                or "tests" in words
                or named & tagged_rows()
            ):
                stale.append((place, clause))
    assert stale == []


@pytest.mark.parametrize("wrong", ["", "0/4", "5/4", "2", "2/", "2/4/6", "-1/4", "two/four"])
def test_a_part_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="is no part"):
        part_of(wrong)


def test_every_test_is_in_one_part(request: pytest.FixtureRequest) -> None:
    every = [Mock(nodeid=f"tests/test_{n % 40}.py::test_{n}") for n in range(200)]
    parts = []
    for number in (1, 2, 3):
        config, items = Mock(getoption=lambda *_, n=number: (n, 3)), list(every)
        pytest_collection_modifyitems(config, items)
        parts.append({one.nodeid for one in items})
        left = config.hook.pytest_deselected.call_args.kwargs["items"]
        assert len(left) + len(items) == len(every)
    assert sum(map(len, parts)) == len(set().union(*parts)) == len(every)
    assert min(map(len, parts)) > 20
    modules = [{id_.partition("::")[0] for id_ in part} for part in parts]
    assert sum(map(len, modules)) == 40, "a module is whole in one part"


def test_the_parts_of_one_commit_are_put_together(tmp_path: Path) -> None:
    printed: list[str] = []
    terminal = Mock(write_line=printed.append)

    def run(part: tuple[int, int], row: str, outcome: str) -> dict[str, Any]:
        report = ConformanceReport(part, tmp_path)
        properties = [("conformance", [(row, "")])]
        facts = {"user_properties": properties, "nodeid": f"{row}-{part[0]}", "when": "call"}
        facts |= {"failed": outcome == "failed", "skipped": outcome == "skipped"}
        report.pytest_runtest_logreport(Mock(**facts))
        printed.clear()
        report.pytest_terminal_summary(terminal)
        return json.loads((tmp_path / "conformance.json").read_text())

    first = run((1, 2), "A01", "passed")
    assert (first["A01"]["status"], first["A02"]["status"]) == ("passed", "missing")
    assert printed[-1] == "Not run of this commit yet: 2/2"
    both = run((2, 2), "A02", "failed")
    assert (both["A01"]["status"], both["A02"]["status"]) == ("passed", "failed")
    assert "Not run" not in printed[-1]
    assert run((2, 2), "A01", "skipped")["A01"] == {
        "tests": ["A01-1", "A01-2"],
        "status": "skipped",
    }, "a test of one part does not hide that of another"
    stale = tmp_path / "conformance-2-of-2.json"
    stale.write_text(json.dumps(json.loads(stale.read_text()) | {"commit": "another"}))
    assert run((1, 2), "A01", "passed")["A01"]["status"] == "passed"
    assert printed[-1] == "Not run of this commit yet: 2/2"
