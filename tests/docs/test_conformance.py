"""The report of the contract says what is proven, proven in part, failed and missing."""

import ast
from functools import cache

import pytest

from tests.architecture.source import tree
from tests.conformance import ROOT, known_rows, status_of


@pytest.mark.parametrize(
    ("results", "clauses", "status"),
    [
        ({}, [], "missing"),
        ({"a": "passed"}, [], "passed"),
        ({"a": "passed", "b": "passed"}, ["MCP configuration"], "partial"),
        ({"a": "passed", "b": "skipped"}, [], "failed"),
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
        for node in ast.walk(tree(path)):
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
