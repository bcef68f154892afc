"""Take back what a member has said, and bring it back; call inside a scope that reads it.

A message that is taken back keeps its place, its speaker and its time; its words are shown to
nobody. That is for whoever said it, and for whose own conversation it is.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from orgs.principals import Actor
from robots.conversations.message_rules import title_of
from robots.models.conversations import Conversation, Message

# Why a message is no memory: there was one, and it was erased.
ERASED = "erased"


def said_by(actor: Actor) -> "QuerySet[Message]":
    """Every message that the member has said, as far as the scope reads it."""
    return Message.objects.filter(
        organisation_id=actor.organisation_id,
        speaker_member_id=actor.member_id,  # type: ignore[misc]  # nobody: no rows
    )


def _theirs(actor: Actor, ids: Sequence[UUID]) -> "QuerySet[Message]":
    own = Q(speaker_member_id=actor.member_id) | Q(conversation__member_id=actor.member_id)
    return Message.objects.filter(own, organisation_id=actor.organisation_id, id__in=ids)


def unsay(actor: Actor, ids: Sequence[UUID], now: datetime) -> int:
    """Take back these messages, those of them that are the member's. Returns how many."""
    if actor.member_id is None or not ids:
        return 0
    return len(_unsay(_theirs(actor, ids), now))


def unsay_all(actor: Actor, now: datetime) -> list[UUID]:
    """Take back everything that the member has said. Returns which messages it was."""
    return _unsay(said_by(actor), now) if actor.member_id else []


def _unsay(rows: "QuerySet[Message]", now: datetime) -> list[UUID]:
    open_ = rows.filter(withdrawn_at=None)
    places = set(open_.values_list("conversation_id", flat=True))
    ids = list(open_.values_list("id", flat=True))
    Message.objects.filter(id__in=ids).update(withdrawn_at=now)
    for place in Conversation.objects.filter(id__in=places):
        _name_anew(place, ids)
    return ids


def _name_anew(conversation: Conversation, gone: Sequence[UUID]) -> None:
    """A title that was made of words which are gone is made of those that are left."""
    first = Message.objects.filter(
        organisation_id=conversation.organisation_id,
        conversation_id=conversation.id,
        audience_id=conversation.audience_id,
    ).order_by("position")
    made = {title(row) for row in first.filter(id__in=gone)[:100]}
    if conversation.title not in made:
        return
    left = list(first.filter(withdrawn_at=None)[:2])
    conversation.title = title(left[0]) if len(left) == 2 else ""
    conversation.save(update_fields=["title"])


def keep_to_itself(organisation_id: UUID, ids: Sequence[UUID]) -> int:
    """The memories of these messages are erased: the words stay where they were said, and lend
    nothing to the turns around them. Returns how many of them the scope reads."""
    rows = Message.objects.filter(organisation_id=organisation_id, id__in=ids)
    return rows.update(reason=ERASED)


def title(message: Message) -> str:
    """What a conversation is called that begins with the message."""
    return title_of(message.content, f"{message.sent_at:%d-%m:%H:%M}")


def say_again(actor: Actor, ids: Sequence[UUID]) -> int:
    """Bring these messages back, those of them that are the member's. Returns how many."""
    if actor.member_id is None or not ids:
        return 0
    return _theirs(actor, ids).update(withdrawn_at=None)


def say_all_again(actor: Actor, withdrawn_at: datetime) -> int:
    """Bring back what the member took back at that moment. Returns how much it was."""
    return said_by(actor).filter(withdrawn_at=withdrawn_at).update(withdrawn_at=None)
