"""What happens to ageing and consolidation at the wrong moment: clocks, doubles, people who go."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from memories.curation import consolidate
from memories.curation.share_memory import share_memory
from memories.indexing import embed_worker
from memories.jobs import run_jobs
from memories.jobs.models import Job, JobType
from memories.jobs.organisation_run import create_run_once
from memories.lifecycle import daily_jobs, tier_schedule
from memories.lifecycle import tier_moves as ageing
from memories.lifecycle.ageing_policy import InvalidPolicyError, update_policy
from memories.lifecycle.consolidation import capacity_limit
from memories.lifecycle.consolidation.capacity_limit import CapacityResult, enforce_capacity
from memories.lifecycle.retention import run_retention
from memories.lifecycle.tier_moves import move_tiers
from memories.retrieval.feedback import record_feedback
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.review.models import Proposal, ProposalCause
from memories.store.models.memory import Memory
from memories.store.models.use import Transition, Use
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.organisations import GroupMembership
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.memories.lifecycle.consolidation.test_near_duplicates import FIRST, SECOND
from tests.world import NOW, Tenant

pytestmark = pytest.mark.usefixtures("jobs_of_here")

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def steps(here: Tenant) -> Counter[UUID]:
    with organisation_scope(here.id, using="worker"):
        return Counter(Transition.objects.using("worker").values_list("memory_id", flat=True))


def active(here: Tenant) -> set[UUID]:
    with organisation_scope(here.id, using="worker"):
        rows = Memory.objects.using("worker").filter(organisation_id=here.id, status="active")
        return set(rows.values_list("id", flat=True))


def twins(here: Tenant, monkeypatch: pytest.MonkeyPatch, **place: Any) -> None:
    """Two memories that say nearly the same, and about which nobody was asked."""
    for text in (FIRST, SECOND):
        here.remember(here.robot("aria"), text, **place)
    with monkeypatch.context() as patched:
        patched.setattr(embed_worker.on_embedded, "function", lambda *_, **__: None)
        here.embed()


def test_a_clock_that_goes_back_moves_and_archives_nothing(here: Tenant) -> None:
    aria = here.robot("aria")
    ids = [here.remember(aria, f"Shelf {n} is blue.", tier="fast").id for n in range(3)]
    update_policy(here.person("ada"), {"max_age_days": {"fact": 1}}, now=NOW)
    later = NOW + 40 * DAY
    assert tier_schedule.move_due_tiers(here.id, now=later).demoted == 3
    before = steps(here)
    for back in (later - HOUR, later - 2 * DAY, NOW - DAY, NOW - 400 * DAY):
        assert move_tiers(here.id, now=back).moves == {}
        assert tier_schedule.move_due_tiers(here.id, now=back).moves == {}
    assert steps(here) == before
    # Before they were made they are of no age at all.
    assert run_retention(here.id, now=NOW - 400 * DAY).archived == 0
    assert active(here) == set(ids)


def test_a_clock_that_was_ahead_holds_up_no_later_run(here: Tenant) -> None:
    here.remember(here.robot("aria"), "Shelf 1 is blue.", tier="fast")
    tier_schedule.move_due_tiers(here.id, now=NOW + 400 * DAY)
    assert not tier_schedule.is_due(here.id, now=NOW + 400 * DAY - HOUR)
    new = here.remember(here.robot("aria"), "Shelf 2 is blue.", tier="fast").id
    assert tier_schedule.is_due(here.id, now=NOW + DAY)
    assert tier_schedule.move_due_tiers(here.id, now=NOW + DAY).demoted == 1
    assert steps(here)[new] == 1
    assert not tier_schedule.is_due(here.id, now=NOW + DAY)
    assert tier_schedule.move_due_tiers(here.id, now=NOW + DAY).looked == 0


def test_a_clock_that_goes_back_writes_no_day_twice(here: Tenant) -> None:
    assert len(daily_jobs.enqueue_due(here.id, now=NOW)) == 2
    assert len(daily_jobs.enqueue_due(here.id, now=NOW + DAY)) == 2
    assert not daily_jobs.is_due(here.id, now=NOW)
    assert daily_jobs.enqueue_due(here.id, now=NOW) == []


@pytest.mark.conformance("G14")
def test_two_consolidations_at_once_move_and_ask_once(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    twins(here, monkeypatch)
    ids = [here.remember(here.robot("aria"), f"Shelf {n} is blue.").id for n in range(6)]
    monkeypatch.setattr(ageing, "BATCH_SIZE", 2)
    monkeypatch.setattr(consolidate, "COMPARE_BATCH_SIZE", 2)
    begun = [create_run_once(here.id, JobType.CONSOLIDATE, day, now=NOW) for day in ("one", "two")]
    # Each has chosen its candidates before the other has written anything.
    together, real = Barrier(2), consolidate.propose_pairs

    def proposing(*args: Any, **more: Any) -> Any:
        together.wait(timeout=20)
        return real(*args, **more)

    monkeypatch.setattr(consolidate, "propose_pairs", proposing)

    def run(job: Job | None) -> bool:
        assert job is not None
        try:
            return run_jobs.run_job(here.id, job.id, None)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(run, begun)) == [True, True]
    assert set(steps(here).values()) == {1}
    assert set(ids) < set(steps(here))
    with organisation_scope(here.id, using="worker"):
        done = list(Job.objects.using("worker").filter(organisation_id=here.id))
        asked = list(Proposal.objects.using("worker").values_list("cause", flat=True))
    assert [job.state for job in done] == ["done", "done"]
    assert sum(job.result["demoted"] for job in done) == len(steps(here))
    assert asked == [ProposalCause.DUPLICATE]
    assert sum(job.result["duplicates"] for job in done) == 1


def test_who_leaves_the_group_in_mid_run_is_not_asked(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    twins(here, monkeypatch, group="launch")
    bob, real = here.members["bob"].id, consolidate.propose_pairs

    def leaving(*args: Any, **more: Any) -> Any:
        with organisation_scope(here.id):
            GroupMembership.objects.filter(member_id=bob).delete()
        return real(*args, **more)

    monkeypatch.setattr(consolidate, "propose_pairs", leaving)
    assert create_run_once(here.id, JobType.CONSOLIDATE, "2026-03-02", now=NOW)
    assert run_jobs.run_next_job()
    with organisation_scope(here.id, using="worker"):
        [item] = Proposal.objects.using("worker").filter(organisation_id=here.id)
    assert item.cause == ProposalCause.DUPLICATE
    assert waiting(here.person("bob")) == []
    assert item.memory_id not in here.readable(here.person("bob"))
    assert item.memory_id in here.readable(here.person("mina"))


def test_a_memory_that_is_shared_in_mid_run_stops_no_run(here: Tenant) -> None:
    mina = here.person("mina")
    ids = [here.remember(mina, f"Shelf {n} is blue.", visibility="private").id for n in range(3)]
    later = NOW + 40 * DAY

    def judges() -> int:
        try:
            return move_tiers(here.id, now=later).demoted
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        with resolve_principal(mina).scope():
            share_memory(mina, ids[1], visibility="group", readers={}, group="launch", now=NOW)
            judged = threads.submit(judges)
            # The run has read the old readers by now and waits for the row.
            time.sleep(0.5)
            assert not judged.done()
        assert judged.result(timeout=20) == 3
    assert [steps(here)[id_] for id_ in ids] == [1, 1, 1]


def test_feedback_on_what_a_policy_archived_teaches_nothing(here: Tenant) -> None:
    id_ = here.remember(here.robot("aria"), "The zebra sleeps.").id
    bolt = here.robot("bolt")
    answer = recall(bolt, Query(text="zebra"), now=NOW)
    update_policy(here.person("ada"), {"max_age_days": {"fact": 1}}, now=NOW)
    assert run_retention(here.id, now=NOW + 2 * DAY).archived == 1
    with pytest.raises(NotFoundError):
        record_feedback(
            bolt, recall_id=answer.recall_id, memory_id=id_, usefulness=1.0, now=NOW + 2 * DAY
        )
    with organisation_scope(here.id, using="worker"):
        use = Use.objects.using("worker").get(memory_id=id_)
    assert (use.updates, use.since_feedback, use.surprise) == (0, 0, 0.0)


def test_a_capacity_of_nothing_is_asked_about_once(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = dict.fromkeys(("fast", "medium", "slow", "glacial"), 0)
    monkeypatch.setattr(capacity_limit, "tier_capacities", lambda profile: nothing)
    ids = {here.remember(here.robot("bolt"), f"Shelf {n} is blue.").id for n in range(2)}
    assert enforce_capacity(here.id, now=NOW) == CapacityResult(looked=1, proposed=1)
    assert enforce_capacity(here.id, now=NOW + HOUR) == CapacityResult(looked=1)
    [item] = waiting(here.person("chidi"), cause=ProposalCause.CAPACITY)
    assert (item.details["capacity"], item.details["count"], item.details["chosen"]) == (0, 2, 2)
    assert active(here) == ids


@pytest.mark.parametrize("number", [0, -1, 1.5, True])
def test_no_policy_keeps_nothing(here: Tenant, number: Any) -> None:
    with pytest.raises(InvalidPolicyError):
        update_policy(here.person("ada"), {"keep_most": number}, now=NOW)
