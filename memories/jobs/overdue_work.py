"""How long work waits, over all organisations: figures for whoever runs the service."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.jobs.leases import LEASE, WORKER
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation

# Ready rows and jobs: they wait, or whoever had them died.
_OVERDUE_SQL = """
SELECT (SELECT count(*) FROM memories_pending WHERE organisation_id = %(organisation)s
            AND state = 'dead'),
    (SELECT count(*) FROM memories_job WHERE organisation_id = %(organisation)s
            AND state = 'dead'),
    least((SELECT min(created_at) FROM memories_pending WHERE organisation_id = %(organisation)s
            AND (state = 'waiting' OR state = 'leased' AND leased_until < %(late)s)),
        (SELECT min(queued_at) FROM memories_job WHERE organisation_id = %(organisation)s
            AND (state = 'waiting' OR state = 'running' AND leased_until < %(late)s)))
"""


@dataclass(frozen=True, slots=True)
class OverdueWork:
    """failed_rows: memories whose embedding was given up. failed_jobs: jobs that stopped for good.
    waits: how long the oldest that nobody works on has waited; zero without any."""

    failed_rows: int = 0
    failed_jobs: int = 0
    waits: timedelta = timedelta()


def find_overdue_work(now: datetime) -> OverdueWork:
    """The work of all organisations that is given up, or that nobody takes."""
    rows, jobs, oldest = 0, 0, now
    for organisation_id in Organisation.objects.using(WORKER).values_list("id", flat=True):
        values = {"organisation": organisation_id, "late": now - LEASE}
        with organisation_scope(organisation_id, using=WORKER):
            [(dead_rows, dead_jobs, since)] = fetch_all(_OVERDUE_SQL, values, WORKER)
        rows, jobs, oldest = rows + dead_rows, jobs + dead_jobs, min(oldest, since or oldest)
    return OverdueWork(rows, jobs, now - oldest)
