"""Hooks by which an upper app makes memories of messages; this app keeps the messages."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.principals import Actor
from robots.conversations.drafts import Promoted
from robots.models.conversations import Conversation, Message

Promote = Callable[
    [Actor, Conversation, Sequence[Message], Sequence[UUID], datetime], dict[UUID, Promoted]
]
Joined = Callable[[UUID, Sequence[UUID], datetime], None]
# (who opens it, whether more than one member and their robot read it, title and metadata, now)
OpeningCheck = Callable[[Actor, bool, Mapping[str, Any], datetime], None]
_promoters: list[Promote] = []
_opening_checks: list[OpeningCheck] = []
_joiners: list[Joined] = []


def promotes(function: Promote) -> Promote:
    """Register a function that makes memories of new messages (those without a `reason`).

    It gets the poster, the conversation, the new messages, the ids of messages that were there
    already, and the time. It runs in the transaction that keeps the messages and returns a Promoted
    by message id.
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
    """Call every registered function; its answers by message id."""
    found: dict[UUID, Promoted] = {}
    for function in _promoters:
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


def follows_replies(function: Joined) -> Joined:
    """Register a function that is called when what a message replies to comes after it."""
    _joiners.append(function)
    return function


def replies_joined(organisation_id: UUID, messages: Sequence[UUID], now: datetime) -> None:
    """Call every function of `follows_replies`. messages: the ids of the replies."""
    if messages:
        for function in _joiners:
            function(organisation_id, messages, now)
