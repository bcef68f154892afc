"""Which pieces of which section stay within a budget of tokens. Pure."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import log

# What a piece loses of its score (0-1) for the room that it takes: two short pieces often say more
# than a long one (docs/adr/0033-full-contexts.md).
ROOM_WEIGHT = 0.06


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceCost:
    """A piece to be fitted. tokens: with its number and head. origins: two pieces with a common one
    say the same, so only the first is taken. before, after: pieces that stand beside it if there is
    room for them as well. score: 0-1; weak: whether any other of its score comes first. item: what
    the caller knows it by."""

    tokens: int
    origins: frozenset[Hashable] = frozenset()
    before: "PieceCost | None" = None
    after: "PieceCost | None" = None
    score: float = 0.0
    weak: bool = False
    item: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionCosts:
    """The pieces of a section, best first. heading: tokens of its heading. share: the part of the
    budget (0-1) that it may fill first. fills: whether it gets what the other sections leave, and
    takes its pieces by score and room. most: how many pieces at most."""

    heading: int
    share: float
    pieces: Sequence[PieceCost]
    fills: bool = False
    most: int | None = None


@dataclass(frozen=True, slots=True)
class FittedPiece:
    """A piece that is taken. group: the piece between its neighbours that are taken as well."""

    piece: PieceCost
    group: list[PieceCost]


@dataclass(slots=True)
class _Fitting:
    left: int
    taken: list[list[FittedPiece]]
    origins: set[Hashable] = field(default_factory=set)

    def add_section(self, number: int, section: SectionCosts, allowed: int) -> None:
        """Take the pieces of a section that fit into `allowed` tokens."""
        fitted = self.taken[number]
        room = min(allowed, self.left)
        before = {id(one.piece) for one in fitted}
        for piece in _by_value(section) if section.fills else section.pieces:
            if id(piece) in before:
                continue
            count = sum(len(one.group) for one in fitted)
            if section.most is not None and count >= section.most:
                break
            price = piece.tokens + (0 if fitted else section.heading)
            if price > room or self.origins & piece.origins:
                continue
            group = [piece]
            self.origins |= piece.origins
            for beside, first in ((piece.before, True), (piece.after, False)):
                full = section.most is not None and count + len(group) >= section.most
                if beside is None or full or self.origins & beside.origins:
                    continue
                if price + beside.tokens <= room:
                    price += beside.tokens
                    self.origins |= beside.origins
                    group = [beside, *group] if first else [*group, beside]
            fitted.append(FittedPiece(piece, group))
            room -= price
            self.left -= price


def fit_sections(sections: Sequence[SectionCosts], budget: int) -> list[list[FittedPiece]]:
    """The pieces that are taken of each section.

    First each section takes what fits into its share, but the one that fills the context. That one
    takes of all that is left, and what it leaves goes to the others in their order. A piece that
    does not fit is skipped, and the next that fits is taken. The heading is counted with the
    section's first piece. Together they have at most `budget` tokens.
    """
    fitting = _Fitting(max(budget, 0), [[] for _ in sections])
    numbered = list(enumerate(sections))
    for number, section in numbered:
        if not section.fills:
            fitting.add_section(number, section, int(section.share * budget))
    for number, section in [one for one in numbered if one[1].fills]:
        fitting.add_section(number, section, fitting.left)
    for number, section in numbered:
        if not section.fills:
            fitting.add_section(number, section, fitting.left)
    return fitting.taken


def _by_value(section: SectionCosts) -> list[PieceCost]:
    """The pieces by what they are worth for their room, best first; by score alone if only so many
    are wanted. A weak one counts as the longest of all, so that it comes after its equals."""
    if section.most is not None:
        return sorted(section.pieces, key=lambda one: (-one.score, one.weak))
    longest = max((one.tokens for one in section.pieces), default=1)

    def value(one: PieceCost) -> float:
        return one.score - ROOM_WEIGHT * log(max(1, longest if one.weak else one.tokens))

    return sorted(section.pieces, key=lambda one: (-value(one), one.weak))
