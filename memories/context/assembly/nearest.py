"""Of pieces that say different things of one matter the one of the nearest audience. Pure.

The levels are organisation, industry, role, persona and member, and the groups between: see
`retrieval.ranking.audience_distance`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memories.context.sources.pieces import Piece, Section
from memories.language.budget import A_TURN, Budget
from memories.language.similarity import disagree
from memories.language.terms import terms
from memories.retrieval.ranking.audience_distance import nearness

# Two texts that share fewer terms are not looked at more closely.
_SHARED_TERMS = 2


@dataclass(frozen=True, slots=True)
class _Said:
    piece: Piece
    reach: int
    terms: frozenset[str]


def nearest_alone(sections: Sequence[Section]) -> list[Section]:
    """The sections without pieces that a nearer one gainsays, or that have the key of a nearer one.

    Compared is what stands in blocks, and that with what was recalled; of two memories that were
    recalled both are given. A piece that names no audience stays. So do texts longer than a turn,
    and what is beyond the budget of a request.
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
