"""Every sentence that states something stands in `statements.csv`, with the test that proves it.

A new one fails here until its line is added. The third column names a test that finds out by
another way what it states, as `tests/sentences/test_uses.py::test_read_by_counts_answers`;
or it begins with `no claim: `, and says why the sentence states nothing of the rows. Sentences of
before that no test proves have an empty column; their number only falls.
"""

import ast
import csv
from functools import cache

import pytest

from tests.architecture.source import syntax_tree
from tests.sentences.catalogue import (
    ROOT,
    Statement,
    find_statements,
    statements_of_module,
    statements_of_template,
)

LIST = ROOT / "tests" / "sentences" / "statements.csv"
NO_CLAIM = "no claim: "
# As many as there are. Who proves one lowers it.
WITHOUT_TEST = 333


@cache
def listed() -> dict[Statement, str]:
    with LIST.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {Statement(row["where"], row["text"]): row["test"] for row in rows}
    assert len(found) == len(rows), "each once"
    return found


@pytest.mark.conformance("X12", open="sentences of before that no test proves yet")
def test_every_sentence_that_states_something_is_listed() -> None:
    found = set(find_statements())
    assert len(found) > 300
    new = sorted(found - listed().keys())
    assert not new, f"add to {LIST.name}, each with its test: {new}"
    gone = sorted(listed().keys() - found)
    assert not gone, f"take out of {LIST.name}: {gone}"


def test_a_listed_test_is_there() -> None:
    for statement, test in listed().items():
        if not test or test.startswith(NO_CLAIM):
            assert test == "" or len(test) > len(NO_CLAIM) + 5, statement
            continue
        path, _, name = test.partition("::")
        tree = syntax_tree(ROOT / path)
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name.startswith("test_"), statement
        assert name in names, (statement, test)


def test_sentences_without_a_test_become_fewer() -> None:
    assert sum(not test for test in listed().values()) == WITHOUT_TEST


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("<p>{{ n|intcomma }} people can read this.</p>", ["{} people can read this."]),
        ("<p>Only you can read this.</p>", ["Only you can read this."]),
        (
            '<p>{{ n }} memor{{ n|pluralize:"y,ies" }} in {{ days }} days. {{ x.url }}</p>',
            ["{} memory/ies in {} days."],
        ),
        ("<p>Written by <b>{{ who }}</b></p><p>Save</p>", ["Written by {}"]),
        ('<a title="Used {{ n }} times" href="/x/{{ id }}/">It</a>', ["Used {} times"]),
        (
            "{% if a %}It ended {{ at }}{% else %}It ends {{ at }}{% endif %}",
            ["It ended {}", "It ends {}"],
        ),
        ("<p>{{ memory.content }}</p>{# {{ n }} people read it #}", []),
        ("{% comment %}{{ n }} people can read it{% endcomment %}", []),
        ("<button>Change who may read it</button><h1>Who can read this?</h1>", []),
        ("<p>Save what you wrote.</p>", []),
    ],
)
def test_a_template_is_read_as_people_read_it(source: str, texts: list[str]) -> None:
    assert [one.text for one in statements_of_template("x.html", source)] == texts


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ('"""{n} people can read it."""\nx = f"{n:,} memories of {who}"', ["{} memories of {}"]),
        ('x = "Nobody can read it. Done."', ["Nobody can read it."]),
        ('x = f"Decided by {who}"', ["Decided by {}"]),
        ('x = f"/memories/{id}/readers/"\ny = "memory-readers"', []),
        ('x = f"Saved {name}"', []),
    ],
)
def test_a_module_is_read_without_its_docstrings(source: str, texts: list[str]) -> None:
    assert [one.text for one in statements_of_module("x.py", ast.parse(source))] == texts
