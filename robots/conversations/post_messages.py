"""Take messages in: one path for one message and for a thousand, in one transaction.

The conversation's row is locked meanwhile. So its messages have one order, and of two equal batches
that arrive together one is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from orgs.database.bulk_insert import insert_rows
from orgs.database.rls import Scope, scope_sequence
from orgs.errors import ReferenceNotFoundError
from orgs.models.audiences import SHARED_AUDIENCE_TYPES
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.organisations.audience_rows import ReaderKey, ensure_explicit_audience
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired
from robots.access.spoken_for import note_spoken_for
from robots.conversations import message_builder
from robots.conversations.message_builder import ComposedMessage, Poster
from robots.conversations.message_rules import MessageReach
from robots.conversations.message_types import (
    MessageConflictError,
    MessageMemory,
    NewMessage,
    Outcome,
    PostMessageResult,
    RejectedMessage,
)
from robots.conversations.message_withdrawal import conversation_title
from robots.conversations.participants import load_participants
from robots.models.conversations import Conversation, Message
from robots.models.robots import Robot
from robots.registry.activity import record_activity
from robots.registry.robots import WEB, ensure_builtin_robot

ONLY_READS = "Its member only reads what others read; ask an admin for a role that writes."
NOT_REMEMBERED_NOTE = "No memory is made of it, so it supersedes nothing and says no time."
MISSING_REPLY_NOTE = "What it replies to has not come (yet); it is joined to it when it comes."


@wired
def create_memories(
    actor: Actor,
    conversation: Conversation,
    fresh: Sequence[Message],
    known: Sequence[UUID],
    now: datetime,
    *,
    stated: Mapping[UUID, NewMessage],
) -> dict[UUID, MessageMemory]:
    """Make memories of the new messages that have no `reason`; returns them by message id.

    known: the ids of messages that were there already. stated: by message id what those say about
    when they hold and what they replace. Called in the transaction that stores the messages.
    """
    raise NotImplementedError


@wired
def find_validity_errors(
    principal: Principal, given: Mapping[int, NewMessage]
) -> dict[int, Exception]:
    """By index of the message why it cannot say when it holds, or what it replaces. Called in the
    poster's scope."""
    raise NotImplementedError


@wired
def on_late_replies(organisation_id: UUID, messages: Sequence[UUID], now: datetime) -> None:
    """Called when what messages reply to comes after them. messages: the ids of the replies."""
    raise NotImplementedError


@dataclass(slots=True)
class _Batch:
    """Messages that are being stored, by their index in what was posted."""

    fresh: dict[int, ComposedMessage] = field(default_factory=dict)
    known: dict[int, UUID] = field(default_factory=dict)
    refused: dict[int, RejectedMessage] = field(default_factory=dict)


def post_messages(
    actor: Actor, conversation_id: UUID, given: Sequence[NewMessage], *, now: datetime
) -> list[Outcome]:
    """Keep each message, and make memories of those that say something.

    Returns one outcome for each message, in order. A refused message does not stop the others.
    Raises NotFoundError for the conversation.
    """
    actor = actor.naming_a_row()
    with scope_sequence(Scope(organisation=actor.organisation_id)) as turn_to:
        principal = resolve_principal(actor)
        turn_to(principal.opens())
        conversation = _lock_conversation(principal, conversation_id)
        if actor.only_reads and conversation.audience.kind in SHARED_AUDIENCE_TYPES:
            raise PermissionError(ONLY_READS)
        stating = {index: one for index, one in enumerate(given) if one.states_validity}
        errors = find_validity_errors(principal, stating) if stating else {}
        batch = _build_batch(actor, conversation, given, now, errors)
        if _set_audiences(actor, conversation, batch):
            # Resolve again, so that the scope covers the lists of readers that were just made.
            turn_to(resolve_principal(actor).opens())
        _link_replies(conversation, batch)
        rows = [made.row for made in batch.fresh.values()]
        insert_rows(rows)
        note_spoken_for(actor, [row.speaker_member_id for row in rows], now=now)
        late = _link_late_replies(conversation, rows)
        _update_conversation(conversation, rows)
        stated = {batch.fresh[at].row.id: stating[at] for at in stating if at in batch.fresh}
        known = list(batch.known.values())
        promoted = create_memories(actor, conversation, rows, known, now, stated=stated)
        if late:
            on_late_replies(conversation.organisation_id, late, now)
        if actor.robot_id:
            record_activity(organisation_id=actor.organisation_id, robot_id=actor.robot_id, now=now)
        return [_outcome(batch, index, promoted) for index in range(len(given))]


