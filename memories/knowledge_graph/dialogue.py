"""Memories as turns of conversations: who said what to whom, and the recent turns before.

A few queries for a batch, however large; all read only the writer's scope.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from memories.knowledge_graph.expertise_signals import (
    TURNS_BACK,
    DialogueTurn,
    RecentTurns,
    is_machine,
)
from memories.knowledge_graph.node_ids import plain_name, speaker_node
from memories.language.terms import Term, concepts, key_of
from memories.store.conversation_turns import message_key, message_of
from memories.store.dependents import is_proposition
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetched
from robots.conversations.mentions import called

MOST_ADDRESSED = 50
MOST_TAGS = 30
_READ = 2_000

_MESSAGES = """
SELECT id, audience_id, reply_to_id, speaker_key, mentions[1:50] FROM robots_message
WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s::uuid[])
"""
_SAID = """
SELECT m.id, m.audience_id, m.conversation, left(m.content, 2000), m.topic, m.tags,
       coalesce(m.occurred_at, m.created_at), m.key,
       (SELECT e.source FROM memories_edge e
        WHERE e.organisation_id = %(organisation)s AND e.target = m.id AND e.relation = 'said')
"""
_BEFORE = f"""
SELECT near.* FROM unnest(%(conversations)s::text[], %(audiences)s::uuid[], %(positions)s::bigint[])
    AS given (conversation, audience, position)
CROSS JOIN LATERAL (
    {_SAID}
    FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
      AND m.audience_id = given.audience AND m.status = 'active' AND m.position < given.position
    ORDER BY m.position DESC, m.id DESC LIMIT {TURNS_BACK}
) AS near
WHERE near.source = ANY(%(people)s::uuid[])
"""
_QUOTED = f"""
{_SAID} FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.key = ANY(%(keys)s::text[])
  AND m.audience_id = ANY(%(audiences)s::uuid[]) AND m.status = 'active'
