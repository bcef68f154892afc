"""The review pages: what they show to whom, what their buttons do, stale and held items."""

import re
from uuid import UUID

import pytest

from memories.browsing.memory_pages import MAX_RELATED
from memories.curation.edit_memory import edit_memory
from memories.lifecycle.consolidation import capacity_limit
from memories.lifecycle.forget import archive_memory
from memories.lifecycle.tiers import tier_capacities
from memories.review.models import Proposal, ProposalCause
from memories.review.propose import propose_correction, report_memory
from memories.review.review_queue import get_item
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import found, propose, waiting
from tests.memories.curation.test_split import TEXT
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World


@pytest.mark.conformance("W05")
def test_approve_and_undo_by_the_buttons(world: World) -> None:
    here = world.here
    item = propose(here)
    chidi, bob = make_signed_in_client(here, "chidi"), make_signed_in_client(here, "bob")
    assert "Bob suggests this for everyone in Here" in response_text(chidi.get("/review/"))
    page = response_text(chidi.get(f"/review/{item.id}/"))
    assert "2 people and 3 robots would newly be able to read this." in page
    assert "Mina, Vera" in page
    mine = response_text(bob.get("/review/"))
    assert "Waiting" in mine
    assert f"/review/{item.id}/approve/" not in response_text(bob.get(f"/review/{item.id}/"))
    assert bob.post(f"/review/{item.id}/approve/").status_code == 404

    answer = chidi.post(f"/review/{item.id}/approve/", {"version": "1"})
    assert (answer.status_code, answer["Location"]) == (302, "/review/")
    assert found(here, "mina") == ["The office closes at six."]
    assert "Chidi" in response_text(bob.get("/review/"))
    # Sent twice it says what has happened.
    again = chidi.post(f"/review/{item.id}/approve/", {"version": "1"})
    assert (again.status_code, "Approved by Chidi" in response_text(again)) == (409, True)
    assert chidi.post(f"/review/{item.id}/undo/").status_code == 302
    assert found(here, "mina") == []


def test_reject_needs_a_reason_and_edit_keeps_what_was_typed(world: World) -> None:
    here = world.here
    item = propose(here)
    chidi = make_signed_in_client(here, "chidi")
    refused = chidi.post(f"/review/{item.id}/reject/", {"version": "1", "reason": " "})
    assert (refused.status_code, "Say why" in response_text(refused)) == (409, True)
    stale = {"version": "1", "content": "Half past six."}
    nine = {"content": "The office closes at nine."}
    edit_memory(here.person("bob"), item.memory_id, nine, now=NOW)
    answer = chidi.post(f"/review/{item.id}/edit/", stale)
    assert answer.status_code == 409
    page = response_text(answer)
    assert "Half past six." in page
    assert re.search(r"<del>.*six\..*</del>", page)
    assert re.search(r"<ins>.*nine\..*</ins>", page)
    assert found(here, "mina") == []
    done = chidi.post(f"/review/{item.id}/reject/", {"version": "2", "reason": "Not so."})
    assert done.status_code == 302
    assert "Not so." in response_text(make_signed_in_client(here, "bob").get("/review/"))


def test_who_comes_second_sees_who_has_it(world: World) -> None:
    here = world.here
    item = propose(here)
    ada, chidi = make_signed_in_client(here, "ada"), make_signed_in_client(here, "chidi")
    page, hold = f"/review/{item.id}/", f"/review/{item.id}/hold/"
    ada.get(page)
    assert f"/review/{item.id}/approve/" in response_text(chidi.get(page)), "a look holds nothing"
    assert ada.get(hold)["Location"] == page, "only a press"
    assert "You hold this" not in response_text(ada.get(page))
    assert ada.post(hold).status_code == 302
    assert "You hold this until" in response_text(ada.get(page))
    held = response_text(chidi.get(page))
    assert "Ada holds this." in held
    assert f"/review/{item.id}/approve/" not in held
    refused = chidi.post(hold)
    assert (refused.status_code, "Ada holds this." in response_text(refused)) == (409, True)
    assert chidi.post(hold, {"take_over": "1"}).status_code == 302
    assert "Chidi holds this." in response_text(ada.get(page))
    assert make_signed_in_client(here, "bob").post(hold, {"take_over": "1"}).status_code == 404


