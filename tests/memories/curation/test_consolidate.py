"""A run of consolidation: tiers, then pairs; broken off, cancelled or repeated it does nothing
twice and leaves nothing out."""

import io
import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone

from memories.browsing import job_pages
from memories.curation import consolidate
from memories.indexing import embed_worker
from memories.jobs import job_queue, run_jobs
from memories.jobs.models import Job, JobType
from memories.jobs.organisation_run import create_run_once
from memories.lifecycle import tier_moves as ageing
from memories.review.models import Proposal
from memories.store.models.use import Transition
from memories.tasks import run_job
from orgs.database.rls import organisation_scope
from tests.memories.lifecycle.consolidation.test_contradictions import NEW, OLD
from tests.memories.lifecycle.consolidation.test_near_duplicates import FIRST, SECOND
from tests.sampling import mark_rest_slow
from tests.world import NOW, Tenant, World

OTHERS = ("The office closes at six.", "Lunch is at noon.", "Daniel keeps the keys.")
WHOLE = {"looked": 7, "promoted": 0, "demoted": 7, "duplicates": 1, "contradictions": 1}


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """Seven memories of long ago: a pair that says the same, one that disagrees, nobody asked."""
    here = lasting_world.here
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [here.id])
    for text in (OLD, FIRST, *OTHERS, NEW, SECOND):
        here.remember(here.robot("bolt"), text)
    with monkeypatch.context() as patched:
        patched.setattr(embed_worker.on_embedded, "function", lambda *_, **__: None)
        here.embed()
    return here


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ageing, "BATCH_SIZE", 2)
    monkeypatch.setattr(consolidate, "COMPARE_BATCH_SIZE", 2)


def moved(here: Tenant) -> list[UUID]:
    with organisation_scope(here.id, using="worker"):
        return list(Transition.objects.using("worker").values_list("memory_id", flat=True))


def proposed(here: Tenant) -> list[str]:
    with organisation_scope(here.id, using="worker"):
        rows = Proposal.objects.using("worker").filter(organisation_id=here.id)
        return sorted(rows.values_list("cause", flat=True))


def job_of(here: Tenant, id_: UUID) -> Job:
    return job_pages.get_job(here.person("chidi"), id_)


def begun(here: Tenant, period: str = "2026-03-02", kind: str = JobType.CONSOLIDATE) -> UUID:
    job = create_run_once(here.id, kind, period, now=NOW)
    assert job is not None
    return job.id


def counts(job: Job) -> dict[str, int]:
    return {name: number for name, number in job.result.items() if name != "moves"}


def after_steps(monkeypatch: pytest.MonkeyPatch, number: int, do: Any) -> None:
    """Something happens at this note of progress, before it is written."""
    real, seen = job_queue.save_progress, 0

    def noting(actor: Any, job: Job) -> bool:
        nonlocal seen
        seen += 1
        if seen == number:
            do()
        return real(actor, job)

    monkeypatch.setattr("memories.jobs.organisation_run.save_progress", noting)


def killed() -> None:
    raise SystemExit


@pytest.mark.conformance("G10", "G14")
def test_a_run_moves_and_asks_and_a_second_one_finds_nothing(
    here: Tenant, small_steps: None
) -> None:
    first, second = begun(here), begun(here, "2026-03-03")
    assert run_job()
    assert run_job()
    job = job_of(here, first)
    assert (job.state, counts(job)) == ("done", WHOLE)
    assert job.result["moves"] == {"slow glacial idle": 7}
    assert (job.done, job.total) == (14, 14)
    assert proposed(here) == ["contradiction", "duplicate"]
    again = job_of(here, second)
    nothing = {"promoted": 0, "demoted": 0, "duplicates": 0, "contradictions": 0}
    assert (again.state, counts(again)) == ("done", {"looked": 7, **nothing})
    assert len(moved(here)) == 7


def test_judging_the_tiers_alone_asks_nothing(here: Tenant, small_steps: None) -> None:
    id_ = begun(here, kind=JobType.AGE)
    assert run_job()
    job = job_of(here, id_)
    assert counts(job) == {"looked": 7, "promoted": 0, "demoted": 7}
    assert (job.done, job.total, proposed(here)) == (7, 7, [])


