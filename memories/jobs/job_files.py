"""Files that jobs read or write, for this service's user alone; what no job needs is removed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings

from memories.jobs.queue import WORKER, files_needed
from orgs.models.organisations import Organisation
from orgs.organisations.references import as_uuid

# So long after it stopped the file of a job is kept.
KEPT = timedelta(days=7)
# A file this young may belong to a job that is just being written.
YOUNG = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class JobFiles:
    """The files of the jobs of one kind, in a folder of DATA_DIR.

    over: the states in which a job that has stopped still needs its file, for KEPT.
    """

    name: str
    kind: str
    over: tuple[str, ...]

    def folder(self) -> Path:
        """Where they lie."""
        path = Path(settings.DATA_DIR) / self.name
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def path_of(self, job_id: UUID) -> Path:
        """The file of a job; what belongs to it lies beside it."""
        return self.folder() / f"{job_id}.jsonl"

    def discard(self, job_id: UUID) -> None:
        """Remove the file of a job and what lies beside it."""
        for path in self.folder().glob(f"{job_id}.*"):
            path.unlink(missing_ok=True)

    def sweep(self, *, now: datetime) -> int:
        """Remove the files of jobs that are gone, of removed members, or over; how many."""
        there = [path for path in self.folder().iterdir() if _at(path) < now - YOUNG]
        if not there:
            return 0
        needed = self._needed(now)
        gone = [path for path in there if as_uuid(path.stem) not in needed]
        for path in gone:
            path.unlink(missing_ok=True)
        return len(gone)

    def _needed(self, now: datetime) -> set[UUID]:
        found: set[UUID] = set()
        for organisation_id in Organisation.objects.using(WORKER).values_list("id", flat=True):
            found |= files_needed(organisation_id, self.kind, self.over, now - KEPT)
        return found


def _at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
