"""A worker that the operating system kills, ten times, in the middle of whatever it does."""

import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
import time_machine
from django.conf import settings

from memories.browsing import job_pages
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.jobs import run_jobs
from memories.jobs.models import Job, JobState
from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.models import AgeingRun
from memories.lifecycle.tiers import COOL_DOWN
from memories.store.dependents import is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.use import Transition, Use
from memories.store.models.version import Derivation
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from tests.databases import autocommit_connection, database_url
from tests.world import NOW, Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")

KILLS, MOST_DAYS = 10, 30
DAY = timedelta(days=1)
# What comes each day, and what a tier may hold: each day has memories that move, are summarised
# and are too old.
DAILY, ROOM = 60, 50

# What the worker's tasks do (memories/tasks.py), with steps so small that there are many moments
# between two of them. argv: the organisation and the moment.
_WORKER = f"""
import sys
from datetime import datetime
from uuid import UUID
import django
django.setup()
import time_machine
from django.utils import timezone
from memories.jobs import run_jobs
from memories.lifecycle import daily_jobs, retention, tier_moves, tier_schedule
from memories.curation import consolidate
from memories.lifecycle.consolidation import capacity_limit
tier_moves.BATCH_SIZE = retention.BATCH_SIZE = consolidate.COMPARE_BATCH_SIZE = 5
capacity_limit.MAX_MEMORIES = 5
tiers = ("fast", "medium", "slow", "glacial")
capacity_limit.tier_capacities = lambda profile: dict.fromkeys(tiers, {ROOM})
here = UUID(sys.argv[1])
run_jobs.list_organisation_ids = lambda: [here]
with time_machine.travel(datetime.fromisoformat(sys.argv[2])):
    print("begins", flush=True)
    tier_schedule.move_due_tiers(here, now=timezone.now())
    daily_jobs.enqueue_due(here, now=timezone.now())
    while run_jobs.run_next_job():
        pass
    print("ends", flush=True)
"""


