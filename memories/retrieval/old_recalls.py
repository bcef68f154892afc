"""Records of recalls are kept for OPERATIONS_DAYS: whoever only asks would else add rows for ever.

Feedback on a recall goes with its record; what was learned from it stays on the memory.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from memories.jobs.queue import WORKER
from orgs.database.prepared_statements import fetched
from orgs.database.rls import organisation_scope

BATCH = 5_000
# Ids begin with the time at which they were made, so the rows of before are those of lower ids.
_OLD = """
DELETE FROM memories_recall WHERE organisation_id = %(organisation)s AND id = ANY (ARRAY(
    SELECT id FROM memories_recall
    WHERE organisation_id = %(organisation)s AND id < %(before)s ORDER BY id LIMIT %(most)s))
RETURNING 1
"""


def first_id_of(at: datetime) -> UUID:
    """The lowest id (UUID of version 7) that can be made at a time."""
    return UUID(int=int(at.timestamp() * 1000) << 80)


def remove_old_recalls(organisation_id: UUID, *, now: datetime) -> int:
    """Delete records older than the setting OPERATIONS_DAYS; returns how many."""
    values = {
        "organisation": organisation_id,
        "before": first_id_of(now - timedelta(days=settings.OPERATIONS_DAYS)),
        "most": BATCH,
    }
    gone = 0
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            rows = len(fetched(_OLD, values, WORKER))
        gone += rows
        if rows < BATCH:
            return gone
