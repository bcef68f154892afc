"""Several items at once: the preview against another query, one act, its lines in the trail."""

import re
from uuid import UUID, uuid4

import pytest

from memories.curation.edit_memory import edit_memory
from memories.review.item_locks import lock_item
from memories.review.models import Proposal, ProposalCause
from memories.review.propose import report_memory
from memories.review.review_queue import get_item
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from robots.models.keys import Key
from robots.models.robots import Robot
from tests.memories.curation.test_decide import found, propose
from tests.memories.views.review.test_answers import pending
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

URL = "/review/several/"


def chosen_in(page: str) -> list[str]:
    return re.findall(r'name="chosen" value="([^"]+)"', page)


def states(here: Tenant, *items: Proposal) -> list[str]:
    return [get_item(here.person("chidi"), item.id).state for item in items]


def readers_by_hand(here: Tenant, authors: set[UUID]) -> tuple[int, int]:
    """People and robots that would newly read one or more of what these propose for everyone.

    A person reads it already where they wrote all of it, or curate.
    """
    with organisation_scope(here.id):
        people = [
            member
            for member in Member.objects.filter(organisation_id=here.id, removed_at=None)
            if member.joined_at and member.user_id and member.role not in ("admin", "curator")
        ]
        new = [member for member in people if authors - {member.id}]
        reading = Key.objects.filter(
            organisation_id=here.id, revoked_at=None, scopes__contains=["read"]
        )
        robots = Robot.objects.filter(
            organisation_id=here.id,
            builtin=None,
            retired_at=None,
            id__in=reading.values("robot_id"),
        )
        return len(new), robots.count()


@pytest.mark.conformance("W05")
def test_the_preview_says_who_would_newly_read_and_what_is_left_out(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    mine = [propose(here, content=f"Shelf {n} is empty.") for n in range(3)]
    other = propose(here, "mina", content="The roof leaks.")
    twins = pending(here, ProposalCause.DUPLICATE)
    known = here.remember(here.robot("bolt"), "Cats sleep a lot.").id
    report_memory(here.person("vera"), known, reason="Old.", now=NOW)
    with resolve_principal(here.person("chidi")).scope():
        report = Proposal.objects.get(cause=ProposalCause.REPORT)
    ids = [str(item.id) for item in (*mine, other, twins, report)]
    page = response_text(chidi.post(URL, {"selected": ids}))
    assert "Decide 5 items together" in page
    assert "New for everyone: 4" in page
    assert "Possible duplicate: 1" in page
    authors = {here.members["bob"].id, here.members["mina"].id}
    people, robots = readers_by_hand(here, authors)
    said = f"{people} people and {robots} robots would newly be able to read one or more of them."
    assert said in page
    assert "The other 1 keeps the readers of now." in page
    apart = page.split("Left out:")[1]
    assert "Cats sleep a lot." in apart
    assert "owed a reason" in apart
    assert {one.partition(":")[0] for one in chosen_in(page)} == {*ids[:5]}
    assert states(here, *mine, other, twins, report) == ["open"] * 6, "a preview decides nothing"
    # Of one author alone, the author reads it already.
    page = response_text(chidi.post(URL, {"selected": ids[:3]}))
    people, robots = readers_by_hand(here, {here.members["bob"].id})
    assert f"{people} people and {robots} robots would newly" in page


@pytest.mark.conformance("W05")
def test_all_is_one_act_with_a_line_for_each_and_one_undo(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    items = [propose(here, content=f"Shelf {n} is empty.") for n in range(3)]
    twins = pending(here, ProposalCause.DUPLICATE)
    ids = [str(item.id) for item in (*items, twins)]
    page = response_text(chidi.post(URL, {"selected": ids}))
    answer = chidi.post(URL, {"confirm": "1", "chosen": chosen_in(page)})
    assert answer.status_code == 302
    assert states(here, *items, twins) == ["approved"] * 3 + ["rejected"]
    with organisation_scope(here.id):
        lines = AuditEntry.objects.filter(action__in=("proposal.approved", "proposal.rejected"))
        told = {str(line.target): line.action for line in lines}
    assert told == dict.fromkeys(ids[:3], "proposal.approved") | {ids[3]: "proposal.rejected"}
    back = response_text(chidi.get("/review/"))
    assert "Decided together: 3 approved and shared, 1 kept as two." in back
    undo = re.search(r'action="(/review/several/[^"]+/undo/)"', back)
    assert undo
    # It is nobody else's to take back.
    for name in ("mina", "vera", "ada"):
        assert make_signed_in_client(here, name).post(undo[1]).status_code == 404
    assert chidi.post(undo[1]).status_code == 302
    assert states(here, *items, twins) == ["open"] * 4
    assert "Shelf 0 is empty." not in found(here, "mina")
    assert chidi.post(undo[1]).status_code == 404


def test_it_happens_whole_or_not_at_all(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    items = [propose(here, content=f"Shelf {n} is empty.") for n in range(3)]
    page = response_text(chidi.post(URL, {"selected": [str(i.id) for i in items]}))
    edit_memory(here.person("bob"), items[2].memory_id, {"content": "Another."}, now=NOW)
    answer = chidi.post(URL, {"confirm": "1", "chosen": chosen_in(page)})
    assert answer.status_code == 409
    assert "changed one of them after you had read it. Nothing was decided." in response_text(
        answer
    )
    assert states(here, *items) == ["open"] * 3
    with resolve_principal(here.person("chidi")).scope():
        assert not Memory.objects.filter(content__startswith="Shelf", status="active").exists()
    # Who has one open keeps it.
    lock_item(here.person("ada"), items[0].id, now=NOW)
    with organisation_scope(here.id), resolve_principal(here.person("ada")).scope():
        Proposal.objects.filter(id=items[0].id).update(locked_until="2999-01-01T00:00:00Z")
    page = response_text(chidi.post(URL, {"selected": [str(i.id) for i in items]}))
    assert "Ada holds it." in page
    assert len(chosen_in(page)) == 2


def test_it_is_nobody_elses(world: World) -> None:
    here = world.here
    item = propose(here)
    for sent in ({"selected": [str(item.id)]}, {"confirm": "1", "chosen": [f"{item.id}:1"]}):
        for client in (
            *(make_signed_in_client(here, name) for name in ("vera", "mina", "bob")),
            make_signed_in_client(world.there, "ada"),
        ):  # fmt: skip
            assert client.post(URL, sent).status_code == 404
    chidi = make_signed_in_client(here, "chidi")
    assert chidi.get(URL)["Location"] == "/review/"
    assert chidi.post(URL, {}).status_code == 302
    assert chidi.post(URL, {"selected": ["no-id"]}).status_code == 302
    assert chidi.post(URL, {"selected": [str(uuid4())]}).status_code == 404
    assert states(here, item) == ["open"]


def test_the_list_beside_an_item_costs_no_query_for_each(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    item = propose(here, content="The first.")
    chidi.get(f"/review/{item.id}/")
    few = count_queries(chidi, f"/review/{item.id}/")
    for n in range(8):
        propose(here, content=f"Shelf {n} is empty.")
    assert count_queries(chidi, f"/review/{item.id}/") <= few <= 12
