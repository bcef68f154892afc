"""How a memory that was forgotten or archived comes back."""

from datetime import datetime

from memories.store.models.choices import QuarantineGate, Status
from memories.store.models.memory import Memory


def restored_status(memory: Memory) -> str:
    """The status of a withdrawn memory that comes back: quarantined, pending or active, as
    before."""
    if memory.held_for == QuarantineGate.POISON:
        return Status.QUARANTINED
    return Status.PENDING_REVIEW if memory.proposed_audience_id else Status.ACTIVE


# What `mark_restored` changes.
RESTORED_FIELDS = (
    *("status", "forgotten_at", "forgotten_by_subject", "archived_at", "archived_for"),
    *("restored_at", "updated_at"),
)


def mark_restored(memory: Memory, status: str, now: datetime) -> None:
    """Give the row this status, with no trace of why it was away; the caller saves and indexes
    it."""
    memory.status, memory.forgotten_at, memory.archived_at = status, None, None
    memory.forgotten_by_subject, memory.archived_for = False, ""
    memory.restored_at = memory.updated_at = now
