"""The report of the contract says what is proven, proven in part, failed and missing."""

import pytest

from tests.conformance import status_of


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
