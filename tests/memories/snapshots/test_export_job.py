"""An export runs as a job: it holds what its asker reads, goes on at its place, and is theirs."""

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from memories.browsing import job_pages
from memories.jobs import job_queue, run_jobs
from memories.jobs.models import Job
from memories.privacy.erase_memory import erase_memory
from memories.snapshots import export_job
from memories.snapshots.export_job import EXPORTS, enqueue_export, get_file
from memories.store.models.memory import Memory
from memories.tasks import run_job, sweep_uploads
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.memberships import Member
from orgs.models.organisations import GroupMembership
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tenant:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    monkeypatch.setattr(export_job, "BATCH_SIZE", 2)
    return lasting_world.here


def begin(here: Tenant, count: int = 5, who: str = "mina") -> UUID:
    """A job of Mina, who has so many memories of her own."""
    for number in range(count):
        here.remember(here.person(who), f"Fact {number} of {who}.", visibility="private")
    return enqueue_export(here.person(who), {}, now=timezone.now()).id


def portions(monkeypatch: pytest.MonkeyPatch, after: int, do: Callable[[], object]) -> None:
    """After so many portions something happens; a portion is of two memories."""
    real, seen = export_job.load_batch, 0

    def step(*args: Any, **kwargs: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == after + 1:
            do()
        return real(*args, **kwargs, most=2)

    monkeypatch.setattr(export_job, "load_batch", step)


def found(here: Tenant, id_: UUID, who: str = "mina") -> Job:
    return job_pages.get_job(here.person(who), id_)


def contents(id_: UUID) -> list[str]:
    lines = [orjson.loads(line) for line in EXPORTS.path_of(id_).read_bytes().splitlines()]
    assert lines[0]["format"] == "commonmind-snapshot"
    return [line["content"] for line in lines[1:]]


def facts(count: int) -> list[str]:
    return [f"Fact {number} of mina." for number in range(count)]


@pytest.mark.conformance("O13")
def test_an_export_is_a_file_for_its_asker_alone(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    portions(monkeypatch, 99, lambda: None)
    id_ = begin(here)
    with pytest.raises(NotFoundError):
        get_file(here.person("mina"), id_, now=timezone.now())
    assert run_job()
    job = found(here, id_)
    assert (job.state, job.done, job.total) == ("done", 5, 5)
    path = get_file(here.person("mina"), id_, now=timezone.now())
    assert contents(id_) == facts(5)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for who in ("ada", "chidi", "bob", "vera"):
        with pytest.raises(NotFoundError):
            get_file(here.person(who), id_, now=timezone.now())
    with pytest.raises(NotFoundError):
        get_file(here.robot("aria"), id_, now=timezone.now())
    mina = here.members["mina"].id
    acting = replace(here.robot("aria"), member_id=mina, delegated=True)
    with pytest.raises(PermissionError):
        enqueue_export(acting, {}, now=timezone.now())


@pytest.mark.conformance("O13")
def test_a_cancelled_export_goes_on_at_its_place(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, mina = begin(here), here.person("mina")
    monkeypatch.setattr(job_queue, "SAVE_INTERVAL_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        portions(patched, 1, lambda: job_pages.cancel_visible_job(mina, id_))
        assert run_job()
    job = found(here, id_)
    assert (job.state, job.done, len(contents(id_))) == ("cancelled", 4, 4)
    job_pages.resume_cancelled_job(mina, id_)
    portions(monkeypatch, 99, lambda: None)
    assert run_job()
    assert (found(here, id_).state, contents(id_)) == ("done", facts(5))


@pytest.mark.conformance("T14")
def test_an_erasure_takes_the_file_away_while_it_is_written(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before the rows went reaches no file that stays, and the export begins anew."""
    id_, mina, erased = begin(here), here.person("mina"), "Fact 0 of mina."

    def erase() -> None:
        with resolve_principal(mina).scope():
            row = Memory.objects.get(content=erased)
        erase_memory(mina, row.id, confirm=row.id, now=timezone.now())
        EXPORTS.discard(id_)

    with monkeypatch.context() as patched:
        portions(patched, 1, erase)
        assert run_job()
    assert found(here, id_).state == "waiting"
    assert not EXPORTS.path_of(id_).exists()
    portions(monkeypatch, 99, lambda: None)
    while run_job():
        pass
    job = found(here, id_)
    assert (job.state, contents(id_)) == ("done", facts(5)[1:])
    assert (job.done, job.total) == (4, 4)


@pytest.mark.parametrize("torn", [b'{"id": "half a li', b'{"id": 1}\n{"id": 2}\n', b""])
@pytest.mark.parametrize("noted", [True, False])
def test_a_killed_export_has_nothing_double_and_nothing_lost(
    here: Tenant, monkeypatch: pytest.MonkeyPatch, torn: bytes, noted: bool
) -> None:
    """What a worker wrote and did not note is cut away, were it whole lines or a torn one."""
    id_ = begin(here)
    if noted:
        monkeypatch.setattr(job_queue, "SAVE_INTERVAL_SECONDS", 0.0)

    def die() -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        portions(patched, 2, die)
        with pytest.raises(RuntimeError):
            run_job()
    assert found(here, id_).place.get("offset", 0) == (
        EXPORTS.path_of(id_).stat().st_size if noted else 0
    )
    with EXPORTS.path_of(id_).open("ab") as file:
        file.write(torn)
    portions(monkeypatch, 99, lambda: None)
    with time_machine.travel(timezone.now() + job_queue.LEASE + timedelta(seconds=1)):
        assert run_job()
        job = found(here, id_)
    assert (job.state, job.done, contents(id_)) == ("done", 5, facts(5))


def test_an_export_whose_file_is_gone_begins_again(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, mina = begin(here), here.person("mina")
    monkeypatch.setattr(job_queue, "SAVE_INTERVAL_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        portions(patched, 1, lambda: job_pages.cancel_visible_job(mina, id_))
        assert run_job()
    EXPORTS.path_of(id_).unlink()
    job_pages.resume_cancelled_job(mina, id_)
    portions(monkeypatch, 99, lambda: None)
    assert run_job()
    assert (found(here, id_).done, contents(id_)) == (5, facts(5))


def test_it_says_so_when_the_disk_is_full(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = begin(here)

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        portions(patched, 1, full)
        assert run_job()
    job = found(here, id_)
    assert (job.state, job.done) == ("dead", 2)
    assert "no room" in job.reason
    job_pages.retry_failed_job(here.person("mina"), id_)
    portions(monkeypatch, 99, lambda: None)
    assert run_job()
    assert contents(id_) == facts(5)


def test_rights_are_those_of_the_moment(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who leaves a group while the file is written finds nothing more of it."""
    for number in range(4):
        here.remember(here.person("mina"), f"Plan {number}.", visibility="group", group="launch")
    id_ = enqueue_export(here.person("bob"), {}, now=timezone.now()).id

    def leave() -> None:
        with organisation_scope(here.id):
            GroupMembership.objects.filter(member_id=here.members["bob"].id).delete()

    portions(monkeypatch, 1, leave)
    assert run_job()
    job = found(here, id_, "bob")
    assert (job.state, job.total, contents(id_)) == ("done", 2, ["Plan 0.", "Plan 1."])


def test_files_are_deleted_after_seven_days_and_with_their_member(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    portions(monkeypatch, 99, lambda: None)
    id_ = begin(here)
    assert run_job()
    path, done = EXPORTS.path_of(id_), timezone.now()
    with time_machine.travel(done + timedelta(days=6, hours=23)):
        assert sweep_uploads() == 0
        assert get_file(here.person("mina"), id_, now=timezone.now()) == path
    with time_machine.travel(done + timedelta(days=7, minutes=1)):
        with pytest.raises(NotFoundError):
            get_file(here.person("mina"), id_, now=timezone.now())
        assert sweep_uploads() == 1
    assert not path.exists()
    path.write_bytes(b"again")
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    assert sweep_uploads() == 0
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(removed_at=NOW)
    assert sweep_uploads() == 1


def test_the_same_export_is_not_begun_twice_while_it_is_open(here: Tenant) -> None:
    first = begin(here)
    mina = here.person("mina")
    assert enqueue_export(mina, {}, now=timezone.now()).id == first
    with pytest.raises(AlreadyExistsError):
        enqueue_export(mina, {"tier": "slow"}, now=timezone.now())
    assert enqueue_export(here.person("bob"), {}, now=timezone.now()).id != first
    job_pages.cancel_visible_job(mina, first)
    assert enqueue_export(mina, {}, now=timezone.now()).id != first
