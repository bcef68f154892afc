"""Calls that wait for the end of a job: how long they may, and which jobs are over.

Who waits holds neither a thread nor a connection: the web process looks after all its waiting calls
together, by one short statement for each organisation.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from memories.jobs.models import OPEN_STATES, Job
from orgs.database.rls import Scope, scope

# The longest wait, in seconds. Proxies often end a call of a minute.
MAX_WAIT_SECONDS = 30
_WAIT = re.compile(r"wait=([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class JobWait:
    """A call that waits for a job. caller: whose waiting calls it counts among; address: where the
    job is read; seconds: for how long."""

    organisation_id: UUID
    audience_id: UUID
    job_id: UUID
    caller: str
    address: str
    seconds: int


def parse_wait(prefer: str) -> int:
    """The seconds of `wait` in a header Prefer (RFC 7240), at most MAX_WAIT_SECONDS; 0 without one.

    A preference that makes no sense is ignored, as the RFC says. The first one counts.
    """
    for part in prefer.split(","):
        if found := _WAIT.fullmatch(part.split(";", 1)[0].strip().lower()):
            return min(int(found[1]), MAX_WAIT_SECONDS)
    return 0


def find_over(waits: Iterable[JobWait]) -> set[UUID]:
    """The ids of these jobs that are over or deleted. Each organisation is one statement."""
    by_organisation: dict[UUID, list[JobWait]] = defaultdict(list)
    for wait in waits:
        by_organisation[wait.organisation_id].append(wait)
    over: set[UUID] = set()
    try:
        for organisation_id, asked in by_organisation.items():
            ids = {wait.job_id for wait in asked}
            audiences = tuple(sorted({wait.audience_id for wait in asked}))
            with scope(Scope(organisation=organisation_id, audiences=audiences)):
                rows = Job.objects.filter(
                    organisation_id=organisation_id, id__in=ids, state__in=OPEN_STATES
                )
                over |= ids - set(rows.values_list("id", flat=True))
    finally:
        # The thread that looks sleeps until the next time.
        connection.close()
    return over
