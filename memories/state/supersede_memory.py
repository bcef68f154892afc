"""Replace an older memory by a newer one: both are kept, and the older one says until when it
held. No other module writes these two columns."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.permissions import check_red_line, record_memory_audit
from memories.access.visibility import MemoryRequestError
from memories.state.transitions import update_derived
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.version_stamp import VERSION_FIELDS, stamp_version
from orgs.errors import AlreadyExistsError
from orgs.principals import Principal

SUPERSEDE_FIELDS = ("superseded_by", "valid_until")
CHANGED_SINCE_DECISION = (
    "It was changed after the decision, so the decision stands. Edit it instead."
)


def supersede_memory(
    principal: Principal, older: Memory, newer: Memory, now: datetime
) -> dict[str, Any]:
    """Note that the newer memory holds since it was said. Returns what undo needs.

    Both are locked, have the same readers and are the asker's to change. Raises RedLineError for a
    protected older one, and MemoryRequestError if the newer one is not active or was superseded by
    the older one.
    """
    if newer.status != Status.ACTIVE or newer.superseded_by_id == older.id:
        raise MemoryRequestError("The newer one does not hold any more. Nothing was decided.")
    check_red_line(principal, older, "supersede", now)
    before = [str(older.superseded_by_id or ""), _format_time(older.valid_until)]
    _set_successor(principal, older, newer.id, newer.occurred_at or newer.created_at, now)
    record_memory_audit(principal, "memory.superseded", older, now, by=str(newer.id))
    return {"superseded": str(older.id), "holds": str(newer.id), "held": before}


def undo_supersede(
    principal: Principal, older: Memory, outcome: dict[str, Any], now: datetime
) -> None:
    """Undo `supersede`: the older memory gets its former successor and end back. Raises
    AlreadyExistsError if its successor changed since."""
    if str(older.superseded_by_id) != outcome["holds"]:
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    by, end = outcome["held"]
    there = (
        Memory.objects.filter(organisation_id=older.organisation_id, id=UUID(by)).first()
        if by
        else None
    )
    until = datetime.fromisoformat(end) if end else None
    _set_successor(principal, older, there.id if there else None, until, now)
    record_memory_audit(principal, "memory.holds_again", older, now)


def set_valid_until(
    principal: Principal, memory: Memory, until: datetime | None, now: datetime
) -> bool:
    """Set until when a locked memory held, as a snapshot has it; returns whether that changed.

    None: it holds, so it has no successor. Raises RedLineError for a protected one.
    """
    if memory.valid_until == until:
        return False
    check_red_line(principal, memory, "supersede", now)
    _set_successor(principal, memory, memory.superseded_by_id if until else None, until, now)
    record_memory_audit(principal, "memory.edited", memory, now, fields=["valid_until"])
    return True


def mark_current(memory: Memory) -> None:
    """Note in a memory that it holds now: it gets new words, and that it held no more was found of
    the old ones. Save it with SUPERSEDE_FIELDS."""
    memory.superseded_by, memory.valid_until = None, None


def end_new_memories(rows: Sequence[Memory], until: Mapping[UUID, datetime]) -> None:
    """Store until when memories held that were just written, by id. It is their first version, and
    nothing was derived from them yet."""
    for row in rows:
        row.valid_until = until[row.id]
    Memory.objects.bulk_update(rows, ["valid_until"])


def _set_successor(
    principal: Principal,
    older: Memory,
    newer_id: UUID | None,
    until: datetime | None,
    now: datetime,
) -> None:
    older.superseded_by_id, older.valid_until = newer_id, until
    stamp_version(older, principal.actor, now)
    older.save(update_fields=[*SUPERSEDE_FIELDS, *VERSION_FIELDS])
    update_derived(older, {"valid_until": until})


def _format_time(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
