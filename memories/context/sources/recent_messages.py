"""The latest messages of the conversations that the context is for."""

from datetime import timedelta

from memories.context.sources.context_query import ContextBuildState
from memories.context.sources.pieces import ContextPiece
from memories.store.speakers.attribution import attribution_of_message
from orgs.principals import Actor
from robots.conversations.message_rules import QUARANTINED
from robots.models.conversations import Conversation, Message

# How many messages of how many conversations, and how old a message may be.
MAX_MESSAGES, MAX_CONVERSATIONS, MAX_AGE = 12, 3, timedelta(days=7)
MESSAGE = "message"


def load_recent_messages(asked: ContextBuildState) -> list[ContextPiece] | None:
    """The latest messages, the last one first, so that it stays when the budget is short."""
    if not asked.query.include_recent:
        return None
    here = Conversation.objects.filter(
        organisation_id=asked.principal.organisation_id, **_conversation_filter(asked.actor)
    )
    latest = here.filter(last_message_at__isnull=False).order_by("-last_message_at", "-id")
    ids = list(latest.values_list("id", flat=True)[:MAX_CONVERSATIONS])
    since = asked.now - MAX_AGE
    rows = Message.objects.filter(
        organisation_id=asked.principal.organisation_id,
        conversation_id__in=ids,
        withdrawn_at=None,
        sent_at__gte=since,
        sent_at__lte=asked.now,
    ).exclude(reason=QUARANTINED)
    rows = rows.select_related("speaker_member", "author", "robot")
    found = list(rows.order_by("-sent_at", "-id")[:MAX_MESSAGES]) if ids else []
    asked.messages.update(message.id for message in found)
    return [_message_piece(message) for message in found]


def _conversation_filter(actor: Actor) -> dict[str, object]:
    """The filter: conversations of the group, else direct ones of the member, the robot, or both
    together."""
    if actor.group_id is not None:
        return {"group_id": actor.group_id}
    alone: dict[str, object] = {"group_id": None, "member_id": actor.member_id}
    return alone if actor.robot_id is None else alone | {"robot_id": actor.robot_id}


def _message_piece(message: Message) -> ContextPiece:
    said = attribution_of_message(message)
    return ContextPiece(
        head=(f"{message.sent_at:%Y-%m-%d %H:%M}", *said.head),
        text=message.content,
        type=MESSAGE,
        id=message.id,
        more={"conversation": message.conversation_id, **said.citation},
    )
