"""What the feed of changes forgets: by age, and when a backup is restored."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from memories.jobs.old_rows import delete_old_rows, old_rows_sql

OWNER = "owner"
_DELETE_OLD_SQL = old_rows_sql("memories_departure", "left_on < %(before)s::date", key="ctid")


def delete_old_departures(organisation_id: UUID, *, now: datetime) -> int:
    """Delete departures that no cursor asks for any more, by the setting CHANGES_DAYS; returns how
    many."""
    kept = now.astimezone(UTC) - timedelta(days=settings.CHANGES_DAYS + 1)
    return delete_old_rows(organisation_id, _DELETE_OLD_SQL, kept.date())


# The numbers of transactions are those of the server that wrote the backup. The owner is bound by
# row-level security too.
_RESET_SQL = """
ALTER TABLE memories_change NO FORCE ROW LEVEL SECURITY;
UPDATE memories_change SET since = 0, at = 0;
ALTER TABLE memories_change FORCE ROW LEVEL SECURITY;
ALTER TABLE memories_departure NO FORCE ROW LEVEL SECURITY;
DELETE FROM memories_departure;
ALTER TABLE memories_departure FORCE ROW LEVEL SECURITY;
"""


def reset_positions(say: Callable[[str], None]) -> None:
    """After a backup is loaded: everything is there from the beginning. Every copy begins anew,
    because no cursor of before is taken."""
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute(_RESET_SQL)
