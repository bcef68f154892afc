"""The page of an item shows all that goes with the text: what was said for and against a decision,
and whose task it makes (T27, W05)."""

from uuid import UUID

import pytest

from memories.review.models import Proposal
from orgs.principals import resolve_principal
from tests.memories.curation.decisions.test_decisions import post
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import Tenant, World

RECORD = {
    "topic": "Tea for all",
    "conclusion": "Green.",
    "visibility": "organisation",
    "domain": "kitchen",
    "agree": 3,
    "disagree": 2,
    "participants": ["Olga"],
    "claims": [{"text": "It keeps everybody awake."}],
    "dissents": [
        {"kind": "risk_warning", "content": "Caffeine is bad.", "reasoning": "Sleep is short."}
    ],
}


def item_of(here: Tenant, memory: str) -> Proposal:
    with resolve_principal(here.person("chidi")).scope():
        return Proposal.objects.get(memory_id=UUID(memory))


def page_of(here: Tenant, item: Proposal) -> str:
    return response_text(make_signed_in_client(here, "chidi").get(f"/review/{item.id}/"))


@pytest.mark.conformance("T27")
def test_a_proposed_decision_shows_what_was_said_for_and_against_it(world: World) -> None:
    here = world.here
    item = item_of(here, post(here.browser("bob"), **RECORD)["id"])
    page = page_of(here, item)
    for said in (
        *("kitchen", "3 for, 2 against", "“Olga”", "It keeps everybody awake."),
        *("Caffeine is bad.", "Sleep is short.", "Risk warning, by Bob"),
    ):
        assert said in page, said
    chidi = make_signed_in_client(here, "chidi")
    # One more than a page may have: the three parts of a record are three tables.
    assert count_queries(chidi, f"/review/{item.id}/") <= 14


def test_it_is_not_decided_beside_others(world: World) -> None:
    here = world.here
    item = item_of(here, post(here.browser("bob"), **RECORD)["id"])
    chidi = make_signed_in_client(here, "chidi")
    listed = response_text(chidi.post("/review/several/", {"selected": [str(item.id)]}))
    assert "A decision goes with what was said for and against it." in listed
    chosen = {"confirm": "1", "chosen": [f"{item.id}:1"]}
    chidi.post("/review/several/", chosen)
    with resolve_principal(here.person("chidi")).scope():
        assert Proposal.objects.get(id=item.id).state == "open"


@pytest.mark.parametrize("assignee", ["Bob", None])
def test_a_proposed_task_shows_for_whom_it_is_and_until_when(
    world: World, assignee: str | None
) -> None:
    here = world.here
    sent = {"content": "Clean the fridge.", "visibility": "organisation"}
    sent |= {"due_at": "2027-03-04T12:00:00Z"} | (
        {"assignee": str(here.members[assignee.lower()].id)} if assignee else {}
    )
    answer = here.browser("bob").post("/api/v1/tasks", sent, format="json")
    assert answer.status_code in (201, 202), answer.content
    with resolve_principal(here.person("chidi")).scope():
        item = Proposal.objects.get()
    whose = f"for {assignee}" if assignee else "for nobody in particular"
    assert f"{whose}, due 2027-03-04" in page_of(here, item)
