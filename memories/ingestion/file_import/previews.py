"""Files that were uploaded for a preview: kept for an hour, one for each member.

A file is in a folder that only this service's user can read. Its name has the ids of its
organisation and member and a random id, so no other member's request finds it.
"""

import gzip
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO
from uuid import UUID, uuid4

import orjson
from django.conf import settings

from memories.ingestion.file_import.plan import Plan, plan
from memories.ingestion.file_import.uploads import GZIP, begin_import, check, may_import
from memories.jobs.models import Job
from orgs.errors import NotFound
from orgs.principals import Actor

KEPT = timedelta(hours=1)
EXAMPLE = Path(__file__).with_name("example.jsonl")


@dataclass(frozen=True, slots=True)
class Preview:
    """A kept file. name: as it was uploaded; size: of the uploaded file, in bytes."""

    id: UUID
    name: str
    size: int


def folder() -> Path:
    """The folder of the files."""
    path = Path(settings.DATA_DIR) / "previews"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def keep(actor: Actor, file: IO[bytes], *, name: str, size: int) -> Preview:
    """Keep a file for a preview; it replaces an earlier one of the actor.

    Raises Unreadable for a file that is not JSON lines, and PermissionError.
    """
    may_import(actor)
    check(file, size)
    _drop(_of(actor))
    found = Preview(uuid4(), name[:200], size)
    path = _path(actor, found.id)
    file.seek(0)
    with path.open("wb") as kept:
        shutil.copyfileobj(file, kept, 1024 * 1024)
    path.with_suffix(".json").write_bytes(orjson.dumps({"name": found.name, "size": size}))
    return found


def keep_example(actor: Actor) -> Preview:
    """`keep` with the example of the documentation."""
    with EXAMPLE.open("rb") as file:
        return keep(actor, file, name=EXAMPLE.name, size=EXAMPLE.stat().st_size)


def look(actor: Actor, preview_id: UUID, *, by_group: bool, now: datetime) -> tuple[Preview, Plan]:
    """A kept file and the plan of its import. Raises NotFound and PermissionError."""
    found = _kept(actor, preview_id)
    with _unpacked(_path(actor, preview_id)) as file:
        return found, plan(actor, file, size=found.size, by_group=by_group, now=now)


def begin(actor: Actor, preview_id: UUID, *, by_group: bool, seated: bool, now: datetime) -> Job:
    """Import a kept file, which is then no longer kept here. seated: `keep` of `begin_import`.

    Raises NotFound, Unreadable and PermissionError.
    """
    found = _kept(actor, preview_id)
    with _path(actor, preview_id).open("rb") as file:
        job = begin_import(
            actor,
            file,
            name=found.name,
            size=found.size,
            by_group=by_group,
            keep=seated,
            now=now,
        )
    _drop(_of(actor))
    return job


def sweep(*, now: datetime) -> int:
    """Remove files older than an hour; returns how many."""
    old = [path for path in folder().iterdir() if _at(path) < now - KEPT]
    return _drop(old)


def _kept(actor: Actor, preview_id: UUID) -> Preview:
    may_import(actor)
    path = _path(actor, preview_id)
    try:
        told = orjson.loads(path.with_suffix(".json").read_bytes())
        path.stat()
    except FileNotFoundError as error:
        raise NotFound("no such file") from error
    return Preview(preview_id, told["name"], told["size"])


def _path(actor: Actor, preview_id: UUID) -> Path:
    return folder() / f"{actor.organisation_id}.{actor.member_id}.{preview_id}.jsonl"


def _of(actor: Actor) -> list[Path]:
    return list(folder().glob(f"{actor.organisation_id}.{actor.member_id}.*"))


def _drop(paths: list[Path]) -> int:
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)


def _at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as raw:
        mark = raw.read(2)
        raw.seek(0)
        yield gzip.GzipFile(fileobj=raw) if mark == GZIP else raw  # type: ignore[misc]
