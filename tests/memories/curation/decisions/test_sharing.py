"""A decision goes no further than those who stand in it wish, and says who put them there."""

from typing import Any

import pytest

from memories.access.consent import SharingOptOutError
from memories.access.permissions import ChangeForbiddenError
from memories.curation.review_decisions import ReviewDecision, approve_item
from memories.curation.share_memory import share_memory
from memories.privacy.opt_out import set_sharing
from memories.review.review_queue import filter_items
from orgs.errors import AlreadyExistsError
from orgs.principals import resolve_principal
from tests.memories.curation.decisions.test_decisions import URL, decide, get, post
from tests.world import NOW, World


def test_nobody_carries_a_decision_further_in_which_stands_who_opted_out(world: World) -> None:
    """As with what is about them: sharing looks again at who is named, also where it is theirs."""
    here, aria = world.here, world.here.robot("aria")
    mina = str(here.members["mina"].id)
    id_ = decide(aria, "Which hall", participants=(mina,), group="launch")
    set_sharing(here.person("mina"), out=True, now=NOW)
    wide: Any = {"visibility": "organisation", "readers": {}, "group": None, "now": NOW}
    for who in (aria, here.person("bob")):
        with pytest.raises((SharingOptOutError, ChangeForbiddenError)):
            share_memory(who, id_, **wide)
    set_sharing(here.person("mina"), out=False, now=NOW)
    share_memory(aria, id_, **wide)


def test_what_is_proposed_for_everyone_respects_who_opted_out(world: World) -> None:
    """It is asked when it is proposed, and once more when a curator approves it."""
    here, bob = world.here, str(world.here.members["bob"].id)
    set_sharing(here.person("bob"), out=True, now=NOW)
    body: Any = {"topic": "Tea", "conclusion": "Green.", "participants": [bob]}
    mina = here.browser("mina")
    post(mina, status=403, **body, visibility="organisation")
    assert post(mina, **body, group="launch")["status"] == "active", "where it was said"

    set_sharing(here.person("bob"), out=False, now=NOW)
    assert post(mina, **body, visibility="organisation")["status"] == "pending_review"
    set_sharing(here.person("bob"), out=True, now=NOW)
    chidi = here.person("chidi")
    principal = resolve_principal(chidi)
    with principal.scope():
        [item] = filter_items(principal, {"state": "open", "cause": "publish"})
    answer = ReviewDecision(version=1)
    with pytest.raises(SharingOptOutError):
        approve_item(chidi, item.id, answer, now=NOW)
    url = f"/api/v1/proposals/{item.id}/decision"
    decision = {"action": "approve", "version": 1}
    refused = here.browser("chidi").post(url, decision, format="json")
    assert (refused.status_code, refused.json()["type"].rsplit(":", 1)[-1]) == (403, "sharing-off")
    set_sharing(here.person("bob"), out=False, now=NOW)
    assert approve_item(chidi, item.id, answer, now=NOW).state == "approved"


def test_a_dissent_says_who_noted_and_who_answered_it(world: World) -> None:
    """Words may be given as a robot's by others, so a reader has to see by whom."""
    here = world.here
    made = post(here.api("aria"), topic="Tea", conclusion="Green.", group="launch")
    bolt = here.robots["bolt"]
    path = f"/{made['id']}/dissents"
    said = post(
        here.browser("bob"), path, kind="risk_warning", content="Hot.", by=f"robot:{bolt.id}"
    )
    bob = {"id": str(here.members["bob"].id), "name": "Bob"}
    assert said["by"]["robot"]["name"] == bolt.name
    assert said["noted_by"] == {"name": "Bob", "member": bob, "robot": None}
    assert said["answered_by"] is None
    answered = here.api("aria").patch(
        f"{URL}{path}/{said['id']}", {"rebuttal": "It cools."}, format="json"
    )
    assert answered.json()["answered_by"]["robot"]["name"] == here.robots["aria"].name
    found = get(here.browser("bob"), f"/{made['id']}")["dissents"]
    assert found == [answered.json()] == get(here.browser("bob"), "/dissents")["results"]
    for who, words in (("mina", "noted by Bob"), ("bob", "noted by you")):
        shown = here.browser(who).get(f"/decisions/{made['id']}/").content.decode()
        assert f"<span>{words}</span>" in shown
        assert f"The answer, by {here.robots['aria'].name}<" in shown
    own = post(here.browser("bob"), path, kind="abstention", content="No.")
    assert own["noted_by"]["member"] == bob
    shown = here.browser("mina").get(f"/decisions/{made['id']}/").content.decode()
    assert shown.count("noted by") == 1, "nobody is named twice for their own words"


def test_an_approval_loses_no_dissent(world: World) -> None:
    """Where everyone has the same words already, the record has nowhere to go: it stays."""
    here, chidi = world.here, world.here.person("chidi")
    body: Any = {"topic": "Tea", "conclusion": "Green.", "visibility": "organisation"}
    post(here.browser("ada"), **body)
    dissents = [{"kind": "risk_warning", "content": "Too hot."}]
    made = post(here.browser("mina"), **body, dissents=dissents)
    assert made["status"] == "pending_review"
    principal = resolve_principal(chidi)
    with principal.scope():
        [item] = filter_items(principal, {"state": "open", "cause": "publish"})
    with pytest.raises(AlreadyExistsError, match="is not put into another"):
        approve_item(chidi, item.id, ReviewDecision(version=1), now=NOW)
    other = ReviewDecision(version=1, content="Green tea.")
    id_ = approve_item(chidi, item.id, other, now=NOW).outcome["made"]
    [said] = get(here.browser("bob"), f"/{id_}")["dissents"]
    assert said["content"] == "Too hot."