@pytest.mark.conformance("O07")
@pytest.mark.parametrize("step", mark_rest_slow([2, 5, 8, 1, 3, 4, 6, 7], 3))
def test_a_worker_killed_in_the_middle_loses_and_doubles_nothing(
    here: Tenant, small_steps: None, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    id_, start = begun(here), timezone.now()
    with monkeypatch.context() as patched:
        after_steps(patched, step, killed)
        with pytest.raises(SystemExit):
            run_job()
    assert job_of(here, id_).state == "running"
    assert not run_job(), "its lease holds"
    with time_machine.travel(start + job_queue.LEASE + timedelta(minutes=1)):
        assert run_job()
        assert not run_job()
    job = job_of(here, id_)
    assert job.state == "done"
    assert len(moved(here)) == len(set(moved(here))) == 7
    assert proposed(here) == ["contradiction", "duplicate"]
    for name, number in counts(job).items():
        assert number <= WHOLE[name], "a step may be missing from the counts, and is never double"


@pytest.mark.conformance("O13")
@pytest.mark.parametrize("step", mark_rest_slow([2, 5, 8, 1, 3, 4, 6, 7], 3))
def test_cancelled_in_the_middle_it_keeps_what_it_did_and_goes_on(
    here: Tenant, small_steps: None, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    id_, chidi = begun(here), here.person("chidi")
    with monkeypatch.context() as patched:
        after_steps(patched, step, lambda: job_pages.cancel_visible_job(chidi, id_))
        assert run_job()
    job = job_of(here, id_)
    assert (job.state, job.leased_until) == ("cancelled", None)
    assert (job.done, job.result["demoted"]) == (
        [2, 4, 6, 7, 9, 11, 13, 14][step - 1],
        min(7, 2 * step),
    )
    assert len(moved(here)) == job.result["demoted"]
    assert not run_job()
    job_pages.resume_cancelled_job(chidi, id_)
    assert run_job()
    job = job_of(here, id_)
    assert (job.state, counts(job), job.done) == ("done", WHOLE, 14)


def test_turns_end_between_steps(
    here: Tenant, small_steps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "SLICE_SECONDS", 0.0)
    id_, turns = begun(here), 0
    while run_job():
        turns += 1
    job = job_of(here, id_)
    assert turns == 9
    assert (job.state, counts(job)) == ("done", WHOLE)


def called(here: Tenant) -> dict[str, Any]:
    out = io.StringIO()
    call_command("consolidate", organisation=here.organisation.slug, json=True, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.conformance("O13")
@pytest.mark.parametrize("step", [2, 6])
def test_ctrl_c_loses_nothing_and_the_next_call_goes_on(
    here: Tenant, small_steps: None, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    def pressed() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        after_steps(patched, step, pressed)
        with pytest.raises(CommandError, match="run it again to go on"):
            called(here)
    [job] = job_pages.get_jobs_overview(here.person("chidi")).organisations
    assert job.state == "cancelled"
    told = called(here)
    assert told["duplicates"] + told["contradictions"] <= 2
    assert len(moved(here)) == len(set(moved(here))) == 7
    assert proposed(here) == ["contradiction", "duplicate"]
    [same] = job_pages.get_jobs_overview(here.person("chidi")).organisations
    assert (same.id, same.state) == (job.id, "done")
    assert called(here)["demoted"] == 0


def test_cancelled_from_the_page_the_command_says_so(
    here: Tenant, small_steps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chidi = here.person("chidi")

    def pressed() -> None:
        job_pages.cancel_visible_job(chidi, job_pages.get_jobs_overview(chidi).organisations[0].id)

    with monkeypatch.context() as patched:
        after_steps(patched, 3, pressed)
        with pytest.raises(CommandError, match="cancelled"):
            called(here)
    assert job_pages.get_jobs_overview(chidi).organisations[0].state == "cancelled"
    told = called(here)
    assert {name: told[name] for name in WHOLE} == WHOLE
    assert told["moves"] == [{"from": "slow", "to": "glacial", "reason": "idle", "memories": 7}]
