"""The run of a day, as a worker makes it."""

from datetime import timedelta

from django.utils import timezone

from memories.jobs import organisation_run
from memories.jobs.models import Job, JobKind, JobState
from memories.jobs.runner import run_job
from memories.lifecycle.daily_jobs import make_due
from memories.lifecycle.policies import set_policy
from memories.views.jobs.organisation_words import did, title_of
from orgs.database.rls import organisation_scope
from personas.block_writes.write import confirm_entry
from personas.learning import full_blocks
from tests.personas.cast import RETAIL, block, give, learn, memories, serving
from tests.world import NOW, Tenant, World

LONG_AGO = timedelta(days=300)


def learned(here: Tenant) -> Job:
    """The run of this moment, after a worker has taken it."""
    [job] = [one for one in make_due(here.id, now=timezone.now()) if one.kind == JobKind.LEARN]
    assert run_job(here.id, job.id, None)
    with organisation_scope(here.id, using="worker"):
        return Job.objects.using("worker").get(id=job.id)


def test_a_run_archives_makes_room_and_suggests(lasting_world: World, monkeypatch) -> None:
    here, now = lasting_world.here, timezone.now()
    monkeypatch.setattr(full_blocks, "LIMIT", 120)
    for name in ("mina", "bob"):
        give(here, name, RETAIL)
    give(here, "ada", "qsr_asset_management")
    [stale] = learn(here, "mina", "They faxed the plans.", handle=RETAIL, now=now - LONG_AGO)
    texts = (f"They ask about the rent of hall {n}." for n in range(3))
    old = learn(here, "mina", *texts, handle=RETAIL, now=now - timedelta(days=120))
    [lesson] = learn(here, "mina", "Renewals come first.", handle=RETAIL, now=now)
    bob = serving(here, "bob")
    confirm_entry(bob, block(bob, f"{RETAIL}_service_experience").block.id, lesson, now=now)
    here.embed()
    set_policy(here.person("ada"), {"evict": True}, now=NOW)

    job = learned(here)
    assert (job.state, job.reason) == (JobState.DONE, "")
    assert job.result == {"faded": 1, "condensed": 1, "asked_about": 0, "suggested": 1}
    assert did(job.result) == (
        "1 entry archived that nobody confirmed, 1 full block summarised, 1 lesson suggested"
    )
    assert title_of(job).startswith("Tend what personas learned, ")
    rows = memories(here)
    assert rows[stale].archived_for == "stale"
    # Three lines of 34 characters and one of 20 are 125; two for one are 90, three quarters of 120.
    assert sum(rows[id_].status == "archived" for id_ in old) == 2
    assert rows[lesson].status == "active"


def test_a_run_that_is_stopped_goes_on(lasting_world: World, monkeypatch) -> None:
    here, now = lasting_world.here, timezone.now()
    give(here, "mina")
    learn(here, "mina", *(f"They faxed plan {n}." for n in range(3)), now=now - LONG_AGO)
    learn(here, "mina", "They ask for maps.", now=now)
    monkeypatch.setattr("personas.learning.stale_entries.BATCH", 1)
    [job] = [one for one in make_due(here.id, now=now) if one.kind == JobKind.LEARN]
    monkeypatch.setattr(organisation_run.JobTurn, "over", lambda turn: True)
    for faded in (1, 2, 3):
        assert run_job(here.id, job.id, None)
        with organisation_scope(here.id, using="worker"):
            job = Job.objects.using("worker").get(id=job.id)
        assert (job.state, job.result["faded"]) == (JobState.WAITING, faded)
    monkeypatch.undo()
    assert run_job(here.id, job.id, None)
    with organisation_scope(here.id, using="worker"):
        job = Job.objects.using("worker").get(id=job.id)
    assert (job.state, job.result["faded"]) == (JobState.DONE, 3)
