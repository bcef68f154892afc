"""The version, time and editor that a change leaves on a memory."""

from datetime import datetime

from memories.store.models.memory import Memory
from orgs.principals import Actor

VERSION_FIELDS = ("updated_at", "version", "editor", "editor_robot")


def stamp_version(memory: Memory, actor: Actor, now: datetime) -> None:
    """Say who makes the next version; the database keeps the one before. Save with STAMPS."""
    memory.version, memory.updated_at = memory.version + 1, now
    memory.editor_id = actor.member_id if actor.is_person else None
    memory.editor_robot_id = actor.robot_id
