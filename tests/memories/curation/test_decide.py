"""The review queue: who sees and decides what, what a decision changes, and taking it back."""

import threading
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from memories.access.references import ReaderReferences
from memories.curation import review_decisions
from memories.curation.edit_memory import OutdatedVersionError, edit_memory
from memories.curation.review_decisions import ReviewDecision
from memories.curation.share_memory import share_memory
from memories.curation.undo_review_decision import undo_review_decision
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.review.item_locks import ItemLockedError, assign_item, lock_item, release_lock
from memories.review.models import Proposal, ProposalState
from memories.review.propose import propose_correction, report_memory
from memories.review.review_queue import AlreadyDecidedError, filter_items
from memories.review.waiting_count import count_waiting as waiting_for
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.organisations import Group
from orgs.principals import Actor, resolve_principal
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

TEXT = "The office closes at six."


def waiting(who: Actor, **filters: Any) -> list[Proposal]:
    principal = resolve_principal(who)
    with principal.scope():
        return list(filter_items(principal, {"state": ProposalState.OPEN, **filters}))


def propose(here: Tenant, who: str = "bob", content: str = TEXT) -> Proposal:
    made = here.remember(here.person(who), content, visibility="organisation")
    (item,) = [i for i in waiting(here.person(who), mine=True) if i.memory_id == made.id]
    return item


def memory(here: Tenant, who: str, id_: UUID | str) -> Memory:
    with resolve_principal(here.person(who)).scope():
        return Memory.objects.select_related("audience").get(id=id_)


def found(here: Tenant, who: str) -> list[str]:
    answer = recall(here.person(who), Query(text="office closes at six"), now=NOW)
    return [row.content for _, row in answer.hits]


@pytest.mark.conformance("Z03")
def test_a_proposal_becomes_a_copy_for_everyone_and_stays_with_its_author(world: World) -> None:
    here = world.here
    item = propose(here)
    assert found(here, "mina") == []
    assert [len(waiting(here.person(p))) for p in ("ada", "chidi", "mina", "vera")] == [1, 1, 0, 0]

    done = review_decisions.approve_item(
        here.person("chidi"), item.id, ReviewDecision(version=1), now=NOW
    )
    assert (done.state, done.decided_by.name, done.decided_at) == ("approved", "Chidi", NOW)
    assert found(here, "mina") == [TEXT]
    shared = memory(here, "vera", done.outcome["made"])
    assert (shared.audience.kind, shared.status, shared.version) == ("organisation", "active", 1)
    assert shared.author_id == here.members["bob"].id
    own = memory(here, "bob", item.memory_id)
    assert (own.status, own.id != shared.id) == ("archived", True)
    with resolve_principal(here.person("vera")).scope():
        told = Contribution.objects.get(memory_id=shared.id)
    assert told.member_id == here.members["bob"].id

    undo_review_decision(here.person("chidi"), item.id, now=NOW)
    assert found(here, "mina") == []
    assert [i.id for i in waiting(here.person("ada"))] == [item.id]
    with pytest.raises(AlreadyExistsError):
        undo_review_decision(here.person("chidi"), item.id, now=NOW)
    # Decided anew the copy of before is what comes back.
    again = review_decisions.approve_item(
        here.person("ada"), item.id, ReviewDecision(version=1), now=NOW
    )
    assert again.outcome["made"] == done.outcome["made"]
    edit_memory(here.person("ada"), shared.id, {"content": "At seven."}, now=NOW)
    with pytest.raises(PermissionError):
        undo_review_decision(here.person("chidi"), item.id, now=NOW)


