"""The review pages: what they show to whom, what their buttons do, stale and held items."""

import re

import pytest

from memories.services.managing import edit_memory
from memories.services.proposing import report_memory
from tests.memories.test_reviewing import found, propose, waiting
from tests.people import queries, signed_in, text
from tests.world import NOW, World


@pytest.mark.conformance("W05")
def test_approve_and_undo_by_the_buttons(world: World) -> None:
    here = world.here
    item = propose(here)
    chidi, bob = signed_in(here, "chidi"), signed_in(here, "bob")
    assert "Bob suggests this for everyone in Here" in text(chidi.get("/review/"))
    page = text(chidi.get(f"/review/{item.id}/"))
    assert "2 people and 3 robots would newly be able to read this." in page
    assert "Mina, Vera" in page
    mine = text(bob.get("/review/"))
    assert "Waiting" in mine
    assert f"/review/{item.id}/approve/" not in text(bob.get(f"/review/{item.id}/"))
    assert bob.post(f"/review/{item.id}/approve/").status_code == 404

    answer = chidi.post(f"/review/{item.id}/approve/", {"version": "1"})
    assert (answer.status_code, answer["Location"]) == (302, "/review/")
    assert found(here, "mina") == ["The office closes at six."]
    assert "Chidi" in text(bob.get("/review/"))
    # Sent twice it says what has happened.
    again = chidi.post(f"/review/{item.id}/approve/", {"version": "1"})
    assert (again.status_code, "Approved by Chidi" in text(again)) == (409, True)
    assert chidi.post(f"/review/{item.id}/undo/").status_code == 302
    assert found(here, "mina") == []


def test_reject_needs_a_reason_and_edit_keeps_what_was_typed(world: World) -> None:
    here = world.here
    item = propose(here)
    chidi = signed_in(here, "chidi")
    refused = chidi.post(f"/review/{item.id}/reject/", {"version": "1", "reason": " "})
    assert (refused.status_code, "Say why" in text(refused)) == (409, True)
    stale = {"version": "1", "content": "Half past six."}
    nine = {"content": "The office closes at nine."}
    edit_memory(here.person("bob"), item.memory_id, nine, now=NOW)
    answer = chidi.post(f"/review/{item.id}/edit/", stale)
    assert answer.status_code == 409
    page = text(answer)
    assert "Half past six." in page
    assert re.search(r"<del>.*six\..*</del>", page)
    assert re.search(r"<ins>.*nine\..*</ins>", page)
    assert found(here, "mina") == []
    done = chidi.post(f"/review/{item.id}/reject/", {"version": "2", "reason": "Not so."})
    assert done.status_code == 302
    assert "Not so." in text(signed_in(here, "bob").get("/review/"))


def test_who_comes_second_sees_who_has_it(world: World) -> None:
    here = world.here
    item = propose(here)
    signed_in(here, "ada").get(f"/review/{item.id}/")
    page = text(signed_in(here, "chidi").get(f"/review/{item.id}/"))
    assert "Ada has this open." in page
    assert f"/review/{item.id}/approve/" not in page


def test_a_reader_reports_and_suggests(world: World) -> None:
    here = world.here
    shared = here.remember(here.robot("bolt"), "The office closes at six.").id
    vera, mina = signed_in(here, "vera"), signed_in(here, "mina")
    assert vera.post(f"/memories/{shared}/report/", {"reason": "Old."}).status_code == 302
    assert vera.get(f"/memories/{shared}/suggest/").status_code == 404
    same = mina.post(f"/memories/{shared}/suggest/", {"content": "The office closes at six."})
    assert same.status_code == 422
    sent = {"content": "It closes at seven.", "reason": ""}
    assert mina.post(f"/memories/{shared}/suggest/", sent).status_code == 302
    assert {i.cause for i in waiting(here.person("ada"))} == {"report", "correction"}


def test_the_pages_make_few_queries_and_no_more_for_more_items(world: World) -> None:
    here, chidi = world.here, signed_in(world.here, "chidi")
    # How much is readable is counted once a minute.
    chidi.get(f"/review/{propose(here, content='The first.').id}/")
    counts = []
    for upto in (2, 8):
        for number in range(upto):
            known = here.remember(here.robot("bolt"), f"Fact {upto} {number}").id
            report_memory(here.person("mina"), known, reason="No.", now=NOW)
        item = propose(here, content=f"Proposal {upto}")
        pages = ("/review/", f"/review/{item.id}/")
        counts.append([queries(chidi, page) for page in pages])
    assert all(more <= few for few, more in zip(*counts, strict=True))
    assert max(counts[0]) <= 12
