"""Archive, forget, restore and delete memories, each with everything that follows from it.

No other module writes the columns that say what became of a memory. What follows:

- Index: words, vectors, graph, restatements and the context that it gives to turns around it.
- Derived memories: what was derived from a text is forgotten when the text may no longer be shown.
  A proposition goes also when its memory is archived, and comes back with it. A summary stays
  then, because it replaces the archived memories; a forgotten one does not come back.
- Review queue: open items about what is gone are withdrawn; what waited for a decision waits again.
- Operation log: one line for each memory that is forgotten, none for what goes with it.
- Message: whoever forgets their own words withdraws the message behind them.

Workers are notified after the commit. Rights are not checked here, and the audit entry belongs to
the act, which may concern many memories at once. Call inside a scope that reads the memories, with
their rows locked; all are of one organisation. Statements do not grow with the number of memories.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, DateTimeField, F, Max, Q, Value, When
from django.db.models.functions import Cast

from memories.indexing import search_index
from memories.jobs.worker_hints import notify_embedding_worker
from memories.review.propose import reenqueue_items, withdraw_items_of
from memories.store.conversation_turns import source_message_id
from memories.store.dependents import (
    INHERITED_FIELDS,
    SUMMARY_KEY_PREFIX,
    derived_from,
    propositions_of,
    restored_status,
    summaries_of,
)
from memories.store.models.choices import Status
from memories.store.models.memory import PROPOSITION_OF, Memory
from memories.store.models.version import OperationVerb, Version
from memories.store.operation_log import record_operations
from orgs.principals import Actor
from robots.conversations.message_withdrawal import restore_messages, withdraw_messages

# The fields by which a memory limits the summaries of it.
_SUMMARY_LIMITS = frozenset({"shareable", "expires_at"})


def archive_memories(
    rows: Sequence[Memory], now: datetime, *, reasons: Mapping[UUID, str] | None = None
) -> None:
    """Take memories out of default recall; they can be restored.

    reasons: by memory id, the rule (of `ArchiveReason`) that archives it; missing where somebody
    does.
    """
    if not rows:
        return
    # The others are in no index, and nothing was derived from them.
    active = [row for row in rows if row.status == Status.ACTIVE]
    by_reason: dict[str, list[Memory]] = defaultdict(list)
    for row in rows:
        by_reason[(reasons or {}).get(row.id, "")].append(row)
    for reason, part in by_reason.items():
        _write(part, status=Status.ARCHIVED, archived_at=now, archived_for=reason, updated_at=now)
    _leave([*rows], active, _forget_derived(active, now, archived=True), now)


def forget_memories(
    rows: Sequence[Memory], now: datetime, *, by_subject: bool, actor: Actor | None = None
) -> None:
    """Take memories out of every answer; they can be restored.

    by_subject: their subject forgets them, so remembering them again does not bring them back, and
    the actor's messages behind them are withdrawn. actor: who forgets; None for the undo of a
    decision.
    """
    if not rows:
        return
    if actor and by_subject:
        withdraw_messages(actor, _message_ids(rows), now)
    _write_forgotten(rows, now, by_subject=by_subject)
    _leave(rows, rows, _forget_derived(rows, now, by_subject=by_subject), now)
    record_operations(
        OperationVerb.FORGET,
        rows[0].organisation_id,
        [row.id for row in rows],
        robot_id=actor.robot_id if actor else None,
        now=now,
    )


def restore_memories(
    rows: Sequence[Memory],
    now: datetime,
    *,
    status: str | None = None,
    actor: Actor | None = None,
) -> None:
    """Undo `archive_memories` and `forget_memories`, with the propositions that went with them.

    status: what they become; by default quarantined, pending or active, as before. actor: who
    restores their own words, and so the messages that they withdrew with them.
    """
    if not rows:
        return
    went = {row.id: {row.forgotten_at, row.archived_at} - {None} for row in rows}
    if actor:
        restore_messages(actor, _message_ids([row for row in rows if row.forgotten_by_subject]))
    by_status: dict[str, list[Memory]] = defaultdict(list)
    for row in rows:
        by_status[status or restored_status(row)].append(row)
    for new, part in by_status.items():
        _write_restored(part, new, now)
    active = by_status[Status.ACTIVE]
    _index([*active, *_restore_derived(active, went, now)], now)
    reenqueue_items([row for row in rows if row.status != Status.ACTIVE], now)


def restore_propositions(memory: Memory, rows: Sequence[Memory], now: datetime) -> None:
    """Restore forgotten propositions of a memory, with the fields that they share with it."""
    if rows:
        shared = {name: getattr(memory, name) for name in INHERITED_FIELDS}
        _write_restored(rows, Status.ACTIVE, now, **shared)
        _index(rows, now)


def delete_memories(rows: Sequence[Memory], now: datetime) -> None:
    """Delete memories that nobody has said, without a trace in the trash: copies and patterns."""
    if rows:
        unindex_with_derived(rows, now)
        _rows_of(rows).delete()


def unindex_with_derived(rows: Sequence[Memory], now: datetime) -> None:
    """Take memories out of search whose text or readers change, or whose rows go, and forget what
    was derived from them. Call before the change; their own state stays."""
    if rows:
        gone = _forget_derived(rows, now)
        search_index.unindex_rows([*rows, *gone], now)
        if gone:
            withdraw_items_of(rows[0].organisation_id, [row.id for row in gone], now)


def update_derived(memory: Memory, changed: Mapping[str, Any]) -> None:
    """Hand a change of a memory on: propositions expire with it and have no more readers than it;
    summaries neither last longer nor have more readers than any of their sources."""
    new = {name: value for name, value in changed.items() if name in INHERITED_FIELDS}
    if new:
        propositions_of([memory]).update(**new)
    if not new.keys().isdisjoint(_SUMMARY_LIMITS):
        _restrict_summaries([memory], new)


def update_ends_of_derived(rows: Sequence[Memory]) -> None:
    """Hand on until when memories hold, as `update_derived` does for one."""
    ends = {str(row.id): row.valid_until for row in rows}
    made = propositions_of(rows).values_list("id", f"source__{PROPOSITION_OF}") if rows else ()
    by_id = {id_: ends[source] for id_, source in made if source in ends}
    if by_id:
        time = DateTimeField()
        cases = [When(id=id_, then=Value(end)) for id_, end in by_id.items()]
        there = Memory.objects.filter(organisation_id=rows[0].organisation_id, id__in=by_id)
        there.update(valid_until=Cast(Case(*cases, output_field=time), time))


def _restrict_summaries(rows: Sequence[Memory], new: Mapping[str, Any]) -> None:
    made = list(summaries_of(rows).select_for_update().order_by("id"))
    if not made:
        return
    for row in made:
        row.shareable = row.shareable and new.get("shareable", True)
        ends = [end for end in (row.expires_at, new.get("expires_at")) if end]
        row.expires_at = min(ends, default=None)
    Memory.objects.bulk_update(made, ["shareable", "expires_at"])
    _restrict_summaries(made, new)


def _leave(
    rows: Sequence[Memory], indexed: Sequence[Memory], derived: Sequence[Memory], now: datetime
) -> None:
    """Take memories and what went with them out of search and out of the review queue.

    After their state is written, so that the turns around them are found behind those that go.
    """
    search_index.unindex_rows([*indexed, *derived], now)
    ids = [row.id for row in (*rows, *derived)]
    withdraw_items_of(rows[0].organisation_id, ids, now)


def _forget_derived(
    rows: Sequence[Memory], now: datetime, *, by_subject: bool = False, archived: bool = False
) -> list[Memory]:
    """Forget what was derived from memories that leave, at every level. Returns these rows, which
    are still to be taken out of search.

    archived: the memories leave only recall, so their summaries stay. Otherwise archived ones are
    forgotten as well, because they hold the same words.
    """
    mine = Q(status=Status.ACTIVE, source__has_key=PROPOSITION_OF)
    if not archived:
        said = Q(source__has_key=PROPOSITION_OF) | Q(key__startswith=SUMMARY_KEY_PREFIX)
        mine = said & Q(status__in=(Status.ACTIVE, Status.ARCHIVED))
    found: list[Memory] = []
    level = list(rows)
    while level:
        level = list(derived_from(level).filter(mine).select_for_update().order_by("id"))
        if level:
            _write_forgotten(level, now, by_subject=by_subject)
        found += level
    return found


def _restore_derived(
    rows: Sequence[Memory], went: Mapping[UUID, set[datetime | None]], now: datetime
) -> list[Memory]:
    """Make the propositions active again that went together with memories, unless the memory has
    other words now. went: when, by id."""
    times = {at for row in rows for at in went[row.id]}
    if not times:
        return []
    sources = {str(row.id): row for row in rows}
    gone = propositions_of(rows).filter(status=Status.FORGOTTEN, forgotten_at__in=times)
    together = [
        (made, source)
        for made in gone.select_for_update().order_by("id")
        if (source := sources.get(made.source[PROPOSITION_OF]))
        and made.audience_id == source.audience_id
        and made.forgotten_at in went[source.id]
    ]
    if not together:
        return []
    past = Version.objects.filter(
        organisation_id=rows[0].organisation_id,
        memory_id__in={source.id for _, source in together},
    ).exclude(content=F("memory__content"))
    reworded = past.order_by().values("memory_id").annotate(at=Max("replaced_at"))
    since = dict(reworded.values_list("memory_id", "at"))
    back = [
        made
        for made, source in together
        if source.id not in since or since[source.id] < made.forgotten_at
    ]
    if back:
        _write_restored(back, Status.ACTIVE, now)
    return back


def _index(rows: Sequence[Memory], now: datetime) -> None:
    if rows:
        search_index.index_memories(rows, organisation=rows[0].organisation, now=now)
        notify_embedding_worker(rows[0].organisation_id)


def _message_ids(rows: Sequence[Memory]) -> list[UUID]:
    return [id_ for row in rows if (id_ := source_message_id(row))]


def _write_forgotten(rows: Sequence[Memory], now: datetime, *, by_subject: bool) -> None:
    _write(
        rows,
        status=Status.FORGOTTEN,
        forgotten_at=now,
        forgotten_by_subject=by_subject,
        updated_at=now,
    )


def _write_restored(rows: Sequence[Memory], status: str, now: datetime, **more: Any) -> None:
    """Give the rows this status, with no trace of why they were away."""
    _write(
        rows,
        status=status,
        forgotten_at=None,
        forgotten_by_subject=False,
        archived_at=None,
        archived_for="",
        restored_at=now,
        updated_at=now,
        **more,
    )


def _write(rows: Sequence[Memory], **values: Any) -> None:
    """Store values in the rows and set them in the objects; one statement."""
    _rows_of(rows).update(**values)
    for row in rows:
        for name, value in values.items():
            setattr(row, name, value)


def _rows_of(rows: Sequence[Memory]) -> Any:
    ids = [row.id for row in rows]
    return Memory.objects.filter(organisation_id=rows[0].organisation_id, id__in=ids)
