"""One organisation's work does not hold up another's; an import goes on where its turn ended."""

import gzip
import json
import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from memories.browsing import job_pages
from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange, change_memories
from memories.ingestion.file_import import (
    import_job,
    import_lines,
    importer,
)
from memories.ingestion.file_import import (
    import_job as file_import_uploads,
)
from memories.jobs import job_queue, run_jobs
from memories.jobs.job_queue import list_ready_jobs
from memories.jobs.models import Job
from memories.tasks import run_job, sweep_uploads
from orgs.database.rls import organisation_scope
from orgs.members.invitations import invite_member
from orgs.members.members import remove_member
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lasting_world: World) -> Iterator[Path]:
    """Where uploads lie; the worker knows no organisations but those of the test."""
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    both = [lasting_world.here.id, lasting_world.there.id]
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: both)
    run_jobs._last_organisation_id.clear()
    yield tmp_path / "uploads"
    run_jobs._last_organisation_id.clear()


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is over after its first step, and a step is two lines."""
    monkeypatch.setattr(job_queue, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(importer, "CHUNK_LINES", 2)


def jsonl(count: int, *extra: bytes) -> bytes:
    made = [{"id": str(n), "group": f"g{n % 2}", "text": f"Line {n}."} for n in range(count)]
    return b"\n".join([*(json.dumps(line).encode() for line in made), *extra])


def begin(here: Tenant, content: bytes) -> UUID:
    file: Any = SimpleUploadedFile("talk.jsonl", content)
    actor = here.person("ada")
    size = len(content)
    return file_import_uploads.enqueue_import(
        actor, file, name="talk.jsonl", size=size, by_group=False, now=NOW
    ).id


def job(here: Tenant, id_: UUID) -> Job:
    return job_pages.get_job(here.person("ada"), id_)


def turns(most: int = 100) -> int:
    """Work as a worker does until nothing waits; how many turns it took."""
    for count in range(most):
        if not run_job():
            return count
    return most


@pytest.mark.slow
@pytest.mark.conformance("T24")
def test_a_small_job_does_not_wait_for_a_huge_import(lasting_world: World, no_time: None) -> None:
    here, there = lasting_world.here, lasting_world.there
    huge = [begin(here, jsonl(60)) for _ in range(3)]
    assert run_job()
    small = begin(there, jsonl(2))
    assert turns(3) == 3
    assert job(there, small).state == "done", "one turn of the other organisation, then its own"
    assert {job(here, id_).state for id_ in huge} == {"waiting"}
    turns(200)
    assert {job(here, id_).state for id_ in huge} == {"done"}


@pytest.mark.conformance("T24")
def test_nor_do_the_other_jobs_of_the_organisation(
    lasting_world: World, no_time: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    huge = begin(here, jsonl(60))
    assert run_job()
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 0)
    note = here.remember(here.person("ada"), "One.", visibility="private").id
    small = bulk_change.change_memories(
        here.person("ada"), [note], BulkChange(action="archive"), now=NOW
    ).job
    assert turns(2) == 2
    assert job(here, small.id).state == "done"
    assert job(here, huge).state == "waiting"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_import_goes_on_where_its_turn_ended(
    lasting_world: World, no_time: None, folder: Path, pack: Callable[[bytes], bytes]
) -> None:
    here = lasting_world.here
    long = b'{"id":"x","text":"' + b"a" * (import_lines.MAX_LINE_BYTES + 100_000) + b'"}'
    id_ = begin(here, pack(jsonl(7, b"", b"", b"not json", long, b'{"id":"y","text":"End."}')))
    assert run_job()
    found = job(here, id_)
    assert (found.state, found.attempts, found.result["imported"]) == ("waiting", 0, 2)
    assert found.place["line"] == 2
    assert 0 < found.done <= found.total
    assert 4 <= turns() < 20
    found = job(here, id_)
    assert (found.state, found.done) == ("done", found.total)
    assert {k: found.result[k] for k in ("imported", "already", "skipped", "groups")} == {
        "imported": 8, "already": 0, "skipped": 2, "groups": 2,
    }  # fmt: skip
    assert [one["line"] for one in found.problems] == [10, 11]
    assert list(folder.iterdir()) == []


def test_a_turn_that_breaks_off_loses_nothing(
    lasting_world: World, no_time: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    id_ = begin(here, jsonl(6))
    assert run_job()
    with monkeypatch.context() as broken:
        broken.setattr(importer.memory_writes, "insert_memories", lambda *a, **k: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_job()
    with resolve_principal(here.person("ada")).scope():
        Job.objects.filter(id=id_).update(leased_until=NOW - timedelta(days=900))
    turns()
    found = job(here, id_)
    assert (found.state, found.result["imported"], found.result["already"]) == ("done", 6, 0)


def test_empty_lines_end_an_import_and_what_came_before_is_in(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """61 KB of these held the one worker for 11 minutes."""
    monkeypatch.setattr(file_import_uploads, "LIMITS", import_lines.ImportLimits(lines=300_000))
    here = lasting_world.here
    packed = gzip.compress(jsonl(3, b"\n" * 60_000_000), 9)
    assert len(packed) < 70_000
    id_ = begin(here, packed)
    assert run_job()
    found = job(here, id_)
    assert (found.state, found.result["imported"]) == ("dead", 3)
    told = "The file has more than 300,000 lines; divide it. What came before is in."
    assert found.reason == told
    assert import_lines.ImportLimits().lines == 5_000_000


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (import_lines.ImportLimits(lines=4), "The file has more than 4 lines"),
        (import_lines.ImportLimits(size=1024 * 1024), "Unpacked, the file holds more than 1 MB"),
        (
            import_lines.ImportLimits(ratio=2, room=1024 * 1024),
            "Unpacked, the file holds more than 1 MB",
        ),
    ],
)
def test_what_a_file_may_hold(
    lasting_world: World,
    monkeypatch: pytest.MonkeyPatch,
    limits: import_lines.ImportLimits,
    words: str,
) -> None:
    monkeypatch.setattr(file_import_uploads, "LIMITS", limits)
    many = [b'{"id":"%d","text":"%s"}' % (n, b"a" * 500_000) for n in range(10, 14)]
    id_ = begin(lasting_world.here, gzip.compress(jsonl(3, *many)))
    assert run_job()
    found = job(lasting_world.here, id_)
    assert found.state == "dead"
    assert found.reason.startswith(words)
    assert found.result["imported"] >= 3


def test_files_stay_as_long_as_a_job_needs_them(lasting_world: World, folder: Path) -> None:
    here = lasting_world.here
    waiting, dead, old, done, gone = (begin(here, jsonl(2)) for _ in range(5))
    with resolve_principal(here.person("ada")).scope():
        for id_, state, days in ((dead, "dead", 6), (old, "dead", 8), (done, "done", 0)):
            at = NOW - timedelta(days=days)
            Job.objects.filter(id=id_).update(state=state, finished_at=at)
        Job.objects.filter(id=gone).delete()
    (folder / f"{old}.groups").write_text("[]")
    assert import_job.sweep(now=NOW) == 0, (
        "files so young may belong to a job that is being written"
    )
    for path in folder.iterdir():
        _age(path)
    assert import_job.sweep(now=NOW) == 4
    assert {path.stem for path in folder.iterdir()} == {str(waiting), str(dead)}
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(removed_at=NOW)
    assert import_job.sweep(now=NOW) == 2
    assert not run_job(), "what a removed member asked for waits for nobody"
    assert sweep_uploads() == 0


def _age(path: Path) -> None:
    then = (NOW - timedelta(hours=2)).timestamp()
    os.utime(path, (then, then))


def test_a_job_of_who_was_removed_does_not_run_for_an_open_invitation(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    ids = [here.remember(here.person("mina"), f"Door {n}.", group="launch").id for n in range(2)]
    change = BulkChange(action="forget")
    made = change_memories(here.person("mina"), ids, change, now=timezone.now(), always_job=True)
    mina = here.members["mina"]
    remove_member(here.person("ada"), member_id=mina.id, now=NOW)
    waiting = {id_ for _, id_, _, _ in list_ready_jobs(here.id, timezone.now())}
    assert made.job.id not in waiting
    with organisation_scope(here.id):
        email = Member.objects.select_related("user").get(id=mina.id).user.email
    invite_member(here.person("ada"), email=email, now=NOW)
    waiting = {id_ for _, id_, _, _ in list_ready_jobs(here.id, timezone.now())}
    assert made.job.id not in waiting, "nobody has joined yet"