@pytest.mark.conformance("Z03")
def test_edit_and_approve_reject_with_a_reason_and_withdraw(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    item = propose(here)
    done = review_decisions.approve_item(
        chidi, item.id, ReviewDecision(version=1, content="It closes at seven."), now=NOW
    )
    assert memory(here, "mina", done.outcome["made"]).content == "It closes at seven."
    assert memory(here, "bob", item.memory_id).content == TEXT
    with pytest.raises(AlreadyDecidedError):
        review_decisions.reject_item(chidi, item.id, ReviewDecision(reason="No."), now=NOW)

    second = propose(here, content="The office is loud.")
    with pytest.raises(ValueError, match="Say why"):
        review_decisions.reject_item(chidi, second.id, ReviewDecision(), now=NOW)
    refused = review_decisions.reject_item(
        chidi, second.id, ReviewDecision(reason="Not for everyone."), now=NOW
    )
    assert (refused.state, refused.decision) == ("rejected", "Not for everyone.")
    # Its author brings it up again, then thinks better of it.
    restore_memory(here.person("bob"), second.memory_id, now=NOW)
    assert len(waiting(chidi)) == 1
    forget_memory(here.person("bob"), second.memory_id, now=NOW)
    assert waiting(chidi) == []


def test_merge_into_what_is_known(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    known = here.remember(here.robot("bolt"), "The office closes at 18:00.").id
    hidden = here.remember(here.robot("aria"), "Closed at six.", group="design").id
    item = propose(here)
    for wrong in (hidden, item.memory_id):
        with pytest.raises(NotFoundError):
            review_decisions.merge_item(
                chidi, item.id, ReviewDecision(version=1, into=wrong, into_version=1), now=NOW
            )
    text = "The office closes at 18:00, also on Fridays."
    stale = ReviewDecision(version=1, into=known, into_version=9, content=text)
    with pytest.raises(OutdatedVersionError):
        review_decisions.merge_item(chidi, item.id, stale, now=NOW)
    read = ReviewDecision(version=1, into=known, into_version=1, content=text)
    review_decisions.merge_item(chidi, item.id, read, now=NOW)
    merged = memory(here, "mina", known)
    assert (merged.content, merged.remember_count) == (text, 2)
    undo_review_decision(chidi, item.id, now=NOW)
    back = memory(here, "mina", known)
    assert (back.content, back.remember_count) == ("The office closes at 18:00.", 1)


def test_corrections_and_reports_go_to_whom_the_memory_belongs(world: World) -> None:
    here, mina, chidi = world.here, world.here.person("mina"), world.here.person("chidi")
    shared = here.remember(here.robot("bolt"), TEXT).id
    chat = here.remember(here.robot("aria"), "Bob leads.", group="launch", speaker=str(
        here.members["bob"].id
    )).id  # fmt: skip
    fix = propose_correction(mina, shared, content="It closes at seven.", reason="New.", now=NOW)
    with pytest.raises(AlreadyExistsError):
        propose_correction(mina, shared, content="At eight.", now=NOW)
    with pytest.raises(PermissionError):
        propose_correction(here.person("vera"), shared, content="At nine.", now=NOW)
    told = report_memory(here.person("vera"), shared, reason="Wrong.", now=NOW)
    report_memory(mina, chat, reason="He does not.", now=NOW)
    with pytest.raises(NotFoundError):
        report_memory(chidi, chat, reason="I guess.", now=NOW)
    # #launch is confidential: its item is Bob's, whose words they are, and no curator's.
    assert {i.id for i in waiting(chidi)} == {fix.id, told.id}
    assert [i.memory_id for i in waiting(here.person("bob"))] == [chat]
    with pytest.raises(NotFoundError):
        review_decisions.approve_item(mina, fix.id, ReviewDecision(version=1), now=NOW)

    review_decisions.approve_item(chidi, fix.id, ReviewDecision(version=1), now=NOW)
    assert memory(here, "mina", shared).content == "It closes at seven."
    review_decisions.approve_item(chidi, told.id, ReviewDecision(version=2), now=NOW)
    assert memory(here, "chidi", shared).status == "forgotten"
    undo_review_decision(chidi, told.id, now=NOW)
    undo_review_decision(chidi, fix.id, now=NOW)
    assert memory(here, "mina", shared).content == TEXT


@pytest.mark.conformance("H11")
def test_what_its_subject_forgot_is_theirs_to_bring_back(world: World) -> None:
    here, bob = world.here, world.here.person("bob")
    said: dict[str, Any] = {"group": "launch", "member": str(here.members["bob"].id)}
    first = here.remember(here.robot("aria"), "Bob likes tea.", **said)
    forget_memory(bob, first.id, now=NOW)
    here.remember(here.robot("aria"), "Bob likes tea.", **said)
    item = waiting(bob)[0]
    assert (item.cause, [*waiting(here.person("ada")), *waiting(here.person("mina"))]) == (
        "return",
        [],
    )
    review_decisions.approve_item(bob, item.id, ReviewDecision(version=1), now=NOW)
    assert memory(here, "mina", first.id).status == "active"
    undo_review_decision(bob, item.id, now=NOW)
    assert memory(here, "bob", first.id).forgotten_by_subject


def test_what_its_subject_forgot_since_comes_back_by_no_undo(world: World) -> None:
    here, chidi, bob = world.here, world.here.person("chidi"), world.here.person("bob")
    known = here.remember(here.robot("bolt"), "The office closes at 18:00.").id
    item = propose(here)
    read = ReviewDecision(version=1, into=known, into_version=1)
    review_decisions.merge_item(chidi, item.id, read, now=NOW)
    assert memory(here, "bob", item.memory_id).status == "archived"
    forget_memory(bob, item.memory_id, now=NOW)
    with pytest.raises(AlreadyExistsError):
        undo_review_decision(chidi, item.id, now=NOW)
    assert memory(here, "bob", item.memory_id).status == "forgotten"


@pytest.mark.conformance("W05")
def test_an_open_item_is_kept_from_others_for_five_minutes(world: World) -> None:
    here, ada, chidi = world.here, world.here.person("ada"), world.here.person("chidi")
    item = propose(here)
    lock_item(ada, item.id, now=NOW)
    for act in (
        lambda: lock_item(chidi, item.id, now=NOW),
        lambda: review_decisions.approve_item(chidi, item.id, ReviewDecision(version=1), now=NOW),
    ):
        with pytest.raises(ItemLockedError, match="Ada holds this"):
            act()
    assert release_lock(chidi, item.id).locked_by == here.members["ada"]
    still, over = NOW + timedelta(minutes=5, seconds=-1), NOW + timedelta(minutes=5)
    with pytest.raises(ItemLockedError):
        lock_item(chidi, item.id, now=still)
    assert lock_item(chidi, item.id, now=over).locked_by == here.members["chidi"]
    assert release_lock(chidi, item.id).locked_by is None

    assign_item(ada, item.id, here.members["chidi"].id, now=NOW)
    assert [i.id for i in waiting(chidi, assigned="me")] == [item.id]
    for other in ("mina", "vera"):
        with pytest.raises(NotFoundError):
            assign_item(ada, item.id, here.members[other].id, now=NOW)


def test_a_stale_decision_changes_nothing(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    item = propose(here)
    edit_memory(here.person("bob"), item.memory_id, {"content": "It closes at nine."}, now=NOW)
    with pytest.raises(OutdatedVersionError) as caught:
        review_decisions.approve_item(chidi, item.id, ReviewDecision(version=1), now=NOW)
    assert caught.value.memory.content == "It closes at nine."
    assert found(here, "mina") == []


def test_names_on_lists_and_other_organisations_see_nothing(world: World) -> None:
    here, there = world.here, world.there
    item = propose(here)
    mina = ReaderReferences(members=(str(here.members["mina"].id),))
    listed = here.remember(here.person("bob"), "Secret.", visibility="shared", readers=mina).id
    report_memory(here.person("mina"), listed, reason="Hm.", now=NOW)
    assert [i.memory_id for i in waiting(here.person("bob"), mine=False)] == [listed]
    assert [i.id for i in waiting(here.person("ada"))] == [item.id]
    for act in (review_decisions.approve_item, review_decisions.reject_item):
        with pytest.raises(NotFoundError):
            act(there.person("ada"), item.id, ReviewDecision(reason="x"), now=NOW)


def test_two_curators_never_both_decide(lasting_world: World) -> None:
    """Real transactions: of eight who press at once, exactly one decides."""
    here = lasting_world.here
    item = propose(here)
    ready, outcomes = threading.Barrier(8), []

    def press(number: int) -> None:
        verb = (review_decisions.approve_item, review_decisions.reject_item)[number % 2]
        who = here.person(("ada", "chidi")[number // 2 % 2])
        ready.wait()
        try:
            outcomes.append(
                verb(who, item.id, ReviewDecision(version=1, reason="So."), now=NOW).state
            )
        except AlreadyDecidedError:
            outcomes.append("decided")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=press, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(outcomes), outcomes.count("decided")) == (8, 7)
    copies = found(here, "mina")
    assert copies == ([TEXT] if outcomes.count("approved") else [])


def test_what_is_forgotten_is_not_kept_in_what_was_decided_about_it(world: World) -> None:
    here = world.here
    said = {"speaker": str(here.members["mina"].id)}
    memory_id = here.remember(here.robot("aria"), "I have the zebra flu.", **said).id
    item = propose_correction(here.person("bob"), memory_id, content="A zebra cold.", now=NOW)
    review_decisions.approve_item(here.person("chidi"), item.id, ReviewDecision(version=1), now=NOW)
    for who in ("chidi", "bob"):
        assert "zebra" in response_text(here.browser(who).get(f"/api/v1/proposals/{item.id}"))
    forget_memory(here.person("mina"), memory_id, now=NOW)
    for who in ("chidi", "bob", "ada"):
        api, page = here.browser(who), make_signed_in_client(here, who)
        assert api.get(f"/api/v1/proposals/{item.id}").status_code == 404
        assert page.get(f"/review/{item.id}/").status_code == 404
        for url in ("/api/v1/proposals", "/review/?show=decided", "/review/?show=mine"):
            assert "zebra" not in response_text(page.get(url)), (who, url)
    assert "zebra" in response_text(here.browser("mina").get(f"/api/v1/proposals/{item.id}")), (
        "hers"
    )


def test_what_was_written_for_few_is_not_told_when_more_may_read(world: World) -> None:
    here, mina, bob = world.here, world.here.person("mina"), world.here.person("bob")
    readers = ReaderReferences(members=(str(here.members["bob"].id),))
    trip = here.remember(mina, "I plan a trip.", visibility="shared", readers=readers).id
    told = report_memory(bob, trip, reason="zebra: she is ill", now=NOW)
    other = propose_correction(bob, trip, content="The zebra trip.", now=NOW)
    review_decisions.reject_item(mina, other.id, ReviewDecision(reason="zebra, no"), now=NOW)
    share_memory(mina, trip, visibility="group", readers={}, group="launch", now=NOW)
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(confidential=False)
    for who in ("chidi", "ada"):
        page = make_signed_in_client(here, who)
        assert page.get(f"/memories/{trip}/").status_code == 200
        for item in (told, other):
            assert page.get(f"/api/v1/proposals/{item.id}").status_code == 404
        for url in ("/api/v1/proposals", "/api/v1/reports", "/review/", "/review/?show=decided"):
            assert "zebra" not in response_text(page.get(url)), (who, url)
        assert page.get("/review/").context["total"] == 0
        assert waiting_for(here.person(who)) == 0, "the frame counts what the queue shows"
    assert waiting_for(mina) == 1
    # Who reads both, decides it still.
    done = review_decisions.reject_item(mina, told.id, ReviewDecision(reason="I am well."), now=NOW)
    assert done.state == "rejected"
    assert (
        response_text(here.browser("bob").get(f"/api/v1/proposals/{told.id}")).count("zebra") == 1
    )
