"""The text of a context from the sections of the sources: fitted, numbered, cited."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import cast
from uuid import UUID

from memories.context.assembly.fence import (
    closing_line,
    format_entry,
    format_heading,
    new_mark,
    opening_line,
    render_fenced_text,
)
from memories.context.assembly.fit_to_budget import (
    FittedPiece,
    PieceCost,
    SectionCosts,
    fit_sections,
)
from memories.context.sources.pieces import ContextPiece, ContextSection
from memories.embedding.tokens.token_count import (
    MAX_CHARACTERS_PER_TOKEN,
    count_tokens,
    truncate_to_tokens,
)
from memories.language.rendering.model_text import ModelText, joined, render_head, render_text

# A text longer than this share of the budget is cut, in the section that fills the context not
# below a whole turn; in the others also one that is longer than the share of its section, not below
# MIN_TEXT_TOKENS. After a long head at least LEAST_TEXT tokens are left.
MAX_TEXT_SHARE, WHOLE_TURN_TOKENS, MIN_TEXT_TOKENS, LEAST_TEXT = 0.25, 160, 40, 10
# Marks have from 8 to 16 tokens, most of them 11. All in use have the same number, so that the same
# memories fit into the same budget each time; that leaves 62 of the 64 bits.
MARK_TOKENS = 11
# The budget from which heads say what relative times mean: below it the days alone have to do.
MIN_TOKENS_FOR_DATES = 1_000
# The tokens of a number in brackets, up to [99].
_NUMBER_TOKENS = 3
# How many times what fits is measured in the section that fills the context: it chooses.
_CHOICE = 3


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
    no memories were recalled. confidence: that one of the recalled memories answers, 0-1; None if
    none were recalled. not_reranked: why the order is the plain one although reranking was
    requested."""

    text: str
    tokens: int
    recall_id: UUID | None
    confidence: float | None = None
    not_reranked: str | None = None
    citations: list[Citation] = field(default_factory=list)
    sections: list[SectionReport] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Entry:
    piece: ContextPiece
    text: ModelText
    tokens: int
    cut: bool


def lay_out_context(
    sections: Sequence[ContextSection], max_tokens: int, clock: str = ""
) -> PromptContext:
    """The text and its citations; empty if the fence alone fills the budget. clock: the time zone
    of all days and times in it, as the opening line says."""
    mark = _draw_mark()
    room = max_tokens - _fence_tokens(mark, clock)
    costs = [_section_costs(section, max_tokens, room) for section in sections]
    texts = [entry.text for cost in costs for entry in _all_entries(cost)]
    if any(mark in text for text in texts):
        mark = _draw_mark(texts)
        room = max_tokens - _fence_tokens(mark, clock)
    while True:
        taken = [_in_order(fitted) for fitted in fit_sections(costs, room)]
        made = _render_context(mark, clock, sections, taken)
        if made.tokens <= max_tokens:
            return made
        # Numbers of three digits have more tokens than were counted.
        room -= made.tokens - max_tokens


def _draw_mark(texts: Sequence[str] = ()) -> str:
    """A mark of MARK_TOKENS tokens."""
    while True:
        mark = new_mark(texts)
        if count_tokens(mark) == MARK_TOKENS:
            return mark


def _fence_tokens(mark: str, clock: str) -> int:
    return count_tokens(opening_line(mark, clock)) + count_tokens(closing_line(mark))


def _section_costs(section: ContextSection, max_tokens: int, room: int) -> SectionCosts:
    """The pieces with their tokens, as far as the budget can reach. room: without the fence.

    The first of them fits into the share of the section, so that a long one leaves it no emptier.
    """
    heading = _heading_tokens(section.title)
    share = section.share * room - heading - _NUMBER_TOKENS
    if section.fills:
        longest = max(WHOLE_TURN_TOKENS, int(MAX_TEXT_SHARE * max_tokens))
        longest = min(longest, room - heading - _NUMBER_TOKENS)
    else:
        longest = max(MIN_TEXT_TOKENS, int(min(MAX_TEXT_SHARE * max_tokens, share)))
    with_dates = max_tokens >= MIN_TOKENS_FOR_DATES
    costs: list[PieceCost] = []
    total = 0
    for piece in section.pieces:
        # A context of memories is chosen from more than fit.
        if total > max_tokens * (_CHOICE if section.fills else 1):
            break
        if (cost := _piece_cost(piece, longest, with_dates)) is not None:
            costs.append(cost)
            total += cost.tokens
    return SectionCosts(
        heading=heading,
        share=section.share,
        pieces=costs,
        fills=section.fills,
        most=section.most,
    )


