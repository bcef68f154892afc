"""What somebody wishes about others' memories: that they are over, by a text that is published, or
by a proposal. Nothing of others ends or is marked by the wish alone (T27)."""

from typing import Any
from uuid import UUID

import pytest

from memories.curation.bulk_review.decide_bulk import BulkReviewError, decide_in_bulk
from memories.curation.review_decisions import ReviewDecision, approve_item
from memories.curation.undo_review_decision import undo_review_decision
from memories.review.contradictions import DISPUTES
from memories.review.models import Proposal, ProposalCause
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExistsError
from orgs.principals import resolve_principal
from tests.memories.curation.test_facts_said import (
    NEW,
    OLD,
    URL,
    items,
    patch,
    row_of,
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


def waiting(here: Tenant, made: dict[str, Any]) -> Proposal:
    """The item about a text that waits."""
    [item] = [one for one in items(here, "chidi") if str(one.memory_id) == made["id"]]
    return item


def approve(here: Tenant, item: Proposal, who: str = "chidi") -> Proposal:
    return approve_item(here.person(who), item.id, ReviewDecision(version=1), now=NOW)


def told(here: Tenant, item: Proposal, who: str = "chidi") -> tuple[dict[str, str], int]:
    """By id what the API says that approving does, and how many more are named."""
    body = here.browser(who).get(f"/api/v1/proposals/{item.id}").json()
    return {one["id"]: one["effect"] for one in body["supersedes"]}, body["supersedes_unread"]


def shown(here: Tenant, item: Proposal, who: str = "chidi") -> str:
    return here.browser(who).get(f"/review/{item.id}/").content.decode()


def test_approving_a_text_ends_nothing_of_others(here: Tenant) -> None:
    """Whoever approves is told what the text would replace; of others it is asked apart."""
    policy = say(here, "ada", ROSES, category="org_policy")["id"]
    group = say(here, "mina", CANTEEN, visibility="group", group="launch")["id"]
    made = say(here, "bob", LIFT, supersedes=[policy])
    item = waiting(here, made)
    assert told(here, item) == ({policy: "proposed"}, 0)
    assert told(here, item, "bob") == ({policy: "proposed"}, 0)
    page = shown(here, item)
    assert ROSES in page
    assert "an item of its own will ask about it" in page
    done = approve(here, item)
    held = row_of(here, policy)
    assert (held.valid_until, held.superseded_by_id, held.version) == (None, None, 1)
    [asked] = items(here)
    assert (asked.cause, str(asked.other_id)) == (ProposalCause.CONTRADICTION, policy)
    assert (asked.proposed_by_id, asked.details) == (here.members["bob"].id, {DISPUTES: False})
    assert str(asked.memory_id) == done.outcome["made"]
    here.embed()
    assert states(here)[ROSES] == (None, None)
    assert row_of(here, group, "mina").valid_until is None
    # Undone with the text, as long as nobody has decided it.
    undo_review_decision(here.person("chidi"), item.id, now=NOW)
    assert [one.id for one in items(here)] == [item.id]
    approve(here, item)
    [asked] = items(here)
    approve_item(here.person("chidi"), asked.id, ReviewDecision(version=1, into_version=1), now=NOW)
    assert row_of(here, policy).valid_until is not None
    with pytest.raises(AlreadyExistsError):
        undo_review_decision(here.person("chidi"), item.id, now=NOW)


def test_approving_ends_what_its_writer_changes_and_tells_so(here: Tenant) -> None:
    old, _ = publish(here, "bob", ROSES)
    protected, _ = publish(here, "bob", CANTEEN)
    with resolve_principal(here.person("ada")).scope():
        Memory.objects.filter(id=protected).update(red_line=True)
    private = say(here, "bob", OLD, visibility="private")["id"]
    made = say(here, "bob", LIFT, supersedes=[old, private])
    item = waiting(here, made)
    assert told(here, item) == ({old: "superseded"}, 1), "what is private stays unseen"
    assert told(here, item, "bob") == ({old: "superseded", private: "superseded"}, 0)
    page = shown(here, item)
    assert ROSES in page
    assert "True no more from then on" in page
    assert "1 more that you do not see stays" in page
    assert OLD not in page
    listed = here.browser("chidi").get("/api/v1/proposals?state=open").json()["results"]
    assert [one["supersedes"] for one in listed] == [None], "look at the item"
    answer = here.browser("chidi").get(f"/api/v1/proposals/{item.id}").content.decode()
    assert private not in answer
    done = approve(here, item)
    assert str(row_of(here, old).superseded_by_id) == done.outcome["made"]
    assert row_of(here, private, "bob").valid_until is None
    assert items(here) == []
    undo_review_decision(here.person("chidi"), item.id, now=NOW)
    assert row_of(here, old).valid_until is None
    assert waiting(here, made).id == item.id
    again = say(here, "bob", NEW, supersedes=[protected])
    item = waiting(here, again)
    assert told(here, item) == ({protected: "kept"}, 0)
    approve(here, item)
    assert row_of(here, protected).valid_until is None


def test_a_held_text_of_a_robot_ends_nothing_of_others(here: Tenant) -> None:
    policy = say(here, "ada", ROSES)["id"]
    own = say(here, "clio", CANTEEN)["id"]
    made = say(here, "clio", "The guarantee is IBAN DE44 5001 0517 5407 3249 31.",
               supersedes=[policy, own])  # fmt: skip
    item = waiting(here, made)
    assert item.cause == ProposalCause.PERSONAL_DATA
    assert told(here, item) == ({policy: "proposed", own: "superseded"}, 0)
    assert ROSES in shown(here, item)
    approve(here, item)
    assert row_of(here, policy).valid_until is None
    assert row_of(here, own).valid_until is not None
    [asked] = items(here)
    assert (str(asked.other_id), asked.robot_id) == (policy, here.robots["clio"].id)


def test_for_other_readers_the_wish_does_not_name_the_text(here: Tenant) -> None:
    group = say(here, "aria", ROSES, visibility="group", group="launch")["id"]
    both = {"members": [str(here.members[name].id) for name in ("chidi", "mina")]}
    list_ = say(here, "ada", CANTEEN, visibility="shared", readers=both)["id"]
    made = say(here, "mina", LIFT, supersedes=[group, list_])
    item = waiting(here, made)
    assert told(here, item) == ({list_: "proposed"}, 1), "a curator who is not in the group"
    done = approve(here, item)
    assert row_of(here, group, "mina").valid_until is None
    [asked] = items(here)
    assert done.outcome["asked"] == [str(asked.id)]
    assert (asked.cause, str(asked.memory_id)) == (ProposalCause.CORRECTION, list_)
    assert (asked.proposed_by_id, asked.other_id) == (here.members["mina"].id, None)
    answer = here.browser("chidi").get(f"/api/v1/proposals/{asked.id}").content.decode()
    assert done.outcome["made"] not in answer
    undo_review_decision(here.person("chidi"), item.id, now=NOW)
    assert [one.id for one in items(here)] == [item.id]


def test_many_at_once_are_not_approved_unseen(here: Tenant) -> None:
    policy = say(here, "ada", ROSES)["id"]
    made = say(here, "bob", LIFT, supersedes=[policy])
    item = waiting(here, made)
    with pytest.raises(BulkReviewError, match="It would replace other memories"):
        decide_in_bulk(here.person("chidi"), {item.id: 1}, now=NOW)


def test_who_was_removed_wishes_nothing(here: Tenant) -> None:
    old, _ = publish(here, "bob", ROSES)
    made = say(here, "bob", LIFT, supersedes=[old])
    item = waiting(here, made)
    with resolve_principal(here.person("ada")).scope():
        type(here.members["bob"]).objects.filter(id=here.members["bob"].id).update(removed_at=NOW)
    assert told(here, item) == ({old: "kept"}, 0)
    approve(here, item)
    assert row_of(here, old).valid_until is None


def test_what_a_forgotten_text_replaced_stays_over(here: Tenant) -> None:
    """To forget words is not to say that what they replaced is true again."""
    old = say(here, "bolt", ROSES)["id"]
    newer = say(here, "bolt", LIFT, supersedes=[old])["id"]
    assert here.api("bolt").delete(f"{URL}/{newer}").status_code == 204
    seen = here.browser("vera").get(f"{URL}/{old}").json()
    assert (seen["valid_until"] is not None, seen["superseded_by"]) == (True, None)
    assert states(here)[ROSES] == ("superseded", None)
    # Who may change it says otherwise, and who brings the newer one back sees it named again.
    assert here.api("bolt").post(f"{URL}/{newer}/restore").status_code == 200
    assert here.browser("vera").get(f"{URL}/{old}").json()["superseded_by"] == newer
    assert patch(here, "bolt", old, valid_until=None)["valid_until"] is None
    assert states(here)[ROSES] == (None, None)
