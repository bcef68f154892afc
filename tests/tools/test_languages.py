"""The texts of the bench part `languages`."""

from itertools import pairwise
from typing import Any

import orjson
import pytest

from tools.benchmarks.languages import DISTRACTORS, FILE, build_drafts

LANGUAGES: dict[str, dict[str, Any]] = orjson.loads(FILE.read_bytes())
ENGLISH = LANGUAGES.pop(DISTRACTORS)


def test_there_are_eight_languages() -> None:
    assert len(LANGUAGES) == 8
    drafts = build_drafts(DISTRACTORS, ENGLISH)
    assert len({draft.content for draft in drafts}) == 40
    assert not any(draft.key for draft in drafts)


@pytest.mark.parametrize("name", LANGUAGES)
def test_ten_facts_lie_apart_among_fifty_texts(name: str) -> None:
    drafts = build_drafts(name, LANGUAGES[name])
    assert len({draft.content for draft in drafts}) == len(drafts) == 50
    facts = [number for number, draft in enumerate(drafts) if draft.key]
    assert len(facts) == 10
    assert min(b - a for a, b in pairwise(facts)) == 5


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_question_is_asked_in_the_words_of_its_fact(name: str) -> None:
    for fact in LANGUAGES[name]["facts"]:
        assert fact["question"] not in fact["text"]
        words = set(fact["question"].casefold().split())
        assert len(words & set(fact["text"].casefold().split())) <= 0.7 * len(words), fact
        assert fact["english"] != fact["question"]
