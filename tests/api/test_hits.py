"""Hits and citations have the tags, metadata and source of a memory; `about` says about whom."""

from typing import Any

import pytest

from memories.retrieval.answer_rows import MAX_DOCUMENT_CHARACTERS
from tests.world import World

pytestmark = pytest.mark.conformance("X10")


def test_a_hit_and_a_citation_have_tags_metadata_and_source(world: World) -> None:
    aria = world.here.api("aria")
    more = {"tags": ["drink"], "metadata": {"ticket": 7}, "source": {"url": "https://a.example"}}
    kept = {"content": "The tea is served at four.", **more}
    assert aria.post("/api/v1/memories", kept, format="json").status_code == 201
    (hit,) = aria.post("/api/v1/recall", {"query": "tea"}, format="json").json()["results"]
    assert {name: hit[name] for name in more} == more
    context = aria.post("/api/v1/context", {"query": "tea"}, format="json").json()
    (citation,) = [one for one in context["citations"] if one["type"] == "memory"]
    assert {name: citation["details"][name] for name in more} == more


def test_a_long_document_stays_with_its_memory(world: World) -> None:
    aria = world.here.api("aria")
    long = {"text": "x" * MAX_DOCUMENT_CHARACTERS}
    kept = {"content": "The tea is served at four.", "metadata": long, "source": {"page": 1}}
    id_ = aria.post("/api/v1/memories", kept, format="json").json()["id"]
    (hit,) = aria.post("/api/v1/recall", {"query": "tea"}, format="json").json()["results"]
    assert (hit["metadata"], hit["source"], hit["tags"]) == (None, {"page": 1}, [])
    context = aria.post("/api/v1/context", {"query": "tea"}, format="json").json()
    (citation,) = [one for one in context["citations"] if one["type"] == "memory"]
    assert citation["details"]["metadata"] is None
    assert aria.get(f"/api/v1/memories/{id_}").json()["metadata"] == long


@pytest.mark.parametrize("path", ["recall", "context"])
def test_about_is_whom_it_is_about_and_member_for_whom_it_is_asked(world: World, path: str) -> None:
    here = world.here
    aria, bob = here.api("aria"), str(here.members["bob"].id)
    for speaker, text in (("bob", "Bob takes tea."), ("mina", "Mina takes tea as well.")):
        here.remember(
            here.robot("aria"), text, group="launch", speaker=str(here.members[speaker].id)
        )

    def texts(**asked: Any) -> list[str]:
        answer = aria.post(
            f"/api/v1/{path}", {"query": "tea", "group": "launch", **asked}, format="json"
        )
        assert answer.status_code == 200, answer.content
        body = answer.json()
        if path == "recall":
            return [hit["content"] for hit in body["results"]]
        ids = [one["id"] for one in body["citations"] if one["type"] == "memory"]
        return [aria.get(f"/api/v1/memories/{id_}").json()["content"] for id_ in ids]

    mina = str(here.members["mina"].id)
    assert len(texts(member=mina)) == 2
    assert texts(member=mina, about=bob) == ["Bob takes tea."]
    assert texts(about="absent:x") == []
    both = {"query": "tea", "about": bob, "filters": {"members": [bob]}}
    refused = aria.post(f"/api/v1/{path}", both, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "about")
    listed = aria.get("/api/v1/memories", {"about": bob}).json()["results"]
    assert [memory["content"] for memory in listed] == ["Bob takes tea."]