def _lock_conversation(principal: Principal, conversation_id: UUID) -> Conversation:
    row = (
        Conversation.objects.select_for_update(of=("self",))
        .select_related("group", "audience")
        .filter(organisation_id=principal.organisation_id, id=conversation_id)
        .first()
    )
    if row is None:
        raise ReferenceNotFoundError("conversation", conversation_id)
    return row


def _build_poster(actor: Actor, conversation: Conversation, now: datetime) -> Poster:
    tenant = {"organisation_id": actor.organisation_id}
    robot = (
        Robot.objects.get(**tenant, id=actor.robot_id)
        if actor.robot_id
        else ensure_builtin_robot(actor.organisation_id, WEB, now)
    )
    member = Member.objects.get(**tenant, id=actor.member_id) if actor.is_person else None
    return Poster(actor, robot, member)


def _build_batch(
    actor: Actor,
    conversation: Conversation,
    given: Sequence[NewMessage],
    now: datetime,
    errors: Mapping[int, Exception],
) -> _Batch:
    """errors: by index, for which messages are refused."""
    poster, batch = _build_poster(actor, conversation, now), _Batch()
    batch.refused = {index: RejectedMessage(error) for index, error in errors.items()}
    references = {name for one in given for name in message_builder.iter_references(one)}
    people = load_participants(conversation, references, poster.robot if actor.robot_id else None)
    earlier = _fetch_stored(
        conversation, {u.external_id for u in given if u.external_id is not None}
    )
    for index, one in enumerate(given):
        before = earlier.get(one.external_id) if one.external_id is not None else None
        if before is not None:
            same = before[1] == one.content
            if same:
                batch.known[index] = before[0]
            else:
                batch.refused[index] = RejectedMessage(MessageConflictError(before[0]))
            continue
        if index in batch.refused:
            continue
        try:
            made = message_builder.build_message(poster, conversation, one, people, now)
        except message_builder.REJECTING_ERRORS as error:
            batch.refused[index] = RejectedMessage(error)
            continue
        if one.states_validity and made.row.reason:
            made.notes.append(NOT_REMEMBERED_NOTE)
        made.row.id, made.row.position = new_id(), conversation.next_position
        conversation.next_position += 1
        batch.fresh[index] = made
        if one.external_id is not None:
            earlier[one.external_id] = (made.row.id, one.content)
    return batch


def _fetch_stored(conversation: Conversation, keys: set[str]) -> dict[str, tuple[UUID, str]]:
    """(id, content) by external id of the messages that are stored already."""
    if not keys:
        return {}
    rows = Message.objects.filter(
        organisation_id=conversation.organisation_id,
        conversation_id=conversation.id,
        external_id__in=keys,
    ).order_by("-id")
    return {key: (id_, text) for key, id_, text in rows.values_list("external_id", "id", "content")}


