"""Memories as turns of conversations: who said what to whom, and the recent turns before.

A few queries for a batch, however large; all read only the writer's scope.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q

from memories.knowledge_graph.credited_experts import Credit, find_credit, is_likely_person
from memories.knowledge_graph.expertise_signals import (
    LOOKBACK_TURNS,
    DialogueTurn,
    RecentTurns,
    is_bot_name,
)
from memories.knowledge_graph.node_ids import compute_speaker_node_id, strip_platform
from memories.language.terms import Term, extract_concepts, term_key
from memories.store.conversation_turns import message_key, source_message_id
from memories.store.dependents import is_proposition
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.models.organisations import GroupMembership
from robots.conversations.mentions import parse_mentions

MAX_ADDRESSEES = 50
MAX_TAGS = 30
_MAX_TEXT_CHARACTERS = 2_000

_MESSAGES_SQL = """
SELECT id, audience_id, reply_to_id, speaker_key, mentions[1:50] FROM robots_message
WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s::uuid[])
"""
_TURN_COLUMNS_SQL = """
SELECT m.id, m.audience_id, m.conversation, left(m.content, 2000), m.topic, m.tags,
       coalesce(m.occurred_at, m.created_at), m.key,
       (SELECT e.source FROM memories_edge e
        WHERE e.organisation_id = %(organisation)s AND e.target = m.id AND e.relation = 'said')
"""
_RECENT_TURNS_SQL = f"""
SELECT near.* FROM unnest(%(conversations)s::text[], %(audiences)s::uuid[], %(positions)s::bigint[])
    AS given (conversation, audience, position)
CROSS JOIN LATERAL (
    {_TURN_COLUMNS_SQL}
    FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
      AND m.audience_id = given.audience AND m.status = 'active' AND m.position < given.position
    ORDER BY m.position DESC, m.id DESC LIMIT {LOOKBACK_TURNS}
) AS near
WHERE near.source = ANY(%(people)s::uuid[])
"""
_QUOTED_TURNS_SQL = f"""
{_TURN_COLUMNS_SQL} FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.key = ANY(%(keys)s::text[])
  AND m.audience_id = ANY(%(audiences)s::uuid[]) AND m.status = 'active'
