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

from memories.ingestion.file_import.import_job import (
    GZIP_MAGIC,
    check_file,
    check_may_import,
    enqueue_import,
)
from memories.ingestion.file_import.plan_import import ImportPlan, plan_import
from memories.jobs.models import Job
from orgs.errors import NotFoundError
from orgs.principals import Actor

RETENTION = timedelta(hours=1)
EXAMPLE = Path(__file__).with_name("example.jsonl")


@dataclass(frozen=True, slots=True)
class PreviewFile:
    """A kept file. name: as it was uploaded; size: of the uploaded file, in bytes."""

    id: UUID
    name: str
    size: int


def ensure_previews_folder() -> Path:
    """The folder of the files."""
    path = Path(settings.DATA_DIR) / "previews"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def store_preview(actor: Actor, file: IO[bytes], *, name: str, size: int) -> PreviewFile:
    """Keep a file for a preview; it replaces an earlier one of the actor.

    Raises UnreadableImportError for a file that is not JSON lines, and PermissionError.
    """
    check_may_import(actor)
    check_file(file, size)
    _delete_files(_member_files(actor))
    found = PreviewFile(uuid4(), name[:200], size)
    path = _preview_path(actor, found.id)
    file.seek(0)
    with path.open("wb") as kept:
        shutil.copyfileobj(file, kept, 1024 * 1024)
    path.with_suffix(".json").write_bytes(orjson.dumps({"name": found.name, "size": size}))
    return found


def store_example_preview(actor: Actor) -> PreviewFile:
    """`keep` with the example of the documentation."""
    with EXAMPLE.open("rb") as file:
        return store_preview(actor, file, name=EXAMPLE.name, size=EXAMPLE.stat().st_size)


def plan_preview(
    actor: Actor, preview_id: UUID, *, by_group: bool, now: datetime
) -> tuple[PreviewFile, ImportPlan]:
    """A kept file and the plan of its import. Raises NotFoundError and PermissionError."""
    found = _get_preview(actor, preview_id)
    with _open_unpacked(_preview_path(actor, preview_id)) as file:
        return found, plan_import(actor, file, size=found.size, by_group=by_group, now=now)


def import_preview(
    actor: Actor, preview_id: UUID, *, by_group: bool, seated: bool, now: datetime
) -> Job:
    """Import a kept file, which is then no longer kept here. seated: `keep` of `enqueue_import`.

    Raises NotFoundError, UnreadableImportError and PermissionError.
    """
    found = _get_preview(actor, preview_id)
    with _preview_path(actor, preview_id).open("rb") as file:
        job = enqueue_import(
            actor,
            file,
            name=found.name,
            size=found.size,
            by_group=by_group,
            keep=seated,
            now=now,
        )
    _delete_files(_member_files(actor))
    return job


def sweep_previews(*, now: datetime) -> int:
    """Remove files older than an hour; returns how many."""
    old = [
        path for path in ensure_previews_folder().iterdir() if _modified_at(path) < now - RETENTION
    ]
    return _delete_files(old)


def _get_preview(actor: Actor, preview_id: UUID) -> PreviewFile:
    check_may_import(actor)
    path = _preview_path(actor, preview_id)
    try:
        told = orjson.loads(path.with_suffix(".json").read_bytes())
        path.stat()
    except FileNotFoundError as error:
        raise NotFoundError("no such file") from error
    return PreviewFile(preview_id, told["name"], told["size"])


def _preview_path(actor: Actor, preview_id: UUID) -> Path:
    return (
        ensure_previews_folder() / f"{actor.organisation_id}.{actor.member_id}.{preview_id}.jsonl"
    )


def _member_files(actor: Actor) -> list[Path]:
    return list(ensure_previews_folder().glob(f"{actor.organisation_id}.{actor.member_id}.*"))


def _delete_files(paths: list[Path]) -> int:
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)


def _modified_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@contextmanager
def _open_unpacked(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as raw:
        mark = raw.read(2)
        raw.seek(0)
        yield gzip.GzipFile(fileobj=raw) if mark == GZIP_MAGIC else raw  # type: ignore[misc]
