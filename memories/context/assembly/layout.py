"""The text of a context from the sections of the sources: fitted, numbered, cited."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import UUID

from memories.context.assembly.fence import (
    closing_line,
    format_entry,
    format_heading,
    new_mark,
    opening_line,
    render_fenced_text,
)
from memories.context.assembly.fit_to_budget import SectionCosts, fit_sections
from memories.context.sources.pieces import ContextPiece, ContextSection
from memories.embedding.tokens.token_count import (
    MAX_CHARACTERS_PER_TOKEN,
    count_tokens,
    truncate_to_tokens,
)
from memories.language.rendering.model_text import ModelText, joined, render_head, render_text

# A text longer than this share of the budget, or than the share of its section, is cut, but not
# below this many tokens; after a long head not below so many.
MAX_TEXT_SHARE, MIN_TEXT_TOKENS, LEAST_TEXT = 0.25, 40, 10
# The most tokens of a number in brackets, for as many entries as all sources could give.
_NUMBER_TOKENS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What an entry of the text cites. cut: whether the text has only its beginning."""

    number: int
    section: str
    piece: ContextPiece
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionReport:
    """The result of a section, in numbers of pieces. items: in the text; left_out: found, but
    without room; weak: found, but below the wanted strength."""

    name: str
    status: str
    items: int
    left_out: int
    weak: int = 0
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContext:
    """tokens: of the text, at most `max_tokens`. recall_id: for feedback on its memories; None if
    no memories were recalled."""

    text: str
    tokens: int
    recall_id: UUID | None
    citations: list[Citation] = field(default_factory=list)
    sections: list[SectionReport] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Entry:
    piece: ContextPiece
    text: ModelText
    tokens: int
    cut: bool


def lay_out_context(sections: Sequence[ContextSection], max_tokens: int) -> PromptContext:
    """The text and its citations; empty if the fence alone fills the budget."""
    entries = [_build_entries(section, max_tokens) for section in sections]
    mark = new_mark([one.text for those in entries for one in those])
    around = count_tokens(opening_line(mark)) + count_tokens(closing_line(mark))
    counts = fit_sections(
        [
            SectionCosts(
                heading=_heading_tokens(section.title),
                share=section.share,
                costs=[one.tokens + _NUMBER_TOKENS for one in those],
            )
            for section, those in zip(sections, entries, strict=True)
        ],
        max_tokens - around,
    )
    return _render_context(mark, around, sections, entries, counts)


def _build_entries(section: ContextSection, max_tokens: int) -> list[_Entry]:
    """The pieces with their tokens, as far as the budget can reach.

    The first of them fits into the share of the section, so that a long one leaves it no emptier.
    """
    around = _heading_tokens(section.title) + _NUMBER_TOKENS
    longest = max(MIN_TEXT_TOKENS, int(min(MAX_TEXT_SHARE, section.share) * max_tokens) - around)
    made: list[_Entry] = []
    total = 0
    for piece in section.pieces:
        if total > max_tokens:
            break
        made.append(_rendered(piece, longest))
        total += made[-1].tokens
    return made


def _rendered(piece: ContextPiece, longest: int) -> _Entry:
    """The piece as the text has it. longest: the most tokens, with its head."""
    head = render_head(piece.head)
    before = count_tokens(head)
    room = max(LEAST_TEXT, longest - before)
    whole = render_text(piece.text, longest=room * MAX_CHARACTERS_PER_TOKEN)
    text, tokens = truncate_to_tokens(whole, room)
    cut = text != whole or len(piece.text) > room * MAX_CHARACTERS_PER_TOKEN
    return _Entry(piece, joined(head, ModelText(text)), before + tokens, cut)


def _render_context(
    mark: str,
    around: int,
    sections: Sequence[ContextSection],
    entries: Sequence[Sequence[_Entry]],
    counts: Sequence[int],
) -> PromptContext:
    citations: list[Citation] = []
    reports: list[SectionReport] = []
    written: list[tuple[str, list[str]]] = []
    for section, those, count in zip(sections, entries, counts, strict=True):
        lines, tokens = [], _heading_tokens(section.title) if count else 0
        for one in those[:count]:
            number = len(citations) + 1
            citations.append(
                Citation(number=number, section=section.name, piece=one.piece, cut=one.cut)
            )
            lines.append(format_entry(number, one.text))
            tokens += one.tokens + _number_tokens(number)
        written.append((section.title, lines))
        left_out = len(section.pieces) - count
        reports.append(
            SectionReport(
                name=section.name,
                status=section.status,
                items=count,
                left_out=left_out,
                tokens=tokens,
            )
        )
    tokens = sum(report.tokens for report in reports) + (around if citations else 0)
    return PromptContext(
        text=render_fenced_text(mark, written),
        tokens=tokens,
        recall_id=None,
        citations=citations,
        sections=reports,
    )


@lru_cache(maxsize=1000)
def _number_tokens(number: int) -> int:
    return count_tokens(f"[{number}]")


@lru_cache(maxsize=50)
def _heading_tokens(title: str) -> int:
    return count_tokens(format_heading(title))
