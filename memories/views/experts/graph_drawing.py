"""A graph as a picture: the layout is computed here, so that no script is needed.

The topic in the middle, the people around it, what else they speak of outside. One layout for wide
screens and one for a phone, whose letters have the same size on the screen.
"""

import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext

from memories.retrieval.experts.topic_map import TopicMap
from memories.retrieval.search_types import Expert
from memories.store.speakers.attribution import marked_name


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Sizes in px: the paper, the half axes of both rings; how many of each, letters of a name.

    corners: on a narrow paper things are drawn in the corners, which no person's name reaches.
    """

    name: str
    width: int
    height: int
    people: tuple[int, int]
    things: tuple[int, int]
    most_people: int
    most_things: int
    letters: int
    topic: int
    corners: bool = False


WIDE = GraphLayout("wide", 760, 460, (170, 118), (308, 198), 8, 8, 18, 24)
NARROW = GraphLayout("narrow", 320, 470, (104, 112), (78, 208), 5, 4, 17, 12, corners=True)
MIN_RADIUS, MAX_RADIUS = 15, 27


def draw_graphs(topic: str, found: TopicMap, group: str) -> list[dict[str, Any]]:
    """The two layouts, for templates/memories/experts/experts.html."""
    return [_draw_graph(paper, topic, found, group) for paper in (WIDE, NARROW)]


def _draw_graph(paper: GraphLayout, topic: str, found: TopicMap, group: str) -> dict[str, Any]:
    people = found.people[: paper.most_people]
    x, y = paper.width / 2, paper.height / 2
    heaviest = max((one.weight for one in people), default=1) or 1
    spots: dict[UUID, tuple[float, float]] = {}
    drawn = []
    for place, one in enumerate(people):
        at = _circle_point(paper, paper.people, place / len(people) - 0.25)
        spots[one.node] = at
        share = one.weight / heaviest
        radius = MIN_RADIUS + (MAX_RADIUS - MIN_RADIUS) * math.sqrt(share)
        # The name is drawn away from the middle, where the line to the topic is.
        above = at[1] < paper.height / 2 - 1
        drawn.append(
            {
                "x": _round_px(at[0]),
                "y": _round_px(at[1]),
                "r": _round_px(radius),
                "label_y": _round_px(at[1] - radius - 6 if above else at[1] + radius + 14),
                "initials": initials(one.name),
                "name": _truncate(expert_name(one), min(paper.letters, paper.topic)),
                "title": gettext("%(one)s knows about %(topic)s")
                % {"one": expert_name(one), "topic": topic},
                "url": f"#person-{place + 1}",
                "line": _round_px(1 + 3.5 * share),
            }
        )
    things = _draw_concepts(paper, found, spots, group)
    return {
        "name": paper.name,
        "width": paper.width,
        "height": paper.height,
        "x": _round_px(x),
        "y": _round_px(y),
        "topic": _truncate(topic, paper.topic),
        **_pill(x, y, min(len(topic), paper.topic) * 8.2 + 30, 32),
        "people": drawn,
        "things": things,
        "lines": _draw_edges(found, spots, {one["node"]: (one["x"], one["y"]) for one in things}),
    }


def expert_name(one: Expert) -> str:
    """The member's name, or a mere name as one."""
    return one.name if one.member else marked_name(one.name)


def _draw_concepts(
    paper: GraphLayout, found: TopicMap, spots: dict[UUID, tuple[float, float]], group: str
) -> list[dict[str, Any]]:
    """Outside, each near those who speak of it, as far as there is room."""
    joined = {what for who, what, _ in found.knows if who in spots}
    chosen = [one for one in found.things if one[0] in joined][: paper.most_things]
    centre = (paper.width / 2, paper.height / 2)

    def turn(node: UUID) -> float:
        ends = [spots[who] for who, what, _ in found.knows if what == node and who in spots]
        dx, dy = sum(e[0] - centre[0] for e in ends), sum(e[1] - centre[1] for e in ends)
        return math.atan2(dy, dx) % (2 * math.pi) if ends else 0.0

    placed = []
    for place, (node, name, _) in enumerate(sorted(chosen, key=lambda one: turn(one[0]))):
        at = (
            _corner_point(paper, place)
            if paper.corners
            else _concept_point(paper, place, len(chosen))
        )
        query = {"topic": name} | ({"group": group} if group else {})
        placed.append(
            {
                "node": node,
                "x": _round_px(at[0]),
                "y": _round_px(at[1]),
                "name": _truncate(name, paper.letters),
                **_pill(at[0], at[1], min(len(name), paper.letters) * 7 + 18, 24),
                "title": gettext("Who knows about %(name)s") % {"name": name},
                "url": f"{reverse('experts')}?{urlencode(query)}",
            }
        )
    return placed


def _draw_edges(
    found: TopicMap, spots: dict[UUID, tuple[float, float]], things: dict[UUID, tuple[float, float]]
) -> list[dict[str, Any]]:
    ends: dict[UUID, tuple[float, float]] = {
        **{node: (_round_px(at[0]), _round_px(at[1])) for node, at in spots.items()},
        **things,
    }
    return [
        {"x1": ends[a][0], "y1": ends[a][1], "x2": ends[b][0], "y2": ends[b][1], "kind": kind}
        for kind, pairs in (("knows", found.knows), ("talks", found.talks))
        for a, b, _ in pairs
        if a in ends and b in ends
    ]


def _circle_point(paper: GraphLayout, axes: tuple[int, int], turn: float) -> tuple[float, float]:
    """A place on an ellipse; turn: how far round, clockwise from the right."""
    angle = 2 * math.pi * turn
    return paper.width / 2 + axes[0] * math.cos(angle), paper.height / 2 + axes[1] * math.sin(angle)


def _concept_point(paper: GraphLayout, place: int, count: int) -> tuple[float, float]:
    return _circle_point(paper, paper.things, (place + 0.5) / count)


def _corner_point(paper: GraphLayout, place: int) -> tuple[float, float]:
    """Below right, below left, above left, above right."""
    right, below = place in (0, 3), place in (0, 1)
    across, down = paper.things
    return (
        paper.width / 2 + (across if right else -across),
        paper.height / 2 + (down if below else -down),
    )


def _pill(x: float, y: float, wide: float, high: float) -> dict[str, float]:
    return {
        "left": _round_px(x - wide / 2),
        "top": _round_px(y - high / 2),
        "wide": _round_px(wide),
    }


def initials(name: str) -> str:
    """One or two letters that stand for a name."""
    words = [word for word in name.replace("_", " ").split() if word[:1].isalnum()]
    if len(words) > 1:
        return (words[0][0] + words[-1][0]).upper()
    return name.strip()[:2].capitalize()


def _truncate(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"


def _round_px(value: float) -> float:
    return round(value, 1)
