"""A treemap: rectangles whose areas are in proportion to numbers. Pure.

The squarified layout of Bruls, Huizing and van Wijk (2000): a strip is filled along the shorter
side as long as that makes its rectangles more like squares.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Left, top, width and height, in px."""

    x: float
    y: float
    width: float
    height: float


def layout_treemap(numbers: Sequence[float], paper: Rectangle) -> list[Rectangle]:
    """A rectangle for each number; together they fill the paper. numbers: above 0, the largest
    first."""
    total = sum(numbers)
    if not total:
        return []
    areas = [number * paper.width * paper.height / total for number in numbers]
    placed: list[Rectangle] = []
    while areas:
        side = min(paper.width, paper.height)
        strip = areas[:1]
        for area in areas[1:]:
            if _worst_ratio([*strip, area], side) > _worst_ratio(strip, side):
                break
            strip.append(area)
        areas = areas[len(strip) :]
        found, paper = _place_strip(strip, paper)
        placed += found
    return placed


def _worst_ratio(strip: Sequence[float], side: float) -> float:
    """The longer side by the shorter of the least square rectangle. side: the length of the
    strip."""
    depth = sum(strip) / side if side else 0.0
    if not depth:
        return float("inf")
    return max(max(area / depth**2, depth**2 / area) for area in strip)


def _place_strip(strip: Sequence[float], paper: Rectangle) -> tuple[list[Rectangle], Rectangle]:
    """The rectangles of a strip along the shorter side, and what is left of the paper."""
    x, y, width, height = paper.x, paper.y, paper.width, paper.height
    down = width >= height
    side = height if down else width
    depth = sum(strip) / side if side else 0.0
    placed, at = [], 0.0
    for area in strip:
        length = area / depth if depth else 0.0
        placed.append(
            Rectangle(x, y + at, depth, length) if down else Rectangle(x + at, y, length, depth)
        )
        at += length
    left = (
        Rectangle(x + depth, y, max(0.0, width - depth), height)
        if down
        else Rectangle(x, y + depth, width, max(0.0, height - depth))
    )
    return placed, left
