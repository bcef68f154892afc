"""Import an uploaded file of JSON lines: kept on disk, checked, and imported outside the web
process."""

import gzip
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from uuid import UUID

import orjson
from django.utils import timezone

from memories.ingestion.file_import.importer import UNREADABLE, Importer
from memories.ingestion.file_import.lines import LONGEST_LINE, Limits, TooMuch, bounded, group_names
from memories.ingestion.file_import.upload_files import discard, path_of
from memories.jobs.models import Job, JobKind
from memories.jobs.queue import JobTurn, enqueue, finish, progress, requeue
from memories.jobs.runner import Hopeless
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Role
from orgs.models.organisations import Organisation
from orgs.principals import Actor, readable_groups, resolve
from robots.registry.robots import IMPORT, builtin_robot

LARGEST = 256 * 1024 * 1024
LIMITS = Limits()
GZIP = b"\x1f\x8b"
MOST_GROUPS = 100_000


class Unreadable(Hopeless):
    """Not a file of JSON lines, or a truncated one; the message says what was found."""


def begin_import(
    actor: Actor,
    file: IO[bytes],
    *,
    name: str,
    size: int,
    by_group: bool,
    keep: bool = False,
    now: datetime,
) -> Job:
    """Store an uploaded file and queue its import. keep: whether the asker joins the groups that it
    creates.

    Raises Unreadable and PermissionError.
    """
    may_import(actor)
    check(file, size)
    principal = resolve(actor)
    with principal.scope():
        parameters = {
            "name": name[:200],
            "speaker_scope": "group" if by_group else "organisation",
            "keep": keep,
        }
        job = enqueue(principal, JobKind.IMPORT, parameters, total=size, now=now)
        file.seek(0)
        with path_of(job.id).open("wb") as kept:
            shutil.copyfileobj(file, kept, 1024 * 1024)
    return job


def may_import(actor: Actor) -> None:
    """Raise PermissionError for everybody but admins, because an import writes into any
    audience."""
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise PermissionError("Admins import.")


def check(file: IO[bytes], size: int) -> None:
    """Check the beginning of a file. Raises Unreadable."""
    if size == 0:
        raise Unreadable("The file is empty.")
    if size > LARGEST:
        raise Unreadable(f"The file is larger than {LARGEST // 1024 // 1024} MB; divide it.")
    file.seek(0)
    begin = file.read(2)
    file.seek(0)
    try:
        lines: Any = gzip.GzipFile(fileobj=file) if begin == GZIP else file
        first = next((line for line in _lines(lines, 20) if line.strip()), b"")
    except UNREADABLE as error:
        raise Unreadable("The file looks compressed and cannot be unpacked.") from error
    if first.lstrip()[:1] == b"[":
        raise Unreadable("One JSON object a line is needed, not one long list.")
    try:
        row = orjson.loads(first)
    except orjson.JSONDecodeError as error:
        raise Unreadable("The first line is not JSON. One JSON object a line is needed.") from error
    if not isinstance(row, dict) or "text" not in row:
        raise Unreadable("The first line has no “text”. Each line is an object with a text.")


def _lines(file: IO[bytes], most: int) -> Iterator[bytes]:
    for _ in range(most):
        line = file.readline(LONGEST_LINE)
        if not line:
            return
        yield line


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, IO[bytes]]]:
    with path.open("rb") as raw:
        begin = raw.read(2)
        raw.seek(0)
        yield (gzip.GzipFile(fileobj=raw) if begin == GZIP else raw), raw


def run_import(actor: Actor, job: Job) -> None:
    """Import the file of a job for one turn, from its place.

    Existing lines are skipped, so it can be repeated. Raises Unreadable and PermissionError; lines
    imported before stay.
    """
    may_import(actor)
    path, now = path_of(job.id), timezone.now()
    if not path.exists():
        raise Unreadable("The file is not there any more; upload it again.")
    groups = _groups(path)
    with organisation_scope(actor.organisation_id):
        organisation = Organisation.objects.get(id=actor.organisation_id)
        robot = builtin_robot(organisation.id, IMPORT, now)
        read = frozenset(readable_groups(actor).values_list("id", flat=True))
    importer = Importer(
        organisation,
        robot,
        now,
        job.parameters["speaker_scope"],
        groups,
        _read_from_the_start(path, read),
        actor.member_id,
        actor if job.parameters.get("keep") else None,
        import_job=job.id,
    )
    importer.go_on(job.result, job.problems)
    try:
        whole = _go_on(actor, job, path, importer)
    except TooMuch as error:
        _figures(job, importer)
        raise Unreadable(f"{error} What came before is in.") from error
    except UNREADABLE as error:
        _figures(job, importer)
        raise Unreadable("The file breaks off; what came before is in.") from error
    _figures(job, importer)
    if not whole:
        requeue(actor, job)
        return
    job.done = job.total
    finish(actor, job)
    discard(job.id)


def _go_on(actor: Actor, job: Job, path: Path, importer: Importer) -> bool:
    """Import until the turn is over or the job is cancelled. Returns whether the file is
    finished."""
    turn, offset, line = JobTurn(), job.place.get("offset", 0), job.place.get("line", 0)
    ended = True

    def tick(lines: int) -> bool:
        nonlocal ended
        job.place = {"offset": file.tell(), "line": job.place.get("line", 0) + lines}
        job.done = min(raw.tell(), job.total)
        # An empty chunk means the end, also if the file ended exactly with its turn.
        ended = not (lines and turn.over())
        if ended and turn.to_note():
            _figures(job, importer)
            # Cancelled: imported lines stay, and `requeue` notes where to continue.
            ended = progress(actor, job) or not lines
        return ended

    with _opened(path) as (file, raw):
        file.seek(offset)
        lines = bounded(file, LIMITS, packed=path.stat().st_size, offset=offset, line=line)
        importer.run(lines, tick, first=line + 1)
    return ended


def _groups(path: Path) -> frozenset[str]:
    """The groups that a file names, read once and stored beside it for later turns."""
    kept = path.with_suffix(".groups")
    if kept.exists():
        return frozenset(orjson.loads(kept.read_bytes()))
    groups: set[str] = set()
    with _opened(path) as (lines, _raw), suppress(*UNREADABLE):
        for name in group_names(bounded(lines, LIMITS, packed=path.stat().st_size)):
            groups.add(name)
            if len(groups) > MOST_GROUPS:
                raise Unreadable(f"The file names more than {MOST_GROUPS:,} groups; divide it.")
    kept.write_bytes(orjson.dumps(sorted(groups)))
    return frozenset(groups)


def _read_from_the_start(path: Path, read: frozenset[UUID]) -> frozenset[UUID]:
    """The groups that the asker reads now and read when the first turn began.

    The keeper reads the new groups from the second turn on. But who is added to a group must not
    depend on how many turns an import takes.
    """
    kept = path.with_suffix(".read")
    if kept.exists():
        return read & frozenset(map(UUID, orjson.loads(kept.read_bytes())))
    kept.write_bytes(orjson.dumps(sorted(map(str, read))))
    return read


def _figures(job: Job, importer: Importer) -> None:
    report = importer.report
    job.problems = report.problems
    job.result = {
        "imported": report.imported,
        "already": report.already,
        "skipped": report.skipped,
        "groups": report.groups,
        "members": report.members,
        "at": importer.now.isoformat(),
    }
