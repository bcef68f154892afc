"""Experts, entities and relationships over HTTP."""

from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings

from memories.curation.edit_memory import edit_memory
from memories.knowledge_graph.models import Entity, StatedRelation
from memories.lifecycle.forget import forget_memory
from orgs.principals import resolve_principal
from tests.isolation.api_surface import ABSENT
from tests.memories.knowledge_graph.test_write_graph import member, said
from tests.world import NOW, Tenant, World

ENTITIES, EXPERTS = "/api/v1/entities", "/api/v1/experts"


def remember(here: Tenant, text: str, **fields: Any) -> str:
    return str(here.remember(here.robot("aria"), text, group="launch", **fields).id)


@pytest.mark.conformance("A09")
def test_experts_with_evidence_page_by_page(world: World) -> None:
    here = world.here
    for n, name in ((2, "bob"), (1, "mina")):
        for line in range(n):
            remember(here, f"Samba fact {line} of {name}", speaker=member(here, name))
    api = here.api("aria")
    first = api.get(EXPERTS, {"topic": "samba", "group": "launch", "limit": 1}).json()
    (bob,) = first["results"]
    assert (bob["name"], bob["weight"], bob["observations"], bob["memories"]) == ("Bob", 1.0, 2, 2)
    assert bob["member"] == {"id": member(here, "bob"), "name": "Bob"}
    assert bob["found_by"] == "words"
    assert {one["content"] for one in bob["evidence"]} == {
        "Samba fact 0 of bob",
        "Samba fact 1 of bob",
    }
    second = api.get(first["next"]).json()
    assert [one["name"] for one in second["results"]] == ["Mina"]
    assert here.browser("ada").get(EXPERTS, {"topic": "samba"}).json()["results"] == []
    assert api.get(EXPERTS).json() == {"results": [], "next": None}
    assert api.get(EXPERTS, {"topic": "x" * 301}).status_code == 400
    hidden = here.api("bolt").get(EXPERTS, {"topic": "samba", "group": "launch"})
    absent = here.api("bolt").get(EXPERTS, {"topic": "samba", "group": "nowhere"})
    assert hidden.status_code == absent.status_code == 404