def test_a_reader_reports_and_suggests(world: World) -> None:
    here = world.here
    shared = here.remember(here.robot("bolt"), "The office closes at six.").id
    vera, mina = make_signed_in_client(here, "vera"), make_signed_in_client(here, "mina")
    assert vera.post(f"/memories/{shared}/report/", {"reason": "Old."}).status_code == 302
    assert vera.get(f"/memories/{shared}/suggest/").status_code == 404
    same = mina.post(f"/memories/{shared}/suggest/", {"content": "The office closes at six."})
    assert same.status_code == 422
    sent = {"content": "It closes at seven.", "reason": ""}
    assert mina.post(f"/memories/{shared}/suggest/", sent).status_code == 302
    assert {i.cause for i in waiting(here.person("ada"))} == {"report", "correction"}


def test_the_pages_make_few_queries_and_no_more_for_more_items(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    # How much is readable is counted once a minute.
    chidi.get(f"/review/{propose(here, content='The first.').id}/")
    counts = []
    for upto in (2, 8):
        for number in range(upto):
            known = here.remember(here.robot("bolt"), f"Fact {upto} {number}").id
            report_memory(here.person("mina"), known, reason="No.", now=NOW)
        # Like what is known, so that each page has something to put beside it.
        item = propose(here, content=f"Fact {upto} 0 {upto} 1")
        pages = ("/review/", f"/review/{item.id}/")
        counts.append([count_queries(chidi, page) for page in pages])
    assert all(more <= few for few, more in zip(*counts, strict=True))
    assert max(counts[0]) <= 12


def test_an_undone_approval_leaves_nothing_behind(world: World) -> None:
    here = world.here
    item = propose(here)
    chidi, bob = make_signed_in_client(here, "chidi"), make_signed_in_client(here, "bob")
    chidi.post(f"/review/{item.id}/approve/", {"version": "1"})
    made = get_item(here.person("chidi"), item.id).outcome["made"]
    chidi.post(f"/review/{item.id}/undo/")
    for url in ("/trash/", "/me/?show=forgotten"):
        assert "The office closes at six." not in response_text(bob.get(url)), url
    assert bob.get(f"/memories/{made}/").status_code == 404
    with organisation_scope(here.id), resolve_principal(here.person("ada")).scope():
        assert not Memory.objects.filter(id=made).exists()
    # Decided anew, the same address leads to it.
    chidi.post(f"/review/{item.id}/approve/", {"version": "1"})
    assert make_signed_in_client(here, "mina").get(f"/memories/{made}/").status_code == 200


@pytest.mark.parametrize("what", ["said again", "split", "edited"])
def test_a_copy_that_somebody_has_used_stays(world: World, what: str) -> None:
    here = world.here
    item = propose(here, content=TEXT)
    chidi = make_signed_in_client(here, "chidi")
    chidi.post(f"/review/{item.id}/approve/", {"version": "1"})
    made = UUID(get_item(here.person("chidi"), item.id).outcome["made"])
    if what == "said again":
        again = here.remember(here.person("ada"), TEXT, visibility="organisation")
        assert (again.deduplicated, again.id) == (True, made)
    elif what == "split":
        assert chidi.post(f"/memories/{made}/split/").status_code == 302
    else:
        edit_memory(here.person("ada"), made, {"content": "At nine."}, now=NOW)
    assert "so the decision stands" in response_text(
        chidi.post(f"/review/{item.id}/undo/", follow=True)
    )
    assert get_item(here.person("chidi"), item.id).state == "approved"
    assert make_signed_in_client(here, "mina").get(f"/memories/{made}/").status_code == 200


def test_what_was_archived_before_an_approval_is_archived_again(world: World) -> None:
    here, text_ = world.here, "The office closes at six."
    item = propose(here)
    who = make_signed_in_client(here, "chidi")
    who.post(f"/review/{item.id}/approve/", {"version": "1"})
    made = UUID(get_item(here.person("chidi"), item.id).outcome["made"])
    archive_memory(here.person("chidi"), made, now=NOW)
    second = propose(here, "mina", content=text_)
    who.post(f"/review/{second.id}/approve/", {"version": "1"})
    outcome = get_item(here.person("chidi"), second.id).outcome
    assert (outcome["made"], outcome["was"]) == (str(made), "archived")
    who.post(f"/review/{second.id}/undo/")
    with resolve_principal(here.person("ada")).scope():
        assert Memory.objects.get(id=made).status == "archived"
    assert text_ not in response_text(make_signed_in_client(here, "bob").get("/trash/"))


def test_merging_chooses_nothing_and_drops_no_words(world: World) -> None:
    here = world.here
    known = here.remember(here.robot("bolt"), "The office closes at 18:00.").id
    item = propose(here)
    chidi, url = make_signed_in_client(here, "chidi"), f"/review/{item.id}/merge/"
    page = response_text(chidi.get(url))
    assert str(known) in page
    assert " checked" not in re.sub(r"data-keys-toggle checked", "", page)
    for wrong in (
        {},
        {"into": str(known)},
        {"into": str(known), "content": ""},
        {"into": str(known), "content": " \n "},
        {"content": "At six."},
    ):
        answer = chidi.post(url, {"version": "1", **wrong})
        assert answer.status_code == 422, wrong
        if wrong.get("into"):
            assert "Write what it should say" in response_text(answer)
    assert found(here, "mina") == ["The office closes at 18:00."]
    sent = {"version": "1", "into": f"{known}:1", "content": "The office closes at six."}
    assert chidi.post(url, sent).status_code == 302
    assert found(here, "mina") == ["The office closes at six."]


def keys_of(page: str) -> dict[str, str]:
    """The review buttons by key: what their labels say."""
    part = page.partition('class="review-actions"')[2].partition("</main>")[0]
    return dict(re.findall(r'data-key="(\w)"[^>]*>([^<]+)<', part))


def test_keys_mean_one_thing(world: World) -> None:
    here, now = world.here, NOW
    chidi = make_signed_in_client(here, "chidi")
    shared = here.remember(here.robot("bolt"), "The office closes at six.").id
    proposed = propose(here, content="The roof leaks.")
    report_memory(here.person("vera"), shared, reason="Old.", now=now)
    propose_correction(here.person("mina"), shared, content="It closes at seven.", now=now)
    items = {item.cause: item.id for item in waiting(here.person("chidi"))}
    assert items["publish"] == proposed.id
    pages = {c: keys_of(response_text(chidi.get(f"/review/{i}/"))) for c, i in items.items()}
    assert pages["publish"]["a"] == "Approve and share with everyone"
    assert pages["correction"]["a"] == "Approve the new text"
    assert (pages["report"]["a"], pages["report"]["f"]) == (
        "Keep it as it is",
        "Forget this memory",
    )
    assert "r" not in pages["report"]
    for labels in pages.values():
        assert "a" in labels
        assert not re.search(r"[Ff]orget|[Dd]rop|[Rr]eject", labels["a"])


def test_a_duplicate_is_dropped_by_a_key_of_its_own(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    old = here.remember(here.robot("bolt"), "The office closes at six.").id
    new = here.remember(here.robot("aria"), "The office closes at six!!").id
    with resolve_principal(here.person("chidi")).scope():
        rows = Memory.objects.in_bulk([old, new])
        item = Proposal(
            organisation_id=here.id, memory_id=new, audience_id=rows[new].audience_id,
            kind=rows[new].kind, cause=ProposalCause.DUPLICATE, other_id=old, created_at=NOW,
        )  # fmt: skip
        item.save(force_insert=True)
    labels = keys_of(response_text(chidi.get(f"/review/{item.id}/")))
    assert (labels["a"], labels["d"]) == (
        "They differ: keep both",
        "Drop the newer, keep the older",
    )
    # The form for other words drops nothing when it is left empty.
    sent = {"version": "1", "into": str(old), "into_version": "1"}
    assert chidi.post(f"/review/{item.id}/merge/", sent).status_code == 422
    assert chidi.post(f"/review/{item.id}/drop/", {"version": "1"}).status_code == 422
    assert chidi.post(f"/review/{item.id}/drop/", sent).status_code == 302
    assert found(here, "mina") == ["The office closes at six."]


@pytest.mark.conformance("W05")
@pytest.mark.conformance("W21")
def test_what_disagrees_stands_side_by_side_with_who_said_it(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    old = here.remember(here.robot("bolt"), "The office closes at 6.").id
    new = here.remember(here.robot("aria"), "The office closes at 7.").id
    propose(here, content="The roof leaks.")
    with resolve_principal(here.person("chidi")).scope():
        rows = Memory.objects.in_bulk([old, new])
        item = Proposal(
            organisation_id=here.id, memory_id=new, audience_id=rows[new].audience_id,
            kind=rows[new].kind, cause=ProposalCause.CONTRADICTION, other_id=old, created_at=NOW,
        )  # fmt: skip
        item.save(force_insert=True)
    listed = response_text(chidi.get("/review/"))
    tab = re.search(r'<a href="([^"]*)">These disagree</a>', listed)
    assert tab
    assert "The roof leaks." in listed
    alone = response_text(chidi.get(tab[1].replace("&amp;", "&")))
    assert re.search(r'aria-current="page">These disagree', alone)
    assert "The office closes at 7." in alone
    assert "The roof leaks." not in alone

    page = response_text(chidi.get(f"/review/{item.id}/"))
    assert re.search(r"<h1[^>]*>These disagree</h1>", page)
    newer, older = page.split("The newer one")[1].split("The older one")
    older = older.partition("</section>")[0]
    # The word that the other does not have is marked, and that one alone.
    for side, word, who in ((newer, "7.", "aria"), (older, "6.", "bolt")):
        assert re.findall(r"<mark>.*?</span>(.*?)<span", side) == [word]
        assert re.search(rf"The office closes at <mark>.*{who} learned this on \d", side, re.DOTALL)
    labels = keys_of(page)
    assert (labels["n"], labels["a"], labels["m"], labels["d"]) == (
        "The newer holds now",
        "Both are right: keep both",
        "Merge the two texts",
        "Drop the newer, keep the older",
    )
    sent = {"version": "1"}
    assert chidi.post(f"/review/{item.id}/supersede/", sent).status_code == 422
    both = sent | {"into": str(old), "into_version": "1"}
    assert chidi.post(f"/review/{item.id}/supersede/", both).status_code == 302
    assert "Was true until" in response_text(chidi.get(f"/memories/{old}/"))
    assert "Was true until" not in response_text(chidi.get(f"/memories/{new}/"))
    assert chidi.post(f"/review/{item.id}/undo/").status_code == 302
    assert chidi.post(f"/review/{item.id}/reject/", sent).status_code == 302
    with resolve_principal(here.person("chidi")).scope():
        assert set(Memory.objects.filter(id__in=[old, new], status="active")) == {*rows.values()}


@pytest.mark.conformance("Q06")
def test_what_is_not_like_a_proposal_is_folded(lasting_world: World) -> None:
    here, chidi = lasting_world.here, make_signed_in_client(lasting_world.here, "chidi")
    here.remember(here.robot("bolt"), "Cats sleep a lot.")
    item = propose(here)
    here.embed()
    page = response_text(chidi.get(f"/review/{item.id}/"))
    above, _, folded = page.partition("Not really about this (1)")
    assert "Nothing like it is known yet" in above
    assert "Cats sleep" not in above
    assert "Cats sleep" in folded
    here.remember(here.robot("bolt"), item.memory.content + " So it is.")
    here.embed()
    above, _, folded = response_text(chidi.get(f"/review/{item.id}/")).partition(
        "Not really about this"
    )
    assert "So it is." in above
    assert "Nothing like it is known yet" not in above
    assert "Cats sleep" in folded


def test_a_decided_item_says_nothing_about_what_is_near(world: World) -> None:
    here, chidi = world.here, make_signed_in_client(world.here, "chidi")
    here.remember(here.robot("bolt"), "Cats sleep a lot.")
    item = propose(here)
    page = response_text(chidi.get(f"/review/{item.id}/"))
    assert "Nothing like it is known yet" in page
    assert "Cats sleep" not in page, "what shares nothing with it is not near"
    chidi.post(f"/review/{item.id}/reject/", {"version": "1", "reason": "No."})
    page = response_text(chidi.get(f"/review/{item.id}/"))
    assert "Rejected by Chidi" in page
    assert "Nothing like it is known" not in page
    assert "The nearest that is known" not in page
    assert "can read this: its author and those who curate" in page
    assert "All 5 people" not in page
    assert not re.search(r"\s[.,)]", re.sub(r"<[^>]+>", "", page.partition("<main")[2]))


def active(here: Tenant) -> list[str]:
    """What is in use of what everyone reads."""
    with resolve_principal(here.person("mina")).scope():
        return sorted(Memory.objects.filter(status="active").values_list("content", flat=True))


@pytest.mark.conformance("G15")
@pytest.mark.conformance("G19")
def test_what_is_too_many_is_said_in_words_and_done_by_a_key(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = dict.fromkeys(tier_capacities("standard"), 1)
    monkeypatch.setattr(capacity_limit, "tier_capacities", lambda profile: limits)
    here, chidi, bolt = (
        world.here,
        make_signed_in_client(world.here, "chidi"),
        world.here.robot("bolt"),
    )
    texts = [f"Shelf {n} holds the paint." for n in range(13)]
    ids = [here.remember(bolt, text, importance=n / 100).id for n, text in enumerate(texts)]
    with resolve_principal(here.person("chidi")).scope():
        row = Memory.objects.get(id=ids[0])
        told = {"tier": "slow", "capacity": 1, "count": 13, "chosen": 13, "summaries": 1}
        item = Proposal(
            organisation_id=here.id, memory_id=row.id, audience_id=row.audience_id, kind=row.kind,
            cause=ProposalCause.CAPACITY, created_at=NOW, details=told,
        )  # fmt: skip
        item.save(force_insert=True)
    said = "The slow tier holds 13 of at most 1 for these readers"
    assert said in response_text(chidi.get("/review/"))
    page = response_text(chidi.get(f"/review/{item.id}/"))
    assert re.search(rf"<h1[^>]*>{said}</h1>", page)
    assert "The 13 least important would become one summary; the originals are archived" in page
    going = page.split("What would go")[1].partition("</section>")[0]
    assert [t in going for t in texts] == [True] * 10 + [False] * 3
    assert "And 3 more." in going
    labels = keys_of(page)
    assert (labels["a"], labels["u"]) == ("Leave them all", "Summarise and archive them")
    assert make_signed_in_client(here, "bob").get(f"/review/{item.id}/").status_code == 404
    assert chidi.post(f"/review/{item.id}/approve/", {"version": "1"}).status_code == 302
    assert "can be brought back" in response_text(chidi.get("/review/?show=decided"))

    with resolve_principal(here.person("chidi")).scope():
        [summary] = Memory.objects.filter(status="active", key__startswith="summary:")
    shown = response_text(chidi.get(f"/memories/{summary.id}/"))
    assert "Bring the originals back" in shown
    assert sum(t in shown.split("Made from")[1] for t in texts) == MAX_RELATED
    # Who may only read it has no such button, and the address does nothing for them.
    bob = make_signed_in_client(here, "bob")
    assert "Bring the originals back" not in response_text(bob.get(f"/memories/{summary.id}/"))
    bob.post(f"/memories/{summary.id}/originals/")
    assert active(here) == [summary.content]
    chidi.get(f"/memories/{summary.id}/originals/")
    assert active(here) == [summary.content], "an address that is only looked at does nothing"
    assert chidi.post(f"/memories/{summary.id}/originals/").status_code == 302
    assert active(here) == sorted(texts)
    assert chidi.post(f"/memories/{ids[0]}/originals/").status_code == 302
