"""A tier that holds too much: proposed, or summarised and archived, and never across readers."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from memories.access.permissions import ChangeForbiddenError
from memories.curation import review_decisions
from memories.curation.review_decisions import ReviewDecision
from memories.curation.undo_review_decision import undo_review_decision
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle import tiers
from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.consolidation import capacity_limit
from memories.lifecycle.consolidation.capacity_limit import CapacityResult, enforce_capacity
from memories.review.models import ProposalCause
from memories.store.dependents import is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Derivation
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.models.organisations import GroupMembership
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")

LATER = NOW + timedelta(hours=1)


def limit(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let every tier hold so many."""
    limits = dict.fromkeys(tiers.tier_capacities("standard"), most)
    monkeypatch.setattr(capacity_limit, "tier_capacities", lambda profile: limits)


def evict(here: Tenant) -> None:
    update_policy(here.person("ada"), {"evict": True}, now=NOW)


def filled(here: Tenant, many: int, *, robot: str = "bolt", **fields: Any) -> list[UUID]:
    """So many memories, the later ones more important."""
    drafts = [
        Draft(content=f"Shelf {n} holds paint number {n}.", **{"importance": n / 1000} | fields)
        for n in range(many)
    ]
    made = remember_many(here.robot(robot), drafts, now=NOW)
    here.read()
    return [one.id for one in made]


def rows(here: Tenant) -> dict[UUID, Memory]:
    with organisation_scope(here.id, using="worker"):
        found = Memory.objects.using("worker").filter(organisation_id=here.id)
        return {row.id: row for row in found}


def status(here: Tenant) -> dict[UUID, str]:
    return {id_: row.status for id_, row in rows(here).items()}


def made(here: Tenant) -> list[Memory]:
    return [row for row in rows(here).values() if is_summary(row)]


def of(here: Tenant, summary: Memory) -> set[UUID]:
    with organisation_scope(here.id, using="worker"):
        links = Derivation.objects.using("worker").filter(memory_id=summary.id)
        return set(links.values_list("source_id", flat=True))


def noted(here: Tenant, action: str) -> list[AuditEntry]:
    with organisation_scope(here.id):
        return list(AuditEntry.objects.filter(action=action))


@pytest.mark.conformance("G15")
def test_250_in_slow_become_at_most_200_with_a_summary_that_names_its_sources(here: Tenant) -> None:
    ids = filled(here, 250)
    here.embed()
    evict(here)
    assert enforce_capacity(here.id, now=LATER) == CapacityResult(
        looked=1, summaries=1, archived=51
    )
    now = status(here)
    [summary] = made(here)
    active = [id_ for id_, word in now.items() if word == Status.ACTIVE]
    assert len(active) == 200
    # 250 less 51 and one more: lowest importance first.
    gone = set(ids[:51])
    assert (
        {id_ for id_, word in now.items() if word == Status.ARCHIVED} == gone == of(here, summary)
    )
    assert summary.source == {"summary_of": 51, "memories": [str(i) for i in ids[:51]]}
    assert summary.content in {rows(here)[id_].content for id_ in gone}
    assert (summary.importance, summary.tier, summary.created_at) == (0.05, "slow", LATER)
    [entry] = noted(here, "memory.summarised")
    assert (entry.target, entry.detail["archived"], entry.detail["summaries"]) == (
        summary.id,
        51,
        1,
    )
    assert enforce_capacity(here.id, now=LATER) == CapacityResult(), "a second run does nothing"
    assert status(here) == now


@pytest.mark.conformance("G19")
def test_without_leave_one_item_says_so_and_nothing_goes(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 10)
    ids = filled(here, 14)
    here.embed()
    before = status(here)
    assert enforce_capacity(here.id, now=NOW, dry_run=True) == CapacityResult(looked=1, proposed=1)
    assert waiting(here.person("chidi"), cause=ProposalCause.CAPACITY) == []
    assert enforce_capacity(here.id, now=NOW) == CapacityResult(looked=1, proposed=1)
    assert enforce_capacity(here.id, now=LATER) == CapacityResult(looked=1), "one while one is open"
    [item] = waiting(here.person("chidi"), cause=ProposalCause.CAPACITY)
    assert item.details == {
        "tier": "slow", "capacity": 10, "count": 14, "chosen": 5, "summaries": 1,
    }  # fmt: skip
    assert item.memory_id in ids[:5]
    assert (item.proposed_by_id, item.robot_id, item.content) == (None, None, "")
    assert status(here) == before
    assert waiting(here.person("bob")) == []


