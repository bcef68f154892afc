"""No text of a member keeps a process busy: each rule takes a moment whatever it is given."""

from datetime import UTC, datetime

import pytest

from memories.knowledge_graph import expertise_signals
from memories.language import propositions
from memories.language.coreference import Turn
from memories.restatement import rules

AT = datetime(2026, 1, 1, tzinfo=UTC)
# What these texts took before they were looked at was hours.
TEXTS = (
    "ok, ",
    "so, ",
    "http://",
    "x://",
    "@a",
    "he ",
    "A. ",
    " ; ",
    " ",
    "a",
    '"',
    "«",
    "Bob he ",
)


@pytest.mark.timed(10)
@pytest.mark.parametrize("piece", TEXTS)
def test_every_rule_takes_a_moment(piece: str) -> None:
    short, long = (piece * 4_000)[:4_000], (piece * 100_000)[:100_000]
    around = [Turn(text=long + long, speaker="Bob", at=AT)] * 39
    expertise_signals.is_help_seeking(short)
    propositions.extract_propositions(long + "!")
    rules.restate(Turn(text=short, speaker="Ann", at=AT, addressed=("Kim",)), around)


@pytest.mark.parametrize(
    "text",
    [
        "hi @bob how do I mount it",
        "ok, so, how do I mount it",
        "@ann: is there a way",
        "(ann): who is it",
    ],
)
def test_whom_a_question_calls_is_read_past(text: str) -> None:
    assert expertise_signals.is_question(text.rstrip("?"))


def test_an_address_is_left_alone() -> None:
    found = rules.restate(Turn(text="I asked me@my.org today", speaker="Ann", at=AT))
    assert found is not None
    assert "me@my.org" in found.text
