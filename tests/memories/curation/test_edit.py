"""Looking at memories one by one and in lists, and correcting them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.access.permissions import ChangeForbiddenError
from memories.browsing.memory_queries import get_memory
from memories.curation.edit_memory import edit_memory
from orgs.errors import AlreadyExistsError
from tests.world import NOW, World


def test_lists_narrow_by_each_filter(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    mina = str(here.members["mina"].id)
    old = datetime(2020, 5, 1, tzinfo=UTC)
    rows: dict[str, dict[str, Any]] = {
        "plain": {},
        "grouped": {"group": "launch"},
        "hers": {"group": "launch", "member": mina},
        "said": {"group": "design", "speaker": mina},
        "typed": {"type": "expertise", "category": "decision", "tier": "fast"},
        "tagged": {"tags": ("red", "blue")},
        "old": {"occurred_at": old},
    }
    for name, fields in rows.items():
        here.remember(aria, name, **fields)
    here.remember(here.robot("bolt"), "bolt's")

    def listed(**filters: str) -> set[str]:
        answer = here.api("aria").get("/api/v1/memories", filters)
        return {row["content"] for row in answer.json()["results"]}

    assert listed() == {*rows, "bolt's"}
    assert listed(group="launch") == {"grouped", "hers"}
    assert listed(member=mina) == {"hers", "said"}
    assert listed(robot=str(here.robots["bolt"].id)) == {"bolt's"}
    assert listed(kind="user") == {"hers"}
    assert (
        listed(type="expertise") == listed(category="decision") == listed(tier="fast") == {"typed"}
    )
    assert listed(tag="blue") == {"tagged"}
    assert listed(until="2021-01-01T00:00:00Z") == {"old"}
    assert listed(since="2021-01-01T00:00:00Z") == {*rows, "bolt's"} - {"old"}
    assert listed(q="TAG") == {"tagged"}
    assert listed(status="archived") == set()
    assert listed(group="nowhere") == listed(robot="nobody") == listed(member="x:y") == set()


def test_an_edit_is_found_by_its_new_words(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    said = here.remember(aria, "The lunch is at noon.").id
    changes = {
        "content": "The dinner is at eight.", "category": "event", "importance": 0.9,
        "tags": ["food"], "metadata": {"a": 1}, "expires_at": "2030-01-01T00:00:00Z",
    }  # fmt: skip
    body = here.api("aria").patch(f"/api/v1/memories/{said}", changes, format="json").json()
    assert {name: body[name] for name in changes} == changes

    def ask(query: str) -> list[str]:
        answer = here.api("bolt").post("/api/v1/recall", {"query": query}, format="json").json()
        return [hit["content"] for hit in answer["results"]]

    assert ask("dinner") == ["The dinner is at eight."]
    assert ask("lunch noon") == []
    again = here.remember(aria, "The dinner is at eight.")
    assert (again.id, again.deduplicated) == (said, True)
    assert get_memory(aria, said).memory.version == 2


def test_an_edit_cannot_make_twins(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "One.")
    two = here.remember(aria, "Two.").id
    with pytest.raises(AlreadyExistsError):
        edit_memory(aria, two, {"content": "One."}, now=NOW)


def test_who_may_correct(world: World) -> None:
    here, mina = world.here, world.here.members["mina"]
    said = here.remember(
        here.robot("aria"), "They like tea.", visibility="organisation", member=str(mina.id)
    ).id
    for number, who in enumerate(("mina", "chidi", "ada")):
        edit_memory(here.person(who), said, {"importance": number / 10}, now=NOW)
    edit_memory(here.robot("aria"), said, {"importance": 0.9}, now=NOW)
    for who in (here.person("bob"), here.robot("bolt")):
        with pytest.raises(ChangeForbiddenError):
            edit_memory(who, said, {"content": "They hate tea."}, now=NOW)
    assert get_memory(here.robot("bolt"), said).memory.content == "They like tea."


def test_what_has_expired_is_hidden_but_there(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    said = here.remember(aria, "Yesterday's menu.", expires_at=datetime(2020, 1, 1, tzinfo=UTC)).id
    api = here.api("aria")
    assert api.get("/api/v1/memories").json()["results"] == []
    assert api.post("/api/v1/recall", {"query": "menu"}, format="json").json()["results"] == []
    assert api.get(f"/api/v1/memories/{said}").status_code == 200
