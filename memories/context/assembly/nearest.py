"""If pieces contradict each other, only the one of the nearest audience stays. Pure.

For the order of audiences see `retrieval.ranking.audience_distance`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memories.context.sources.pieces import Piece, Section
from memories.language.budget import A_TURN, Budget
from memories.language.similarity import disagree
from memories.language.terms import terms
from memories.retrieval.ranking.audience_distance import nearness

# Two texts that share fewer terms are not compared.
_SHARED_TERMS = 2


@dataclass(frozen=True, slots=True)
class _Said:
    piece: Piece
    reach: int
    terms: frozenset[str]


def nearest_alone(sections: Sequence[Section]) -> list[Section]:
    """The sections without pieces that a nearer piece contradicts, or whose key a nearer piece has.

    Pieces of blocks are compared with each other and with recalled memories; recalled memories are
    not compared with each other. A piece without an audience stays. Texts longer than A_TURN, and
    pairs beyond the `Budget`, are not compared by their words.
    """
    pieces = [_said(one) for section in sections for one in section.pieces if one.audience]
    budget = Budget()
    gone = {
        other.piece.id
        for one in pieces
        for other in pieces
        if one.reach < other.reach
        and (one.piece.of_block or other.piece.of_block)
        and _wins(one, other, budget)
    }
    return [
        replace(section, pieces=[one for one in section.pieces if one.id not in gone])
        if gone
        else section
        for section in sections
    ]


def _said(piece: Piece) -> _Said:
    said = piece.said if len(piece.said) <= A_TURN else ""
    return _Said(piece, nearness(piece.audience), frozenset(one.key for one in terms(said)))


def _wins(one: _Said, other: _Said, budget: Budget) -> bool:
    if one.piece.key and one.piece.key == other.piece.key:
        return True
    if len(one.terms & other.terms) < _SHARED_TERMS:
        return False
    if not budget.take(len(one.piece.said) + len(other.piece.said)):
        return False
    return disagree(one.piece.said, other.piece.said)
