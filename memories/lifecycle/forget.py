"""Forget, archive and restore memories."""

from datetime import datetime
from uuid import UUID

from memories.access.lookup import changeable, note
from memories.access.permissions import NotYours, is_subject, may_forget
from memories.access.red_lines import hold_red_line, is_their_own
from memories.indexing import index
from memories.lifecycle.withdraw import give_back, take_away
from memories.review.enqueue import enqueue_again, withdraw
from memories.store import status
from memories.store.dependents import bring_along, is_summary, may_be_said
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExists, NotFound
from orgs.principals import Actor, resolve

UNSAID = (
    "Something that this was made of was forgotten, changed or given other readers. The others can "
    "be brought back one by one."
)


def forget_memory(
    actor: Actor, memory_id: UUID, *, now: datetime, force: str | None = None
) -> Memory:
    """Forget a memory: take it out of every answer; it can be restored.

    If its subject forgets it, remembering it again does not bring it back, and no red line prevents
    it. force: an admin's reason to forget a protected memory. Raises NotFound, NotYours, RedLine,
    and PermissionError if `force` comes from anybody but an admin.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if memory.status == Status.FORGOTTEN:
            raise NotFound("it is forgotten already")
        if not may_forget(principal, memory):
            raise NotYours("You may read this memory, but it is not yours to forget.")
        if not is_their_own(actor, memory):
            hold_red_line(principal, memory, "forget", now, force=force)
        take_away(actor, memory, by_subject=is_subject(actor, memory), now=now)
        withdraw(memory.organisation_id, memory.id, now)
        note(principal, "memory.forgotten", memory, now)
    return memory


def archive_memory(
    actor: Actor, memory_id: UUID, *, now: datetime, force: str | None = None
) -> Memory:
    """Archive a memory: take it out of default recall; it can be restored. force, raises: as in
    `forget_memory`; AlreadyExists if it is not active."""
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if memory.status != Status.ACTIVE:
            raise AlreadyExists(f"The memory is {memory.status}, not active.")
        hold_red_line(principal, memory, "archive", now, force=force)
        memory.status, memory.archived_at, memory.updated_at = Status.ARCHIVED, now, now
        memory.save(update_fields=["status", "archived_at", "updated_at"])
        index.unindex([memory], now, archived=True)
        withdraw(memory.organisation_id, memory.id, now)
        note(principal, "memory.archived", memory, now)
    return memory


def restore_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    """Restore a forgotten or archived memory. What its subject forgot, only they restore.

    Raises NotFound, NotYours, and AlreadyExists for a memory that is neither forgotten nor
    archived, and for a summary with a source that may no longer be said.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if not may_forget(principal, memory):
            raise NotYours("You may read this memory, but it is not yours to bring back.")
        if memory.status not in (Status.FORGOTTEN, Status.ARCHIVED):
            raise AlreadyExists("The memory is neither forgotten nor archived.")
        if is_summary(memory) and not may_be_said(memory):
            raise AlreadyExists(UNSAID)
        if memory.forgotten_by_subject:
            give_back(actor, [memory])
        went_at = memory.forgotten_at or memory.archived_at or now
        status.come_back(memory, status.back_to(memory), now)
        memory.save(update_fields=status.COMES_BACK)
        if memory.status == Status.ACTIVE:
            index.reindex(memory, now)
            for follower in bring_along(memory, went_at, now):
                index.reindex(follower, now)
        enqueue_again(memory, now)
        note(principal, "memory.restored", memory, now)
    return memory
