"""Which pieces of which section stay within a budget of tokens. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionCosts:
    """The sizes of a section in tokens. share: the part of the budget (0-1) reserved for it. costs:
    one number for each piece."""

    heading: int
    share: float
    costs: Sequence[int]


def fit_sections(sections: Sequence[SectionCosts], budget: int) -> list[int]:
    """How many pieces of each section are taken, counted from its first.

    First each section takes the pieces that fit into its share. Then the rest of the budget goes to
    the sections in their order. In both rounds a section ends at the first piece that does not fit.
    The heading is counted with the section's first piece. Together they have at most `budget`
    tokens.
    """
    taken = [0] * len(sections)
    left = max(budget, 0)
    for rounds in (True, False):
        for place, section in enumerate(sections):
            allowed = min(left, int(section.share * budget)) if rounds else left
            count, spent = _count_fitting(section, taken[place], allowed)
            taken[place] += count
            left -= spent
    return taken


def _count_fitting(section: SectionCosts, begun: int, allowed: int) -> tuple[int, int]:
    """(pieces after the first `begun` that fit into `allowed` tokens, what they cost)."""
    count = spent = 0
    for cost in section.costs[begun:]:
        price = cost + (0 if begun or count else section.heading)
        if spent + price > allowed:
            break
        count, spent = count + 1, spent + price
    return count, spent
