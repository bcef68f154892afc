"""Forget, archive and restore memories.

`take_away` and `give_back` check no rights: call them inside a scope that reads the memory.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memories.access.lookup import changeable, note
from memories.access.permissions import NotYours, is_subject, may_forget
from memories.access.red_lines import hold_red_line, is_their_own
from memories.indexing import index
from memories.review.enqueue import enqueue_again, withdraw
from memories.store import status
from memories.store.conversation_turns import message_of
from memories.store.dependents import bring_along, is_summary, may_be_said
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.operation import Verb
from memories.store.operations import log
from orgs.errors import AlreadyExists, NotFound
from orgs.principals import Actor, resolve
from robots.conversations.withdraw_messages import say_again, unsay

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


def take_away(actor: Actor | None, memory: Memory, *, by_subject: bool, now: datetime) -> None:
    """Forget one memory. by_subject: remembering it again does not bring it back, and the message
    that it was made from is withdrawn as well."""
    if actor and by_subject and (message := message_of(memory)):
        unsay(actor, [message], now)
    index.unindex([memory], now, by_subject=by_subject)
    memory.status, memory.forgotten_at, memory.updated_at = Status.FORGOTTEN, now, now
    memory.forgotten_by_subject = by_subject
    memory.save(update_fields=["status", "forgotten_at", "forgotten_by_subject", "updated_at"])
    log(
        Verb.FORGET,
        memory.organisation_id,
        [memory.id],
        robot_id=actor.robot_id if actor else None,
        now=now,
    )


def give_back(actor: Actor, rows: Sequence[Memory]) -> None:
    """Restore the actor's own messages behind restored memories."""
    say_again(actor, [id_ for row in rows if (id_ := message_of(row))])
