"""The status that a memory returns to."""

from memories.store.models.choices import HeldFor, Status
from memories.store.models.memory import Memory


def back_to(memory: Memory) -> str:
    """The status of a withdrawn memory that comes back: quarantined, pending or active, as
    before."""
    if memory.held_for == HeldFor.POISON:
        return Status.QUARANTINED
    return Status.PENDING_REVIEW if memory.proposed_audience_id else Status.ACTIVE
