"""Nothing is accepted without effect: what does not work yet is refused and says so (N02)."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from memories.access.readers_named import NamedReaders
from memories.ingestion.drafts import Draft
from memories.insights.audit_trail import Wanted
from memories.retrieval.recall import Query
from memories.retrieval.types import Filters
from robots.conversations.drafts import Utterance
from tests.architecture.source import modules
from tests.isolation.surface import description
from tests.world import World

pytestmark = pytest.mark.conformance("N02")
RECALL = "/api/v1/recall"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("prefer_personal", {"prefer_personal": True}),
        ("prefer_personal", {"prefer_personal": False}),
        ("prefer_personal", {"prefer_personal": None}),
        ("teams", {"filters": {"teams": ["t"]}}),
        ("teams", {"filters": {"teams": []}}),
    ],
)
@pytest.mark.parametrize("of_one", [False, True])
def test_what_has_no_effect_is_refused(
    world: World, name: str, given: dict[str, Any], of_one: bool
) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), "The office closes at six.").id
    address = f"/api/v1/memories/{kept}/explain" if of_one else RECALL
    api = here.api("aria")
    assert api.post(address, {"query": "office"}, format="json").status_code == 200
    answer = api.post(address, {"query": "office", **given}, format="json")
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:commonmind:problem:not-yet")
    assert f"`{name}`" in answer.json()["detail"]


@pytest.mark.parametrize("query", ["hard=true", "hard=false", "hard=1&confirm=x", "hard="])
def test_nothing_is_forgotten_in_place_of_being_erased(world: World, query: str) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), "The office closes at six.").id
    answer = here.api("aria").delete(f"/api/v1/memories/{kept}?{query}")
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:commonmind:problem:not-yet")
    assert here.api("aria").get(f"/api/v1/memories/{kept}").status_code == 200


def test_the_description_says_so() -> None:
    schemas = description()["components"]["schemas"]
    for schema, name in (("Recall", "prefer_personal"), ("Filters", "teams")):
        found = schemas[f"{schema}Request"]["properties"][name]
        assert "not work yet" in found["description"]
        assert found["not"] == {}, "no value is valid"


@pytest.mark.parametrize("kind", [Query, Filters, Draft, NamedReaders, Utterance, Wanted])
def test_every_field_that_a_caller_can_fill_is_looked_at(kind: type) -> None:
    source = "".join(Path(path).read_text(encoding="utf-8") for path in modules())
    unread = [f.name for f in fields(kind) if not re.search(rf"""[."]{f.name}\b""", source)]
    assert unread == []
