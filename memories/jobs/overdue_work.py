"""How much work waits, and for how long, over all organisations: figures for whoever runs the
service."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.jobs.leases import LEASE, WORKER, PendingState
from memories.jobs.models import OPEN_STATES, JobState
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.placement.all_organisations import list_organisation_ids

# States of jobs that are counted; what is done or cancelled is no work any more.
COUNTED_JOBS = (*OPEN_STATES, JobState.DEAD)
# Each kind of work by state, and since when it waits if nobody has it: it is ready, or whoever had
# it died.
_WORK_SQL = """
SELECT 'embedding', state, count(*), min(created_at)
    FILTER (WHERE state = 'waiting' OR state = 'leased' AND leased_until < %(late)s)
FROM memories_pending WHERE organisation_id = %(organisation)s GROUP BY state
UNION ALL
SELECT 'job', state, count(*), min(queued_at)
    FILTER (WHERE state = 'waiting' OR state = 'running' AND leased_until < %(late)s)
FROM memories_job WHERE organisation_id = %(organisation)s AND state = ANY (%(counted)s)
GROUP BY state
"""


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """embeddings: of memories, by PendingState. jobs: by JobState, of COUNTED_JOBS. waits: how long
    the oldest that nobody works on has waited; zero without any."""

    embeddings: dict[str, int]
    jobs: dict[str, int]
    waits: timedelta


def count_waiting_work(now: datetime) -> WaitingWork:
    """The work of all organisations that is not done."""
    counts = Counter({("embedding", state): 0 for state in PendingState.values})
    counts.update({("job", state.value): 0 for state in COUNTED_JOBS})
    oldest = now
    for organisation_id in list_organisation_ids():
        values = {
            "organisation": organisation_id,
            "late": now - LEASE,
            "counted": [state.value for state in COUNTED_JOBS],
        }
        with organisation_scope(organisation_id, using=WORKER):
            rows = fetch_all(_WORK_SQL, values, WORKER)
        for kind, state, count, since in rows:
            counts[kind, state] += count
            oldest = min(oldest, since or oldest)
    of_kind = {
        kind: {state: n for (named, state), n in counts.items() if named == kind}
        for kind in ("embedding", "job")
    }
    return WaitingWork(of_kind["embedding"], of_kind["job"], now - oldest)
