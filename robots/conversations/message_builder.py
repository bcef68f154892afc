"""From a posted message to a row. What is odd about it is accepted, with a note."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from orgs.models.memberships import Member
from orgs.principals import Actor
from robots.access.writer_identity import check_speaker
from robots.conversations.mentions import parse_mentions
from robots.conversations.message_rules import OPEN, MessageFacts, MessageReach, classify_message
from robots.conversations.message_types import NewMessage
from robots.conversations.participants import Participants
from robots.errors import ImpersonationError
from robots.models.conversations import Conversation, Message, MessageRole
from robots.models.robots import Robot

MAX_CLOCK_SKEW = timedelta(minutes=5)
FUTURE_TIME_NOTE = (
    "sent_at lies ahead of this server's clock; the time of arrival stands in its place, and what "
    "was sent is kept in metadata.sent_at."
)
REJECTING_ERRORS = (ImpersonationError,)


@dataclass(frozen=True, slots=True)
class Poster:
    """Who posts: a robot for whoever speaks, or a member (through the built-in robot)."""

    actor: Actor
    robot: Robot
    member: Member | None


@dataclass(slots=True)
class ComposedMessage:
    """A row without id, position and audience. reach: who reads it.

    notes: see `PostMessageResult`.
    """

    row: Message
    reach: MessageReach
    notes: list[str] = field(default_factory=list)


def iter_references(one: NewMessage) -> Iterator[str]:
    """Every reference and name in a message that may mean a person."""
    if one.speaker:
        yield one.speaker
    if one.speaker_name:
        yield one.speaker_name
    yield from one.mentions
    yield from parse_mentions(one.content)


def build_message(
    poster: Poster, conversation: Conversation, one: NewMessage, people: Participants, now: datetime
) -> ComposedMessage:
    """Find the people, classify the message, note what is odd.

    Raises ImpersonationError where the poster may not name this speaker (see `_speaker`).
    """
    speaker, member_id = _resolve_speaker(poster, one, people)
    names = list(dict.fromkeys([*one.mentions, *parse_mentions(one.content)]))
    meant = [person for name in names if (person := people.called(name))]
    listeners = [id_ for id_ in dict.fromkeys(id_ for id_, _ in meant) if id_ != member_id]
    role = _message_role(poster, one)
    said = MessageFacts(
        text=one.content,
        role=role,
        known=member_id is not None,
        to_members=bool(listeners),
        to_robot=any(people.is_robot(name) for name in names),
    )
    verdict = classify_message(said, conversation.group.profile if conversation.group else OPEN)
    notes: list[str] = []
    row = Message(
        organisation_id=conversation.organisation_id,
        conversation_id=conversation.id,
        external_id=one.external_id,
        role=role,
        content=one.content,
        robot_id=poster.robot.id,
        author_id=poster.member.id if poster.member else None,
        speaker=speaker,
        speaker_key=one.speaker,
        speaker_member_id=member_id,
        mentions=names,
        listeners=listeners,
        reply_to_key=one.reply_to,
        type=verdict.type,
        kind=verdict.kind if conversation.group_id else "direct",
        reason=verdict.reason,
        metadata=one.metadata,
        sent_at=one.sent_at or now,
        received_at=now,
    )
    if row.sent_at > now + MAX_CLOCK_SKEW:
        row.metadata = {**one.metadata, "sent_at": row.sent_at.isoformat()}
        row.sent_at = now
        notes.append(FUTURE_TIME_NOTE)
    return ComposedMessage(row, verdict.reach, notes)


def _message_role(poster: Poster, one: NewMessage) -> str:
    if poster.member:
        return MessageRole.USER
    return one.role or (MessageRole.USER if one.speaker else MessageRole.AGENT)


def _resolve_speaker(
    poster: Poster, one: NewMessage, people: Participants
) -> tuple[str, UUID | None]:
    """(the name to show, the id of the member or None).

    A shown name that belongs to somebody else here is replaced by the member's own; a person and a
    personal robot show no other than their own. Raises ImpersonationError where `check_speaker`
    does.
    """
    actor, robot = poster.actor, poster.robot
    found = people.speaker(one.speaker) if one.speaker else None
    if one.speaker:
        # Whoever is found is of the conversation's group.
        check_speaker(actor, one.speaker, found, None)
    if one.speaker_name and one.speaker_name != robot.name and not (poster.member or found):
        # Who is shown by a name alone is named by it.
        check_speaker(actor, one.speaker_name, None, None)
    if poster.member:
        return poster.member.name, poster.member.id
    if found is None:
        return one.speaker_name or one.speaker or robot.name, None
    own = actor.own_member_id is not None or not one.speaker_name
    if own or people.others(one.speaker_name, found[0]):
        return found[1], found[0]
    return one.speaker_name, found[0]
