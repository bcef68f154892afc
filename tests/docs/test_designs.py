"""docs/designs.md names each row of the five designs once, and what it names exists.

Links, commands and paths of the page are checked with those of all documents (`test_docs`).
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import get_commands
from django.urls import Resolver404, resolve

from tests.architecture.source import ROOT
from tests.conformance import known_rows
from tests.docs.test_conformance import marks, tagged_rows
from tests.isolation.api_surface import ABSENT, METHODS, openapi_schema

TEXT = (ROOT / "docs/designs.md").read_text(encoding="utf-8")
# Group memory, hive mind, two-tier knowledge, continuum, persona memory, and what was added.
DESIGN_ROWS = {row for row in known_rows() if row[0] in "AHZGPD"}
API = "/api/v1/"
PLACEHOLDER = re.compile(r"\{\w+\}")


def table_lines() -> list[list[str]]:
    """The cells of each line of a table: rows, what is asked, here, what differs."""
    lines = [line for line in TEXT.splitlines() if re.match(r"\| [A-Z]\d\d\b", line)]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def code_marks(text: str) -> list[str]:
    """What stands between backticks, outside of blocks of code."""
    return re.findall(r"`([^`\n]+)`", text)


def api_calls() -> list[tuple[str, str, list[str]]]:
    """(method, address with `{}` for each reference, names of parameters) of each named call."""
    calls = []
    for mark in code_marks(TEXT):
        if API not in mark:
            continue
        method, _, address = mark.partition(" ")
        path, _, query = address.partition("?")
        parameters = [one.partition("=")[0] for one in query.split("&") if one]
        calls.append((method.lower(), PLACEHOLDER.sub("{}", path), parameters))
    return calls


def described_calls() -> dict[tuple[str, str], set[str]]:
    """The names of the parameters of each call of the description."""
    found = {}
    for path, operations in openapi_schema()["paths"].items():
        for method in set(METHODS) & set(operations):
            parameters = operations[method].get("parameters", [])
            found[method, PLACEHOLDER.sub("{}", path)] = {one["name"] for one in parameters}
    return found


def iter_words(schema: Any) -> Iterator[str]:
    """Names of fields and parameters of the description, and the values that have a choice."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (one for one in schema.get("enum", []) if isinstance(one, str))
        if "in" in schema and "name" in schema:
            yield schema["name"]
        for part in schema.values():
            yield from iter_words(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from iter_words(part)


def named_words(cell: str) -> Iterator[str]:
    """Fields and values that a cell names: `filters.levels`, `"strategy": "graph"`, `evict`."""
    for mark in code_marks(cell):
        if mark.startswith('"'):
            for name, value in json.loads(f"{{{mark}}}").items():
                values = value if isinstance(value, list) else [value]
                yield from (name, *(one for one in values if isinstance(one, str)))
        elif re.fullmatch(r"[a-z_]+(\.[a-z_]+)*", mark):
            yield from mark.split(".")


@pytest.mark.conformance("D03")
def test_each_row_of_the_designs_stands_in_one_line() -> None:
    named = Counter(row for cells in table_lines() for row in cells[0].split())
    assert set(named) - DESIGN_ROWS == set(), "no rows of the designs"
    assert DESIGN_ROWS - set(named) == set(), "rows that no line names"
    assert [row for row, times in named.items() if times > 1] == []
    assert len(DESIGN_ROWS) > 175


@pytest.mark.conformance("D03")
def test_each_line_says_what_is_asked_where_it_is_and_what_differs() -> None:
    lines = table_lines()
    assert [cells for cells in lines if len(cells) != 4 or not all(cells)] == []
    nowhere = [cells for cells in lines if not re.search(r"`|\]\(", cells[2])]
    assert [cells for cells in nowhere if "Open:" not in cells[3]] == []


@pytest.mark.conformance("D03")
def test_a_row_that_is_open_says_so() -> None:
    partly = {str(ast.literal_eval(mark.args[0])) for _, mark in marks() if mark.keywords}
    open_rows = DESIGN_ROWS & (partly | (set(known_rows()) - tagged_rows()))
    silent = {
        row
        for cells in table_lines()
        for row in open_rows.intersection(cells[0].split())
        if "Open:" not in cells[3]
    }
    assert silent == set()


@pytest.mark.conformance("D03")
def test_each_call_is_in_the_description_of_the_api() -> None:
    described, calls = described_calls(), api_calls()
    assert len(calls) > 150
    assert [call for call in calls if call[:2] not in described] == []
    unknown = [
        (method, address, name)
        for method, address, names in calls
        for name in set(names) - described[method, address]
    ]
    assert unknown == [], "parameters that the call does not take"


@pytest.mark.conformance("D03")
def test_each_field_is_in_the_description_of_the_api() -> None:
    known = set(iter_words(openapi_schema()))
    named = {(c[0], word) for c in table_lines() for word in named_words(c[2])}
    assert len(named) > 80
    assert sorted(one for one in named if one[1] not in known) == []


@pytest.mark.conformance("D03")
def test_each_page_command_and_setting_exists() -> None:
    pages = {mark.partition("?")[0] for mark in code_marks(TEXT) if mark.startswith("/")}
    missing = []
    for page in pages:
        try:
            resolve(PLACEHOLDER.sub(ABSENT, page))
        except Resolver404:
            missing.append(page)
    assert missing == []
    commands = re.findall(r"manage\.py (\w+)", TEXT)
    assert set(commands) <= set(get_commands())
    settings = {mark for mark in code_marks(TEXT) if re.fullmatch(r"[A-Z]+_[A-Z_]+", mark)}
    told = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    assert {one for one in settings if f"`{one}`" not in told} == set()
    assert min(len(pages), len(set(commands)), len(settings)) > 7
