"""Leases on pending work of memories: taken for a time, released on failure.

A leased row becomes ready again when its lease ends, so nothing is lost with a killed worker.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q, QuerySet

from memories.store.models.memory_part import MemoryPart
from orgs.database.rls import organisation_scope
from orgs.placement.all_organisations import list_organisation_ids

# The columns of every row of pending work: state, lease, attempts and reason.


class PendingState(models.TextChoices):
    """dead: tried too often. dropped: somebody decided that it stays undone, until the memory
    changes."""

    WAITING = "waiting"
    LEASED = "leased"
    DEAD = "dead"
    DROPPED = "dropped"


OWED_STATES = (PendingState.WAITING, PendingState.LEASED)
RETRIED = {"state": PendingState.WAITING, "attempts": 0, "leased_until": None}


class PendingWork(MemoryPart):
    """Pending work of a memory: stored in the transaction that causes it, deleted when it is
    done."""

    state = models.CharField(
        max_length=8, choices=PendingState.choices, default=PendingState.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    reason = models.TextField(blank=True, default="")
    leased_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        abstract = True


WORKER = "worker"
# Of rows and of jobs. Work notes how far it is within seconds, so this is for workers that died.
LEASE = timedelta(seconds=settings.WORK_LEASE_SECONDS)
MAX_ATTEMPTS = 5
LEASE_EXPIRED = "BrokeOff"

WorkRow = TypeVar("WorkRow", bound=PendingWork)


def ready_q(now: datetime) -> Q:
    """The condition for rows that wait, or whose lease has ended."""
    return Q(state=PendingState.WAITING) | Q(state=PendingState.LEASED, leased_until__lt=now)


def lease_rows(
    rows: "QuerySet[WorkRow]",
    now: datetime,
    limit: int,
    *,
    lease: timedelta = LEASE,
    broken_alone: bool = False,
) -> list[WorkRow]:
    """Lease up to `limit` ready rows, the oldest first; inside the worker's scope.

    Rows whose lease ended MAX_ATTEMPTS times without a release become dead. broken_alone: a row
    whose lease ended before is leased by itself, so that a row that kills the process affects no
    other.
    """
    broken = rows.filter(
        state=PendingState.LEASED, leased_until__lt=now, attempts__gte=MAX_ATTEMPTS
    )
    broken.update(state=PendingState.DEAD, reason=LEASE_EXPIRED)
    found = list(
        rows.filter(ready_q(now))
        .order_by("created_at", "id")
        .select_for_update(of=("self",), skip_locked=True)[:limit]
    )
    if broken_alone:
        before = [row for row in found if row.state == PendingState.LEASED and row.attempts > 1]
        found = before[:1] or found
    taken = rows.model._default_manager.using(WORKER).filter(id__in=[row.id for row in found])
    taken.update(state=PendingState.LEASED, leased_until=now + lease, attempts=F("attempts") + 1)
    return found


def release_rows(
    model: type[PendingWork],
    organisation_id: UUID,
    memory_ids: Sequence[UUID],
    reason: str,
    *,
    until: datetime | None = None,
) -> None:
    """Release rows for another attempt. After MAX_ATTEMPTS they are dead, with the reason, until
    somebody retries them.

    until: they are not tried before.
    """
    again: dict[str, object] = {"state": PendingState.WAITING, "reason": reason}
    if until is not None:
        again |= {"state": PendingState.LEASED, "leased_until": until}
    with organisation_scope(organisation_id, using=WORKER):
        rows = model._default_manager.using(WORKER).filter(
            organisation_id=organisation_id, memory_id__in=memory_ids
        )
        rows.filter(attempts__gte=MAX_ATTEMPTS).update(state=PendingState.DEAD, reason=reason)
        rows.filter(attempts__lt=MAX_ATTEMPTS).update(**again)


def list_organisations_with_work(model: type[PendingWork], now: datetime) -> list[UUID]:
    """The ids of organisations with ready rows."""
    owed = []
    for organisation_id in list_organisation_ids():
        with organisation_scope(organisation_id, using=WORKER):
            rows = model._default_manager.using(WORKER)
            if rows.filter(ready_q(now), organisation_id=organisation_id).exists():
                owed.append(organisation_id)
    return owed
