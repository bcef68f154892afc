"""Bring a file of JSON lines in: kept on disk, checked, and imported outside the web process."""

import gzip
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from uuid import UUID

import orjson
from django.conf import settings
from django.utils import timezone

from memories.models import Job, JobKind, Memory
from memories.services.importing import UNREADABLE, Importer
from memories.services.jobs import enqueue, finish, progress
from memories.services.lines import LONGEST_LINE, bounded, group_names
from orgs.models import Organisation, Role
from orgs.principals import Actor, readable_groups, resolve
from orgs.rls import organisation_scope
from robots.services import IMPORT, builtin_robot

LARGEST = 256 * 1024 * 1024
LARGEST_UNPACKED = 16 * LARGEST
GZIP = b"\x1f\x8b"
MOST_GROUPS = 100_000


class Unreadable(ValueError):
    """Not a file of JSON lines, or one that breaks off; the message says what it looks like."""


def folder() -> Path:
    """Where files wait, for this service's user alone."""
    path = Path(settings.DATA_DIR) / "uploads"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _path(job_id: UUID) -> Path:
    return folder() / f"{job_id}.jsonl"


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
    """Keep an uploaded file and ask for its import; keep: the asker looks after its new groups.

    Raises Unreadable and PermissionError.
    """
    _may(actor)
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
        with _path(job.id).open("wb") as kept:
            shutil.copyfileobj(file, kept, 1024 * 1024)
    return job


def _may(actor: Actor) -> None:
    """An import puts words into any audience, so it is for admins."""
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise PermissionError("Admins import.")


def check(file: IO[bytes], size: int) -> None:
    """Look at the beginning. Raises Unreadable."""
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
    """Import the file of a job. Lines that are there already are skipped, so it can be repeated.

    Raises Unreadable and PermissionError.
    """
    _may(actor)
    path, now = _path(job.id), timezone.now()
    if not path.exists():
        raise Unreadable("The file is not there any more; upload it again.")
    groups: set[str] = set()
    with _opened(path) as (lines, _raw), suppress(*UNREADABLE):
        for name in group_names(bounded(lines, LARGEST_UNPACKED)):
            groups.add(name)
            if len(groups) > MOST_GROUPS:
                raise Unreadable(f"The file names more than {MOST_GROUPS:,} groups; divide it.")
    with organisation_scope(actor.organisation_id):
        organisation = Organisation.objects.get(id=actor.organisation_id)
        robot = builtin_robot(organisation.id, IMPORT, now)
        read = frozenset(readable_groups(actor).values_list("id", flat=True))
    importer = Importer(
        organisation,
        robot,
        now,
        job.parameters["speaker_scope"],
        frozenset(groups),
        read,
        actor.member_id,
        actor if job.parameters.get("keep") else None,
    )
    job.done, job.problems = 0, []
    try:
        with _opened(path) as (lines, raw):
            whole = bounded(lines, LARGEST_UNPACKED)
            importer.run(whole, lambda _n: _tick(actor, job, importer, raw))
    except UNREADABLE as error:
        _figures(job, importer)
        raise Unreadable("The file breaks off; what came before is in.") from error
    _figures(job, importer)
    job.done = job.total
    finish(actor, job)
    path.unlink(missing_ok=True)


def _tick(actor: Actor, job: Job, importer: Importer, raw: IO[bytes]) -> None:
    _figures(job, importer)
    job.done = min(raw.tell(), job.total)
    progress(actor, job)


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


def readable_of(actor: Actor, job: Job) -> tuple[int, UUID | None]:
    """How much of what an import brought the asker reads, and the robot that brought it."""
    if "at" not in job.result:
        return 0, None
    principal = resolve(actor)
    with principal.scope():
        brought = Memory.objects.filter(
            organisation_id=principal.organisation_id,
            robot__builtin=IMPORT,
            created_at=datetime.fromisoformat(job.result["at"]),
        )
        row = brought.values_list("robot_id", flat=True).first()
        return brought.for_people().count(), row
