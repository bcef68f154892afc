"""Usual words for the type of a memory are understood, or the refusal names the right field."""

from typing import Any

import pytest

from memories.store.models.choices import Category, Type
from tests.world import World

MEMORIES = "/api/v1/memories"
pytestmark = pytest.mark.conformance("H04")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"type": "decision"}, ("fact", "decision")),
        ({"type": "decision", "category": "org_decision"}, ("fact", "org_decision")),
        ({"type": "event"}, ("fact", "event")),
        ({"type": "skill"}, ("expertise", None)),
        ({"type": "note"}, ("fact", None)),
        ({"type": "fact"}, ("fact", None)),
    ],
)
def test_a_usual_word_is_understood(
    world: World, given: dict[str, Any], kept: tuple[str, str | None]
) -> None:
    api = world.here.api("aria")
    item = {"content": "We use Postgres."} | given
    for made in (
        api.post(MEMORIES, item, format="json").json(),
        api.post(f"{MEMORIES}/batch", {"items": [item]}, format="json").json()["results"][0],
    ):
        row = api.get(f"{MEMORIES}/{made['id']}").json()
        assert row["type"] == kept[0]
        if kept[1]:
            assert row["category"] == kept[1]


def test_as_a_filter_a_category_is_refused_with_the_right_field(world: World) -> None:
    api = world.here.api("aria")
    answer = api.get(MEMORIES, {"type": "decision"})
    assert answer.status_code == 400
    assert "give it as `category`" in answer.content.decode()
    asked = {"query": "What do we use?", "filters": {"types": ["decision"]}}
    answer = api.post("/api/v1/recall", asked, format="json")
    assert answer.status_code == 400
    assert "give it as `categories`" in answer.content.decode()
    for wrong in ("poem", 5, None, ["fact"]):
        answer = api.post(MEMORIES, {"content": "x", "type": wrong}, format="json")
        assert answer.status_code == 400, wrong


def test_no_type_is_taken_for_a_category() -> None:
    assert {"fact", "preference"} <= set(Type.values) & set(Category.values)
