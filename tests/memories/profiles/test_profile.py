"""What is known about a member, a group or a topic, as far as the asker reads."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from memories.profiles import build_profile
from memories.profiles.build_profile import FEWEST_TOKENS
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.members.member_settings import set_learning_paused, set_sharing_opt_out
from orgs.principals import resolve_principal
from tests.robots.conversations.test_direct import add_person, tell
from tests.world import NOW, Tenant, World

SAID = datetime(2026, 1, 10, 9, tzinfo=UTC)


def note(here: Tenant, text: str, days: int = 0, **more: Any) -> UUID:
    """A fact that aria notes in #design, said so many days after the first."""
    fields = {"group": "design", "occurred_at": SAID + timedelta(days=days), **more}
    return here.remember(here.robot("aria"), text, **fields).id


def turn(here: Tenant, text: str, days: int = 0, speaker: str = "mina", **more: Any) -> UUID:
    """What a member says in #design."""
    who = str(here.members[speaker].id) if speaker in here.members else speaker
    return note(here, text, days, speaker=who, type="conversation", **more)


def profile(api: APIClient, **asked: Any) -> dict[str, Any]:
    answer = api.get("/api/v1/profiles", asked)
    assert answer.status_code == 200, answer.json()
    return answer.json()  # type: ignore[no-any-return]


def texts(found: dict[str, Any]) -> dict[str, list[str]]:
    return {one["topic"]: [fact["text"] for fact in one["facts"]] for one in found["topics"]}


@pytest.mark.conformance("X17")
def test_the_facts_that_hold_by_topic_with_day_speaker_and_source(world: World) -> None:
    here = world.here
    turn(here, "I live in Uppsala.")
    home = turn(here, "Morning! I live in Malmo now, so I come by train.", 30)
    turn(here, "Did you see the heron on the roof?", 31)
    note(here, "Mina is allergic to nuts.", 5, source={"type": "form", "id": "f-1"})
    found = profile(here.browser("mina"), member=str(here.members["mina"].id))
    assert found["about"] == {
        "kind": "member", "id": str(here.members["mina"].id), "name": "Mina",
    }  # fmt: skip
    assert [one["topic"] for one in found["topics"]] == ["home", "health"]
    [lives] = found["topics"][0]["facts"]
    assert "Malmo" in lives["text"]
    assert "Uppsala" not in str(found)
    assert (lives["memory"], lives["state"]) == (str(home), "current")
    assert lives["speaker_member"]["name"] == "Mina"
    assert datetime.fromisoformat(lives["said_at"]) == SAID + timedelta(days=30)
    [nuts] = found["topics"][1]["facts"]
    assert nuts["source"] == {"type": "form", "id": "f-1"}
    assert nuts["author"]["robot"]["name"] == "aria"
    assert (found["outdated"], found["left_out"]) == (1, 0)


@pytest.mark.conformance("X17")
def test_another_asker_sees_none_of_what_they_may_not_read(world: World) -> None:
    """Bob is in #launch alone, bolt in no group."""
    here = world.here
    mina = str(here.members["mina"].id)
    turn(here, "I live in Malmo.", 3)
    note(here, "Mina lives in Uppsala.", group="launch")
    assert texts(profile(here.browser("mina"), member=mina))["home"] == ["Mina lives in Malmo."]
    other = profile(here.browser("bob"), member=mina)
    assert texts(other) == {"home": ["Mina lives in Uppsala."]}
    assert other["outdated"] == 0, "that something newer is there is not told"
    assert here.api("bolt").get("/api/v1/profiles", {"member": mina}).status_code == 404
    strange = world.there.browser("mina").get("/api/v1/profiles", {"member": mina})
    assert (strange.status_code, strange.json()["errors"][0]["field"]) == (404, "member")


