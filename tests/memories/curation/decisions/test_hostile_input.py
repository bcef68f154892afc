"""Long words, cursors of other lists, and names that are meant to be more."""

import json
from datetime import timedelta

import pytest

from memories.access.permissions import ChangeForbiddenError
from memories.curation.decision_records.decision_queries import (
    DecisionQuery,
    list_decisions,
    list_dissents,
    list_similar_decisions,
)
from memories.curation.decision_records.dissents import (
    DissentAnswer,
    DissentDraft,
    add_dissent,
    answer_dissent,
)
from memories.curation.decision_records.page_context import list_similar_decision_items
from memories.curation.decision_records.prepare_decision import prepare_decision
from memories.curation.decision_records.topic_rules import MAX_WORD_LENGTH, topic_words
from memories.lifecycle.forget import forget_memory
from memories.privacy.export_my_data import render_decisions
from memories.store.models.memory import Memory
from orgs.api.cursors import sign_cursor
from orgs.errors import AlreadyExistsError
from orgs.principals import resolve_principal
from tests.memories.curation.decisions.test_decisions import decide, get, post, topics
from tests.world import NOW, World

NO = {"kind": "abstention", "content": "No."}
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
    monkeypatch.setattr("memories.views.decisions.decisions.PAGE_SIZE", 2)
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
        after = sign_cursor(here.person("bob"), place)
        found = browser.get("/decisions/", {"after": after})
        assert [row["topic"] for row in found.context["rows"]] == ["Tea three", "Tea two"]
        get(browser, "", 400, cursor=after)


def test_similar_topics_of_one_domain(world: World) -> None:
    here, bob = world.here, world.here.person("bob")
    for topic, domain in (("Tea now", "Kitchen"), ("Tea later", "Office")):
        decide(here.robot("bolt"), topic, domain=domain, decided_at=NOW)
    query = DecisionQuery(topic="tea", domain=" kitchen", limit=5)
    found = list_similar_decision_items(
        bob, query, organisation="Here", now=NOW + timedelta(days=1)
    )
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
    (word,) = topic_words(LONG)
    assert word == "s" * MAX_WORD_LENGTH
    assert {len(one) for one in topic_words("\u3300" * 300)} == {MAX_WORD_LENGTH}


def test_nobody_makes_a_decision_of_what_another_wrote(world: World) -> None:
    """Who says the same under the same key only says it again."""
    here = world.here
    same = {"key": "tea", "group": "launch"}
    here.remember(here.robot("aria"), "Decision on Tea: Green.", **same)
    bob = here.person("bob")
    with pytest.raises(ChangeForbiddenError, match="not yours to make a decision of"):
        decide(bob, "Tea", "Green.", visibility="group", **same)
    made = decide(here.robot("aria"), "Tea", "Green.", **same)
    assert decide(bob, "Tea", "Green.", visibility="group", **same) == made, "it is one already"


def test_who_writes_nothing_dissents_from_nothing(world: World) -> None:
    here = world.here
    made = decide(here.robot("bolt"), "Coffee", "Black.")
    said = DissentDraft(**NO)
    with pytest.raises(PermissionError, match="Your role reads"):
        add_dissent(here.person("vera"), made, said, now=NOW)


def test_what_is_archived_or_full_takes_no_dissent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, aria, api = world.here, world.here.robot("aria"), world.here.api("aria")
    made = decide(aria, "Coffee", "Black.", group="launch")
    said = DissentDraft(**NO)
    monkeypatch.setattr("memories.curation.decision_records.dissents.MAX_DISSENTS", 1)
    first = add_dissent(here.person("bob"), made, said, now=NOW)
    with pytest.raises(AlreadyExistsError, match="at most"):
        add_dissent(here.person("mina"), made, said, now=NOW)
    monkeypatch.undo()
    assert api.post(f"/api/v1/memories/{made}/archive").status_code < 300
    with pytest.raises(AlreadyExistsError, match="not active"):
        add_dissent(here.person("mina"), made, said, now=NOW)
    with pytest.raises(AlreadyExistsError, match="not active"):
        answer_dissent(aria, made, first.id, DissentAnswer(acknowledged=True), now=NOW)


def test_what_has_expired_is_in_no_list(world: World) -> None:
    here = world.here
    made = decide(here.robot("bolt"), "Coffee", "Black.", dissents=(DissentDraft(**NO),))
    with resolve_principal(here.robot("bolt")).scope():
        Memory.objects.filter(id=made).update(expires_at=NOW + timedelta(hours=1))
    vera, later = here.person("vera"), NOW + timedelta(hours=2)
    for now, most in ((NOW, 1), (later, 0)):
        assert len(list_decisions(vera, DecisionQuery(), now=now)) == most
        assert len(list_similar_decisions(vera, "coffee", now=now)) == most
        assert len(list_dissents(vera, None, now=now)) == most
        assert bool(prepare_decision(vera, "coffee", now=now).text) == bool(most)


def test_an_export_says_nothing_of_a_decision_that_was_forgotten(world: World) -> None:
    aria, bob = world.here.robot("aria"), world.here.person("bob")
    made = decide(aria, "Coffee", "Black.", group="launch")
    add_dissent(bob, made, DissentDraft(**NO), now=NOW)
    assert "No." in render_decisions(bob).decode()
    forget_memory(aria, made, now=NOW)
    assert not render_decisions(bob)
