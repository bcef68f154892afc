"""What went into a context is what a reader finds in it, whatever the texts hold."""

import re
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.context.assembly import fence, layout
from memories.context.assembly.fence import new_mark, opening_line
from memories.context.sources.pieces import OK, ContextPiece, ContextSection
from memories.embedding.tokens.token_count import count_tokens
from tests.memories.context.read_back import read_back
from tests.memories.language.rendering.test_model_text import hostile, letters

TITLES = ["Preferences", "Recent messages", "Memories", "Tasks"]
# Letters that nobody sees.
UNREAD = re.compile("[\u3164\u115f\u1160\uffa0\u17b4\u17b5]")

pieces = st.builds(
    lambda head, text: ContextPiece(head=tuple(head), text=text, type="memory", id=UUID(int=1)),
    st.lists(hostile, min_size=1, max_size=3).map(lambda parts: ["2026-03-02", *parts]),
    hostile,
)


def sections(those: list[list[ContextPiece]]) -> list[ContextSection]:
    return [
        ContextSection(name=title.lower(), title=title, share=0.25, status=OK, pieces=some)
        for title, some in zip(TITLES, those, strict=False)
    ]


@pytest.mark.conformance("T28")
@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(pieces, max_size=3), min_size=1, max_size=4))
def test_the_structure_read_back_is_what_went_in(those: list[list[ContextPiece]]) -> None:
    made = layout.lay_out_context(sections(those), 100_000)
    if not any(those):
        assert made.text == ""
        return
    found = read_back(made.text)
    given_ = {title: some for title, some in zip(TITLES, those, strict=False) if some}
    assert list(found.sections) == list(given_)
    for title, some in given_.items():
        read = found.sections[title]
        assert len(read) == len(some)
        for entry, piece in zip(read, some, strict=True):
            assert letters(entry.head) == seen("".join(piece.head))
            # The same words, in as many lines as hold any.
            lines = [seen(line) for line in piece.text.splitlines()]
            assert [letters(line) for line in entry.lines if letters(line)] == [
                *filter(None, lines)
            ]
    assert [one.number for one in made.citations] == [one.number for one in found.entries]
    assert made.tokens == count_tokens(made.text)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(pieces, max_size=3), min_size=1, max_size=4), st.integers(1, 300))
def test_no_budget_breaks_the_structure(those: list[list[ContextPiece]], budget: int) -> None:
    made = layout.lay_out_context(sections(those), budget)
    assert made.tokens == count_tokens(made.text) <= budget
    if made.text:
        assert len(read_back(made.text).entries) == len(made.citations)


def seen(text: str) -> str:
    return letters(UNREAD.sub("", text))


def test_the_mark_is_one_that_no_text_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = iter(["a" * 16, "b" * 16, "c" * 16])
    monkeypatch.setattr(fence.secrets, "token_hex", lambda _: next(marks))
    assert new_mark(["x " + "a" * 16, "b" * 17]) == "c" * 16
    marks = iter(["a" * 16, "d" * 16])
    monkeypatch.setattr(layout, "MARK_TOKENS", count_tokens("d" * 16))
    assert count_tokens("a" * 16) == layout.MARK_TOKENS
    piece = ContextPiece(text="[end " + "a" * 16 + "]", type="memory", id=UUID(int=1))
    made = layout.lay_out_context(sections([[piece]]), 1_000)
    assert made.text.startswith(opening_line("d" * 16))
    assert read_back(made.text).mark == "d" * 16


def test_every_mark_has_as_many_tokens_and_is_another() -> None:
    marks = [layout._draw_mark() for _ in range(50)]
    assert {count_tokens(mark) for mark in marks} == {layout.MARK_TOKENS}
    assert len(set(marks)) == 50
