"""What the site tells of the continuous archive: by a file of its process, and its slot."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import connection

from config.archive.source_server import SLOT
from config.archive.status import ArchiveStatus, read_status

OFF = "off"
_SLOT_SQL = """
SELECT coalesce(wal_status = 'lost', false),
    coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint
FROM pg_replication_slots WHERE slot_name = %s
"""


@dataclass(frozen=True, slots=True)
class LogSlot:
    """is_lost: the server has thrown away what was not archived yet. kept_bytes: how much of the
    log it keeps for the archive alone; that fills its disk while nobody fetches it."""

    is_lost: bool
    kept_bytes: int


def find_archive_status() -> ArchiveStatus | None:
    """What the process of the archive wrote last; None without an archive or before it began."""
    return read_status(settings.DATA_DIR) if settings.ARCHIVE_DIR else None


def archive_state(now: datetime) -> str:
    """For /readyz: off, ok, late (the newest changes are not in it) or stopped (nobody makes
    it)."""
    if not settings.ARCHIVE_DIR:
        return OFF
    status = find_archive_status()
    return status.state(now) if status else "stopped"


def find_log_slot() -> LogSlot | None:
    """What the database keeps for the archive; None if it does not know of one."""
    with connection.cursor() as cursor:
        cursor.execute(_SLOT_SQL, [SLOT])
        row = cursor.fetchone()
    return LogSlot(*row) if row else None
