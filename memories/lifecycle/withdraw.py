"""Forget memories without checking rights; call inside a scope that reads them."""

from collections.abc import Sequence
from datetime import datetime

from memories.indexing import index
from memories.store.conversation_turns import message_of
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.operation import Verb
from memories.store.operations import log
from orgs.principals import Actor
from robots.conversations.withdraw_messages import say_again, unsay


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
