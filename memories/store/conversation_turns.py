"""The turns before a memory that all of its readers may read as well."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Protocol
from uuid import UUID

from django.db import connection

from memories.language.coreference import Turn
from memories.store.context_window import can_be_context
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.organisations.references import parse_uuid
from robots.conversations.message_rules import QUARANTINED
from robots.conversations.message_withdrawal import ERASED
from robots.models.conversations import Message

# How many turns of the conversation are looked through for those of the memory's own audience.
MAX_MESSAGES_SCANNED = 200


# What the keys of such memories begin with; SQL puts the message's id behind it.
# The key of a memory of an event or a mail begins so.
ACCOUNT_KEY_PREFIX = "account:"
MESSAGE_KEY_PREFIX = "message:"


def message_key(message_id: object) -> str:
    """The key of the memory that a message became."""
    return f"{MESSAGE_KEY_PREFIX}{message_id}"


class HasSource(Protocol):
    """A memory, or a draft of one."""

    @property
    def source(self) -> dict[str, Any]: ...
    @property
    def key(self) -> str | None: ...
    @property
    def conversation(self) -> str | None: ...


def source_message_id(row: HasSource) -> UUID | None:
    """The message that the memory was made of, or that a draft says it was made of."""
    given = row.source.get("message") if isinstance(row.source, dict) else None
    if not isinstance(given, str) or row.key != message_key(given):
        return None
    return parse_uuid(given) if row.conversation and parse_uuid(row.conversation) else None


# Messages of a conversation up to the last one asked for, from some way before the first; also
# those that became no memory.
_MESSAGES_SQL = """
SELECT m.id, m.audience_id, m.content, m.speaker, m.sent_at FROM robots_message m
WHERE m.organisation_id = %(organisation)s AND m.conversation_id = %(conversation)s
  AND m.id < %(last)s AND m.audience_id = ANY(%(audiences)s::uuid[]) AND m.withdrawn_at IS NULL
  AND m.reason <> ALL(%(silent)s)
  AND m.id >= coalesce((
    SELECT f.id FROM robots_message f
    WHERE f.organisation_id = %(organisation)s AND f.conversation_id = %(conversation)s
      AND f.id < %(first)s
    ORDER BY f.id DESC OFFSET %(through)s LIMIT 1), '00000000-0000-0000-0000-000000000000')
ORDER BY m.id
"""
_MEMORIES_SQL = """
SELECT given.id, x.content, x.speaker, x.occurred_at
FROM unnest(%(ids)s::uuid[], %(conversations)s::text[], %(audiences)s::uuid[],
            %(positions)s::bigint[], %(expiries)s::timestamptz[])
    AS given (id, conversation, audience, position, expires_at)
CROSS JOIN LATERAL (
    SELECT m.content, m.speaker, m.occurred_at FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
      AND m.audience_id = given.audience AND m.status = 'active'
      AND (m.position, m.id) < (given.position, given.id) AND NOT m.id = ANY(%(gone)s::uuid[])
      AND (m.expires_at IS NULL OR given.expires_at <= m.expires_at)
    ORDER BY m.position DESC, m.id DESC LIMIT %(most)s) AS x
"""


def load_turns_before(
    rows: Sequence[Memory], most: int, without: Sequence[UUID] = ()
) -> dict[UUID, list[Turn]]:
    """By memory, up to `most` turns before it for the same readers, oldest first."""
    found: dict[UUID, list[Turn]] = {}
    chats: dict[str, list[Memory]] = defaultdict(list)
    others = []
    for row in rows:
        if row.conversation and source_message_id(row):
            chats[row.conversation].append(row)
        else:
            others.append(row)
    gone = Memory.objects.filter(id__in=without) if without and chats else ()
    silent = {id_ for row in gone if (id_ := source_message_id(row))}
    for conversation, said in chats.items():
        found |= _load_from_messages(conversation, said, most, silent)
    if others:
        found |= _load_from_memories(others, most, without)
    return found


def _load_from_messages(
    conversation: str, rows: Sequence[Memory], most: int, silent: set[UUID]
) -> dict[UUID, list[Turn]]:
    """Read once for all of them; a message whose memory is forgotten says nothing."""
    organisation_id = rows[0].organisation_id
    audiences = list({row.audience_id for row in rows})
    own = {row.id: id_ for row in rows if (id_ := source_message_id(row))}
    with connection.cursor() as cursor:
        cursor.execute(
            _MESSAGES_SQL,
            {
                "organisation": organisation_id,
                "conversation": conversation,
                "first": min(own.values()),
                "last": max(own.values()),
                "audiences": audiences,
                "through": MAX_MESSAGES_SCANNED,
                "silent": [ERASED, QUARANTINED],
            },
        )
        messages = cursor.fetchall()
    keys = [message_key(id_) for id_, *_ in messages]
    known = Memory.objects.filter(
        organisation_id=organisation_id, audience_id__in=audiences, key__in=keys
    ).exclude(status=Status.ACTIVE, expires_at=None)
    over, expiry = set(), {}
    for key, audience, status, expires_at in known.values_list(
        "key", "audience_id", "status", "expires_at"
    ):
        if status != Status.ACTIVE:
            over.add((key, audience))
        expiry[key, audience] = expires_at
    places: dict[UUID, list[tuple[UUID, Turn, datetime | None]]] = defaultdict(list)
    for id_, audience, text, speaker, at in messages:
        place = (message_key(id_), audience)
        if id_ not in silent and place not in over:
            turn = Turn(text=text, speaker=speaker, at=at)
            places[audience].append((id_, turn, expiry.get(place)))
    found = {}
    for row in rows:
        here = places[row.audience_id]
        end = bisect_left(here, own[row.id], key=itemgetter(0))
        near = here[max(0, end - most) : end]
        found[row.id] = [
            turn for _, turn, expires in near if can_be_context(expires, row.expires_at)
        ]
    return found


def _load_from_memories(
    rows: Sequence[Memory], most: int, without: Sequence[UUID]
) -> dict[UUID, list[Turn]]:
    found: dict[UUID, list[Turn]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            _MEMORIES_SQL,
            {
                "organisation": rows[0].organisation_id,
                "ids": [row.id for row in rows],
                "audiences": [row.audience_id for row in rows],
                "conversations": [row.conversation for row in rows],
                "positions": [row.position for row in rows],
                "expiries": [row.expires_at for row in rows],
                "gone": list(without),
                "most": most,
            },
        )
        for id_, text, speaker, at in cursor.fetchall():
            found.setdefault(id_, []).append(Turn(text=text, speaker=speaker, at=at))
    return {id_: turns[::-1] for id_, turns in found.items()}


def load_replied_to_speakers(rows: Sequence[Memory]) -> dict[UUID, str]:
    """By memory, who said what its message replies to.

    Two looks by id: joined in one statement they were planned badly, at 100 times the cost.
    """
    own = {id_: row for row in rows if (id_ := source_message_id(row))}
    of = Message.objects.filter(organisation_id=rows[0].organisation_id)
    replies = dict(
        of.filter(id__in=own, reply_to_id__isnull=False).values_list("id", "reply_to_id")
    )
    if not replies:
        return {}
    asked = of.filter(id__in=set(replies.values()), withdrawn_at=None).exclude(speaker="")
    speakers = {
        id_: (who, at) for id_, who, at in asked.values_list("id", "speaker", "audience_id")
    }
    return {
        own[id_].id: found[0]
        for id_, answered_id in replies.items()
        if (found := speakers.get(answered_id)) and found[1] == own[id_].audience_id
    }
