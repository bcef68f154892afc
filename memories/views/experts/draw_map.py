"""The knowledge map as a picture: areas of topics with the initials of who showed what.

One layout for each width of screen, whose letters have the same size on all of them. Everything is
computed here, so that no script is needed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from memories.insights.knowledge_map import KnowledgeMap, MapPerson, MapTopic
from memories.views.experts.graph_drawing import initials
from memories.views.experts.treemap import Rectangle, layout_treemap
from orgs.languages.page_text import format_number

# Topic -> the address that chooses it.
TopicUrl = Callable[[MapTopic], str]


@dataclass(frozen=True, slots=True)
class MapLayout:
    """Sizes in px; topics: how many are drawn."""

    name: str
    width: int
    height: int
    topics: int


LAYOUTS = (
    MapLayout("wide", 960, 420, 24),
    MapLayout("middle", 640, 460, 20),
    MapLayout("narrow", 296, 500, 12),
)
GAP, PADDING = 3, 9
LETTER_WIDTH, LINE_HEIGHT = 7.2, 17
MIN_LABEL_WIDTH, MIN_LABEL_HEIGHT = 40, 26
AVATAR_RADIUS, AVATAR_STEP, MAX_AVATARS = 10, 23, 5
# The parts of a topic that are new, from which its area is drawn darker.
FRESHNESS_STEPS = (0.05, 0.25, 0.5)


def draw_maps(
    found: KnowledgeMap, url: TopicUrl, chosen: object, person: MapPerson | None
) -> list[dict[str, Any]]:
    """The layouts, for templates/memories/experts/map.html. chosen: the node of the chosen topic;
    person: the chosen person, without whom a topic is drawn pale."""
    topics = [
        {
            "topic": one,
            "url": url(one),
            "title": topic_sentence(one, _who_showed(one, found.people)),
            "chosen": one.node == chosen,
            "pale": person is not None and one.node not in person.by_topic,
            "people": _who_showed(one, found.people),
        }
        for one in found.topics
    ]
    return [_draw_map(layout, topics[: layout.topics]) for layout in LAYOUTS]


def topic_sentence(topic: MapTopic, people: Sequence[MapPerson]) -> str:
    """What the area says, in words."""
    count = (
        gettext("1 memory")
        if topic.memories == 1
        else gettext("%(memories)s memories") % {"memories": format_number(topic.memories)}
    )
    names = ", ".join(one.name for one in people[:MAX_AVATARS])
    shown = gettext("; shown by %(names)s") % {"names": names} if names else ""
    return f"{topic.name}: {count}{shown}"


def _who_showed(topic: MapTopic, people: Sequence[MapPerson]) -> list[MapPerson]:
    """The people who showed something about it, the most first."""
    showed = [one for one in people if topic.node in one.by_topic]
    return sorted(showed, key=lambda one: -one.by_topic[topic.node])


def _draw_map(layout: MapLayout, topics: Sequence[dict[str, Any]]) -> dict[str, Any]:
    paper = Rectangle(0, 0, layout.width, layout.height)
    areas = layout_treemap([one["topic"].memories for one in topics], paper)
    return {
        "name": layout.name,
        "width": layout.width,
        "height": layout.height,
        "areas": [_draw_area(one, area) for one, area in zip(topics, areas, strict=True)],
    }


def _draw_area(drawn: dict[str, Any], area: Rectangle) -> dict[str, Any]:
    topic: MapTopic = drawn["topic"]
    # Beside the edges of the paper the gap is the same.
    x, y = area.x + GAP / 2, area.y + GAP / 2
    width, height = max(1.0, area.width - GAP), max(1.0, area.height - GAP)
    labelled = width >= MIN_LABEL_WIDTH and height >= MIN_LABEL_HEIGHT
    letters = int((width - 2 * PADDING) / LETTER_WIDTH)
    counted = labelled and height >= MIN_LABEL_HEIGHT + LINE_HEIGHT
    room = int((width - 2 * PADDING + 3) / AVATAR_STEP) if height >= 82 else 0
    people = drawn["people"][: max(0, min(room, MAX_AVATARS))]
    return {
        "url": drawn["url"],
        "title": drawn["title"],
        "chosen": drawn["chosen"],
        "pale": drawn["pale"],
        "fresh": sum(topic.recent >= step * topic.memories for step in FRESHNESS_STEPS)
        if topic.recent
        else 0,
        "x": _round_px(x),
        "y": _round_px(y),
        "width": _round_px(width),
        "height": _round_px(height),
        "text_x": _round_px(x + PADDING),
        "text_y": _round_px(y + 20),
        "count_y": _round_px(y + 20 + LINE_HEIGHT),
        "name": _truncate(topic.name, letters) if labelled and letters > 2 else "",
        "count": format_number(topic.memories) if counted else "",
        "people": [
            {
                "x": _round_px(x + PADDING + AVATAR_RADIUS + AVATAR_STEP * place),
                "y": _round_px(y + height - PADDING - AVATAR_RADIUS),
                "initials": initials(one.name.strip("“”")),
            }
            for place, one in enumerate(people)
        ],
        "radius": AVATAR_RADIUS,
    }


def _truncate(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: max(1, letters - 1)].rstrip() + "…"


def _round_px(value: float) -> float:
    return round(value, 1)
