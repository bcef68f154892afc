"""Read new memories: make their restatements and write what they show into the graph.

No request waits for it: it is queued with the embedding (`Pending.reading`) and done before it.
Work is leased in the role of the worker. The reading itself runs in the role of the application, in
a scope of only the audiences of these memories, so row-level security applies as in a request. Only
one worker at a time reads for an organisation, because a turn depends on the turns before it.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import OperationalError, connection
from django.db.models import F
from django.db.models.functions import Greatest

from memories.indexing.models import EnrichmentState, Pending
from memories.indexing.neighbour_context import lock_conversations_of_memories
from memories.jobs.leases import WORKER, PendingState, lease_rows, release_rows
from memories.knowledge_graph import graph_projection
from memories.language.text_limits import (
    MAX_CHARACTERS_PER_STEP,
    MAX_CHARACTERS_PER_TEXT,
    WorkBudget,
)
from memories.restatement.restate import write_restatements
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.organisations import Organisation

log = logging.getLogger("commonmind.reading")

BATCH_SIZE = 256
# Less than `deadlock_timeout`: if a request and the reader wait for each other, the reader gives
# up.
_LOCK_TIMEOUT_SQL = "SET LOCAL lock_timeout = '500ms'"
_TRY_LOCK_SQL = (
    "SELECT pg_try_advisory_xact_lock(hashtextextended('reading ' || %(organisation)s, 0))"
)


def enrich_pending(organisation_id: UUID, *, now: datetime, limit: int = BATCH_SIZE) -> int:
    """Read up to `limit` waiting memories, the oldest first; returns how many were read.

    0 if nothing waits, if another worker reads for the organisation, or if the waiting memories are
    locked.
    """
    with organisation_scope(organisation_id):
        if not _try_lock(organisation_id):
            return 0
        owed = _lease_rows(organisation_id, now, limit)
        if not owed:
            return 0
        organisation = Organisation.objects.get(id=organisation_id)
        try:
            return len(enrich_memories(organisation, owed, now))
        except Exception as error:
            if len(owed) == 1 or isinstance(error, OperationalError):
                _release(organisation_id, owed, error)
                return 0
            # One bad text must not block the others: read each by itself.
            return sum(_enrich_memory(organisation, one, now) for one in owed)


def enrich_memories(
    organisation: Organisation, owed: Sequence[Pending], now: datetime
) -> list[Memory]:
    """Read the memories of these pending rows and return them. Memories that are locked, or beyond
    the characters of one step, wait for the next step."""
    audiences = tuple(sorted({row.audience_id for row in owed}))
    with scope(Scope(organisation=organisation.id, audiences=audiences)):
        rows, later = _lock_memories(organisation.id, owed)
        fresh = {row.memory_id for row in owed if row.reading == EnrichmentState.FRESH}
        write_restatements(rows, now)
        for new in (False, True):
            some = [row for row in rows if (row.id in fresh) is new]
            graph_projection.write_graph(organisation, some, now, fresh=new)
        mine = Pending.objects.filter(organisation_id=organisation.id)
        done = [row.id for row in owed if row.memory_id not in later]
        mine.filter(id__in=done).update(
            reading=EnrichmentState.DONE, **_RELEASED_FIELDS, attempts=0
        )
        put_back = [row.id for row in owed if row.memory_id in later]
        if put_back:
            mine.filter(id__in=put_back).update(**_RELEASED_FIELDS, attempts=_ATTEMPT_UNDONE)
    return rows


_RELEASED_FIELDS = {"state": PendingState.WAITING, "leased_until": None}
_ATTEMPT_UNDONE = Greatest(F("attempts") - 1, 0)


def _try_lock(organisation_id: UUID) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_TIMEOUT_SQL)
    [(alone,)] = fetch_all(_TRY_LOCK_SQL, {"organisation": str(organisation_id)})
    return bool(alone)


def _lease_rows(organisation_id: UUID, now: datetime, limit: int) -> list[Pending]:
    with organisation_scope(organisation_id, using=WORKER):
        owed = Pending.objects.using(WORKER).filter(organisation_id=organisation_id)
        return lease_rows(owed.exclude(reading=EnrichmentState.DONE), now, limit, broken_alone=True)


def _lock_memories(
    organisation_id: UUID, owed: Sequence[Pending]
) -> tuple[list[Memory], frozenset[UUID]]:
    """(memories in the order of their pending rows, ids of those that have to wait).

    They are locked until the transaction ends: forgetting, editing or moving one waits, and so does
    taking a turn out of their conversations. A memory that was changed since it was leased has a
    new pending row.
    """
    ids = [row.memory_id for row in owed]
    lock_conversations_of_memories(organisation_id, ids)
    active = Memory.objects.filter(
        organisation_id=organisation_id, id__in=ids, status=Status.ACTIVE
    )
    # SKIP LOCKED: a transaction that holds a memory may wait for its conversation.
    held = active.select_for_update(of=("self",), no_key=True, skip_locked=True)
    found = {row.id: row for row in held.order_by("id")}
    rows_left = Pending.objects.filter(
        organisation_id=organisation_id, id__in=[row.id for row in owed]
    )
    left = set(rows_left.values_list("id", flat=True))
    ids = [row.memory_id for row in owed if row.id in left]
    missing = [id_ for id_ in ids if id_ not in found]
    later = set(active.filter(id__in=missing).values_list("id", flat=True)) if missing else set()
    rows, budget = [], WorkBudget(MAX_CHARACTERS_PER_STEP)
    for id_ in ids:
        if (row := found.get(id_)) is None:
            continue
        if budget.take(min(len(row.content), MAX_CHARACTERS_PER_TEXT)):
            rows.append(row)
        else:
            later.add(id_)
    return rows, frozenset(later)


def _enrich_memory(organisation: Organisation, one: Pending, now: datetime) -> int:
    try:
        return len(enrich_memories(organisation, [one], now))
    except Exception as error:
        _release(organisation.id, [one], error)
        return 0


def _release(organisation_id: UUID, owed: Sequence[Pending], error: Exception) -> None:
    """Release pending rows for another attempt; a lock timeout does not count as an attempt."""
    # The class alone: a message may quote the text.
    reason = type(error).__name__
    log.warning("reading failed: %s", reason)
    ids = [row.memory_id for row in owed]
    if not isinstance(error, OperationalError):
        release_rows(Pending, organisation_id, ids, reason)
        return
    with organisation_scope(organisation_id, using=WORKER):
        rows = Pending.objects.using(WORKER).filter(
            organisation_id=organisation_id, memory_id__in=ids
        )
        rows.update(**_RELEASED_FIELDS, attempts=_ATTEMPT_UNDONE)
