"""How the archive is: a file in DATA_DIR that its process writes, for doctor, /readyz and pages."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FILE_NAME, REHEARSAL_FILE = "archive_status.json", "archive_rehearsal.json"
OK, LATE, STOPPED = "ok", "late", "stopped"
# The process writes every few seconds, and what was changed is archived within a minute or two.
MAX_SILENCE = timedelta(minutes=5)
MAX_DELAY = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveStatus:
    """written_at: when the process last said so. until: every change before is in the archive.
    base_at, base_kind, base_bytes: of the last base backup. failures: since the process began.
    failed_at, failure: the last one. waiting: segments received and not stored. offsite_until: the
    same as until, of the copy; offsite_waiting: files that it lacks."""

    written_at: datetime
    series: str = ""
    until: datetime | None = None
    base_at: datetime | None = None
    base_kind: str = ""
    base_bytes: int = 0
    failures: int = 0
    failed_at: datetime | None = None
    failure: str = ""
    waiting: int = 0
    has_offsite: bool = False
    offsite_until: datetime | None = None
    offsite_waiting: int = 0

    def state(self, now: datetime) -> str:
        """OK; LATE: the newest changes are not in it; STOPPED: nobody makes the archive."""
        if now - self.written_at > MAX_SILENCE:
            return STOPPED
        moments = [self.until, *([self.offsite_until] if self.has_offsite else [])]
        is_late = any(one is None or abs(now - one) > MAX_DELAY for one in moments)
        return LATE if is_late else OK


def write_status(data_dir: Path, status: ArchiveStatus) -> None:
    """Replace the file. Raises OSError."""
    told = {n: v.isoformat() if isinstance(v, datetime) else v for n, v in asdict(status).items()}
    _replace_file(data_dir / FILE_NAME, told)


def read_status(data_dir: Path) -> ArchiveStatus | None:
    """What was written last; None if nothing was, or it cannot be read."""
    try:
        told: dict[str, Any] = json.loads((data_dir / FILE_NAME).read_text())
        times = {n: v and datetime.fromisoformat(v) for n, v in told.items() if n.endswith(_TIMES)}
        return ArchiveStatus(**told | times)
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def note_rehearsal(data_dir: Path, at: datetime) -> None:
    """Note that a restore was rehearsed with success. Raises OSError."""
    _replace_file(data_dir / REHEARSAL_FILE, {"at": at.isoformat()})


def find_rehearsal(data_dir: Path) -> datetime | None:
    """When a restore was last rehearsed with success."""
    try:
        return datetime.fromisoformat(json.loads((data_dir / REHEARSAL_FILE).read_text())["at"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _replace_file(path: Path, told: dict[str, Any]) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(json.dumps(told, indent=1))
    part.replace(path)


_TIMES = ("_at", "until")


def utc_now() -> datetime:
    """The clock of this machine."""
    return datetime.now(UTC)
