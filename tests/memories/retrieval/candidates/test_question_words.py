"""How much of a question is read, and when the scope is counted along."""

from typing import Any

import pytest

from memories.retrieval.candidates import query_words, readable_row_count
from memories.retrieval.candidates.query_words import add_query_words
from memories.retrieval.search_types import SearchFilters
from tests.memories.retrieval.pure.feature_tables import question

Asked = list[dict[str, Any]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What each statement is given; it finds two lexemes and ann, and counts seven rows."""
    seen: Asked = []

    def fetched(statement: str, values: dict[str, Any]) -> Any:
        seen.append(values)
        places = [ord(name[0]) for name in values["names"]]
        return [
            (["appl", "red"], [5, 3], [2, 1], ["ann"], 7 if values["counted"] else None, places)
        ]

    monkeypatch.setattr(query_words, "fetch_all", fetched)
    monkeypatch.setattr(readable_row_count, "_cache", {})
    return seen


def test_the_first_two_thousand_characters_and_forty_eight_lexemes_count(asked: Asked) -> None:
    found = add_query_words(question(text="ann " + "x" * 3_000))
    assert found.speakers == (ord("a"),)
    assert (len(asked[0]["shared"]), asked[0]["most"]) == (2_000, 48)
    assert (found.lexemes, found.places, found.named) == (("appl", "red"), (5, 3), ("ann",))
    assert found.word_numbers == (2, 1)


def test_an_open_question_counts_the_scope_once(asked: Asked) -> None:
    add_query_words(question(text="ann"))
    assert readable_row_count.cached_count(question()) == 7
    add_query_words(question(text="ann"))
    assert [values["counted"] for values in asked] == [True, False]
    assert readable_row_count.cached_count(question()) == 7, "a row that is not counted is none"


def test_a_narrowed_question_counts_nothing(asked: Asked) -> None:
    add_query_words(question(text="ann", filters=SearchFilters(kinds=("group",))))
    assert [values["counted"] for values in asked] == [False]
    assert readable_row_count.cached_count(question()) is None
