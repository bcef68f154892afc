"""How much work is pending in all organisations: numbers for the operator."""

from memories.jobs.leases import WORKER
from memories.jobs.pending_work import PendingState
from orgs.database.rls import Scope, fetch_in_scope
from orgs.models.organisations import Organisation

_PENDING_COUNTS_SQL = """
SELECT state, count(*) FROM memories_pending WHERE organisation_id = %(organisation)s GROUP BY state
"""


def count_backlog() -> dict[str, int]:
    """The number of pending rows by state (waiting, leased, dead), over all organisations."""
    counts = dict.fromkeys(PendingState.values, 0)
    for organisation_id in Organisation.objects.using(WORKER).values_list("id", flat=True):
        scope = Scope(organisation=organisation_id)
        for state, count in fetch_in_scope(
            scope, _PENDING_COUNTS_SQL, {"organisation": organisation_id}, using=WORKER
        ):
            counts[state] += count
    return counts
