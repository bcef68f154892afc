"""If pieces contradict each other, only the one of the nearest audience stays. Pure.

For the order of audiences see `retrieval.ranking.audience_distance`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memories.context.sources.pieces import ContextPiece, ContextSection
from memories.language.comparison.text_comparison import is_contradiction
from memories.language.terms import extract_terms
from memories.language.text_limits import MAX_CHARACTERS_PER_TURN, WorkBudget
from memories.retrieval.ranking.audience_distance import audience_rank

# Two texts that share fewer terms are not compared.
_MIN_SHARED_TERMS = 2


@dataclass(frozen=True, slots=True)
class _ComparedPiece:
    piece: ContextPiece
    reach: int
    terms: frozenset[str]


def filter_contradicted_pieces(sections: Sequence[ContextSection]) -> list[ContextSection]:
    """The sections without pieces that a nearer piece contradicts, or whose key a nearer piece has.

    Pieces of blocks are compared with each other and with recalled memories; recalled memories are
    not compared with each other. A piece without an audience stays. Texts longer than
    MAX_CHARACTERS_PER_TURN, and pairs beyond the `WorkBudget`, are not compared by their words.
    """
    if not any(one.of_block for section in sections for one in section.pieces):
        return list(sections)
    pieces = [_to_compared(one) for section in sections for one in section.pieces if one.audience]
    budget = WorkBudget()
    gone = {
        other.piece.id
        for one in pieces
        for other in pieces
        if one.reach < other.reach
        and (one.piece.of_block or other.piece.of_block)
        and _overrides(one, other, budget)
    }
    return [
        replace(
            section,
            pieces=[_without_neighbours(one, gone) for one in section.pieces if one.id not in gone],
        )
        if gone
        else section
        for section in sections
    ]


def _without_neighbours(piece: ContextPiece, gone: set[UUID]) -> ContextPiece:
    """The piece without neighbours that are gone."""
    if piece.before is None and piece.after is None:
        return piece
    before = None if piece.before and piece.before.id in gone else piece.before
    after = None if piece.after and piece.after.id in gone else piece.after
    return replace(piece, before=before, after=after)


def _to_compared(piece: ContextPiece) -> _ComparedPiece:
    said = piece.said if len(piece.said) <= MAX_CHARACTERS_PER_TURN else ""
    return _ComparedPiece(
        piece, audience_rank(piece.audience), frozenset(one.key for one in extract_terms(said))
    )


def _overrides(one: _ComparedPiece, other: _ComparedPiece, budget: WorkBudget) -> bool:
    if one.piece.key and one.piece.key == other.piece.key:
        return True
    if len(one.terms & other.terms) < _MIN_SHARED_TERMS:
        return False
    if not budget.take(len(one.piece.said) + len(other.piece.said)):
        return False
    return is_contradiction(one.piece.said, other.piece.said)
