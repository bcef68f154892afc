"""A member's preferences over HTTP: the owner's alone."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.browsing.memory_queries import get_memory
from memories.state.supersede_memory import supersede_memory
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from robots.access.acting_for_members import create_delegation
from tests.world import NOW, Tenant, World

PREFERENCES = "/api/v1/preferences"
STYLE = {"kind": "writing_style", "recipient": "Anna", "tone": "formal"}


def put(client: APIClient, status: int = 201, **fields: Any) -> Any:
    answer = client.post(PREFERENCES, fields, format="json")
    assert answer.status_code == status, answer.content
    return answer.json().get("preference")


def trust(here: Tenant, name: str, robot: str) -> str:
    """The member's reference, after they gave the robot leave."""
    create_delegation(
        organisation_id=here.id,
        member_id=here.members[name].id,
        robot_id=here.robots[robot].id,
        actor=here.person(name),
        now=NOW,
    )
    return str(here.members[name].id)


@pytest.mark.conformance("Z20")
def test_every_kind_is_written_read_corrected_and_taken_away(world: World) -> None:
    mina = world.here.browser("mina")
    made = [
        put(mina, kind="preference", text="Answers in metric units."),
        put(mina, kind="alert", vip_senders=["The Boss"]),
        put(mina, **STYLE),
        put(mina, kind="research_finding", topic="tides", finding="Spring tides follow the moon."),
    ]
    listed = mina.get(PREFERENCES).json()["results"]
    assert listed == made[::-1], "newest first"
    assert [one["importance"] for one in made] == [0.7, 0.5, 0.6, 0.6]
    assert made[3]["content"] == "Research finding on tides: Spring tides follow the moon."
    assert [one["kind"] for one in mina.get(PREFERENCES, {"kind": "alert"}).json()["results"]] == [
        "alert"
    ]
    found = mina.get(PREFERENCES, {"recipient": "ANNA"}).json()["results"]
    assert [one["id"] for one in found] == [made[2]["id"]]

    one = f"{PREFERENCES}/{made[1]['id']}"
    hours = {"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"}
    changed = mina.patch(one, {"quiet_hours": hours}, format="json").json()
    assert changed["details"] == {"vip_senders": ["The Boss"], "quiet_hours": hours}
    assert "22:00 to 07:00" in changed["content"]
    assert mina.get(one).json() == changed
    fewer = mina.patch(one, {"vip_senders": None}, format="json").json()
    assert fewer["details"] == {"quiet_hours": hours}
    assert mina.delete(one).status_code == 204
    assert mina.get(one).status_code == 404
    assert len(mina.get(PREFERENCES).json()["results"]) == 3


@pytest.mark.conformance("Z20")
def test_they_are_the_owners_alone(world: World) -> None:
    here = world.here
    kept = put(here.browser("mina"), **STYLE)
    one, whose = f"{PREFERENCES}/{kept['id']}", {"member": str(here.members["mina"].id)}
    strangers = [here.browser("ada"), here.browser("chidi"), here.browser("bob")]
    strangers += [here.api("aria"), here.api("bolt"), world.there.browser("mina")]
    for stranger in strangers:
        assert stranger.get(one).status_code == 404
        assert stranger.patch(one, {"tone": "rude"}, format="json").status_code == 404
        assert stranger.delete(one).status_code == 404
        assert stranger.get(PREFERENCES).json()["results"] == []
    # It may act for her, and has no leave for what is hers.
    aria = here.api("aria")
    assert aria.get(PREFERENCES, whose).status_code == 404
    assert aria.get(f"{one}?member={whose['member']}").status_code == 404
    assert aria.post(PREFERENCES, {**STYLE, **whose}, format="json").status_code == 404
    assert aria.get(f"{PREFERENCES}/alerts", whose).status_code == 404
    assert aria.post(PREFERENCES, STYLE, format="json").status_code == 400, "for whom?"
    member = trust(here, "mina", "aria")
    assert [p["id"] for p in aria.get(PREFERENCES, whose).json()["results"]] == [kept["id"]]
    assert aria.get(f"{one}?member={member}").status_code == 200


