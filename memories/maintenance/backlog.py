"""How much work is owed, over all organisations: a number for the machine's owner."""

from memories.maintenance.leasing import WORKER
from memories.models import PendingState
from orgs.models import Organisation
from orgs.rls import Scope, ask

_OWED = """
SELECT state, count(*) FROM memories_pending WHERE organisation_id = %(organisation)s GROUP BY state
"""


def count_backlog() -> dict[str, int]:
    """Pending rows by state (waiting, leased, dead); one organisation after the other."""
    counts = dict.fromkeys(PendingState.values, 0)
    for organisation_id in Organisation.objects.using(WORKER).values_list("id", flat=True):
        scope = Scope(organisation=organisation_id)
        for state, count in ask(scope, _OWED, {"organisation": organisation_id}, using=WORKER):
            counts[state] += count
    return counts
