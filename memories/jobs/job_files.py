"""Files that jobs read or write, readable by this service's user alone; unneeded ones are
removed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings

from memories.jobs.job_queue import list_job_ids_needing_files
from orgs.organisations.references import parse_uuid
from orgs.placement.all_organisations import list_organisation_ids

# How long the file of a stopped job is kept.
RETENTION = timedelta(days=7)
# A younger file may belong to a job that is not committed yet.
MIN_AGE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class JobFiles:
    """The files of one kind of job, in a folder of DATA_DIR.

    over: the states in which a stopped job still needs its file, for KEPT.
    """

    name: str
    kind: str
    over: tuple[str, ...]

    def folder(self) -> Path:
        """The folder of the files."""
        path = Path(settings.DATA_DIR) / self.name
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def path_of(self, job_id: UUID) -> Path:
        """The path of a job's file; further files of the job have the same stem."""
        return self.folder() / f"{job_id}.jsonl"

    def discard(self, job_id: UUID) -> None:
        """Remove all files of a job."""
        for path in self.folder().glob(f"{job_id}.*"):
            path.unlink(missing_ok=True)

    def sweep(self, *, now: datetime) -> int:
        """Remove the files of jobs that are deleted, of removed members, or over; returns how
        many."""
        there = [path for path in self.folder().iterdir() if modified_at(path) < now - MIN_AGE]
        if not there:
            return 0
        needed = self._needed(now)
        gone = [path for path in there if parse_uuid(path.stem) not in needed]
        for path in gone:
            path.unlink(missing_ok=True)
        return len(gone)

    def _needed(self, now: datetime) -> set[UUID]:
        found: set[UUID] = set()
        for organisation_id in list_organisation_ids():
            found |= list_job_ids_needing_files(
                organisation_id, self.kind, self.over, now - RETENTION
            )
        return found


def modified_at(path: Path) -> datetime:
    """When the file was written last."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
