"""Hooks by which an upper app makes memories of messages; this app keeps the messages."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.principals import Actor
from robots.conversations.message_types import MessageMemory
from robots.models.conversations import Conversation, Message

MemoryMaker = Callable[
    [Actor, Conversation, Sequence[Message], Sequence[UUID], datetime], dict[UUID, MessageMemory]
]
ReplyHook = Callable[[UUID, Sequence[UUID], datetime], None]
# (who opens it, whether more than one member and their robot read it, title and metadata, now)
OpeningCheck = Callable[[Actor, bool, Mapping[str, Any], datetime], None]
_memory_makers: list[MemoryMaker] = []
_opening_checks: list[OpeningCheck] = []
_reply_hooks: list[ReplyHook] = []


def register_memory_maker(function: MemoryMaker) -> MemoryMaker:
    """Register a function that makes memories of new messages (those without a `reason`).

    It gets the poster, the conversation, the new messages, the ids of messages that were there
    already, and the time. It runs in the transaction that keeps the messages and returns a Promoted
    by message id.
    """
    _memory_makers.append(function)
    return function


def create_memories(
    actor: Actor,
    conversation: Conversation,
    fresh: Sequence[Message],
    known: Sequence[UUID],
    now: datetime,
) -> dict[UUID, MessageMemory]:
    """Call every registered function; its answers by message id."""
    found: dict[UUID, MessageMemory] = {}
    for function in _memory_makers:
        found |= function(actor, conversation, fresh, known, now)
    return found


def checks_openings(check: OpeningCheck) -> OpeningCheck:
    """Register a check of the title and the metadata with which a conversation is opened. It
    raises for what may not reach the readers."""
    _opening_checks.append(check)
    return check


def check_opening(actor: Actor, *, shared: bool, data: Mapping[str, Any], now: datetime) -> None:
    """Call every function of `checks_openings`."""
    for check in _opening_checks:
        check(actor, shared, data, now)


def register_reply_hook(function: ReplyHook) -> ReplyHook:
    """Register a function that is called when what a message replies to comes after it."""
    _reply_hooks.append(function)
    return function


def notify_late_replies(organisation_id: UUID, messages: Sequence[UUID], now: datetime) -> None:
    """Call every function of `register_reply_hook`. messages: the ids of the replies."""
    if messages:
        for function in _reply_hooks:
            function(organisation_id, messages, now)
