"""Which robot said it, in what order, and how busy robots are: as far as the asker reads."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.lifecycle.forget import forget_memory
from memories.retrieval.robot_mentions import list_robot_activity
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.world import NOW, World

DAY = timedelta(days=1)


def asked(api: APIClient, path: str, **query: Any) -> list[dict[str, Any]]:
    answer = api.get(f"/api/v1/{path}", query)
    assert answer.status_code == 200, answer.json()
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def said(api: APIClient, topic: str, **query: Any) -> dict[str, int]:
    found = asked(api, "said", topic=topic, **query)
    return {one["robot"]["name"]: one["count"] for one in found}


@pytest.mark.conformance("H05")
def test_fifteen_and_eight(world: World) -> None:
    """Fifteen memories of aria, eight of bolt; what both brought counts for both."""
    here, api = world.here, world.here.api("aria")
    for number in range(15):
        here.remember(here.robot("aria"), f"The harbour crane needs oil, note {number}.")
    for number in range(8):
        here.remember(here.robot("bolt"), f"Cranes at the harbour, report {number}.")
    here.remember(here.robot("bolt"), "The office has a crane of paper.")
    assert said(api, "harbour crane") == {"aria": 15, "bolt": 8}
    assert [one["robot"]["id"] for one in asked(api, "said", topic="harbour crane")] == [
        here.robots["aria"].public_id,
        here.robots["bolt"].public_id,
    ]
    here.remember(here.robot("bolt"), "The harbour crane needs oil, note 0.")
    assert said(api, "harbour crane") == {"aria": 15, "bolt": 9}
    assert said(api, "harbour crane", limit=8) == {"bolt": 8}, "of the newest"
    assert said(api, '"paper of crane"') == {"bolt": 1}, "the order is not known"
    assert said(api, "paper or report") == {"bolt": 9}
    assert said(api, "crane -harbour") == {"bolt": 1}
    for number in range(120):
        here.remember(here.robot("clio"), f"A walrus was seen, sighting {number}.")
    assert said(api, "walrus") == {"clio": 120}, "all of them, not the newest hundred"
    assert said(api, "the of") == said(api, "zebra") == said(api, "") == {}


def test_two_people_through_one_robot_are_one(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        here.remember(here.person(name), "The crane squeaks.", group="launch")
    assert said(here.browser("mina"), "crane") == {"web": 1}


@pytest.mark.conformance("H06")
def test_a_timeline_runs_from_the_oldest_of_the_newest(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    for days in (3, 1, 2, 9):
        here.remember(
            here.robot("bolt"), f"Crane {days}.", occurred_at=NOW - days * DAY, speaker="Fred"
        )
    found = asked(api, "timeline", topic="crane", limit=3)
    assert [one["content"] for one in found] == ["Crane 3.", "Crane 2.", "Crane 1."]
    first = found[0]
    assert first["timestamp"] == (NOW - 3 * DAY).isoformat().replace("+00:00", "Z")
    assert (first["robot"]["name"], first["speaker"]) == ("bolt", "Fred")
    assert len(asked(api, "timeline", topic="crane")) == 4


def test_only_what_the_asker_reads_counts(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The crane of the launch.", group="launch")
    here.remember(here.person("mina"), "My own crane.", visibility="private")
    here.remember(here.robot("bolt"), "A note on the crane.", visibility="internal")
    gone = here.remember(here.robot("aria"), "An old crane.").id
    forget_memory(here.robot("aria"), gone, now=NOW)
    here.remember(here.robot("aria"), "A late crane.", expires_at=timezone.now() - DAY)
    counts = {name: said(here.api(name), "crane") for name in ("aria", "bolt", "clio")} | {
        name: said(here.browser(name), "crane") for name in ("mina", "bob", "ada")
    }
    assert counts == {
        "aria": {"aria": 1}, "bolt": {"bolt": 1}, "clio": {},
        "mina": {"aria": 1, "web": 1}, "bob": {"aria": 1}, "ada": {},
    }  # fmt: skip
    there = world.there
    there.remember(there.robot("aria"), "Another crane.")
    assert said(there.api("aria"), "crane") == {"aria": 1}


def test_a_neighbours_words_are_not_its_own(lasting_world: World) -> None:
    """A turn is found by words of the turn before it; it did not say them."""
    here = lasting_world.here
    turns = {"group": "launch", "conversation": "monday"}
    here.remember(here.robot("aria"), "Who repairs the crane?", **turns)
    here.remember(here.robot("aria"), "Fred does, on Tuesday.", **turns)
    here.embed()
    assert said(here.api("aria"), "crane") == {"aria": 1}
    assert said(here.api("aria"), "crane tuesday") == {}


@pytest.mark.conformance("H07")
def test_activity_is_what_a_count_over_the_table_gives(lasting_world: World) -> None:
    here = lasting_world.here
    for number in range(4):
        here.remember(here.robot("aria"), f"Note {number}.")
    here.remember(here.robot("bolt"), "Note 0.")
    here.remember(here.robot("bolt"), "Note 0.")
    old = here.remember(here.robot("bolt"), "Of last year.").id
    here.remember(here.robot("bolt"), "A note of its own.", visibility="internal")
    with organisation_scope(here.id, using="worker"):
        rows = Contribution.objects.using("worker")
        rows.filter(memory_id=old).update(last_at=timezone.now() - 8 * DAY)
        rows.exclude(memory_id=old).update(last_at=timezone.now() - 6 * DAY)
    found = here.api("aria").get("/api/v1/stats").json()["activity"]
    counts = [(one["robot"]["name"], one["memories"], one["last_7_days"]) for one in found]
    assert counts == [("aria", 4, 4), ("bolt", 2, 1)]
    own = here.api("bolt").get("/api/v1/stats").json()["activity"]
    assert [(one["robot"]["name"], one["memories"]) for one in own] == [("aria", 4), ("bolt", 3)]


def test_a_person_counts_no_notes_of_robots_though_their_audience_were_open(world: World) -> None:
    """The second lock: the first is the audience."""
    here = world.here
    note = here.remember(here.robot("bolt"), "The crane is mine.", visibility="internal")
    for whose, counts in ((here.person("mina"), []), (here.robot("bolt"), [("bolt", 1)])):
        known = resolve_principal(whose)
        opened = replace(known, audiences=known.audiences | {note.audience_id})
        with opened.scope():
            assert Memory.objects.filter(id=note.id).exists(), "the database shows it"
            found = list_robot_activity(opened, now=timezone.now())
        assert [(one.name, one.memories) for one in found] == counts


@pytest.mark.conformance("H08")
def test_all_memories_of_one_robot(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    made = {here.remember(here.robot("bolt"), f"Crane {number}.").id for number in range(3)}
    here.remember(here.robot("aria"), "Crane of aria.")
    bolt = here.robots["bolt"].public_id
    listed = api.get("/api/v1/memories", {"robot": bolt}).json()["results"]
    assert {one["id"] for one in listed} == {str(id_) for id_ in made}
    body = {"query": "crane", "strategy": "keyword", "filters": {"robots": [bolt]}}
    hits = api.post("/api/v1/recall", body, format="json").json()["results"]
    assert {one["id"] for one in hits} == {str(id_) for id_ in made}


@pytest.mark.parametrize("path", ["said", "timeline"])
@pytest.mark.parametrize(
    "query", [{"topic": "x", "limit": 0}, {"topic": "x", "limit": 1001},
              {"topic": "x" * 501}, {"topic": "x", "until": "now"}, {"topic": "a\x00b"}],
)  # fmt: skip
def test_bad_questions_are_told(world: World, path: str, query: dict[str, Any]) -> None:
    assert world.here.api("aria").get(f"/api/v1/{path}", query).status_code == 400