def _piece_cost(piece: ContextPiece | None, longest: int, with_dates: bool) -> PieceCost | None:
    """The piece as it would be in the text, with its neighbours; None if nothing of it would."""
    if piece is None or longest <= 0:
        return None
    entry = _rendered(piece, longest, with_dates)
    if entry is None:
        return None
    return PieceCost(
        tokens=entry.tokens + _NUMBER_TOKENS,
        origins=piece.origins,
        before=_piece_cost(piece.before, longest, with_dates),
        after=_piece_cost(piece.after, longest, with_dates),
        score=piece.score,
        weak=piece.weak,
        item=entry,
    )


def _rendered(piece: ContextPiece, longest: int, with_dates: bool) -> _Entry | None:
    """The piece as the text has it; None if no word of its text fits. longest: the most tokens,
    with its head."""
    head = render_head((*piece.head, *piece.dates) if with_dates else piece.head)
    before = _head_tokens(head)
    room = max(LEAST_TEXT, longest - before)
    whole = render_text(piece.text, longest=room * MAX_CHARACTERS_PER_TOKEN)
    text, tokens = truncate_to_tokens(whole, room)
    if whole and not text:
        return None
    cut = text != whole or len(piece.text) > room * MAX_CHARACTERS_PER_TOKEN
    return _Entry(piece, joined(head, ModelText(text)), before + tokens, cut)


def _all_entries(costs: SectionCosts) -> Iterator[_Entry]:
    """The entries of a section and of their neighbours."""
    for piece in costs.pieces:
        for one in (piece.before, piece, piece.after):
            if one is not None:
                yield _entry(one)


def _in_order(fitted: Sequence[FittedPiece]) -> list[_Entry]:
    """The entries of a section in the order of their places; neighbours stay together."""
    made = [(_entry(one.piece).piece.place, [*map(_entry, one.group)]) for one in fitted]
    return [entry for _, group in sorted(made, key=itemgetter(0)) for entry in group]


def _entry(cost: PieceCost) -> _Entry:
    return cast("_Entry", cost.item)


def _render_context(
    mark: str,
    clock: str,
    sections: Sequence[ContextSection],
    entries: Sequence[Sequence[_Entry]],
) -> PromptContext:
    citations: list[Citation] = []
    reports: list[SectionReport] = []
    pieces = [one.piece for those in entries for one in those]
    said = {one.id for one in pieces}.union(*(one.origins for one in pieces))
    written: list[tuple[str, list[str]]] = []
    for section, those in zip(sections, entries, strict=True):
        lines, tokens = [], _heading_tokens(section.title) if those else 0
        for one in those:
            number = len(citations) + 1
            citations.append(
                Citation(number=number, section=section.name, piece=one.piece, cut=one.cut)
            )
            lines.append(format_entry(number, one.text))
            tokens += one.tokens + _number_tokens(number)
        written.append((section.title, lines))
        reports.append(
            SectionReport(
                name=section.name,
                status=section.status,
                items=len(those),
                left_out=sum(not said & {one.id, *one.origins} for one in section.pieces),
                tokens=tokens,
            )
        )
    tokens = sum(report.tokens for report in reports) + (
        _fence_tokens(mark, clock) if citations else 0
    )
    return PromptContext(
        text=render_fenced_text(mark, written, clock),
        tokens=tokens,
        recall_id=None,
        citations=citations,
        sections=reports,
    )


@lru_cache(maxsize=10_000)
def _head_tokens(head: ModelText) -> int:
    return count_tokens(head)


@lru_cache(maxsize=1000)
def _number_tokens(number: int) -> int:
    return count_tokens(f"[{number}]")


@lru_cache(maxsize=50)
def _heading_tokens(title: str) -> int:
    return count_tokens(format_heading(title))