"""


@dataclass(slots=True)
class Turns:
    """The turns of a batch by memory id, in the order in which they were said; the recent turns
    before them; the quoted turns."""

    turns: dict[UUID, DialogueTurn] = field(default_factory=dict)
    heard: dict[tuple[str, UUID], RecentTurns] = field(
        default_factory=lambda: defaultdict(RecentTurns)
    )
    quoted: dict[UUID, DialogueTurn] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Raw:
    """The facts that a message adds to its memory."""

    reply_to: UUID | None = None
    speaker_key: str = ""
    mentions: tuple[str, ...] = ()


def turns_of(rows: Sequence[Memory]) -> Turns:
    """Look up the turns of memories of one organisation."""
    made = Turns()
    if not rows:
        return made
    raw = _messages(rows)
    ordered = sorted(rows, key=lambda row: (row.position, row.id))
    by_key = {(row.audience_id, row.key): row.id for row in rows if row.key}
    names: dict[str, UUID] = {}
    for row in ordered:
        if node := _speaker(row, raw.get(row.id)):
            names[plain_name(row.speaker).casefold()] = node
    wanted: dict[tuple[UUID, str], list[UUID]] = defaultdict(list)
    for row in ordered:
        message = raw.get(row.id)
        turn = _turn(row, message, names)
        if message and message.reply_to:
            place = (row.audience_id, message_key(message.reply_to))
            if place in by_key:
                turn = replace(turn, reply_to=by_key[place])
            else:
                wanted[place].append(row.id)
        made.turns[row.id] = turn
    _quote(made, wanted, rows[0].organisation_id)
    _remember(made, ordered)
    return made


def terms_of(content: str, topic: str, tags: Sequence[str]) -> tuple[Term, ...]:
    """The terms of a memory: of its text, its topic and its tags."""
    found = {term.key: term for term in concepts(content)}
    if topic:
        found |= {term.key: term for term in concepts(topic)}
    for tag in tags[:MOST_TAGS]:
        if key := tag_key(tag):
            found[key] = Term(tag, key, True)
    return tuple(found.values())


def tag_key(tag: str) -> str:
    """A tag as a key for comparing concepts, word by word."""
    return " ".join(filter(None, map(key_of, tag.split())))[:200]


def _messages(rows: Sequence[Memory]) -> dict[UUID, _Raw]:
    """The message facts by memory id; only of messages with the same readers as their memory."""
    of = {str(message): row for row in rows if (message := message_of(row))}
    if not of:
        return {}
    values = {"organisation": rows[0].organisation_id, "ids": list(of)}
    return {
        of[str(id_)].id: _Raw(reply, key, tuple(mentions or ()))
        for id_, audience, reply, key, mentions in fetched(_MESSAGES, values)
        if of[str(id_)].audience_id == audience
    }


def _reworded(row: Memory) -> bool:
    return row.reworded_by_id is not None or row.reworded_by_robot_id is not None


def _speaker(row: Memory, message: _Raw | None) -> UUID | None:
    if is_proposition(row):
        # A derived memory: the memory that it was made from shows the same already.
        return None
    if _reworded(row):
        # The words were changed by somebody else, so the speaker is not credited with them.
        return None
    if row.speaker_member_id:
        return row.speaker_member_id
    name = (message.speaker_key if message else "") or row.speaker
    if name.strip():
        return speaker_node(row.organisation_id, name)
    return row.author_id


def _turn(row: Memory, message: _Raw | None, names: dict[str, UUID]) -> DialogueTurn:
    speaker = _speaker(row, message)
    listeners = row.listeners[:MOST_ADDRESSED] if speaker else ()
    addressed: list[UUID] = [UUID(str(one)) for one in listeners]
    if not addressed and speaker is not None:
        # No known member of that name: a speaker without a member.
        spoken = message.mentions if message else called(row.content[:_READ])
        for name in spoken[:MOST_ADDRESSED]:
            plain = plain_name(name).casefold()
            addressed.append(names.get(plain) or speaker_node(row.organisation_id, plain))
    return DialogueTurn(
        id=row.id,
        audience=row.audience_id,
        text=row.content[:_READ],
        concepts=terms_of(row.content, row.topic, row.tags),
        speaker=speaker,
        addressed=tuple(dict.fromkeys(one for one in addressed if one != speaker)),
        conversation=row.conversation,
        at=row.occurred_at or row.created_at,
        machine=is_machine(plain_name(row.speaker)),
    )


def _earlier(row: tuple[Any, ...]) -> DialogueTurn:
    id_, audience, conversation, content, topic, tags, at, _, source = row
    return DialogueTurn(
        id=id_,
        audience=audience,
        text=content,
        concepts=terms_of(content, topic, tags),
        speaker=source,
        conversation=conversation,
        at=at,
    )


def _quote(made: Turns, wanted: dict[tuple[UUID, str], list[UUID]], organisation_id: UUID) -> None:
    """Add the turns that are replied to and are not in the batch, only from the audience of the
    reply."""
    if wanted:
        values = {
            "organisation": organisation_id,
            "keys": [key for _, key in wanted],
            "audiences": list({audience for audience, _ in wanted}),
        }
        for row in fetched(_QUOTED, values):
            for id_ in wanted.get((row[1], row[7]), ()):
                made.turns[id_] = replace(made.turns[id_], reply_to=row[0])
                made.quoted[row[0]] = _earlier(row)
    for turn in made.turns.values():
        if turn.reply_to in made.turns:
            made.quoted[turn.reply_to] = made.turns[turn.reply_to]


def _remember(made: Turns, ordered: Sequence[Memory]) -> None:
    """Add what the speakers of the batch said before it in the same conversations."""
    first: dict[tuple[str, UUID], int] = {}
    people: set[UUID] = set()
    for row in ordered:
        if row.conversation is None:
            continue
        turn = made.turns[row.id]
        first.setdefault((row.conversation, row.audience_id), row.position)
        people |= {*turn.addressed, *([turn.speaker] if turn.speaker else [])}
    if not first or not people:
        return
    values = {
        "organisation": ordered[0].organisation_id,
        "conversations": [conversation for conversation, _ in first],
        "audiences": [audience for _, audience in first],
        "positions": list(first.values()),
        "people": list(people),
    }
    for found in reversed(fetched(_BEFORE, values)):
        made.heard[found[2], found[1]].add(_earlier(found))
