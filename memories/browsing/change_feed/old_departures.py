"""What the feed of changes forgets: by age, and when a backup is restored."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from memories.jobs.job_queue import WORKER
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope

OWNER = "owner"
# Rows in one transaction of the clean-up.
BATCH_SIZE = 5_000
_DELETE_OLD_SQL = """
DELETE FROM memories_departure WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM memories_departure
    WHERE organisation_id = %(organisation)s AND left_on < %(before)s::date LIMIT %(most)s))
RETURNING 1
"""


def delete_old_departures(organisation_id: UUID, *, now: datetime) -> int:
    """Delete departures that no cursor asks for any more, by the setting CHANGES_DAYS; returns how
    many."""
    kept = now.astimezone(UTC) - timedelta(days=settings.CHANGES_DAYS + 1)
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "before": kept.date(),
        "most": BATCH_SIZE,
    }
    gone = 0
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            rows = len(fetch_all(_DELETE_OLD_SQL, values, WORKER))
        gone += rows
        if rows < BATCH_SIZE:
            return gone


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