def test_what_was_shared_is_no_preference_for_others(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    kept = put(mina, kind="preference", text="Tea in the morning.")
    shared = mina.post(
        f"/api/v1/memories/{kept['id']}/share",
        {"visibility": "group", "group": "launch"},
        format="json",
    )
    assert shared.status_code == 200
    here.read()
    for who in ("mina", "bob", "ada"):
        for asked in ({}, {"q": "tea in the morning"}):
            assert here.browser(who).get(PREFERENCES, asked).json()["results"] == []
        assert here.browser(who).get(f"{PREFERENCES}/{kept['id']}").status_code == 404


@pytest.mark.conformance("Z20")
def test_one_style_a_recipient_and_one_alert(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    first = put(mina, **STYLE)
    second = put(mina, 200, **{**STYLE, "recipient": " anna ", "tone": "warm"})
    assert (second["id"], second["details"]["tone"]) == (first["id"], "warm")
    put(mina, **{**STYLE, "recipient": "Bo"})
    assert put(here.browser("bob"), **STYLE)["id"] != first["id"], "another member's"
    alert = put(mina, kind="alert", vip_senders=["a"])
    assert put(mina, 200, kind="alert", vip_senders=["b"])["id"] == alert["id"]
    assert len(mina.get(PREFERENCES).json()["results"]) == 3
    moved = mina.patch(f"{PREFERENCES}/{first['id']}", {"recipient": "Bo"}, format="json")
    assert (moved.status_code, moved.json()["type"].rpartition(":")[2]) == (400, "bad-preference")


def test_what_was_taken_away_comes_back_by_its_owner_alone(world: World) -> None:
    here, mina, aria = world.here, world.here.browser("mina"), world.here.api("aria")
    member = trust(here, "mina", "aria")
    style, plain = put(mina, **STYLE), put(mina, kind="preference", text="Tea, no sugar.")
    for one in (style, plain):
        mina.delete(f"{PREFERENCES}/{one['id']}")
    put(aria, 403, **STYLE, member=member)
    put(aria, 403, kind="preference", text="Tea, no sugar.", member=member)
    assert mina.get(PREFERENCES).json()["results"] == []
    assert put(mina, 200, **{**STYLE, "tone": "warm"})["details"]["tone"] == "warm"
    assert put(mina, 200, kind="preference", text="Tea, no sugar.")["id"] == plain["id"]


def test_a_robot_with_leave_writes_and_corrects_its_own(world: World) -> None:
    here, mina, aria = world.here, world.here.browser("mina"), world.here.api("aria")
    member = trust(here, "mina", "aria")
    made = put(aria, **STYLE, member=member)
    again = put(aria, 200, **{**STYLE, "tone": "dry"}, member=member)
    assert (again["id"], again["details"]["tone"]) == (made["id"], "dry")
    assert [p["id"] for p in mina.get(PREFERENCES).json()["results"]] == [made["id"]]
    mine = put(mina, kind="alert", vip_senders=["a"])
    put(aria, 403, kind="alert", vip_senders=["spam"], member=member)
    assert mina.get(f"{PREFERENCES}/{mine['id']}").json()["details"] == {"vip_senders": ["a"]}


@pytest.mark.conformance("Z20")
def test_research_findings_are_recalled_by_meaning(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    for topic, finding in (("tides", "The moon pulls the sea."), ("bread", "Rye ferments slowly.")):
        put(mina, kind="research_finding", topic=topic, finding=finding)
    put(mina, kind="preference", text="Bread with butter, slowly.")
    put(here.browser("bob"), kind="research_finding", topic="bread", finding="Bob on bread.")
    here.remember(here.person("mina"), "Bread ferments slowly overnight.", group="launch")
    here.read()
    asked = {"q": "how does bread ferment", "kind": "research_finding"}
    found = mina.get(PREFERENCES, asked).json()["results"]
    assert found[0]["details"]["topic"] == "bread"
    assert {one["kind"] for one in found} == {"research_finding"}
    assert all("Bob" not in one["content"] for one in found)
    assert found[0]["score"] is not None
    every = mina.get(PREFERENCES, {"q": "bread slowly"}).json()["results"]
    assert {one["kind"] for one in every} >= {"research_finding", "preference"}
    assert all(one["kind"] for one in every), "nothing that is no preference"


def test_what_holds_no_more_is_no_preference(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    old, new = (
        put(mina, kind="preference", text=f"Tea at {hour}.", importance=0.9)
        for hour in ("four", "five")
    )
    with resolve_principal(here.person("mina")).scope():
        older, newer = (Memory.objects.get(id=one["id"]) for one in (old, new))
        supersede_memory(resolve_principal(here.person("mina")), older, newer, NOW)
    here.read()
    for asked in ({}, {"q": "tea at four"}):
        found = mina.get(PREFERENCES, asked).json()["results"]
        assert [one["id"] for one in found] == [new["id"]]
    context = mina.post("/api/v1/context", {"query": "quantum physics"}, format="json").json()
    cited = [one["id"] for one in context["citations"] if one["section"] == "preferences"]
    assert cited == [new["id"]]


@pytest.mark.conformance("Z20")
def test_whether_to_alert(world: World) -> None:
    mina = world.here.browser("mina")
    ask = f"{PREFERENCES}/alerts"
    night = {"at": "2026-01-05T23:30:00Z"}
    assert mina.get(ask, night).json() == {"alert": True, "why": "no_rule"}
    hours = {"from": "22:00", "to": "07:00"}
    put(mina, kind="alert", vip_senders=["The Boss"], quiet_hours=hours)
    assert mina.get(ask, night).json() == {"alert": False, "why": "quiet_hours"}
    boss = {**night, "sender": "the boss"}
    assert mina.get(ask, boss).json() == {"alert": True, "why": "vip_sender"}
    at_eight = {"at": "2026-01-05T08:00:00Z"}
    assert mina.get(ask, at_eight).json() == {"alert": True, "why": "no_rule"}


def test_metadata_that_was_changed_by_hand_breaks_nothing(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    kept = put(mina, kind="alert", vip_senders=["a"])
    one = f"/api/v1/memories/{kept['id']}"
    for form in ({"kind": "alert", "quiet_hours": {"from": 1}}, {"kind": "alert"}):
        assert mina.patch(one, {"metadata": {"preference": form}}, format="json").status_code == 200
        assert mina.get(f"{PREFERENCES}/{kept['id']}").json()["details"] == {}
        assert mina.get(f"{PREFERENCES}/alerts").json()["why"] == "no_rule"
    for form in ([1], "alert", {"kind": ["alert"]}, {"kind": "mood"}, None):
        assert mina.patch(one, {"metadata": {"preference": form}}, format="json").status_code == 200
        assert mina.get(PREFERENCES).json()["results"] == []
        assert mina.get(PREFERENCES, {"q": "alerts"}).status_code == 200
    assert put(mina, 200, kind="alert", vip_senders=["b"])["details"] == {"vip_senders": ["b"]}
    with resolve_principal(here.person("mina")).scope():
        row = Memory.objects.get(id=kept["id"])
    assert row.metadata == {"preference": {"kind": "alert", "vip_senders": ["b"]}}
    assert get_memory(here.person("mina"), row.id).memory.version > 1, "every form is a version"


def test_what_is_refused(world: World) -> None:
    mina = world.here.browser("mina")
    for fields in (
        {"kind": "mood", "text": "x"},
        {"kind": "preference", "text": "x", "tone": "dry"},
        {"kind": "preference", "text": "x", "colour": "red"},
        {"text": "x"},
        {"kind": "alert", "quiet_hours": {"from": "22:00", "to": 7}},
    ):
        put(mina, 400, **fields)
    for query in ({"kind": "mood"}, {"q": "x", "recipient": "y"}, {"limit": 0}, {"x": 1}):
        assert mina.get(PREFERENCES, query).status_code == 400
    assert mina.get(f"{PREFERENCES}/alerts", {"at": "soon"}).status_code == 400
    assert mina.get(PREFERENCES, {"member": "nobody"}).status_code in (403, 404)


@pytest.mark.conformance("Z20")
def test_a_robot_without_leave_forges_none(world: World) -> None:
    """What it left among the member's memories is theirs to read, and no preference of theirs."""
    here, mina = world.here, world.here.browser("mina")
    whose = str(here.members["mina"].id)
    form = {"kind": "alert", "vip_senders": ["Mallory"]}
    forged = here.remember(
        here.robot("aria"),
        "Alerts only for Mallory.",
        visibility="private",
        member=whose,
        metadata={"preference": form},
    ).id
    assert forged in here.readable(here.person("mina"))
    assert mina.get(PREFERENCES).json()["results"] == []
    assert mina.get(PREFERENCES, {"q": "alerts Mallory"}).json()["results"] == []
    assert mina.get(f"{PREFERENCES}/{forged}").status_code == 404
    ask = {"sender": "Mallory", "at": "2026-01-05T02:00:00Z"}
    assert mina.get(f"{PREFERENCES}/alerts", ask).json()["why"] == "no_rule"
    kept = put(mina, **form)
    assert [p["id"] for p in mina.get(PREFERENCES).json()["results"]] == [kept["id"]]
    # Nor does it take the place of theirs in a short answer.
    found = mina.get(PREFERENCES, {"q": "Alerts only for Mallory.", "limit": 1}).json()["results"]
    assert [p["id"] for p in found] == [kept["id"]]
    assert mina.get(f"{PREFERENCES}/alerts", ask).json()["why"] == "vip_sender"


def test_one_is_not_made_sensitive_for_its_details_stand_beside_it(world: World) -> None:
    mina = world.here.browser("mina")
    kept = put(mina, kind="research_finding", topic="the safe", finding="It opens with 4711.")
    one = f"/api/v1/memories/{kept['id']}"
    answer = mina.patch(one, {"sensitive": True}, format="json")
    assert (answer.status_code, answer.json()["type"].rsplit(":")[-1]) == (409, "encrypted")
    with resolve_principal(world.here.person("mina")).scope():
        assert not Memory.objects.get(id=kept["id"]).sensitive


@pytest.mark.conformance("Z20", "Z17")
def test_custom_instructions_are_one_text_first_in_every_context_of_their_member(
    world: World,
) -> None:
    here, mina = world.here, world.here.browser("mina")
    put(mina, kind="preference", text="Tea, not coffee.", importance=0.95)
    first = put(mina, kind="custom_instructions", text="Answer in German.")
    told = put(mina, 200, kind="custom_instructions", text="Answer in Dutch, without greetings.")
    assert (told["id"], told["importance"]) == (first["id"], 1.0)
    assert told["details"] == {"text": "Answer in Dutch, without greetings."} != first["details"]
    assert mina.get(f"{PREFERENCES}/{told['id']}").json() == told
    listed = mina.get(PREFERENCES, {"kind": "custom_instructions"}).json()["results"]
    assert [one["id"] for one in listed] == [told["id"]]

    def at_hand(client: APIClient, **more: Any) -> list[str]:
        asked = {"query": "quantum physics", **more}
        found = client.post("/api/v1/context", asked, format="json").json()
        return [one["id"] for one in found["citations"] if one["section"] == "preferences"]

    assert at_hand(mina)[0] == told["id"]
    assert len(at_hand(mina)) == 2
    whose = {"member": str(here.members["mina"].id)}
    assert told["id"] not in at_hand(here.api("aria"), **whose), "without her leave"
    assert at_hand(here.browser("bob")) == []
    trust(here, "mina", "aria")
    assert at_hand(here.api("aria"), **whose)[0] == told["id"]
    quieter = mina.patch(f"{PREFERENCES}/{told['id']}", {"importance": 0.8}, format="json")
    assert quieter.status_code == 200
    assert told["id"] not in at_hand(mina), ".8 itself is not always on"
    for wrong in ({}, {"text": " "}, {"text": "x" * 2001}, {"text": "x", "tone": "dry"}):
        answer = mina.post(PREFERENCES, {"kind": "custom_instructions", **wrong}, format="json")
        assert answer.status_code == 400
    assert mina.delete(f"{PREFERENCES}/{told['id']}").status_code == 204
    assert mina.get(PREFERENCES, {"kind": "custom_instructions"}).json()["results"] == []