def test_what_was_rejected_is_asked_again_when_a_tenth_came_on_top(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 20)
    filled(here, 25)
    enforce_capacity(here.id, now=NOW)
    [item] = waiting(here.person("chidi"))
    review_decisions.reject_item(here.person("chidi"), item.id, ReviewDecision(), now=NOW)
    here.remember(here.robot("bolt"), "One more.")
    assert enforce_capacity(here.id, now=LATER).proposed == 0
    here.remember(here.robot("bolt"), "And a second one.")
    assert enforce_capacity(here.id, now=LATER).proposed == 1


def test_an_item_goes_when_there_is_room_or_leave(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 10)
    filled(here, 12)
    enforce_capacity(here.id, now=NOW)
    limit(monkeypatch, 12)
    enforce_capacity(here.id, now=NOW)
    assert waiting(here.person("chidi")) == []
    limit(monkeypatch, 10)
    enforce_capacity(here.id, now=NOW)
    evict(here)
    enforce_capacity(here.id, now=LATER)
    assert waiting(here.person("chidi")) == []
    assert len(made(here)) == 1


@pytest.mark.conformance("G19")
def test_approving_does_it_and_undoing_leaves_no_trace(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 10)
    ids, chidi = filled(here, 14), here.person("chidi")
    enforce_capacity(here.id, now=NOW)
    [item] = waiting(chidi)
    done = review_decisions.approve_item(chidi, item.id, ReviewDecision(version=1), now=LATER)
    assert (done.state, done.outcome) == ("approved", {"archived": 5, "summaries": 1})
    assert [i for i in ids if status(here)[i] == Status.ARCHIVED] == ids[:5]
    assert len(made(here)) == 1
    [entry] = noted(here, "memory.summarised")
    assert entry.member == chidi.member_id
    assert undo_review_decision(chidi, item.id, now=LATER).state == "open"
    assert status(here) == dict.fromkeys(ids, Status.ACTIVE)
    # Once more, and then somebody builds on the summary.
    review_decisions.approve_item(chidi, item.id, ReviewDecision(version=1), now=LATER)
    [summary] = made(here)
    with organisation_scope(here.id, using="worker"):
        Memory.objects.using("worker").filter(id=summary.id).update(remember_count=2)
    with pytest.raises(AlreadyExistsError):
        undo_review_decision(chidi, item.id, now=LATER)
    assert len(made(here)) == 1


def test_nobody_archives_what_is_not_theirs_to_forget(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 2)
    bob = here.person("bob")
    theirs = here.remember(bob, "Bob keeps the spare key.", group="launch", importance=0.0).id
    filled(here, 4, robot="aria", group="launch", importance=0.5)
    enforce_capacity(here.id, now=NOW)
    [item] = waiting(bob)
    assert item.memory_id == theirs
    before = status(here)
    with pytest.raises(ChangeForbiddenError):
        review_decisions.approve_item(bob, item.id, ReviewDecision(version=1), now=LATER)
    assert status(here) == before
    mina = here.person("mina")
    for n in range(4):
        here.remember(mina, f"Mina alone knows {n}.", visibility="private")
    enforce_capacity(here.id, now=NOW)
    [own] = waiting(mina)
    assert (
        review_decisions.approve_item(mina, own.id, ReviewDecision(version=1), now=LATER).state
        == "approved"
    )


def test_robots_notes_are_summarised_and_nobody_is_asked(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 3)
    filled(here, 6, visibility="internal")
    assert enforce_capacity(here.id, now=NOW) == CapacityResult(looked=1)
    evict(here)
    assert enforce_capacity(here.id, now=LATER) == CapacityResult(looked=1, summaries=1, archived=4)
    [summary] = made(here)
    assert (summary.kind, summary.robot_id) == ("internal", here.robots["bolt"].id)


def test_a_red_line_stays_and_the_oldest_of_equals_go_first(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 3)
    ids = filled(here, 6, importance=0.5)
    with organisation_scope(here.id, using="worker"):
        rows_ = Memory.objects.using("worker")
        for place, id_ in enumerate(reversed(ids)):
            rows_.filter(id=id_).update(created_at=NOW + place * timedelta(minutes=1))
        rows_.filter(id=ids[5]).update(red_line=True)
    evict(here)
    enforce_capacity(here.id, now=LATER)
    left = [id_ for id_ in ids if status(here)[id_] == Status.ACTIVE]
    assert left == [ids[0], ids[5]], "the youngest, and what is protected"


def test_expired_ones_do_not_count_and_other_tiers_are_their_own(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 3)
    filled(here, 3)
    here.remember(here.robot("bolt"), "Over by now.", expires_at=NOW + timedelta(minutes=1))
    filled(here, 2, importance=0.9, tier="fast", visibility="internal")
    evict(here)
    assert enforce_capacity(here.id, now=LATER) == CapacityResult()


