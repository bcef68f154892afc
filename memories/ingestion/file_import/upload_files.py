"""Uploaded files while their job needs them; what no job needs is removed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings

from memories.jobs.queue import WORKER, imports_to_come
from orgs.models.organisations import Organisation
from orgs.organisations.references import as_uuid

# So long after it stopped a job can be tried again with its file.
KEPT = timedelta(days=7)
# A file this young may belong to a job that is just being written.
YOUNG = timedelta(hours=1)


def folder() -> Path:
    """Where files wait, for this service's user alone."""
    path = Path(settings.DATA_DIR) / "uploads"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def path_of(job_id: UUID) -> Path:
    """Where the file of an import lies; what was learnt of it lies beside it."""
    return folder() / f"{job_id}.jsonl"


def discard(job_id: UUID) -> None:
    """Remove the file of a job and what lies beside it."""
    for path in folder().glob(f"{job_id}.*"):
        path.unlink(missing_ok=True)


def sweep(*, now: datetime) -> int:
    """Remove the files of jobs that are done, gone, or stopped for longer than KEPT; how many."""
    there = [path for path in folder().iterdir() if _at(path) < now - YOUNG]
    if not there:
        return 0
    needed = _needed(now)
    gone = [path for path in there if as_uuid(path.stem) not in needed]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _needed(now: datetime) -> set[UUID]:
    """The imports whose files are still to be read, or may be."""
    found: set[UUID] = set()
    for organisation_id in Organisation.objects.using(WORKER).values_list("id", flat=True):
        found |= imports_to_come(organisation_id, now - KEPT)
    return found
