"""What somebody wishes about others' memories: that they are over, by a text that is published, or
by a proposal. Nothing of others ends or is marked by the wish alone (T27)."""

from typing import Any
from uuid import UUID

import pytest

from memories.curation.review_decisions import ReviewDecision, approve_item
from memories.review.contradictions import DISPUTES
from memories.review.models import Proposal, ProposalCause
from orgs.principals import resolve_principal
from tests.memories.curation.test_facts_said import (
    NEW,
    OLD,
    URL,
    items,
    patch,
    say,
)
from tests.world import NOW, Tenant

pytestmark = [pytest.mark.usefixtures("lasting_world"), pytest.mark.conformance("T27", "X05")]

ROSES, CANTEEN, LIFT = "Anna tends roses in Kew.", "The canteen closes at two.", "A lift is blue."


def states(here: Tenant, who: str = "vera") -> dict[str, tuple[str | None, str | None]]:
    """By text what an answer says of each memory."""
    body = {"query": f"{ROSES} {CANTEEN} {LIFT} {OLD}", "limit": 20}
    hits = here.browser(who).post("/api/v1/recall", body, format="json").json()["results"]
    return {hit["content"]: (hit["state"], hit["contradicted_by"]) for hit in hits}


def publish(here: Tenant, who: str, text: str, **more: Any) -> tuple[str, Proposal]:
    """The id of the published text of a member who may only propose, and its item."""
    made = say(here, who, text, **more)
    assert made["status"] == "pending_review"
    [item] = [one for one in items(here) if str(one.memory_id) == made["id"]]
    done = approve_item(here.person("chidi"), item.id, ReviewDecision(version=1), now=NOW)
    here.embed()
    return done.outcome["made"], done


@pytest.mark.parametrize("who", ["bob", "clio"])
def test_a_mere_wish_marks_nothing_until_somebody_decides(here: Tenant, who: str) -> None:
    """Bob changes one of the two, but publishes to nobody who reads it; Clio changes neither."""
    older = [say(here, "ada", text)["id"] for text in (ROSES, CANTEEN)]
    newer = publish(here, "bob", LIFT)[0] if who == "bob" else say(here, "ada", LIFT)["id"]
    waits = patch(here, who, newer, 202, supersedes=older)
    asked = items(here)
    assert {(one.cause, str(one.other_id)) for one in asked} == {
        (ProposalCause.CONTRADICTION, id_) for id_ in older
    }
    assert waits["proposal"] in {str(one.id) for one in asked}
    assert states(here) == dict.fromkeys((ROSES, CANTEEN, LIFT), (None, None))
    body = {"query": ROSES, "include_recent": False}
    context = here.browser("vera").post("/api/v1/context", body, format="json").json()["text"]
    assert "disputed" not in context
    page = here.browser("vera").get(f"/memories/?q={ROSES}").content.decode()
    assert "isputed" not in page
    # It is for who decides, and then it holds.
    first = next(one for one in asked if str(one.other_id) == older[0])
    read = ReviewDecision(version=1, into_version=1)
    approve_item(here.person("chidi"), first.id, read, now=NOW)
    assert states(here)[ROSES] == ("superseded", None)
    assert states(here)[CANTEEN] == (None, None)


def test_who_changes_the_newer_one_for_its_readers_disputes_at_once(here: Tenant) -> None:
    """Also where somebody wished the same before."""
    old = say(here, "ada", ROSES)["id"]
    newer = say(here, "bolt", LIFT)["id"]
    first = patch(here, "clio", newer, 202, supersedes=[old])
    assert states(here)[ROSES] == (None, None)
    second = patch(here, "bolt", newer, 202, supersedes=[old])
    assert second["proposal"] == first["proposal"], "one question"
    assert states(here)[ROSES] == ("disputed", newer)
    assert states(here)[LIFT] == ("disputed", old)


def test_the_rules_confirm_what_somebody_wished(here: Tenant) -> None:
    """A wish that comes first does not keep the service from saying that the two disagree."""
    old = say(here, "ada", OLD)["id"]
    body = {"content": NEW, "visibility": "organisation"}
    newer = here.browser("ada").post(URL, body, format="json").json()["id"]
    patch(here, "clio", newer, 202, supersedes=[old])
    [item] = items(here)
    assert item.details == {DISPUTES: False}
    here.embed()
    [item] = items(here)
    assert item.details == {DISPUTES: True}


def test_wishes_of_before_mark_nothing_and_findings_of_before_do(here: Tenant) -> None:
    old, newer = (say(here, "ada", text)["id"] for text in (ROSES, LIFT))
    patch(here, "clio", newer, 202, supersedes=[old])
    for by, marked in (({}, (None, None)), ({"robot": None}, ("disputed", newer))):
        with resolve_principal(here.person("ada")).scope():
            Proposal.objects.filter(memory_id=UUID(newer)).update(details={}, **by)
        assert states(here)[ROSES] == marked