@contextmanager
def worker(here: Tenant, now: datetime) -> Iterator["subprocess.Popen[str]"]:
    """A worker process that has begun its work of this moment."""
    urls = {f"DATABASE_{a.upper()}_URL": database_url(a) for a in ("worker", "owner", "support")}
    process = subprocess.Popen(
        [sys.executable, "-c", _WORKER, str(here.id), now.isoformat()],
        cwd=settings.BASE_DIR,
        env={**os.environ, **urls, "DATABASE_URL": database_url("default")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        try:
            assert process.stdout.readline() == "begins\n"
            yield process
        finally:
            process.kill()


def a_day_of_work(here: Tenant, number: int, now: datetime) -> list[UUID]:
    """New memories in two tiers, some of them used enough to rise."""
    drafts = [
        Draft(
            content=f"On day {number} shelf {n} was painted in colour {number * DAILY + n}.",
            importance=n / DAILY,
            tier=("medium", "slow")[n % 2],
        )
        for n in range(DAILY)
    ]
    ids = [one.id for one in remember_many(here.robot("bolt"), drafts, now=now - DAY)]
    here.embed()
    with organisation_scope(here.id, using="worker"):
        uses = Use.objects.using("worker").filter(memory_id__in=ids[::4])
        uses.update(since_accesses=5, last_accessed_at=now)
    return ids


def dead(here: Tenant) -> list[Job]:
    with organisation_scope(here.id, using="worker"):
        return list(Job.objects.using("worker").filter(state=JobState.DEAD))


def half_done(here: Tenant) -> bool:
    """Whether the worker died over something."""
    with organisation_scope(here.id, using="worker"):
        running = Job.objects.using("worker").filter(state=JobState.RUNNING)
        return (
            running.exists() or AgeingRun.objects.using("worker").filter(finished_at=None).exists()
        )


def memories(here: Tenant) -> dict[UUID, Memory]:
    with organisation_scope(here.id, using="worker"):
        found = Memory.objects.using("worker").filter(organisation_id=here.id)
        return {one.id: one for one in found}


def nothing_lost(here: Tenant, ids: list[UUID]) -> None:
    with organisation_scope(here.id, using="worker"):
        rows = {
            one.id: one for one in Memory.objects.using("worker").filter(organisation_id=here.id)
        }
    assert set(ids) <= set(rows)
    assert {rows[id_].status for id_ in ids} == {Status.ACTIVE, Status.ARCHIVED}
    assert {id_ for id_, row in rows.items() if not is_summary(row)} == set(ids)
    with autocommit_connection("admin") as database:
        found = database.execute(
            "SELECT memory_id FROM memories_search WHERE organisation_id = %s", [here.id]
        ).fetchall()
    archived = {id_ for id_, row in rows.items() if row.status == Status.ARCHIVED}
    assert not archived & {id_ for (id_,) in found}, "what is archived is found no more"


def nothing_summarised_twice(here: Tenant) -> None:
    rows = memories(here)
    with organisation_scope(here.id, using="worker"):
        rows = {
            one.id: one for one in Memory.objects.using("worker").filter(organisation_id=here.id)
        }
        links = list(Derivation.objects.using("worker").values_list("memory_id", "source_id"))
    made = {id_ for id_, row in rows.items() if is_summary(row)}
    sources = Counter(source for memory, source in links if memory in made)
    assert made
    assert set(sources.values()) == {1}
    by_rule = {id_ for id_, row in rows.items() if row.archived_for}
    gone = {id_ for id_, row in rows.items() if row.status == Status.ARCHIVED}
    assert set(sources) <= gone
    # One that goes alone needs no summary, so the log says how many went: in the same transaction.
    with organisation_scope(here.id):
        log = AuditEntry.objects.filter(action="memory.summarised").values_list("detail", flat=True)
        assert sum(detail["archived"] for detail in log) == len(gone - by_rule)
        assert sum(detail["summaries"] for detail in log) == len(made)
    of = Counter(memory for memory, _ in links if memory in made)
    assert {id_: rows[id_].source["summary_of"] for id_ in made} == of


def nothing_moved_twice(here: Tenant) -> None:
    steps = defaultdict(list)
    with organisation_scope(here.id, using="worker"):
        log = Transition.objects.using("worker").order_by("moved_at")
        for move in log:
            steps[move.memory_id].append(move)
        tiers = dict(Use.objects.using("worker").values_list("memory_id", "tier"))
    assert steps
    for memory, moves in steps.items():
        for before, after in pairwise(moves):
            assert after.moved_at - before.moved_at >= COOL_DOWN
            assert after.from_tier == before.to_tier, "no move is missing from the log"
        assert tiers[memory] == moves[-1].to_tier


def no_job_left_open(here: Tenant) -> None:
    with organisation_scope(here.id, using="worker"):
        made = list(Job.objects.using("worker").filter(organisation_id=here.id))
        runs = list(AgeingRun.objects.using("worker").filter(organisation_id=here.id))
        archived = Counter(
            bool(rule)
            for rule in Memory.objects.using("worker")
            .filter(organisation_id=here.id, status=Status.ARCHIVED)
            .values_list("archived_for", flat=True)
        )
        moved = Transition.objects.using("worker").count()
    assert {(job.state, job.leased_until) for job in made} == {(JobState.DONE, None)}
    assert [run for run in runs if run.finished_at is None] == []
    assert set(Counter((job.kind, job.period) for job in made).values()) == {1}
    assert all(0 <= job.done <= job.total for job in made)
    counted = Counter[str]()
    for job in made:
        for name, number in job.result.items():
            if isinstance(number, int):
                assert number >= 0
                counted[f"{job.kind} {name}"] += number
    # What a killed step did may be missing from the counts; nothing is counted twice.
    assert counted["summarise archived"] <= archived[False]
    assert counted["retain archived"] <= archived[True]
    assert counted["consolidate promoted"] + counted["consolidate demoted"] <= moved


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.conformance("O07")
def test_ten_kills_lose_nothing_and_double_nothing(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = {"evict": True, "max_age_days": {"fact": 4}}
    update_policy(here.person("ada"), policy, now=NOW)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [here.id])
    lot = random.Random(14)  # noqa: S311 - moments
    ids, kills, over, takes = list[UUID](), 0, 0, 2.0
    for number in range(MOST_DAYS):
        now = NOW + number * DAY
        ids += a_day_of_work(here, number, now)
        with worker(here, now) as process:
            if number:
                time.sleep(lot.uniform(0.05, 0.8) * takes)
                process.kill()
            else:
                began = time.monotonic()
                process.wait(timeout=120)
                takes = time.monotonic() - began
        kills += process.returncode == -9
        over += process.returncode == -9 and half_done(here)
        if kills == KILLS:
            break
    assert kills == KILLS
    assert over >= KILLS // 2, "most of them died over their work"
    now += DAY
    chidi = here.person("chidi")
    for hour in range(3):
        moment = now + timedelta(hours=hour)
        with worker(here, moment) as process:
            assert process.wait(timeout=240) == 0
        # What broke off three times waits for a person.
        with time_machine.travel(moment):
            for job in dead(here):
                job_pages.retry_failed_job(chidi, job.id)
    nothing_lost(here, ids)
    nothing_summarised_twice(here)
    nothing_moved_twice(here)
    no_job_left_open(here)
