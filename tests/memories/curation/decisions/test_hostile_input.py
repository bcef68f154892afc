"""Long words, cursors of other lists, and names that are meant to be more."""

import json
from datetime import timedelta

import pytest

from memories.curation.decisions.read import DecisionQuery
from memories.curation.decisions.rules import LONGEST_WORD, words_of_topic
from memories.curation.decisions.shown import similar_shown
from orgs.api.cursors import sign
from tests.memories.curation.decisions.test_decisions import decide, get, post, topics
from tests.world import NOW, World

LONG = "\u00df" * 300  # Compared as 600 letters.


def test_a_topic_of_letters_that_are_written_out_is_stored_and_found(world: World) -> None:
    bolt = world.here.api("bolt")
    made = post(bolt, topic=LONG, conclusion="Yes.", decided_at="2026-03-01T10:00:00Z")
    (found,) = get(bolt, "/similar", topic=LONG)["results"]
    assert (found["id"], found["similarity"]) == (made["id"], 1.0)
    assert topics(world.here.robot("bolt"), topic=LONG) == [LONG]


def test_a_page_goes_on_where_it_ended_and_nowhere_else(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.views.decisions.decisions.SHOWN", 2)
    here, browser = world.here, world.here.browser("bob")
    for number, topic in enumerate(("Tea one", "Tea two", "Tea three")):
        decide(here.robot("bolt"), topic, decided_at=NOW + number * timedelta(seconds=1))
    first = browser.get("/decisions/", {"topic": "tea"})
    assert [row["topic"] for row in first.context["rows"]] == ["Tea three", "Tea two"]
    second = browser.get(first.context["page"]["next_url"])
    assert [row["topic"] for row in second.context["rows"]] == ["Tea one"]
    assert second.context["page"]["next_url"] == ""
    # Whatever another list has signed for the asker begins at the beginning.
    for place in ("5", "{}", "[1, 2]", '["a"]', json.dumps(["2026-03-01", "x"])):
        after = sign(here.person("bob"), place)
        found = browser.get("/decisions/", {"after": after})
        assert [row["topic"] for row in found.context["rows"]] == ["Tea three", "Tea two"]
        get(browser, "", 400, cursor=after)


def test_similar_topics_of_one_domain(world: World) -> None:
    here, bob = world.here, world.here.person("bob")
    for topic, domain in (("Tea now", "Kitchen"), ("Tea later", "Office")):
        decide(here.robot("bolt"), topic, domain=domain, decided_at=NOW)
    query = DecisionQuery(topic="tea", domain=" kitchen", limit=5)
    found = similar_shown(bob, query, organisation="Here", now=NOW + timedelta(days=1))
    assert [one.decision.memory.topic for one in found] == ["Tea now"]
    page = here.browser("bob").get(
        "/decisions/", {"topic": "tea", "domain": "Kitchen", "similar": "1"}
    )
    assert [row["topic"] for row in page.context["rows"]] == ["Tea now"]


def test_other_participants_stay_names(world: World) -> None:
    here = world.here
    fields = {"topic": "Tea", "conclusion": "Green.", "audience": "private"}
    fields |= {"agree": "1", "disagree": "0", "confidence": "1.0"}
    for others in ("robot:bolt", "robot:nobody", "Zoe, telegram:1"):
        page = here.browser("bob").post("/decisions/add/", {**fields, "others": others})
        assert page.status_code == 422
        assert "Names have no colon" in page.content.decode()
    page = here.browser("bob").post("/decisions/add/", {**fields, "others": "Zoe, Bolt"})
    assert page.status_code == 302
    (one,) = get(here.browser("bob"))["results"]
    assert [(who["name"], who["robot"]) for who in one["participants"]] == [
        ("Zoe", None),
        ("Bolt", None),
    ]


def test_a_word_is_compared_by_what_is_kept_of_it() -> None:
    (word,) = words_of_topic(LONG)
    assert word == "s" * LONGEST_WORD
    assert {len(one) for one in words_of_topic("\u3300" * 300)} == {LONGEST_WORD}