def _set_audiences(actor: Actor, conversation: Conversation, batch: _Batch) -> bool:
    """Set each message's audience: the conversation's, or a list of readers inside the group.

    Returns whether any message has such a list.
    """
    owner: ReaderKey = (
        ("robot", actor.robot_id) if actor.robot_id else ("member", actor.member_id)  # type: ignore[assignment]
    )
    audiences: dict[frozenset[ReaderKey], UUID] = {}
    for made in batch.fresh.values():
        row = made.row
        row.audience_id = conversation.audience_id
        if made.reach is MessageReach.CONVERSATION:
            continue
        readers = {owner}
        if row.speaker_member_id:
            readers.add(("member", row.speaker_member_id))
        if made.reach is MessageReach.BOTH:
            readers |= {("member", listener) for listener in row.listeners}
        place = frozenset(readers)
        if place not in audiences:
            audiences[place] = ensure_explicit_audience(
                actor.organisation_id, readers, conversation.group_id
            )
        row.audience_id = audiences[place]
    return bool(audiences)


def _link_replies(conversation: Conversation, batch: _Batch) -> None:
    """Set `reply_to` where the answered message is there and the poster reads it; else add a
    note."""
    wanted = {m.row.reply_to_key for m in batch.fresh.values() if m.row.reply_to_key}
    if not wanted:
        return
    ids = {id_: key for key in wanted if (id_ := parse_uuid(key))}
    rows = Message.objects.filter(
        Q(external_id__in=wanted) | Q(id__in=ids),
        organisation_id=conversation.organisation_id,
        conversation_id=conversation.id,
    )
    found: dict[str, UUID] = {}
    for id_, key in rows.values_list("id", "external_id"):
        found[ids.get(id_) or key] = id_
    for made in batch.fresh.values():
        if made.row.external_id is not None:
            found[made.row.external_id] = made.row.id
    for made in batch.fresh.values():
        answered = found.get(made.row.reply_to_key or "")
        if answered and answered != made.row.id:
            made.row.reply_to_id = answered
        elif made.row.reply_to_key:
            made.notes.append(MISSING_REPLY_NOTE)


def _link_late_replies(conversation: Conversation, rows: Sequence[Message]) -> list[UUID]:
    """Set `reply_to` of earlier replies to the messages that came now. Returns their ids."""
    keys = {row.external_id: row.id for row in rows if row.external_id is not None}
    waiting = Message.objects.filter(
        organisation_id=conversation.organisation_id,
        conversation_id=conversation.id,
        reply_to__isnull=True,
        reply_to_key__in=keys,
    )
    late = [row for row in waiting.only("id", "reply_to_key") if row.id != keys[row.reply_to_key]]
    for row in late:
        row.reply_to_id = keys[row.reply_to_key]
    Message.objects.bulk_update(late, ["reply_to"])
    return [row.id for row in late]


def _update_conversation(conversation: Conversation, rows: Sequence[Message]) -> None:
    """Update next position, title and last time; the latter two only from messages that every
    reader of the conversation reads."""
    open_rows = [row for row in rows if row.audience_id == conversation.audience_id]
    if open_rows:
        conversation.last_message_at = max(
            [conversation.last_message_at or open_rows[0].received_at]
            + [row.sent_at for row in open_rows]
        )
    if not conversation.title:
        first_two = list(
            Message.objects.filter(
                organisation_id=conversation.organisation_id,
                conversation_id=conversation.id,
                audience_id=conversation.audience_id,
                withdrawn_at=None,
            ).order_by("position")[:2]
        )
        if len(first_two) == 2:
            conversation.title = conversation_title(first_two[0])
    Conversation.objects.filter(
        organisation_id=conversation.organisation_id, id=conversation.id
    ).update(
        next_position=conversation.next_position,
        last_message_at=conversation.last_message_at,
        title=conversation.title,
    )


def _outcome(batch: _Batch, index: int, promoted: dict[UUID, MessageMemory]) -> Outcome:
    if index in batch.refused:
        return batch.refused[index]
    if index in batch.known:
        id_ = batch.known[index]
        return PostMessageResult(id_, known=True, promoted=promoted.get(id_, MessageMemory(None)))
    made = batch.fresh[index]
    became = promoted.get(made.row.id, MessageMemory(None, made.row.reason))
    notes = (*made.notes, *became.notes)
    return PostMessageResult(made.row.id, known=False, promoted=became, notes=notes)