@pytest.mark.conformance("X17")
def test_it_follows_each_change(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    kept = note(here, "Mina lives in Uppsala.")
    address = f"/api/v1/memories/{kept}"
    changed = here.api("aria").patch(address, {"content": "Mina lives in Lund."}, format="json")
    assert changed.status_code == 200, changed.json()
    assert texts(profile(here.browser("mina"), member=mina)) == {"home": ["Mina lives in Lund."]}
    assert here.api("aria").delete(address).status_code in (200, 204)
    assert texts(profile(here.browser("mina"), member=mina)) == {}


@pytest.mark.conformance("X17")
def test_what_is_over_or_expired_does_not_stand_in_it(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    over = note(here, "Mina drives a van.")
    gone = note(here, "Mina speaks Danish.")
    note(here, "Mina prefers tea.")
    with resolve_principal(here.robot("aria")).scope():
        Memory.objects.filter(id=over).update(valid_until=NOW - timedelta(days=1))
        Memory.objects.filter(id=gone).update(expires_at=NOW - timedelta(days=1))
    assert texts(profile(here.browser("mina"), member=mina)) == {"likes": ["Mina prefers tea."]}


@pytest.mark.conformance("X17")
def test_a_mere_name_disputes_and_is_marked(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    turn(here, "I live in Malmo.")
    newer = turn(here, "Mina lives in Uppsala, she told me.", 9, speaker="Somebody")
    [malmo] = [
        fact
        for fact in profile(here.browser("mina"), member=mina)["topics"][0]["facts"]
        if "Malmo" in fact["text"]
    ]
    assert (malmo["state"], malmo["contradicted_by"]) == ("disputed", str(newer))
    own = turn(here, "I speak Danish.", 2, speaker="Mina")
    found = profile(here.browser("mina"), member=mina)
    told = {fact["memory"]: fact for one in found["topics"] for fact in one["facts"]}
    assert str(own) not in told or "“Mina”" in told[str(own)]["text"]


def test_a_first_name_that_two_people_have_means_neither(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    note(here, "Mina is vegan.")
    assert "health" in texts(profile(here.browser("mina"), member=mina))
    with organisation_scope(here.id):
        create_member(
            organisation_id=here.id, name="Mina Berg", email="mb@x.example", role="member",
            password="not-a-secret-9", now=NOW,
        )  # fmt: skip
    assert texts(profile(here.browser("mina"), member=mina)) == {}


@pytest.mark.conformance("X17")
def test_what_a_member_told_a_robot_stands_there_for_that_member_alone(world: World) -> None:
    here, aria = world.here, world.here.api("aria")
    for name, words in {"rosa": "I am allergic to nuts.", "kofi": "I live in Accra."}.items():
        add_person(here, name)
        assert tell(aria, name, words)["memory"]
    here.read()
    own = profile(aria, member="telegram:rosa", asker="telegram:rosa")
    assert texts(own) == {"health": ["Rosa is allergic to nuts."]}
    asked = {"member": "telegram:rosa", "asker": "telegram:kofi"}
    assert aria.get("/api/v1/profiles", asked).status_code == 404
    assert aria.get("/api/v1/profiles", {"member": "telegram:rosa"}).status_code == 404


@pytest.mark.conformance("X17")
def test_a_budget_of_tokens(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    for number, tongue in enumerate(("Danish", "Norwegian", "Finnish", "Dutch")):
        note(here, f"Mina speaks {tongue}.", number)
    api = here.browser("mina")
    whole = profile(api, member=mina)
    assert texts(whole)["skills"][0] == "Mina speaks Dutch.", "the newest first"
    for most in (1, FEWEST_TOKENS, whole["tokens"] - 1, whole["tokens"]):
        found = profile(api, member=mina, max_tokens=most)
        count = sum(len(one["facts"]) for one in found["topics"])
        assert found["tokens"] <= most
        assert count + found["left_out"] == 4
    assert found["left_out"] == 0
    tight = profile(api, member=mina, max_tokens=whole["tokens"] - 1)
    assert tight["left_out"] == 1


@pytest.mark.conformance("X17")
def test_a_group_and_a_topic(world: World) -> None:
    here, api = world.here, world.here.browser("mina")
    note(here, "The deploy window is Tuesday at ten.")
    turn(here, "We work on the harbour project.", 1)
    turn(here, "I live in Malmo.", 2)
    note(here, "Tea is at four.", group="launch")
    group = profile(api, group="design")
    assert group["about"]["kind"] == "group"
    said = str(texts(group))
    assert "deploy window" in said
    assert "harbour" in said
    assert "Malmo" not in said
    assert "Tea" not in said
    topic = profile(api, topic="deploy window")
    assert topic["about"] == {"kind": "topic", "id": None, "name": "deploy window"}
    assert texts(topic) == {"other": ["The deploy window is Tuesday at ten."]}
    assert profile(api, topic="the of")["topics"] == []


@pytest.mark.conformance("X17")
@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, "member"),
        ({"member": "x:y", "topic": "tea"}, "topic"),
        ({"topic": "tea", "max_tokens": 0}, "max_tokens"),
        ({"topic": "tea", "max_tokens": 8_001}, "max_tokens"),
        ({"topic": "t" * 501}, "topic"),
    ],
)
def test_bad_questions(world: World, asked: dict[str, Any], field: str) -> None:
    answer = world.here.api("aria").get("/api/v1/profiles", asked)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


@pytest.mark.conformance("X17")
def test_a_context_begins_with_what_is_known_about_its_member(lasting_world: World) -> None:
    here = lasting_world.here
    turn(here, "I am allergic to nuts.")
    turn(here, "I live in Uppsala.", 1)
    turn(here, "I live in Malmo now.", 5)
    here.embed()
    body = {"query": "What shall we order?", "include_recent": False, "include_profile": True}
    made = here.browser("mina").post("/api/v1/context", body, format="json").json()
    first, second = [one for one in made["citations"] if one["section"] == "profile"]
    assert (first["details"]["topic"], second["details"]["topic"]) == ("home", "health")
    lines = made["text"].splitlines()
    heading = next(at for at, line in enumerate(lines) if "About the member" in line)
    assert "Malmo" in lines[heading + 1]
    assert "allergic to nuts" in lines[heading + 2]
    assert made["text"].count("allergic") == 1, "what stands there is not recalled once more"
    section = next(one for one in made["sections"] if one["name"] == "profile")
    assert (section["status"], section["items"]) == ("ok", 2)
    # A robot that asks for nobody has none, and nobody gets one unasked.
    for client, asked in ((here.api("aria"), body), (here.browser("mina"), {"query": "x"})):
        made = client.post("/api/v1/context", asked, format="json").json()
        off = next(one for one in made["sections"] if one["name"] == "profile")
        assert off["status"] == "off"


@pytest.mark.conformance("X17")
def test_the_page_shows_each_fact_with_correct_and_forget(world: World) -> None:
    here = world.here
    mine = turn(here, "I live in Malmo.")
    turn(here, "I live in Uppsala.", -9)
    theirs = here.remember(
        here.person("ada"), "Mina leads the harbour team.", visibility="organisation"
    ).id
    page = here.browser("mina").get("/me/known/").content.decode()
    assert page.index("Home") < page.index("Mina lives in Malmo.") < page.index("Work")
    assert "Uppsala" not in page
    assert "1 older fact is not shown" in page
    assert f"/memories/{mine}/edit/" in page
    assert f"/memories/{mine}/forget/" in page
    assert f"/memories/{theirs}/suggest/" in page
    assert "Nothing that you may see states a fact about you" in (
        here.browser("bob").get("/me/known/").content.decode()
    )


@pytest.mark.conformance("X17")
def test_what_a_robot_left_stands_in_a_profile_and_in_no_context(lasting_world: World) -> None:
    here, mina = lasting_world.here, str(lasting_world.here.members["mina"].id)
    left = {"group": None, "member": mina, "visibility": "private"}
    kept = note(here, "Mina is allergic to nuts.", **left)
    here.embed()
    [fact] = profile(here.browser("mina"), member=mina)["topics"][0]["facts"]
    assert (fact["memory"], fact["deposit_for"]["name"]) == (str(kept), "Mina")
    body = {"query": "x", "include_profile": True}
    made = here.browser("mina").post("/api/v1/context", body, format="json").json()
    section = next(one for one in made["sections"] if one["name"] == "profile")
    assert (section["status"], section["items"]) == ("empty", 0)


@pytest.mark.conformance("X17")
def test_a_context_for_a_group_knows_what_may_come_up_there(lasting_world: World) -> None:
    """What is private and was said in another group does not come up, nor do its facts."""
    here = lasting_world.here
    turn(here, "I am allergic to nuts.")
    private = {"visibility": "private", "group": "launch"}
    here.remember(here.person("mina"), "Mina lives in Malmo.", **private)
    here.embed()
    for group, words in (("design", ["nuts"]), ("launch", ["Malmo"]), (None, ["Malmo", "nuts"])):
        asked = {"query": "x", "include_profile": True, "include_recent": False}
        asked |= {"group": group} if group else {}
        made = here.browser("mina").post("/api/v1/context", asked, format="json").json()
        known = [one for one in made["citations"] if one["section"] == "profile"]
        assert len(known) == len(words)
        assert all(word in made["text"] for word in words)


@pytest.mark.conformance("X17", "W13")
def test_who_stopped_sharing_has_a_profile_for_themself_alone(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    note(here, "Mina lives in Uppsala.", group="launch")
    other, own = here.browser("bob"), here.browser("mina")
    assert texts(profile(other, member=mina)) == {"home": ["Mina lives in Uppsala."]}
    set_sharing_opt_out(here.person("mina"), out=True, now=NOW)
    assert texts(profile(other, member=mina)) == {}
    assert texts(profile(here.api("aria"), member=mina)) == {}
    assert texts(profile(own, member=mina)) == {"home": ["Mina lives in Uppsala."]}


@pytest.mark.conformance("X17", "W13")
def test_while_somebody_pauses_learning_others_learn_nothing_new(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    note(here, "Mina lives in Uppsala.")
    set_learning_paused(here.person("mina"), paused=True, now=NOW + timedelta(minutes=1))
    later = note(here, "Mina is allergic to nuts.", 5)
    with resolve_principal(here.robot("aria")).scope():
        Memory.objects.filter(id=later).update(created_at=NOW + timedelta(minutes=2))
    assert [*texts(profile(here.api("aria"), member=mina))] == ["home"]
    assert [*texts(profile(here.browser("mina"), member=mina))] == ["home", "health"]


@pytest.mark.conformance("X17")
def test_what_members_write_themselves_is_theirs(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    body = {"content": "I live in Malmo and I am allergic to nuts.", "group": "launch"}
    assert here.browser("mina").post("/api/v1/memories", body, format="json").status_code == 201
    found = texts(profile(here.browser("bob"), member=mina))
    assert "Malmo" in str(found["home"])


@pytest.mark.conformance("X17")
@pytest.mark.parametrize("asked", ["member", "group", "topic"])
def test_of_too_many_memories_the_newest_count(
    world: World, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.setattr(build_profile, "MAX_FOUND", 2)
    here = world.here
    for thing in ("nuts", "eggs", "fish"):
        note(here, f"Mina is allergic to {thing}.")
    subject = {"member": str(here.members["mina"].id), "group": "design", "topic": "allergic"}
    found = str(texts(profile(here.browser("mina"), **{asked: subject[asked]})))
    assert [thing in found for thing in ("nuts", "eggs", "fish")] == [False, True, True]
