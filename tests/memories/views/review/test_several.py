"""Several items at once: the preview against another query, one act, its lines in the trail."""

import re
from uuid import UUID, uuid4

import pytest

from memories.curation.edit import edit_memory
from memories.review.holds import hold
from memories.review.models import Cause, Proposal
from memories.review.propose import report_memory
from memories.review.queue import get_item
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.principals import resolve
from robots.models.keys import Key
from robots.models.robots import Robot
from tests.memories.curation.test_decide import found, propose
from tests.memories.views.review.test_answers import pending
from tests.people import queries, signed_in, text
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
    here, chidi = world.here, signed_in(world.here, "chidi")
    mine = [propose(here, content=f"Shelf {n} is empty.") for n in range(3)]
    other = propose(here, "mina", content="The roof leaks.")
    twins = pending(here, Cause.DUPLICATE)
    known = here.remember(here.robot("bolt"), "Cats sleep a lot.").id
    report_memory(here.person("vera"), known, reason="Old.", now=NOW)
    with resolve(here.person("chidi")).scope():
        report = Proposal.objects.get(cause=Cause.REPORT)
    ids = [str(item.id) for item in (*mine, other, twins, report)]
    page = text(chidi.post(URL, {"selected": ids}))
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
    page = text(chidi.post(URL, {"selected": ids[:3]}))
    people, robots = readers_by_hand(here, {here.members["bob"].id})
    assert f"{people} people and {robots} robots would newly" in page


@pytest.mark.conformance("W05")
def test_all_is_one_act_with_a_line_for_each_and_one_undo(world: World) -> None:
    here, chidi = world.here, signed_in(world.here, "chidi")
    items = [propose(here, content=f"Shelf {n} is empty.") for n in range(3)]
    twins = pending(here, Cause.DUPLICATE)
    ids = [str(item.id) for item in (*items, twins)]
    page = text(chidi.post(URL, {"selected": ids}))
    answer = chidi.post(URL, {"confirm": "1", "chosen": chosen_in(page)})
    assert answer.status_code == 302
    assert states(here, *items, twins) == ["approved"] * 3 + ["rejected"]
    with organisation_scope(here.id):
        lines = AuditEntry.objects.filter(action__in=("proposal.approved", "proposal.rejected"))
        told = {str(line.target): line.action for line in lines}
    assert told == dict.fromkeys(ids[:3], "proposal.approved") | {ids[3]: "proposal.rejected"}
    back = text(chidi.get("/review/"))
    assert "Decided together: 3 approved and shared, 1 kept as two." in back
    undo = re.search(r'action="(/review/several/[^"]+/undo/)"', back)
    assert undo
    # It is nobody else's to take back.
    for name in ("mina", "vera", "ada"):
        assert signed_in(here, name).post(undo[1]).status_code == 404
    assert chidi.post(undo[1]).status_code == 302
    assert states(here, *items, twins) == ["open"] * 4
    assert "Shelf 0 is empty." not in found(here, "mina")
    assert chidi.post(undo[1]).status_code == 404


def test_it_happens_whole_or_not_at_all(world: World) -> None:
    here, chidi = world.here, signed_in(world.here, "chidi")
    items = [propose(here, content=f"Shelf {n} is empty.") for n in range(3)]
    page = text(chidi.post(URL, {"selected": [str(i.id) for i in items]}))
    edit_memory(here.person("bob"), items[2].memory_id, {"content": "Another."}, now=NOW)
    answer = chidi.post(URL, {"confirm": "1", "chosen": chosen_in(page)})
    assert answer.status_code == 409
    assert "changed one of them after you had read it. Nothing was decided." in text(answer)
    assert states(here, *items) == ["open"] * 3
    with resolve(here.person("chidi")).scope():
        assert not Memory.objects.filter(content__startswith="Shelf", status="active").exists()
    # Who has one open keeps it.
    hold(here.person("ada"), items[0].id, now=NOW)
    with organisation_scope(here.id), resolve(here.person("ada")).scope():
        Proposal.objects.filter(id=items[0].id).update(locked_until="2999-01-01T00:00:00Z")
    page = text(chidi.post(URL, {"selected": [str(i.id) for i in items]}))
    assert "Ada has it open." in page
    assert len(chosen_in(page)) == 2


def test_it_is_nobody_elses(world: World) -> None:
    here = world.here
    item = propose(here)
    for sent in ({"selected": [str(item.id)]}, {"confirm": "1", "chosen": [f"{item.id}:1"]}):
        for client in (
            signed_in(here, "vera"), signed_in(here, "mina"), signed_in(here, "bob"),
            signed_in(world.there, "ada"),
        ):  # fmt: skip
            assert client.post(URL, sent).status_code == 404
    chidi = signed_in(here, "chidi")
    assert chidi.get(URL)["Location"] == "/review/"
    assert chidi.post(URL, {}).status_code == 302
    assert chidi.post(URL, {"selected": ["no-id"]}).status_code == 302
    assert chidi.post(URL, {"selected": [str(uuid4())]}).status_code == 404
    assert states(here, item) == ["open"]


def test_the_list_beside_an_item_costs_no_query_for_each(world: World) -> None:
    here, chidi = world.here, signed_in(world.here, "chidi")
    item = propose(here, content="The first.")
    chidi.get(f"/review/{item.id}/")
    few = queries(chidi, f"/review/{item.id}/")
    for n in range(8):
        propose(here, content=f"Shelf {n} is empty.")
    assert queries(chidi, f"/review/{item.id}/") <= few <= 12