def test_a_capacity_of_nothing_and_a_portion_at_a_time(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 0)
    ids = filled(here, 9)
    evict(here)
    monkeypatch.setattr(capacity_limit, "MAX_MEMORIES", 4)
    done = enforce_capacity(here.id, now=LATER)
    assert {status(here)[id_] for id_ in ids} == {Status.ARCHIVED}
    assert Status.ACTIVE not in status(here).values()
    assert done.archived == 9 + done.summaries
    assert len(noted(here, "memory.summarised")) > 2
    assert enforce_capacity(here.id, now=LATER) == CapacityResult()


def test_a_run_stops_where_it_is_told_and_goes_on_later(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 2)
    filled(here, 4)
    filled(here, 4, visibility="internal")
    evict(here)
    asked: list[tuple[int, int]] = []

    def keep_on(done: int, total: int) -> bool:
        asked.append((done, total))
        return False

    assert enforce_capacity(here.id, now=LATER, dry_run=True) == CapacityResult(2, 0, 2, 6)
    assert made(here) == []
    assert enforce_capacity(here.id, now=LATER, keep_on=keep_on) == CapacityResult(1, 0, 1, 3)
    assert asked == [(1, 2)]
    assert enforce_capacity(here.id, now=LATER) == CapacityResult(1, 0, 1, 3)


@pytest.mark.parametrize("leave", [True, False])
def test_of_two_runs_at_once_one_does_it(
    here: Tenant, monkeypatch: pytest.MonkeyPatch, leave: bool
) -> None:
    limit(monkeypatch, 20)
    filled(here, 40)
    update_policy(here.person("ada"), {"evict": leave}, now=NOW)
    # Each has looked before any has written.
    together, real = Barrier(4), capacity_limit._load_full_tiers

    def full(*args: Any, **more: Any) -> Any:
        found = real(*args, **more)
        together.wait(timeout=20)
        return found

    monkeypatch.setattr(capacity_limit, "_load_full_tiers", full)

    def run(_: int) -> CapacityResult:
        try:
            return enforce_capacity(here.id, now=LATER)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(run, range(4)))
    assert sum(one.archived for one in done) == (21 if leave else 0)
    assert sum(one.summaries for one in done) == len(made(here)) == int(leave)
    assert sum(one.proposed for one in done) == int(not leave)


def test_who_leaves_the_group_in_mid_run_changes_nothing(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 2)
    filled(here, 4, robot="aria", group="launch")
    evict(here)
    real = capacity_limit.select_to_archive

    def choose(place: Any, **more: Any) -> Any:
        with organisation_scope(here.id):
            GroupMembership.objects.filter(member_id=here.members["bob"].id).delete()
        return real(place, **more)

    monkeypatch.setattr(capacity_limit, "select_to_archive", choose)
    enforce_capacity(here.id, now=LATER)
    [summary] = made(here)
    assert summary.id in here.readable(here.person("mina"))
    assert summary.id not in here.readable(here.person("bob"))


def test_no_other_tenant_is_touched(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 2)
    filled(lasting_world.there, 4)
    evict(lasting_world.here)
    assert enforce_capacity(lasting_world.here.id, now=LATER) == CapacityResult()
    assert set(status(lasting_world.there).values()) == {Status.ACTIVE}


def test_a_full_tier_is_left_between_two_transactions(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, 2)
    monkeypatch.setattr(capacity_limit, "MAX_MEMORIES", 3)
    filled(here, 12)
    evict(here)
    asked: list[tuple[int, int]] = []

    def keep_on(done: int, total: int) -> bool:
        asked.append((done, total))
        return len(asked) < 2

    assert enforce_capacity(here.id, now=LATER, keep_on=keep_on).archived == 6
    assert asked == [(0, 1), (0, 1)]
    enforce_capacity(here.id, now=LATER)
    assert list(status(here).values()).count(Status.ACTIVE) <= 2


def test_who_decides_waits_for_members_before_any_memory(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opts out has locked themselves and goes on to their memories."""
    limit(monkeypatch, 2)
    mina = here.members["mina"].id
    filled(here, 4, robot="aria", group="launch", member=str(mina))
    enforce_capacity(here.id, now=NOW)
    decider = here.person("mina")
    [item] = waiting(decider, cause=ProposalCause.CAPACITY)
    begun = Event()

    def decides() -> str:
        begun.set()
        try:
            return review_decisions.approve_item(
                decider, item.id, ReviewDecision(version=1), now=LATER
            ).state
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads, resolve_principal(decider).scope():
        Member.objects.select_for_update().get(id=mina)
        decided = threads.submit(decides)
        begun.wait(timeout=20)
        time.sleep(1)
        # Nobody holds it: else the two would wait for each other.
        mine = Memory.objects.select_for_update(nowait=True)
        assert mine.get(organisation_id=here.id, id=item.memory_id)
        assert not decided.done()
    assert decided.result(timeout=20) == "approved"
