"""Work is cancelled and goes on: at once while it waits, between two steps while it runs."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from memories.browsing import job_pages
from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange
from memories.ingestion.file_import import import_job, importer
from memories.ingestion.file_import import import_job as file_import_uploads
from memories.jobs import job_queue, run_jobs
from memories.jobs.models import Job
from memories.store.models.memory import Memory
from memories.tasks import run_job
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tenant:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    return lasting_world.here


def change(here: Tenant, monkeypatch: pytest.MonkeyPatch, count: int = 4) -> UUID:
    """A job of Ada that archives so many memories."""
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 0)
    ada = here.person("ada")
    ids = [here.remember(ada, f"Fact {n}.", visibility="private").id for n in range(count)]
    return bulk_change.change_memories(
        ada, ids, BulkChange(action="archive"), now=timezone.now()
    ).job.id


def found(here: Tenant, id_: UUID) -> Job:
    return job_pages.get_job(here.person("ada"), id_)


def archived(here: Tenant) -> int:
    with resolve_principal(here.person("ada")).scope():
        return Memory.objects.filter(status="archived").count()


def then(after: int, do: Callable[[], object], real: Callable[..., Any]) -> Callable[..., Any]:
    """The real step; after so many of them something else happens."""
    count = 0

    def step(*args: Any) -> Any:
        nonlocal count
        result = real(*args)
        count += 1
        if count == after:
            do()
        return result

    return step


@pytest.mark.conformance("O13")
def test_what_waits_is_cancelled_at_once_and_goes_on(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, ada = change(here, monkeypatch), here.person("ada")
    assert job_pages.cancel_visible_job(ada, id_).state == "cancelled"
    assert not run_job()
    assert (found(here, id_).done, archived(here)) == (0, 0)
    with pytest.raises(AlreadyExistsError):
        job_pages.cancel_visible_job(ada, id_)
    job_pages.resume_cancelled_job(ada, id_)
    with pytest.raises(AlreadyExistsError):
        job_pages.resume_cancelled_job(ada, id_)
    assert run_job()
    assert (found(here, id_).state, archived(here)) == ("done", 4)
    with resolve_principal(ada).scope():
        entries = AuditEntry.objects.filter(target=id_).order_by("id")
        actions = list(entries.values_list("action", flat=True))
    assert actions == ["job.change", "job.cancelled", "job.resumed"]


@pytest.mark.conformance("O13")
def test_what_runs_stops_between_two_steps_and_goes_on_there(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, ada = change(here, monkeypatch), here.person("ada")
    monkeypatch.setattr(job_queue, "SAVE_INTERVAL_SECONDS", 0.0)
    changed: list[UUID] = []
    real = bulk_change.apply_change

    def one(actor: Any, memory_id: UUID, *rest: Any) -> Any:
        changed.append(memory_id)
        return real(actor, memory_id, *rest)

    monkeypatch.setattr(
        bulk_change, "apply_change", then(2, lambda: job_pages.cancel_visible_job(ada, id_), one)
    )
    assert run_job()
    job = found(here, id_)
    assert (job.state, job.done, archived(here)) == ("cancelled", 2, 2)
    assert (job.leased_until, job.cancel_asked_at) == (None, None)
    assert not run_job()
    job_pages.resume_cancelled_job(ada, id_)
    assert run_job()
    job = found(here, id_)
    assert (job.state, job.done, archived(here)) == ("done", 4, 4)
    assert len(changed) == len(set(changed)) == 4, "nothing was done twice"
    assert bulk_change.undo_bulk_change(ada, id_, now=timezone.now()).job.total == 4, (
        "all of it can be undone"
    )


def test_a_wish_that_comes_too_late_changes_nothing(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, ada = change(here, monkeypatch), here.person("ada")
    monkeypatch.setattr(job_queue, "SAVE_INTERVAL_SECONDS", 0.0)
    late = then(4, lambda: job_pages.cancel_visible_job(ada, id_), bulk_change.apply_change)
    monkeypatch.setattr(bulk_change, "apply_change", late)
    assert run_job()
    job = found(here, id_)
    assert (job.state, job.cancel_asked_at) == ("done", None)


@pytest.mark.conformance("O13")
def test_an_import_is_cancelled_and_goes_on_at_its_line(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "CHUNK_LINES", 2)
    monkeypatch.setattr(job_queue, "SAVE_INTERVAL_SECONDS", 0.0)
    ada = here.person("ada")
    lines = [{"id": str(n), "group": "g", "text": f"Line {n}."} for n in range(6)]
    content = b"\n".join(json.dumps(line).encode() for line in lines)
    file: Any = SimpleUploadedFile("talk.jsonl", content)
    id_ = file_import_uploads.enqueue_import(
        ada, file, name="talk.jsonl", size=len(content), by_group=False, now=NOW
    ).id
    real = importer.memory_writes.insert_memories
    with monkeypatch.context() as patched:
        cancelling = then(
            1, lambda: job_pages.cancel_visible_job(ada, id_), lambda a, k: real(*a, **k)
        )
        patched.setattr(importer.memory_writes, "insert_memories", lambda *a, **k: cancelling(a, k))
        assert run_job()
    job = found(here, id_)
    assert (job.state, job.place["line"], job.result["imported"]) == ("cancelled", 2, 2)
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        assert import_job.sweep(now=timezone.now()) == 0, "its file is still to be read"
    job_pages.resume_cancelled_job(ada, id_)
    assert run_job()
    job = found(here, id_)
    assert (job.state, job.result["imported"], job.result["already"]) == ("done", 6, 0)


def test_a_wish_is_met_though_the_worker_died(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, ada = change(here, monkeypatch), here.person("ada")
    assert job_queue.lease_job(here.id, id_, here.members["ada"].id)
    assert job_pages.cancel_visible_job(ada, id_).state == "running"
    assert not run_job(), "its lease holds"
    with time_machine.travel(timezone.now() + job_queue.LEASE + timedelta(seconds=1)):
        assert not run_job()
        assert found(here, id_).state == "cancelled"
        job_pages.resume_cancelled_job(ada, id_)
        assert job_queue.lease_job(here.id, id_, here.members["ada"].id)
    with time_machine.travel(timezone.now() + 3 * job_queue.LEASE):
        assert job_pages.cancel_visible_job(ada, id_).state == "cancelled", "nobody works on it"


def test_who_lost_the_job_writes_no_more_into_it(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was slow beyond its lease finds that another has the job."""
    id_, mine = change(here, monkeypatch), here.members["ada"].id
    taken = job_queue.lease_job(here.id, id_, mine)
    assert taken
    actor, slow = taken
    with time_machine.travel(timezone.now() + job_queue.LEASE + timedelta(seconds=1)):
        again = job_queue.lease_job(here.id, id_, mine)
        assert again
        slow.done = 3
        assert not job_queue.save_progress(actor, slow)
        job_queue.requeue_job(actor, slow)
        job_queue.finish_job(actor, slow)
        job = found(here, id_)
        assert (job.state, job.done, job.attempts) == ("running", 0, 2)
        assert job_queue.save_progress(actor, again[1])


def test_a_job_of_a_removed_member_waits_for_nobody(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, ada = change(here, monkeypatch), here.person("ada")
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(removed_at=NOW)
    assert job_queue.list_ready_jobs(here.id, timezone.now()) == []
    assert not run_job()
    assert not run_jobs.run_job(here.id, id_, None), "nor is it done as the organisation's"
    with pytest.raises(NotFoundError):
        job_pages.cancel_visible_job(here.person("chidi"), id_)
    assert found(here, id_).state == "waiting"
    assert ada.member_id


def test_nobody_else_cancels_or_resumes(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = change(here, monkeypatch)
    for who in ("chidi", "mina", "vera"):
        for act in (
            job_pages.cancel_visible_job,
            job_pages.resume_cancelled_job,
            job_pages.retry_failed_job,
        ):
            with pytest.raises(NotFoundError):
                act(here.person(who), id_)
