"""The run of a day, as a worker makes it."""

from datetime import timedelta

from django.utils import timezone

from memories.jobs import organisation_run
from memories.jobs.models import Job, JobState, JobType
from memories.jobs.run_jobs import run_job
from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.daily_jobs import enqueue_due
from memories.views.jobs.organisation_job_presenter import job_title, result_sentence
from orgs.database.rls import organisation_scope
from personas.block_writes.block_updates import confirm_entry
from personas.learning import block_capacity
from tests.personas.persona_helpers import (
    RETAIL,
    all_memories,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

LONG_AGO = timedelta(days=300)


def learned(here: Tenant) -> Job:
    """The run of this moment, after a worker has taken it."""
    [job] = [one for one in enqueue_due(here.id, now=timezone.now()) if one.kind == JobType.LEARN]
    assert run_job(here.id, job.id, None)
    with organisation_scope(here.id, using="worker"):
        return Job.objects.using("worker").get(id=job.id)


def test_a_run_archives_makes_room_and_suggests(lasting_world: World, monkeypatch) -> None:
    here, now = lasting_world.here, timezone.now()
    monkeypatch.setattr(block_capacity, "BLOCK_LIMIT", 120)
    for name in ("mina", "bob"):
        make_association(here, name, RETAIL)
    make_association(here, "ada", "qsr_asset_management")
    [stale] = make_entries(here, "mina", "They faxed the plans.", handle=RETAIL, now=now - LONG_AGO)
    texts = (f"They ask about the rent of hall {n}." for n in range(3))
    old = make_entries(here, "mina", *texts, handle=RETAIL, now=now - timedelta(days=120))
    [lesson] = make_entries(here, "mina", "Renewals come first.", handle=RETAIL, now=now)
    bob = make_owner_actor(here, "bob")
    confirm_entry(
        bob, get_block_by_label(bob, f"{RETAIL}_service_experience").block.id, lesson, now=now
    )
    here.embed()
    update_policy(here.person("ada"), {"evict": True}, now=NOW)

    job = learned(here)
    assert (job.state, job.reason) == (JobState.DONE, "")
    assert job.result == {"faded": 1, "condensed": 1, "asked_about": 0, "suggested": 1}
    assert result_sentence(job.result) == (
        "1 entry archived that nobody confirmed, 1 full block summarised, 1 lesson suggested"
    )
    assert job_title(job).startswith("Tend what personas learned, ")
    rows = all_memories(here)
    assert rows[stale].archived_for == "stale"
    # Three lines of 34 characters and one of 20 are 125; two for one are 90, three quarters of 120.
    assert sum(rows[id_].status == "archived" for id_ in old) == 2
    assert rows[lesson].status == "active"


def test_a_run_that_is_stopped_goes_on(lasting_world: World, monkeypatch) -> None:
    here, now = lasting_world.here, timezone.now()
    make_association(here, "mina")
    make_entries(here, "mina", *(f"They faxed plan {n}." for n in range(3)), now=now - LONG_AGO)
    make_entries(here, "mina", "They ask for maps.", now=now)
    monkeypatch.setattr("personas.learning.stale_entries.BATCH_SIZE", 1)
    [job] = [one for one in enqueue_due(here.id, now=now) if one.kind == JobType.LEARN]
    monkeypatch.setattr(organisation_run.JobTimeSlice, "over", lambda turn: True)
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
