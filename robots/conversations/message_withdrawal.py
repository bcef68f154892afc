"""Withdraw messages of a member, and restore them; call inside a scope that reads them.

A withdrawn message keeps its position, speaker and time, but nobody is shown its words. A member
may withdraw what they said, and every message of a conversation that is theirs
(`Conversation.member`).
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from orgs.principals import Actor
from robots.conversations.message_rules import build_title
from robots.models.conversations import Conversation, Message

# A `reason`: the message had a memory, which was erased.
ERASED = "erased"


def messages_by_speaker(actor: Actor) -> "QuerySet[Message]":
    """Every message that the member has said, as far as the scope reads it."""
    return Message.objects.filter(
        organisation_id=actor.organisation_id,
        speaker_member_id=actor.member_id,  # type: ignore[misc]  # nobody: no rows
    )


def _withdrawable_messages(actor: Actor, ids: Sequence[UUID]) -> "QuerySet[Message]":
    own = Q(speaker_member_id=actor.member_id) | Q(conversation__member_id=actor.member_id)
    return Message.objects.filter(own, organisation_id=actor.organisation_id, id__in=ids)


def withdraw_messages(actor: Actor, ids: Sequence[UUID], now: datetime) -> int:
    """Withdraw those of these messages that the member may withdraw. Returns how many."""
    if actor.member_id is None or not ids:
        return 0
    return len(_withdraw(_withdrawable_messages(actor, ids), now))


def withdraw_all_messages(actor: Actor, now: datetime) -> list[UUID]:
    """Withdraw everything that the member has said. Returns the ids of the messages."""
    return _withdraw(messages_by_speaker(actor), now) if actor.member_id else []


def _withdraw(rows: "QuerySet[Message]", now: datetime) -> list[UUID]:
    open_ = rows.filter(withdrawn_at=None)
    places = set(open_.values_list("conversation_id", flat=True))
    ids = list(open_.values_list("id", flat=True))
    Message.objects.filter(id__in=ids).update(withdrawn_at=now)
    for place in Conversation.objects.filter(id__in=places):
        _update_title(place, ids)
    return ids


def _update_title(conversation: Conversation, gone: Sequence[UUID]) -> None:
    """If a withdrawn message gave the title, make it from the first message that is left.

    A conversation of fewer than two messages has no title.
    """
    first = Message.objects.filter(
        organisation_id=conversation.organisation_id,
        conversation_id=conversation.id,
        audience_id=conversation.audience_id,
    ).order_by("position")
    made = {conversation_title(row) for row in first.filter(id__in=gone)[:100]}
    if conversation.title not in made:
        return
    left = list(first.filter(withdrawn_at=None)[:2])
    conversation.title = conversation_title(left[0]) if len(left) == 2 else ""
    conversation.save(update_fields=["title"])


def exclude_from_context(organisation_id: UUID, ids: Sequence[UUID]) -> int:
    """Mark messages whose memories are erased: their words stay in the conversation, but add no
    context to the messages around them. Returns how many of them the scope reads."""
    rows = Message.objects.filter(organisation_id=organisation_id, id__in=ids)
    return rows.update(reason=ERASED)


def conversation_title(message: Message) -> str:
    """The title of a conversation that begins with the message."""
    return build_title(message.content, f"{message.sent_at:%d-%m:%H:%M}")


def restore_messages(actor: Actor, ids: Sequence[UUID]) -> int:
    """Restore those of these messages that the member may withdraw. Returns how many."""
    if actor.member_id is None or not ids:
        return 0
    return _withdrawable_messages(actor, ids).update(withdrawn_at=None)


def restore_all_messages(actor: Actor, withdrawn_at: datetime) -> int:
    """Restore what `withdraw_all_messages` withdrew at that moment. Returns how many messages."""
    return messages_by_speaker(actor).filter(withdrawn_at=withdrawn_at).update(withdrawn_at=None)
