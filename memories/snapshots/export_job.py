"""Export what a member or a robot may read into a file, as a resumable job.

The job's row notes up to which byte the file is complete. Later bytes were written by a worker that
died before it could note them, and are cut off. So no line is repeated or lost.
"""

import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories.browsing.job_pages import get_job, visible_jobs
from memories.jobs.job_files import RETENTION, JobFiles
from memories.jobs.job_queue import (
    JobTimeSlice,
    check_may_ask,
    enqueue_job,
    finish_job,
    requeue_job,
    save_progress,
)
from memories.jobs.models import OPEN_STATES, ORGANISATIONS, Job, JobState, JobType
from memories.jobs.run_jobs import PermanentJobError
from memories.snapshots.read_snapshot import BATCH_SIZE, count_exportable, load_batch
from memories.snapshots.snapshot_format import FiltersSerializer, build_head, build_line, to_bytes
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.principals import Actor, resolve_principal

EXPORTS = JobFiles("exports", JobType.EXPORT, (JobState.DONE, JobState.DEAD, JobState.CANCELLED))
# Exports of one asker that stay.
KEPT = 5
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ExportFileGoneError(NotFoundError):
    """The file of the asker's own finished export was deleted."""

    def __init__(self) -> None:
        super().__init__("The file of this export was deleted. Export again if you need it.")


def enqueue_export(actor: Actor, filters: Mapping[str, Any], *, now: datetime) -> Job:
    """Queue an export of what the member or the robot may read. filters: as in FiltersSerializer.

    A file may be as large as all memories. So an asker has one export at a time, and the same one
    that waits or runs already is returned; and of those that are over the newest KEPT stay, with
    their files. Raises ValidationError, AlreadyExistsError while another one waits or runs, and
    PermissionError for a robot that acts for a member.
    """
    check_may_ask(actor)
    known = FiltersSerializer().run_validation(dict(filters))
    principal = resolve_principal(actor)
    parameters = {"filters": dict(filters)}
    with principal.scope():
        # Two calls at the same moment wait for each other, so the second one sees the first.
        acquire_advisory_lock(principal.organisation_id, f"export:{principal.own_audience}")
        if found := _own_exports(actor).filter(state__in=OPEN_STATES).order_by("id").first():
            if found.parameters == parameters and found.key_id == actor.key_id:
                return found
            raise AlreadyExistsError("Another export of yours waits or runs. Cancel it, or wait.")
        _delete_old_exports(actor)
        total = count_exportable(principal, known, now)
        return enqueue_job(principal, JobType.EXPORT, parameters, total=total, now=now)


def _own_exports(actor: Actor) -> "QuerySet[Job]":
    rows = visible_jobs(actor).exclude(**ORGANISATIONS)
    return rows.filter(kind=JobType.EXPORT, cancel_asked_at=None)


def _delete_old_exports(actor: Actor) -> None:
    old = _own_exports(actor).exclude(state__in=OPEN_STATES).order_by("-id")
    ids = list(old.values_list("id", flat=True)[KEPT - 1 :])
    for id_ in ids:
        transaction.on_commit(partial(EXPORTS.discard, id_))
    Job.objects.filter(organisation_id=actor.organisation_id, id__in=ids).delete()


def run_export(actor: Actor, job: Job) -> None:
    """Write for one turn, from the job's place. Raises PermanentJobError if the disk is full."""
    path = EXPORTS.path_of(job.id)
    try:
        with _open_locked(path) as file:
            # An erasure deletes the file also while it is written, for it may hold what is erased.
            # The next turn finds it missing and begins again.
            whole = _write_turn(actor, job, file) and _is_at(path, file)
    except OSError as error:
        if error.errno not in DISK_FULL_ERRORS:
            raise
        raise PermanentJobError(
            "There is no room for the file on the service's disk. Try again when there is; "
            "what is written stays."
        ) from error
    if not whole:
        requeue_job(actor, job)
        return
    job.total = job.done
    finish_job(actor, job)


@contextmanager
def _open_locked(path: Path) -> Iterator[IO[bytes]]:
    """Open the file, readable by this service's user alone, for one worker at a time."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        # Raises BlockingIOError if a worker that lost its lease is still writing.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield file


def _is_at(path: Path, file: IO[bytes]) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _write_turn(actor: Actor, job: Job, file: IO[bytes]) -> bool:
    """Write until the turn is over or the job is cancelled. Returns whether the file is
    complete."""
    filters, turn = FiltersSerializer().run_validation(job.parameters["filters"]), JobTimeSlice()
    if job.place.get("offset", 0) > file.seek(0, os.SEEK_END):
        # The file is missing or shorter than noted: begin again.
        job.place, job.done = {}, 0
    file.truncate(file.seek(job.place.get("offset", 0)))
    if not job.place:
        file.write(to_bytes(build_head(actor, job.total, timezone.now())))
    while True:
        after = job.place.get("after")
        rows = load_batch(actor, filters, UUID(after) if after else None, now=timezone.now())
        file.write(b"".join(to_bytes(build_line(row)) for row in rows))
        file.flush()
        if rows:
            job.done += len(rows)
            job.total = max(job.total, job.done)
            job.place = {"after": str(rows[-1].id), "offset": file.tell()}
        if len(rows) < BATCH_SIZE:
            os.fsync(file.fileno())
            return True
        note = turn.to_note()
        if turn.over() or note:
            os.fsync(file.fileno())
        if turn.over() or (note and not save_progress(actor, job)):
            return False


def get_file(actor: Actor, job_id: UUID, *, now: datetime) -> Path:
    """The path of the asker's finished export. Raises NotFoundError, and ExportFileGoneError after
    the file was deleted."""
    job = get_job(actor, job_id)
    if (path := find_ready_file(actor, job, now=now)) is not None:
        return path
    if _is_own_export(actor, job) and job.state == JobState.DONE:
        raise ExportFileGoneError
    raise NotFoundError("no such file")


def find_ready_file(actor: Actor, job: Job, *, now: datetime) -> Path | None:
    """The path of a job's file, if it is the asker's own export and the file is ready; else
    None."""
    if not _is_own_export(actor, job) or job.state != JobState.DONE or job.finished_at is None:
        return None
    path = EXPORTS.path_of(job.id)
    return path if job.finished_at > now - RETENTION and path.exists() else None


def _is_own_export(actor: Actor, job: Job) -> bool:
    return (
        job.kind == JobType.EXPORT
        and not job.is_organisations
        and (job.member_id, job.robot_id) == (actor.member_id, actor.robot_id)
    )
