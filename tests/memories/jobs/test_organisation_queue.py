"""Jobs of the organisation: one a period whoever begins it, read by curators and no one else."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.conf import settings
from django.db import IntegrityError, connections
from django.utils import timezone

from memories.browsing import job_pages
from memories.jobs import job_queue, organisation_run, run_jobs
from memories.jobs.models import Job, JobType
from memories.jobs.organisation_run import (
    OrganisationRun,
    build_job,
    create_run_once,
    ensure_curators_audience,
    has_run,
    lease_manual_run,
)
from memories.lifecycle import daily_jobs
from memories.lifecycle.ageing_policy import update_policy
from memories.tasks import run_job, sweep_jobs
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import AudienceEntry, AudienceType
from orgs.organisations.organisation_removal import remove_organisation
from orgs.principals import Actor, resolve_principal
from tests.databases import database_url, rolled_back_connection, set_scope_settings
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("jobs_of_here")

KIND = JobType.CONSOLIDATE
_BEAT = """
import sys
from datetime import datetime
from uuid import UUID
import django
django.setup()
from memories.lifecycle.daily_jobs import enqueue_due
sys.stdin.readline()
made = enqueue_due(UUID(sys.argv[1]), now=datetime.fromisoformat(sys.argv[2]))
print(len(made))
"""


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[OrganisationRun], None]], None]:
    """Says what a run of consolidation does instead."""

    def does(work: Callable[[OrganisationRun], None]) -> None:
        monkeypatch.setitem(organisation_run._handlers, KIND, (work, None))

    return does


def all_of(here: Tenant) -> list[Job]:
    with organisation_scope(here.id, using="worker"):
        return list(Job.objects.using("worker").filter(organisation_id=here.id).order_by("id"))


@pytest.mark.conformance("O07")
def test_two_beats_make_one_run_a_day(here: Tenant) -> None:
    def beat(_: int) -> int:
        try:
            return len(daily_jobs.enqueue_due(here.id, now=NOW))
        finally:
            connections.close_all()

    update_policy(here.person("ada"), {"past_half_life": True}, now=NOW)
    assert daily_jobs.is_due(here.id, now=NOW)
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(beat, range(8))) == 3
    made = all_of(here)
    assert {(job.period, job.member_id, job.state) for job in made} == {
        ("2026-03-02", None, "waiting")
    }
    assert sorted(job.kind for job in made) == ["consolidate", "retain", "summarise"]
    assert not daily_jobs.is_due(here.id, now=NOW + timedelta(hours=11, minutes=59))
    assert daily_jobs.is_due(here.id, now=NOW + timedelta(hours=12)), "another day in UTC"
    update_policy(here.person("ada"), {"past_half_life": False}, now=NOW)
    tomorrow = daily_jobs.enqueue_due(here.id, now=NOW + timedelta(hours=12))
    assert [job.kind for job in tomorrow] == ["consolidate", "summarise"], "nothing is retained"


@pytest.mark.slow
@pytest.mark.conformance("O07")
def test_nor_do_two_processes_make_two(here: Tenant) -> None:
    urls = {f"DATABASE_{a.upper()}_URL": database_url(a) for a in ("worker", "owner", "support")}
    env = {**os.environ, **urls, "DATABASE_URL": database_url("default")}
    command = [sys.executable, "-c", _BEAT, str(here.id), NOW.isoformat()]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    beats = [subprocess.Popen(command, cwd=settings.BASE_DIR, env=env, **pipes) for _ in range(2)]
    for beat in beats:
        beat.stdin.write("now\n")
        beat.stdin.flush()
    told = sorted(beat.communicate(timeout=60)[0].strip() for beat in beats)
    assert sum(map(int, told)) == len(all_of(here)) == 2


def test_the_key_is_of_the_database_and_of_periods_alone(here: Tenant) -> None:
    job = create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    assert job is not None
    assert has_run(here.id, KIND, "2026-03-02")
    assert create_run_once(here.id, JobType.AGE, "2026-03-02", now=NOW), (
        "another kind is another run"
    )
    with pytest.raises(IntegrityError), organisation_scope(here.id, using="worker"):
        Job.objects.using("worker").create(
            organisation_id=here.id, audience_id=job.audience_id, kind=KIND, period=job.period,
            created_at=NOW, queued_at=NOW,
        )  # fmt: skip
    with pytest.raises(IntegrityError), resolve_principal(here.person("ada")).scope():
        Job.objects.create(
            organisation_id=here.id, audience_id=resolve_principal(here.person("ada")).own_audience,
            member_id=here.members["ada"].id, kind="change", period="2026-03-02",
            created_at=NOW, queued_at=NOW,
        )  # fmt: skip
    ada = here.person("ada")
    for _ in range(2):
        job_pages.cancel_visible_job(ada, job_pages.enqueue_consolidation(ada, now=NOW).id)
    assert [job.period for job in all_of(here)].count(None) == 2


@pytest.mark.conformance("O13")
def test_curators_see_it_and_nobody_else_does(lasting_world: World, here: Tenant) -> None:
    job = create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    assert job is not None
    aria = here.robots["aria"].id
    chidi = here.members["chidi"].id
    others: list[Actor] = [
        *(here.person(name) for name in ("mina", "bob", "vera")),
        here.robot("aria"),
        Actor(
            organisation_id=here.id, member_id=chidi, robot_id=aria, role="curator",
            delegated=True, include_direct=True,
        ),
        lasting_world.there.person("ada"),
    ]  # fmt: skip
    for who in ("ada", "chidi"):
        assert job_pages.get_job(here.person(who), job.id).id == job.id
        assert [one.id for one in job_pages.get_jobs_overview(here.person(who)).organisations] == [
            job.id
        ]
        assert job_pages.get_jobs_overview(here.person(who)).jobs == [], "it is not theirs"
    for other in others:
        for act in (
            job_pages.get_job,
            job_pages.cancel_visible_job,
            job_pages.resume_cancelled_job,
            job_pages.retry_failed_job,
        ):
            with pytest.raises(NotFoundError):
                act(other, job.id)
        # The database says the same, whatever a query of the application asks for.
        with resolve_principal(other).scope():
            assert not Job.objects.filter(id=job.id).exists()
            assert Job.objects.filter(id=job.id).update(state="cancelled") == 0
        with pytest.raises(NotFoundError):
            job_pages.enqueue_consolidation(_of(other, here), now=NOW)
    assert all_of(here)[0].state == "waiting"


def test_who_is_no_curator_any_more_sees_none_though_the_audience_were_open(here: Tenant) -> None:
    """The second lock: the first is the audience."""
    job = create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    assert job is not None
    mina = here.person("mina")
    with organisation_scope(here.id):
        AudienceEntry.objects.create(
            organisation_id=here.id, audience_id=job.audience_id, kind="member",
            reader=here.members["mina"].id,
        )  # fmt: skip
    with resolve_principal(mina).scope():
        assert Job.objects.filter(id=job.id).exists(), "the database would show it"
    for act in (
        job_pages.get_job,
        job_pages.cancel_visible_job,
        job_pages.resume_cancelled_job,
        job_pages.retry_failed_job,
    ):
        with pytest.raises(NotFoundError):
            act(mina, job.id)
    assert (
        job_pages.get_jobs_overview(mina).organisations
        == job_pages.get_jobs_overview(mina).jobs
        == []
    )


def _of(other: Actor, here: Tenant) -> Actor:
    """Who asks here; an admin of another organisation is a member of this one at most."""
    if other.organisation_id == here.id:
        return other
    return Actor(organisation_id=here.id, member_id=other.member_id, role="member")


def test_its_audience_is_one_that_curators_read(here: Tenant) -> None:
    job = create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    assert job is not None
    with rolled_back_connection("owner") as owner:
        set_scope_settings(owner, organisation=here.id)
        row = owner.execute(
            "SELECT kind, (SELECT count(*) FROM orgs_audienceentry e WHERE e.audience_id = a.id) "
            "FROM orgs_audience a WHERE id = %s",
            [job.audience_id],
        ).fetchone()
    assert row is None or row == (AudienceType.REVIEW, 0)
    assert job.audience_id in resolve_principal(here.person("chidi")).audiences
    for name in ("mina", "vera"):
        assert job.audience_id not in resolve_principal(here.person(name)).audiences


def test_it_works_in_turns_with_members_jobs(
    here: Tenant, works: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "SLICE_SECONDS", 0.0)
    seen: list[int] = []

    def work(run: OrganisationRun) -> None:
        while run.place.get("next", 0) < 3:
            seen.append(run.place.get("next", 0))
            run.place["next"] = len(seen)
            run.count(steps=1)
            if not run.step(len(seen), 3):
                return

    works(work)
    create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    states = []
    while run_job():
        states.append((all_of(here)[0].state, all_of(here)[0].done))
    assert states == [("waiting", 1), ("waiting", 2), ("waiting", 3), ("done", 3)]
    assert seen == [0, 1, 2]
    assert all_of(here)[0].result == {"steps": 3}


@pytest.mark.conformance("O01")
def test_a_run_that_always_breaks_off_is_dead_until_a_curator_tries_again(
    here: Tenant, works: Any
) -> None:
    def killed(_: OrganisationRun) -> None:
        raise SystemExit

    works(killed)
    create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    start, chidi = timezone.now(), here.person("chidi")
    for attempt in range(1, job_queue.MAX_ATTEMPTS + 1):
        with time_machine.travel(start + attempt * (job_queue.LEASE + timedelta(seconds=1))):
            with pytest.raises(SystemExit):
                run_job()
            assert not run_job(), "its lease holds"
            assert (all_of(here)[0].state, all_of(here)[0].attempts) == ("running", attempt)
    with time_machine.travel(start + 10 * job_queue.LEASE):
        assert not run_job()
        [job] = all_of(here)
        assert (job.state, job.reason) == ("dead", "It was tried several times and broke off.")
        assert create_run_once(here.id, KIND, "2026-03-02", now=NOW) is None, "its day had its run"
        works(lambda run: run.count(steps=1))
        job_pages.retry_failed_job(chidi, job.id)
        assert run_job()
    assert (all_of(here)[0].state, all_of(here)[0].result) == ("done", {"steps": 1})


@pytest.mark.conformance("O01")
@pytest.mark.parametrize("gets_on", [True, False])
def test_a_run_that_is_killed_often_is_given_up_only_where_it_gets_stuck(
    here: Tenant, works: Any, gets_on: bool
) -> None:
    kills = 2 * job_queue.MAX_ATTEMPTS

    def killed(run: OrganisationRun) -> None:
        done = run.place.get("next", 0) + 1 if gets_on else 1
        if done > kills:
            return
        run.place["next"] = done
        assert run.step(done, kills)
        raise SystemExit

    works(killed)
    create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    start = timezone.now()
    for attempt in range(1, kills + 2):
        later = start + attempt * (job_queue.LEASE + timedelta(seconds=1))
        with time_machine.travel(later), suppress(SystemExit):
            run_job()
    assert all_of(here)[0].state == ("done" if gets_on else "dead")


def test_the_sweeper_finds_it_and_a_message_without_a_member_does_it(
    here: Tenant, works: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[UUID, UUID, UUID | None]] = []
    monkeypatch.setattr("memories.tasks.notify_job_worker", lambda *ids: sent.append(ids))
    works(lambda run: run.count(steps=1))
    job = create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    assert job is not None
    sweep_jobs()
    assert (here.id, job.id, None) in sent
    assert not run_jobs.run_job(here.id, job.id, here.members["ada"].id), "it is no member's"
    assert run_jobs.run_job(here.id, job.id, None)
    assert not run_jobs.run_job(here.id, job.id, None)


def test_asking_by_hand_gets_the_run_that_is_open(here: Tenant) -> None:
    chidi = here.person("chidi")
    job = job_pages.enqueue_consolidation(chidi, now=NOW)
    assert job_pages.enqueue_consolidation(here.person("ada"), now=NOW).id == job.id
    assert (job.period, job.member_id) == (None, None)
    assert create_run_once(here.id, KIND, "2026-03-02", now=NOW), "the day has its own"
    job_pages.cancel_visible_job(chidi, job.id)
    assert job_pages.enqueue_consolidation(chidi, now=NOW).id != job.id
    with pytest.raises(AlreadyExistsError):
        job_pages.cancel_visible_job(chidi, job.id)


def test_a_terminal_goes_on_with_what_was_put_down_or_broke_off(here: Tenant) -> None:
    now = timezone.now()
    job = lease_manual_run(here.id, KIND, now=now)
    assert lease_manual_run(here.id, KIND, now=now).id != job.id, "somebody works on it"
    last = all_of(here)[-1]
    later = now + job_queue.LEASE + timedelta(seconds=1)
    assert lease_manual_run(here.id, KIND, now=later).id == last.id, "its terminal was killed"
    job_queue.finish_job(
        None, lease_manual_run(here.id, KIND, now=later + job_queue.LEASE + timedelta(seconds=1))
    )
    assert len(all_of(here)) == 2
    assert lease_manual_run(here.id, KIND, now=later).id not in {job.id, last.id}, (
        "that one was done"
    )


@pytest.mark.parametrize("state", ["waiting", "cancelled", "running"])
def test_a_run_of_one_audience_is_none_of_the_whole_organisation(here: Tenant, state: str) -> None:
    """A debate owes one; whoever asks for a run by hand gets one that looks at everything."""
    now, everyone = timezone.now(), ensure_curators_audience(here.id)
    debates = build_job(
        here.id, KIND, everyone, now, state=state, leased_until=now - timedelta(seconds=1),
        parameters={"audience": str(everyone)},
    )  # fmt: skip
    with organisation_scope(here.id, using="worker"):
        debates.save(using="worker", force_insert=True)
    by_hand = job_pages.enqueue_consolidation(here.person("chidi"), now=now)
    assert (by_hand.id != debates.id, by_hand.parameters) == (True, {})
    # The newest is the debate's.
    with organisation_scope(here.id, using="worker"):
        Job.objects.using("worker").filter(id=by_hand.id).delete()
    at_terminal = lease_manual_run(here.id, KIND, now=now)
    assert (at_terminal.id != debates.id, at_terminal.parameters) == (True, {})


def test_it_goes_with_its_organisation(here: Tenant, works: Any) -> None:
    """Also in the middle of its work, which then stops."""
    told: list[bool] = []

    def work(run: OrganisationRun) -> None:
        assert remove_organisation(here.id, now=timezone.now())
        told.append(run.step(1, 2))

    works(work)
    create_run_once(here.id, KIND, "2026-03-02", now=NOW)
    assert run_job()
    assert told == [False]
    with rolled_back_connection("admin") as admin:
        statement = "SELECT count(*) FROM memories_job WHERE organisation_id = %s"
        assert admin.execute(statement, [here.id]).fetchone() == (0,)
    assert not run_job()


def test_work_without_a_place_is_whole_in_a_turn_and_counts(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Done:
        figures: dict[str, int]

    heard: list[bool] = []
    ada = here.person("ada")

    def retain(
        organisation_id: UUID, *, now: datetime, keep_on: Callable[[int, int], bool]
    ) -> Done:
        assert organisation_id == here.id
        heard.append(keep_on(1, 2))
        return Done({"archived": 3, "kept": 1})

    monkeypatch.setattr(job_queue, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(organisation_run, "_handlers", {})
    organisation_run.register_single_slice_handler(JobType.RETAIN, retain)
    job = create_run_once(here.id, JobType.RETAIN, "2026-03-02", now=NOW)
    assert job is not None
    assert run_job()
    found = job_pages.get_job(ada, job.id)
    assert (found.state, found.result, heard) == ("done", {"archived": 3, "kept": 1}, [True])

    other = create_run_once(here.id, JobType.RETAIN, "2026-03-03", now=NOW)
    assert other is not None
    noted = organisation_run.save_progress

    def noting(actor: Any, job: Job) -> bool:
        job_pages.cancel_visible_job(ada, job.id)
        return noted(actor, job)

    monkeypatch.setattr(organisation_run, "save_progress", noting)
    assert run_job()
    found = job_pages.get_job(ada, other.id)
    assert (found.state, found.result["archived"], heard) == ("cancelled", 3, [True, False])
