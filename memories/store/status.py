"""The status that a memory returns to."""

from memories.store.models.choices import HeldFor, Status
from memories.store.models.memory import Memory


def back_to(memory: Memory) -> str:
    """What a withdrawn memory becomes again: what was waiting for a decision waits on."""
    if memory.held_for == HeldFor.POISON:
        return Status.QUARANTINED
    return Status.PENDING_REVIEW if memory.proposed_audience_id else Status.ACTIVE