@pytest.mark.conformance("Z18")
def test_entities_are_given_listed_corrected_and_taken_back(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    text = "Ada Lovelace of Acme Robotics GmbH opened the office in Lisbon on 3 May 2026"
    id_ = remember(here, text, speaker=member(here, "bob"))
    found = api.get(ENTITIES, {"memory": id_, "min_confidence": "0.6"}).json()["results"]
    named = {(one["type"], one["name"]): one for one in found if one["type"] != "concept"}
    assert set(named) == {
        ("company", "Acme Robotics GmbH"),
        ("location", "Lisbon"),
        ("date", "3 May 2026"),
    }
    assert named["location", "Lisbon"]["source"] == "rules"
    sure = {
        one["name"]: one["confidence"]
        for one in api.get(ENTITIES, {"memory": id_}).json()["results"]
    }
    assert sure["Ada Lovelace"] < 0.6, "two capitals alone are a guess"

    given = {"memory": id_, "type": "person", "name": "Bob", "confidence": 0.8}
    made = api.post(ENTITIES, given, format="json")
    assert made.status_code == 201
    body = made.json()
    assert (body["source"], body["member"]["name"]) == ("given", "Bob"), "the speaker is meant"
    url = f"{ENTITIES}/{body['id']}"
    changed = api.patch(url, {"name": "Robert", "confidence": 0.4}, format="json").json()
    assert (changed["name"], changed["member"], changed["confidence"]) == ("Robert", None, 0.4)
    edit_memory(here.robot("aria"), id_, {"content": f"{text}."}, now=NOW)  # type: ignore[arg-type]
    here.read()
    assert api.get(url).json()["name"] == "Robert", "it outlives a new extraction"

    rules = f"{ENTITIES}/{api.get(ENTITIES, {'type': 'location'}).json()['results'][0]['id']}"
    assert api.patch(rules, {"name": "Porto"}, format="json").status_code == 403
    assert here.browser("vera").get(url).status_code == 404
    assert here.browser("mina").delete(url).status_code == 403
    assert here.browser("ada").post(ENTITIES, given, format="json").status_code == 404
    assert api.delete(url).status_code == 204
    assert api.get(url).status_code == api.get(f"{ENTITIES}/{ABSENT}").status_code == 404
    for wrong in ({"confidence": 2}, {"type": "ship"}, {"name": ""}, {"memory": "x"}):
        assert api.post(ENTITIES, given | wrong, format="json").status_code == 400
    long = api.post(ENTITIES, given | {"name": "x" * 10_000}, format="json")
    assert long.status_code == 400
    assert [one["field"] for one in long.json()["errors"]] == ["name"]


@pytest.mark.conformance("Z19")
def test_relationships_of_a_thing_are_typed_inferred_and_weighed(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    bob = member(here, "bob")
    one = remember(here, "Samba shares printers", speaker=bob)
    two = remember(here, "Samba maps printers by name", speaker=bob)
    here.remember(here.robot("clio"), "Samba and secrets", group="design", speaker="Zoe")
    with resolve_principal(here.robot("aria")).scope():
        samba = Entity.objects.filter(key="samba", memory_id=one).values_list("id", flat=True)[0]
    found = api.get(f"{ENTITIES}/{samba}/relationships").json()["results"]
    by = {(row["relation"], row["name"]): row for row in found}
    knows = by["knows_about", "Bob"]
    assert (knows["id"], knows["weight"], knows["observations"]) == (bob, 1.0, 2)
    assert (knows["inferred"], knows["confidence"]) == (True, 0.75)
    near = by["related_to", "printers"]
    assert (near["kind"], near["observations"], near["inferred"]) == ("concept", 2, True)
    said_in = {row["id"] for row in found if row["relation"] == "mentions"}
    assert said_in >= {one, two}
    assert all(0 <= row["confidence"] <= 1 for row in found)
    only = {"relation": "mentions", "limit": 1}
    first = api.get(f"{ENTITIES}/{samba}/relationships", only).json()
    assert [row["inferred"] for row in first["results"]] == [False]
    assert len(api.get(first["next"]).json()["results"]) == 1
    bobs = here.browser("bob").get(f"{ENTITIES}/{samba}/relationships").json()["results"]
    assert not [row for row in bobs if "secrets" in row["name"] or row["name"] == "Zoe"]
    assert here.browser("vera").get(f"{ENTITIES}/{samba}/relationships").status_code == 404


@pytest.mark.conformance("Z18")
def test_entities_are_searched_by_words_and_likeness_the_best_first(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    for name in ("Harbour Robotics GmbH", "Harbour", "Old Harbour Foods GmbH", "Kestrel Ltd"):
        id_ = remember(here, f"a note of {len(name)} signs")
        given = {"memory": id_, "type": "company", "name": name, "confidence": 0.9}
        assert api.post(ENTITIES, given, format="json").status_code == 201
    asked = {"q": "harbour", "type": "company"}
    found = api.get(ENTITIES, asked).json()["results"]
    assert [one["name"] for one in found] == [
        "Harbour",
        "Harbour Robotics GmbH",
        "Old Harbour Foods GmbH",
    ]
    assert [one["score"] for one in found] == [1.0, 0.9, 0.8]
    first = api.get(ENTITIES, asked | {"limit": 2}).json()
    second = api.get(first["next"]).json()
    assert [one["name"] for one in first["results"] + second["results"]] == [
        one["name"] for one in found
    ]
    assert second["next"] is None
    apart = api.get(ENTITIES, asked | {"q": "gmbh harbour foods"}).json()["results"]
    assert [one["name"] for one in apart] == ["Old Harbour Foods GmbH"]
    like = api.get(ENTITIES, asked | {"q": "Kestrl"}).json()["results"]
    assert [one["name"] for one in like] == ["Kestrel Ltd"], "a slip of the pen"
    assert 0 < like[0]["score"] < 0.8
    assert api.get(ENTITIES, asked | {"q": "zebra"}).json()["results"] == []
    assert api.get(ENTITIES, {"type": "company"}).json()["results"][0]["score"] is None
    assert here.browser("vera").get(ENTITIES, asked).json()["results"] == []
    assert api.get(ENTITIES, asked | {"min_confidence": 0.95}).json()["results"] == []
    other = api.get(first["next"].replace("q=harbour", "q=%25")).json()
    assert other["results"] == [], "a sign of patterns is a sign"


@pytest.mark.conformance("Z19")
def test_what_texts_state_is_listed_by_entity_with_source_and_confidence(world: World) -> None:
    here, api = world.here, world.here.browser("bob")
    bob = member(here, "bob")
    remember(here, "I work at Zorblax and I report to Kim.", speaker=bob)
    remember(here, "Kim is responsible for the Falcon rollout. Zorblax is based in Lisbon.")
    remember(here, "Falcon is part of Project Kestrel. Does Mina work at Zorblax?")
    here.remember(here.robot("clio"), "Zoe works at Zorblax.", group="design")

    def stated(name: str, **asked: str) -> set[tuple[str, str, str]]:
        """(relation, direction, the other) of the entity of that name."""
        (entity, *_) = api.get(ENTITIES, {"q": name, "limit": 1}).json()["results"]
        assert entity["name"] == name
        found = api.get(f"{ENTITIES}/{entity['id']}/relationships", asked).json()["results"]
        sure = [one for one in found if one["source"]]
        assert all(one["source"] == "rules" and 0.5 < one["confidence"] < 1 for one in sure)
        assert not any(one["inferred"] for one in sure)
        return {(one["relation"], one["direction"], one["name"]) for one in sure}

    assert stated("Zorblax") == {("works_at", "in", "Bob"), ("located_in", "out", "Lisbon")}
    assert stated("Kim") == {("reports_to", "in", "Bob"), ("responsible_for", "out", "Falcon")}
    assert stated("Falcon") == {("responsible_for", "in", "Kim"), ("part_of", "out", "Kestrel")}
    assert stated("Kim", relation="reports_to") == {("reports_to", "in", "Bob")}
    (about,) = [one for one in api.get(ENTITIES, {"q": "Bob"}).json()["results"] if one["member"]]
    assert about["member"]["id"] == bob, "who speaks is the member"


@pytest.mark.conformance("Z19")
def test_a_circle_of_who_reports_to_whom_is_listed_as_it_is_said(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    for one, other in (("Kim", "Lee"), ("Lee", "Max"), ("Max", "Kim"), ("Kim", "Kim")):
        remember(here, f"{one} reports to {other}.")
    (kim, *_) = api.get(ENTITIES, {"q": "Kim", "type": "person"}).json()["results"]
    url = f"{ENTITIES}/{kim['id']}/relationships"
    found = api.get(url, {"relation": "reports_to"}).json()["results"]
    assert {(one["direction"], one["name"]) for one in found} == {("out", "Lee"), ("in", "Max")}
    first = api.get(url, {"relation": "reports_to", "limit": 1}).json()
    assert len(api.get(first["next"]).json()["results"]) == 1


def test_relationships_follow_their_memory(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    id_ = remember(here, "Kim works at Zorblax.")
    with resolve_principal(here.robot("aria")).scope():
        assert StatedRelation.objects.filter(memory_id=id_).count() == 1
    edit_memory(here.robot("aria"), UUID(id_), {"content": "Kim works at Acme."}, now=NOW)
    here.read()
    (kim, *_) = api.get(ENTITIES, {"q": "Kim", "type": "person"}).json()["results"]
    found = api.get(f"{ENTITIES}/{kim['id']}/relationships", {"relation": "works_at"}).json()
    assert [one["name"] for one in found["results"]] == ["Acme"]
    forget_memory(here.robot("aria"), UUID(id_), now=NOW)
    with resolve_principal(here.robot("aria")).scope():
        assert not StatedRelation.objects.filter(memory_id=id_).exists()
    assert api.get(f"{ENTITIES}/{kim['id']}/relationships").status_code == 404


@override_settings(MEMORY_MAX_BYTES=1_000_000)
def test_ten_thousand_mentions_and_a_topic_of_nothing(world: World) -> None:
    here = world.here
    crowd = " ".join(f"@n{n}" for n in range(10_000))
    (kept,) = said(here, {"content": f"the harbour is open {crowd}", "speaker": "irc:ann"})
    assert kept
    api = here.api("aria")
    assert api.get(EXPERTS, {"topic": "harbour"}).json()["results"][0]["name"] == "ann"
    for topic in ("the", "?!", "1", "数", "🙂", "x" * 300):
        assert api.get(EXPERTS, {"topic": topic}).status_code == 200
