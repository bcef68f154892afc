"""The page of who said what: per asker, with many robots, and where there is nothing."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.store.models.memory import Memory
from memories.views.browsing import robot_mentions
from memories.views.browsing.draw_lanes import MAX_LANES, LaneMark, draw_lanes
from orgs.principals import resolve_principal
from personas.block_writes.block_updates import WriteOptions, add_entry
from tests.page_client import make_signed_in_client, response_text
from tests.personas.persona_helpers import (
    get_block_by_label,
    make_association,
    make_owner_actor,
)
from tests.world import NOW, World

DAY = timedelta(days=1)


def test_robots_with_counts_and_the_words_in_their_order(world: World) -> None:
    here, bob = world.here, make_signed_in_client(world.here, "bob")
    aria, bolt = here.robot("aria"), here.robot("bolt")
    late = here.remember(aria, "The crane <b>moved</b>.", occurred_at=NOW - DAY, speaker="Fred")
    here.remember(aria, "A crane squeaks.", occurred_at=NOW - 3 * DAY)
    here.remember(bolt, "The crane is oiled.", occurred_at=NOW - 2 * DAY)
    here.remember(here.person("mina"), "The crane in my dream.", visibility="private")
    here.remember(here.person("bob"), "I saw the crane.", group="launch")
    page = bob.get("/said/", {"topic": "crane"})
    rows = [(one["name"], one["count"]) for one in page.context["robots"]]
    assert rows[0] == ("aria", 2)
    assert sorted(rows[1:]) == [("Typed in here", 1), ("bolt", 1)]
    words = ["".join(p["text"] for p in m["parts"]) for m in page.context["moments"]]
    assert words[:3] == ["A crane squeaks.", "The crane is oiled.", "The crane <b>moved</b>."]
    assert page.context["summary"] == "4 memories from 2 robots and others"
    html = page.content.decode()
    assert "&lt;b&gt;moved" in html
    assert f"/memories/{late.id}/" in html
    assert "<strong>“Fred”</strong>, said aria" in html
    assert "my dream" not in html
    theirs = make_signed_in_client(world.there, "bob").get("/said/", {"topic": "crane"})
    assert "No match" in response_text(theirs)


def test_what_was_typed_in_is_of_no_robot_and_a_personal_one_is_not_counted(world: World) -> None:
    """By the rows: whose robot wrote each, and whether it has a name that the reader is told."""
    here, now = world.here, timezone.now()
    chidi = make_signed_in_client(here, "chidi")
    here.remember(here.person("ada"), "The crane is red.", visibility="organisation")

    def summary() -> str:
        return str(chidi.get("/said/", {"topic": "crane"}).context["summary"])

    with resolve_principal(here.person("chidi")).scope():
        rows = Memory.objects.filter(content__contains="crane").select_related("robot")
        assert [row.robot.builtin for row in rows] == ["web"]
    assert summary() == "1 memory"
    here.remember(here.robot("aria"), "A crane squeaks.")
    assert summary() == "2 memories from 1 robot and others"
    make_association(here, "mina")
    robot = make_owner_actor(here, "mina")
    block = get_block_by_label(robot, now=now).block
    add_entry(robot, block.id, "A crane is asked for first.", wanted=WriteOptions(), now=now)
    assert summary() == "3 memories from 1 robot and others"
    here.remember(here.robot("bolt"), "A crane sings.", occurred_at=NOW)
    assert summary() == "4 memories from 2 robots and others"


def test_an_api_and_a_page_tell_the_same(world: World) -> None:
    here = world.here
    for number in range(5):
        here.remember(here.robot("aria" if number % 2 else "bolt"), f"Crane {number}.")
    told = here.browser("mina").get("/api/v1/said", {"topic": "crane"}).json()["results"]
    page = make_signed_in_client(here, "mina").get("/said/", {"topic": "crane"})
    assert [(one["name"], one["count"]) for one in page.context["robots"]] == [
        (one["robot"]["name"], one["count"]) for one in told
    ]


def test_nothing_asked_nothing_found_and_too_long(world: World) -> None:
    mina = make_signed_in_client(world.here, "mina")
    assert "Nothing said yet" in response_text(mina.get("/said/"))
    assert "No match" in response_text(mina.get("/said/", {"topic": "zebra"}))
    assert "No match" in response_text(mina.get("/said/", {"topic": "the of"}))
    long = response_text(
        mina.get("/said/", {"topic": "x" * (robot_mentions.MAX_TOPIC_CHARACTERS + 1)})
    )
    assert "We could not use this topic" in long
    assert mina.get("/said/", {"topic": "x\x00y"}).status_code == 200


def test_robots_after_the_first_dozen_are_folded(world: World) -> None:
    here = world.here
    for number in range(robot_mentions.MAX_BARS + 3):
        name = f"{'very-' * 30}{number}"
        here.add_robot(name, scopes=("write",))
        here.remember(here.robot(name), f"Crane {number}.")
    page = make_signed_in_client(here, "mina").get("/said/", {"topic": "crane"})
    assert len(page.context["robots"]) == robot_mentions.MAX_BARS
    assert "3 more robots" in response_text(page)
    assert (
        f"{robot_mentions.MAX_BARS + 3} memories from {robot_mentions.MAX_BARS + 3} robots"
        in response_text(page)
    )


def test_only_the_newest_are_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_mentions, "MAX_MEMORIES", 2)
    here, now = world.here, timezone.now()
    for number in range(3):
        here.remember(here.robot("aria"), f"Crane {number}.", occurred_at=now - number * DAY)
    found = make_signed_in_client(here, "mina").get("/said/", {"topic": "crane"})
    page = response_text(found)
    assert "The newest 2 memories from 1 robot; robots count older ones too" in page
    assert "Crane</mark> 1." in found.content.decode()
    assert "Crane</mark> 2." not in found.content.decode()


def test_htmx_gets_the_results_alone(world: World) -> None:
    page = make_signed_in_client(world.here, "mina").get(
        "/said/", {"topic": "zebra"}, headers={"hx-request": "true"}
    )
    assert page.content.decode().lstrip().startswith('<section id="results"')


def test_it_starts_with_the_last_that_was_said_as_lanes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in the picture, by the rows that bob reads."""
    monkeypatch.setattr(robot_mentions, "MAX_LAST", 3)
    here = world.here
    aria = here.robot("aria")
    said = [
        here.remember(aria, f"Crane {n}.", occurred_at=NOW - n * DAY, speaker="Fred").id
        for n in range(4)
    ]
    ruled = here.remember(aria, "We keep the crane.", category="org_decision").id
    edited = here.remember(aria, "The crane is red.").id
    edit_memory(here.person("chidi"), edited, {"content": "The crane is green."}, now=NOW)
    retagged = here.remember(aria, "The crane has a name.").id
    edit_memory(here.person("chidi"), retagged, {"tags": ["crane"]}, now=NOW)
    here.remember(here.person("mina"), "The crane in my dream.", visibility="private")
    here.remember(aria, "A note of a crane.", visibility="internal")
    page = make_signed_in_client(here, "bob").get("/said/")
    placed = {
        one.mark.url.split("/")[2]: (lane.name, one.mark.kind)
        for lane in page.context["lanes"]
        for one in lane.marks
    }
    with resolve_principal(here.person("bob")).scope():
        read = set(Memory.objects.for_people().values_list("id", flat=True))
    assert (
        set(placed)
        == {str(id_) for id_ in read}
        == {str(id_) for id_ in (*said, ruled, edited, retagged)}
    )
    assert {placed[str(id_)] for id_ in said} == {("“Fred”", "")}
    assert placed[str(ruled)] == ("aria", "decision")
    assert placed[str(edited)] == ("aria", "changed")
    assert placed[str(retagged)] == ("aria", "")
    text = re.sub(r"<[^>]+>|\s+", " ", response_text(page))
    text = re.sub(r"\s+", " ", text)
    assert "The last that was said: 7 memories from 1 robot" in text
    assert "1 decision " in text
    assert "1 changed since, or true no longer" in text
    assert "The last 3 of these" in text
    assert len(page.context["moments"]) == 3
    times = [one.x for lane in page.context["lanes"] for one in lane.marks]
    assert all(0 < x < 100 for x in times)


def test_the_busiest_have_lanes_and_the_others_share_one() -> None:
    marks = [
        LaneMark(f"P{n}", NOW + n * DAY, "", f"/{n}/", "")
        for n in range(MAX_LANES + 3)
        for _ in range(2 if n == 5 else 1)
    ]
    lanes, ticks = draw_lanes(marks)
    assert len(lanes) == MAX_LANES
    assert lanes[0].name == "P5"
    assert lanes[-1].name == ""
    assert sum(len(lane.marks) for lane in lanes) == len(marks)
    places = sorted((one.mark.at, one.x) for lane in lanes for one in lane.marks)
    assert [x for _, x in places] == sorted(x for _, x in places), "later is more to the right"
    assert [at for _, at in ticks] == sorted(at for _, at in ticks)
    alone, [(middle, at)] = draw_lanes(marks[:1])
    assert (middle, at, alone[0].marks[0].x) == (50, NOW, 50)
