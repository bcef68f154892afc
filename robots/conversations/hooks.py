"""Where an upper app makes memories of messages; this one keeps the messages."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from orgs.principals import Actor
from robots.conversations.drafts import Promoted
from robots.models.conversations import Conversation, Message

Promote = Callable[
    [Actor, Conversation, Sequence[Message], Sequence[UUID], datetime], dict[UUID, Promoted]
]
Joined = Callable[[UUID, Sequence[UUID], datetime], None]
_promoters: list[Promote] = []
_joiners: list[Joined] = []


def promotes(function: Promote) -> Promote:
    """Register what makes memories of new messages (those without a `reason`).

    It gets the poster, the conversation, the new messages, the ids of messages that were there
    already, and the time; it runs in the transaction that keeps the messages and answers by
    message id.
    """
    _promoters.append(function)
    return function


def promote(
    actor: Actor,
    conversation: Conversation,
    fresh: Sequence[Message],
    known: Sequence[UUID],
    now: datetime,
) -> dict[UUID, Promoted]:
    """Let every registered app look at the messages."""
    found: dict[UUID, Promoted] = {}
    for function in _promoters:
        found |= function(actor, conversation, fresh, known, now)
    return found


def follows_replies(function: Joined) -> Joined:
    """Register what wants to know of messages that came before what they reply to."""
    _joiners.append(function)
    return function


def replies_joined(organisation_id: UUID, messages: Sequence[UUID], now: datetime) -> None:
    """What these messages reply to has come now."""
    if messages:
        for function in _joiners:
            function(organisation_id, messages, now)
