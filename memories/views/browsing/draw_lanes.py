"""A timeline as lanes: time to the right, a lane for each who spoke. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

# The busiest have a lane of their own, the others share the last one.
MAX_LANES = 8
# Shares of the width that are kept free at both ends, so that a mark at the end is whole.
MARGIN = 1.5
TICKS = 4


@dataclass(frozen=True, slots=True)
class LaneMark:
    """One memory: the name of its lane (who said it), when, and what became of it, empty for what
    was only said."""

    lane: str
    at: datetime
    kind: str
    url: str
    words: str


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """x: percent of the width."""

    x: float
    mark: LaneMark


@dataclass(frozen=True, slots=True)
class Lane:
    """name: empty for the lane of all the others."""

    name: str
    marks: tuple[PlacedMark, ...]


def draw_lanes(marks: Sequence[LaneMark]) -> tuple[list[Lane], list[tuple[float, datetime]]]:
    """(lanes, the busiest first; ticks: percent of the width and the time there, rising). marks:
    at least one, in any order."""
    begin, end = min(one.at for one in marks), max(one.at for one in marks)
    span = (end - begin).total_seconds()

    def percent_of(at: datetime) -> float:
        share = (at - begin).total_seconds() / span if span else 0.5
        return round(MARGIN + (100 - 2 * MARGIN) * share, 2)

    counts = Counter(one.lane for one in marks)
    names = sorted(counts, key=lambda name: (-counts[name], name))
    own = names if len(names) <= MAX_LANES else names[: MAX_LANES - 1]
    # What stands out is drawn last, over what was only said.
    drawn = [
        PlacedMark(percent_of(one.at), one) for one in sorted(marks, key=lambda one: bool(one.kind))
    ]
    lanes = [Lane(name, tuple(one for one in drawn if one.mark.lane == name)) for name in own]
    rest = tuple(one for one in drawn if one.mark.lane not in own)
    if rest:
        lanes.append(Lane("", rest))
    times = [begin + (end - begin) * n / TICKS for n in range(TICKS + 1)] if span else [begin]
    return lanes, [(percent_of(at), at) for at in times]