"""


@dataclass(slots=True)
class DialogueBatch:
    """The turns of a batch by memory id, in the order in which they were said; the recent turns
    before them; the quoted turns."""

    turns: dict[UUID, DialogueTurn] = field(default_factory=dict)
    heard: dict[tuple[str, UUID], RecentTurns] = field(
        default_factory=lambda: defaultdict(RecentTurns)
    )
    quoted: dict[UUID, DialogueTurn] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _MessageFacts:
    """The facts that a message adds to its memory."""

    reply_to: UUID | None = None
    speaker_key: str = ""
    mentions: tuple[str, ...] = ()


def load_dialogue(rows: Sequence[Memory]) -> DialogueBatch:
    """Look up the turns of memories of one organisation."""
    made = DialogueBatch()
    if not rows:
        return made
    raw = _fetch_messages(rows)
    ordered = sorted(rows, key=lambda row: (row.position, row.id))
    by_key = {(row.audience_id, row.key): row.id for row in rows if row.key}
    names: dict[str, UUID] = {}
    for row in ordered:
        if node := _credited_speaker(row, raw.get(row.id)):
            names[strip_platform(row.speaker).casefold()] = node
    wanted: dict[tuple[UUID, str], list[UUID]] = defaultdict(list)
    credited_rows = _load_credits(rows, raw)
    for row in ordered:
        message = raw.get(row.id)
        turn = _build_turn(row, message, names)
        if row.id in credited_rows:
            credit, node = credited_rows[row.id]
            turn = replace(turn, credit=credit, credited=None if node == turn.speaker else node)
        if message and message.reply_to:
            place = (row.audience_id, message_key(message.reply_to))
            if place in by_key:
                turn = replace(turn, reply_to=by_key[place])
            else:
                wanted[place].append(row.id)
        made.turns[row.id] = turn
    _add_quoted_turns(made, wanted, rows[0].organisation_id)
    _add_recent_turns(made, ordered)
    return made


def extract_terms(content: str, topic: str, tags: Sequence[str]) -> tuple[Term, ...]:
    """The terms of a memory: of its text, its topic and its tags."""
    found = {term.key: term for term in extract_concepts(content)}
    if topic:
        found |= {term.key: term for term in extract_concepts(topic)}
    for tag in tags[:MAX_TAGS]:
        if key := tag_key(tag):
            found[key] = Term(tag, key, True)
    return tuple(found.values())


def tag_key(tag: str) -> str:
    """A tag as a key for comparing concepts, word by word."""
    return " ".join(filter(None, map(term_key, tag.split())))[:200]


def _fetch_messages(rows: Sequence[Memory]) -> dict[UUID, _MessageFacts]:
    """The message facts by memory id; only of messages with the same readers as their memory."""
    of = {str(message): row for row in rows if (message := source_message_id(row))}
    if not of:
        return {}
    values = {"organisation": rows[0].organisation_id, "ids": list(of)}
    return {
        of[str(id_)].id: _MessageFacts(reply, key, tuple(mentions or ()))
        for id_, audience, reply, key, mentions in fetch_all(_MESSAGES_SQL, values)
        if of[str(id_)].audience_id == audience
    }


def _is_reworded(row: Memory) -> bool:
    return row.reworded_by_id is not None or row.reworded_by_robot_id is not None


def _credited_speaker(row: Memory, message: _MessageFacts | None) -> UUID | None:
    if is_proposition(row):
        # A derived memory: the memory that it was made from shows the same already.
        return None
    if _is_reworded(row):
        # The words were changed by somebody else, so the speaker is not credited with them.
        return None
    if row.speaker_member_id:
        return row.speaker_member_id
    name = (message.speaker_key if message else "") or row.speaker
    if name.strip():
        return compute_speaker_node_id(row.organisation_id, name)
    return row.author_id


def _build_turn(row: Memory, message: _MessageFacts | None, names: dict[str, UUID]) -> DialogueTurn:
    speaker = _credited_speaker(row, message)
    listeners = row.listeners[:MAX_ADDRESSEES] if speaker else ()
    addressed: list[UUID] = [UUID(str(one)) for one in listeners]
    if not addressed and speaker is not None:
        # No known member of that name: a speaker without a member.
        spoken = message.mentions if message else parse_mentions(row.content[:_MAX_TEXT_CHARACTERS])
        for name in spoken[:MAX_ADDRESSEES]:
            plain = strip_platform(name).casefold()
            addressed.append(
                names.get(plain) or compute_speaker_node_id(row.organisation_id, plain)
            )
    return DialogueTurn(
        id=row.id,
        audience=row.audience_id,
        text=row.content[:_MAX_TEXT_CHARACTERS],
        concepts=extract_terms(row.content, row.topic, row.tags),
        speaker=speaker,
        addressed=tuple(dict.fromkeys(one for one in addressed if one != speaker)),
        conversation=row.conversation,
        at=row.occurred_at or row.created_at,
        machine=is_bot_name(strip_platform(row.speaker)),
    )


def _load_credits(
    rows: Sequence[Memory], raw: Mapping[UUID, _MessageFacts]
) -> dict[UUID, tuple[Credit, UUID | None]]:
    """{memory: (credit, the node of who is credited)}, of texts that say that somebody knows.

    Only what a member says in their own words credits a member, and only one of the memory's group
    who has paused neither learning nor sharing. So nobody puts forward a member as an expert by a
    name that they write, or learns by it who is a member. Any other name is a speaker of the same
    readers, or a first name of the lists; of reworded words nobody is credited.
    """
    found = {
        row.id: one for row in rows if (one := find_credit(row.content[:_MAX_TEXT_CHARACTERS]))
    }
    if not found:
        return {}
    people: dict[tuple[UUID | None, str], set[UUID]] = defaultdict(set)
    here = {"organisation_id": rows[0].organisation_id}
    groups = {row.group_id for row in rows if row.id in found and row.group_id}
    seats = GroupMembership.objects.filter(**here, group_id__in=groups, member__removed_at=None)
    learning_from = Q(member__learning_paused_at=None, member__sharing_off_at=None)
    in_group = seats.annotate(learns=ExpressionWrapper(learning_from, BooleanField()))
    quiet: set[UUID] = set()
    for group, id_, name, learns in in_group.values_list(
        "group_id", "member_id", "member__name", "learns"
    ):
        if not learns:
            quiet.add(id_)
        for called in {name.casefold(), next(iter(name.casefold().split()), "")}:
            people[group, called].add(id_)
    speakers = {
        (row.audience_id, strip_platform(row.speaker).casefold())
        for row in rows
        if not row.speaker_member_id
    }
    credited_rows: dict[UUID, tuple[Credit, UUID | None]] = {}
    for row in rows:
        credit = found.get(row.id)
        if credit is None:
            continue
        key = credit.name.casefold()
        meant = people.get((row.group_id, key), set())
        node = None
        if _credited_speaker(row, raw.get(row.id)) is None:
            pass
        elif meant:
            if row.speaker_member_id and len(meant) == 1 and not meant & quiet:
                [node] = meant
        elif key and ((row.audience_id, key) in speakers or is_likely_person(key)):
            node = compute_speaker_node_id(row.organisation_id, key)
        elif key:
            # No person: a firm or a thing.
            continue
        credited_rows[row.id] = credit, node
    return credited_rows


def _turn_from_row(row: tuple[Any, ...]) -> DialogueTurn:
    id_, audience, conversation, content, topic, tags, at, _, source = row
    return DialogueTurn(
        id=id_,
        audience=audience,
        text=content,
        concepts=extract_terms(content, topic, tags),
        speaker=source,
        conversation=conversation,
        at=at,
    )


def _add_quoted_turns(
    made: DialogueBatch, wanted: dict[tuple[UUID, str], list[UUID]], organisation_id: UUID
) -> None:
    """Add the turns that are replied to and are not in the batch, only from the audience of the
    reply."""
    if wanted:
        values = {
            "organisation": organisation_id,
            "keys": [key for _, key in wanted],
            "audiences": list({audience for audience, _ in wanted}),
        }
        for row in fetch_all(_QUOTED_TURNS_SQL, values):
            for id_ in wanted.get((row[1], row[7]), ()):
                made.turns[id_] = replace(made.turns[id_], reply_to=row[0])
                made.quoted[row[0]] = _turn_from_row(row)
    for turn in made.turns.values():
        if turn.reply_to in made.turns:
            made.quoted[turn.reply_to] = made.turns[turn.reply_to]


def _add_recent_turns(made: DialogueBatch, ordered: Sequence[Memory]) -> None:
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
    for found in reversed(fetch_all(_RECENT_TURNS_SQL, values)):
        made.heard[found[2], found[1]].add(_turn_from_row(found))
