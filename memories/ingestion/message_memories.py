"""Memories of messages: the same words, for the same readers, with the message as source.

Speaker, listeners and readers are decided when a message is stored. The wishes of its speaker
(learning paused) and the rights of the poster are checked here, as for every memory.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from memories.access.visibility import Visibility
from memories.ingestion.drafts import ContentTooLongError, Draft, DraftRefusal, MessagePlacement
from memories.knowledge_graph.graph_projection import rewrite_graph
from memories.safety.required_checks import iter_strings
from memories.state.supersede_memory import check_validity
from memories.state.supersede_requests import check_supersedes, load_older_memories
from memories.store.conversation_turns import message_key
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.models.audiences import AudienceType
from orgs.principals import Actor, Principal
from robots.conversations.message_rules import QUARANTINED
from robots.conversations.message_types import MessageMemory, NewMessage
from robots.models.conversations import Conversation, Message

PAUSED, REFUSED, TOO_LONG = "learning-paused", "refused", "too-long"
SUPERSEDE_WAITS_NOTE = "Somebody decides about memories that it supersedes."
_VISIBILITY = {
    AudienceType.GROUP: Visibility.GROUP,
    AudienceType.EXPLICIT: Visibility.PROTECTED,
    AudienceType.MEMBER: Visibility.PRIVATE,
    AudienceType.ROBOT: Visibility.INTERNAL,
}


def build_message_draft(
    message: Message, conversation: Conversation, stated: NewMessage | None = None
) -> Draft:
    """The draft of a message's memory, with the words as they were said. stated: the message as it
    was posted, if it says when it holds or what it replaces."""
    kind = (
        AudienceType.EXPLICIT
        if message.audience_id != conversation.audience_id
        else AudienceType(conversation.audience.kind)
    )
    internal = kind is AudienceType.ROBOT
    in_kind = message.kind in ("user", "interaction", "direct")
    return Draft(
        content=message.content,
        group=conversation.group_id,
        visibility=_VISIBILITY[kind],
        kind="internal" if internal else message.kind,
        type=message.type,
        key=message_key(message.id),
        occurred_at=message.sent_at,
        conversation=str(conversation.id),
        position=message.position,
        source={"message": str(message.id), "conversation": str(conversation.id)},
        valid_from=stated.valid_from if stated else None,
        valid_until=stated.valid_until if stated else None,
        supersedes=stated.supersedes if stated else (),
        heard=MessagePlacement(
            audience_id=message.audience_id,
            audience_kind=kind,
            speaker=message.speaker[:300],
            speaker_id=message.speaker_member_id,
            listeners=tuple(message.listeners),
            subject=(message.speaker_member_id or conversation.member_id) if in_kind else None,
            beside=tuple(iter_strings(message.metadata)),
        ),
    )


def promote_messages(
    actor: Actor,
    conversation: Conversation,
    fresh: Sequence[Message],
    known: Sequence[UUID],
    now: datetime,
    *,
    stated: Mapping[UUID, NewMessage],
) -> dict[UUID, MessageMemory]:
    """Remember the fresh messages that say something. Returns for these and for known messages
    their memory or the reason why there is none. stated: see `build_message_draft`, by message."""
    from memories.ingestion.remember import remember_many

    telling = [message for message in fresh if not message.reason]
    found = _find_message_memories(conversation.organisation_id, known)
    if not telling:
        return found
    drafts = [build_message_draft(m, conversation, stated.get(m.id)) for m in telling]
    outcomes = remember_many(actor, drafts, now=now)
    paused: list[UUID] = []
    for message, outcome in zip(telling, outcomes, strict=True):
        if isinstance(outcome, DraftRefusal):
            found[message.id] = MessageMemory(None, _refusal_reason(outcome.error))
            paused.append(message.id)
        elif outcome.status == Status.QUARANTINED:
            found[message.id] = MessageMemory(None, QUARANTINED)
            paused.append(message.id)
        else:
            notes = (SUPERSEDE_WAITS_NOTE,) if outcome.waiting else ()
            found[message.id] = MessageMemory(outcome.id, notes=notes)
    if paused:
        reasons = {id_: found[id_].reason for id_ in paused}
        rows = list(Message.objects.filter(id__in=paused).only("id"))
        for row in rows:
            row.reason = reasons[row.id]
        Message.objects.bulk_update(rows, ["reason"])
    return found


def find_validity_errors(
    principal: Principal, given: Mapping[int, NewMessage]
) -> dict[int, Exception]:
    """By index of the message why it cannot say when it holds, or what it replaces; in the poster's
    scope."""
    from memories.ingestion.remember import REFUSAL_ERRORS

    found: dict[int, Exception] = {}
    wanted = {id_ for one in given.values() for id_ in one.supersedes}
    # Nothing is changed here, so nothing is locked.
    older = load_older_memories(principal, wanted, lock=False)
    for index, one in given.items():
        try:
            check_validity(one.valid_from, one.valid_until)
            check_supersedes(principal, one.supersedes, older)
        except REFUSAL_ERRORS as error:
            found[index] = error
    return found


def rewrite_late_replies(organisation_id: UUID, messages: Sequence[UUID], now: datetime) -> None:
    """Update the graph of messages whose reply target has arrived."""
    rows = Memory.objects.filter(
        organisation_id=organisation_id,
        key__in=[message_key(id_) for id_ in messages],
        status=Status.ACTIVE,
    ).select_related("organisation")
    found = list(rows)
    if found:
        rewrite_graph(found[0].organisation, found, now)


def _refusal_reason(error: Exception) -> str:
    from memories.access.consent import LearningPausedError

    if isinstance(error, ContentTooLongError):
        return TOO_LONG
    return PAUSED if isinstance(error, LearningPausedError) else REFUSED


def _find_message_memories(
    organisation_id: UUID, messages: Sequence[UUID]
) -> dict[UUID, MessageMemory]:
    keys = {message_key(id_): id_ for id_ in messages}
    if not keys:
        return {}
    rows = Memory.objects.filter(organisation_id=organisation_id, key__in=keys)
    rows = rows.exclude(status=Status.FORGOTTEN)
    found = {keys[key]: MessageMemory(id_) for key, id_ in rows.values_list("key", "id") if key}
    reasons = Message.objects.filter(organisation_id=organisation_id, id__in=messages)
    without = {id_: MessageMemory(None, why) for id_, why in reasons.values_list("id", "reason")}
    return without | found
