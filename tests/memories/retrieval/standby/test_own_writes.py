"""Who has written is answered by the primary until the standby has it; others are not."""

from typing import Any

import pytest
import redis

from orgs.database.standby.recent_writes import RecentWrites, recent_writes
from tests.fast_path import FastPathSite
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.standby_server import Standby
from tests.world import Tenant, World

TEXT = "The printer of the second floor is broken."
QUESTION = {"query": "which printer is broken"}


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    here.remember(here.robot("clio"), "The first printer is broken too.")
    here.embed()
    return here


def texts(body: Any) -> list[str]:
    return [hit["content"] for hit in body["results"]]


@pytest.mark.conformance("O17")
def test_a_robot_reads_what_it_wrote(here: Tenant, paused: Standby, outcomes: Outcomes) -> None:
    site = FastPathSite()
    assert site.post(here.keys["bolt"], QUESTION)[0] == 200
    made = here.api("bolt").post("/api/v1/memories", {"content": TEXT}, format="json")
    assert made.status_code == 201
    here.read()
    for number in range(20):
        assert TEXT in texts(site.post(here.keys["bolt"], QUESTION)[2])
        assert outcomes["after write"] == number + 1
    # Somebody else goes on to be answered by the standby, which does not have it yet.
    before = outcomes["standby"]
    assert TEXT not in texts(site.post(here.keys["clio"], QUESTION)[2])
    assert outcomes["standby"] == before + 1
    paused.resume()
    paused.catch_up()
    assert TEXT in texts(site.post(here.keys["bolt"], QUESTION)[2])
    assert (outcomes["standby"], outcomes["after write"]) == (before + 2, 20)


@pytest.mark.conformance("O17")
def test_a_member_who_wrote_on_a_page_or_by_a_robot(
    here: Tenant, paused: Standby, outcomes: Outcomes
) -> None:
    """By a page the member is noted; by a robot that acts for them the robot and the member."""
    page = here.browser("mina")
    assert page.post("/me/sharing/", {"sharing": "off"}).status_code in (200, 302)
    noted = [here.members["mina"].id]
    assert recent_writes.find(noted)
    given = {"content": TEXT, "member": str(here.members["bob"].id), "group": "launch"}
    made = here.api("aria").post("/api/v1/memories", given, format="json")
    assert made.status_code == 201, made.json()
    assert recent_writes.find([here.robots["aria"].id])
    assert recent_writes.find([here.members["ada"].id, here.robots["clio"].id]) == 0


@pytest.mark.parametrize(
    "path", ["/api/v1/recall", "/api/v1/context", "/api/v1/gate", "/api/v1/answer"]
)
def test_a_question_is_no_write(here: Tenant, standby: Standby, path: str) -> None:
    field = "text" if path.endswith("gate") else "query"
    asked = here.api("bolt").post(path, {field: "printer"}, format="json")
    assert asked.status_code == 200, asked.json()
    assert recent_writes.find([here.robots["bolt"].id]) == 0


def test_a_refused_call_is_no_write(here: Tenant, standby: Standby) -> None:
    assert here.api("bolt").post("/api/v1/memories", {}, format="json").status_code == 400
    assert recent_writes.find([here.robots["bolt"].id]) == 0


def test_without_valkey_the_primary_answers(
    here: Tenant, standby: Standby, outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = RecentWrites()
    notes._connect()

    def away(*given: object) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr(notes._client, "mget", away)
    monkeypatch.setattr("memories.retrieval.standby.standby_search.recent_writes", notes)
    site = FastPathSite()
    for _ in range(3):
        assert len(texts(site.post(here.keys["bolt"], QUESTION)[2])) == 1
    assert (outcomes["writes unknown"], outcomes["standby"]) == (3, 0)


def test_a_later_write_counts_whatever_note_comes_last(here: Tenant, standby: Standby) -> None:
    notes, who = RecentWrites(), [here.robots["bolt"].id]
    notes.note(who)
    last = notes.find(who)
    assert last
    notes._script(keys=[f"commonmind:written:{who[0]}"], args=[last - 1, 60])
    assert notes.find(who) == last
