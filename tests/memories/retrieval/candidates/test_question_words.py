"""How much of a question is read, and when the scope is counted along."""

from typing import Any

import pytest

from memories.retrieval.candidates import question_words, readable_rows
from memories.retrieval.candidates.question_words import worded
from memories.retrieval.types import Filters
from tests.memories.retrieval.pure.pools import question

Asked = list[dict[str, Any]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What each statement is given; it finds two lexemes and ann, and counts seven rows."""
    seen: Asked = []

    def fetched(statement: str, values: dict[str, Any]) -> Any:
        seen.append(values)
        places = [ord(name[0]) for name in values["names"]]
        return [(["appl", "red"], [5, 3], ["ann"], 7 if values["counted"] else None, places)]

    monkeypatch.setattr(question_words, "fetched", fetched)
    monkeypatch.setattr(readable_rows, "_known", {})
    return seen


def test_the_first_two_thousand_characters_and_forty_eight_lexemes_count(asked: Asked) -> None:
    found = worded(question(text="ann " + "x" * 3_000))
    assert found.speakers == (ord("a"),)
    assert (len(asked[0]["text"]), asked[0]["most"]) == (2_000, 48)
    assert (found.lexemes, found.places, found.named) == (("appl", "red"), (5, 3), ("ann",))


def test_an_open_question_counts_the_scope_once(asked: Asked) -> None:
    worded(question(text="ann"))
    assert readable_rows.known(question()) == 7
    worded(question(text="ann"))
    assert [values["counted"] for values in asked] == [True, False]
    assert readable_rows.known(question()) == 7, "a row that is not counted is none"


def test_a_narrowed_question_counts_nothing(asked: Asked) -> None:
    worded(question(text="ann", filters=Filters(kinds=("group",))))
    assert [values["counted"] for values in asked] == [False]
    assert readable_rows.known(question()) is None
