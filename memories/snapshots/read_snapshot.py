"""Read memories for a snapshot, in portions by id, under row-level security each time."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.browsing.memory_queries import filter_memories
from memories.snapshots.snapshot_format import build_head, build_line, to_bytes
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs import audit
from orgs.principals import Actor, Principal, resolve_principal

BATCH_SIZE = 100
# A page ends at this many bytes, so that it can be restored by one request.
MAX_PAGE_BYTES = 16 * 1024 * 1024


def select_exportable(
    principal: Principal, filters: Mapping[str, Any], now: datetime
) -> MemoryQuerySet:
    """The active memories that the asker reads; for a person without robots' own notes.

    Without sensitive ones, because a snapshot is a plain file.

    filters: group, tier, type, since, until. Evaluate inside the principal's scope.
    """
    rows = filter_memories(principal, filters, now).filter(sensitive=False)
    return rows.for_people() if principal.actor.is_person else rows


def count_exportable(principal: Principal, filters: Mapping[str, Any], now: datetime) -> int:
    """The number of memories now; call inside the principal's scope."""
    return select_exportable(principal, filters, now).order_by().count()


def load_batch(
    actor: Actor,
    filters: Mapping[str, Any],
    after: UUID | None,
    *,
    now: datetime,
    most: int = BATCH_SIZE,
) -> list[Memory]:
    """The next memories after an id, in the order of ids, with the present rights."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = select_exportable(principal, filters, now)
        rows = rows.filter(id__gt=after) if after else rows
        return list(rows.order_by("id")[:most])


def load_page(
    actor: Actor, filters: Mapping[str, Any], after: UUID | None, *, limit: int, now: datetime
) -> tuple[dict[str, Any], UUID | None]:
    """(a snapshot of up to `limit` memories and MOST_BYTES, the id after which to continue or
    None)."""
    lines: list[dict[str, Any]] = []
    size, last, more = 0, after, True
    while more and len(lines) < limit and size < MAX_PAGE_BYTES:
        wanted = min(BATCH_SIZE, limit - len(lines))
        rows = load_batch(actor, filters, last, now=now, most=wanted + 1)
        more, rows = len(rows) > wanted, rows[:wanted]
        for number, row in enumerate(rows):
            made = build_line(row)
            lines.append(made)
            last, size = row.id, size + len(to_bytes(made))
            if size >= MAX_PAGE_BYTES:
                more = more or number + 1 < len(rows)
                break
    return {"head": build_head(actor, len(lines), now), "memories": lines}, last if more else None


def export_snapshot(
    actor: Actor, filters: Mapping[str, Any], *, now: datetime
) -> tuple[int, Iterator[tuple[int, bytes]]]:
    """(number of memories, a whole snapshot as an iterator of (memories so far, bytes)).

    Recorded in the audit trail, because the copy leaves the service.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        total = count_exportable(principal, filters, now)
        audit.record_entry("snapshot.exported", actor=actor, now=now, total=total)
    return total, _iter_chunks(actor, filters, total, now)


def _iter_chunks(
    actor: Actor, filters: Mapping[str, Any], total: int, now: datetime
) -> Iterator[tuple[int, bytes]]:
    yield 0, to_bytes(build_head(actor, total, now))
    done, last = 0, None
    while rows := load_batch(actor, filters, last, now=now):
        done, last = done + len(rows), rows[-1].id
        yield done, b"".join(to_bytes(build_line(row)) for row in rows)
