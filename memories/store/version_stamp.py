"""The version, time and editor that a change leaves on a memory."""

from datetime import datetime

from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.principals import Actor

VERSION_FIELDS = ("updated_at", "version", "editor", "editor_robot")


def stamp_parts(memory: Memory, actor: Actor, now: datetime) -> None:
    """A memory that waits for a review got something that is published with it: who has read it
    decides about the version of before no more."""
    if memory.status in (Status.PENDING_REVIEW, Status.QUARANTINED):
        stamp_version(memory, actor, now)
        memory.save(update_fields=VERSION_FIELDS)


def stamp_version(memory: Memory, actor: Actor, now: datetime) -> None:
    """Say who makes the next version; the database keeps the one before. Save with STAMPS."""
    memory.version, memory.updated_at = memory.version + 1, now
    memory.editor_id = actor.member_id if actor.is_person else None
    memory.editor_robot_id = actor.robot_id
