"""Make the restatements of memories by the rules.

The context are only turns of the same audience, which every reader of the memory may read: a name
from a turn with fewer readers would reveal it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection

from memories.jobs.worker_hints import notify_restatement_worker
from memories.knowledge_graph.models import Entity, EntitySource
from memories.llm import client
from memories.restatement import rules
from memories.restatement.models import PendingRestatement, Restatement
from memories.restatement.rules import Turn
from memories.restatement.window_profile import WindowProfile
from memories.store.conversation_turns import (
    MESSAGE_KEY_PREFIX,
    load_replied_to_speakers,
    load_turns_before,
    source_message_id,
)
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import speaking_member_id
from orgs.database.bulk_insert import insert_rows
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience, AudienceType
from orgs.models.base import new_id
from orgs.models.memberships import Member, find_time_zone

MAX_CHARACTERS_BY_FIELD = {"keywords": 100, "persons": 300, "location": 200, "topic": 300}


def window_profile() -> WindowProfile:
    """The profile for cutting conversations; the same for all organisations so far."""
    return settings.INGESTION


@dataclass(slots=True)
class _RestatementContext:
    """The context of the memories of one batch."""

    members: dict[UUID, tuple[str, str]] = field(default_factory=dict)
    turns: dict[UUID, list[Turn]] = field(default_factory=dict)
    answered: dict[UUID, str] = field(default_factory=dict)

    def name(self, member_id: UUID | None) -> str:
        return self.members.get(member_id, ("", ""))[0] if member_id else ""

    def zone(self, member_id: UUID | None) -> ZoneInfo | None:
        known = self.members.get(member_id, ("", ""))[1] if member_id else ""
        return find_time_zone(known)


def write_restatements(
    rows: Sequence[Memory], now: datetime, *, without: Sequence[UUID] = ()
) -> None:
    """Write the restatements of active memories that have none. Sensitive ones get none.

    without: memories that are being removed and must not be used as context.
    """
    # Words of sensitive memories are only in their own row.
    rows = [row for row in rows if not row.sensitive]
    if not rows:
        return
    around = _load_context(rows, without)
    insert_rows([_build_restatement(row, around, now) for row in rows])
    if client.is_configured():
        _enqueue_for_llm(rows, now)


MISSING_BATCH_SIZE = 500
_MISSING_SQL = """
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.status = 'active' AND NOT m.sensitive
  AND NOT EXISTS (SELECT 1 FROM memories_restatement r
                  WHERE r.organisation_id = m.organisation_id AND r.memory_id = m.id)
  AND NOT EXISTS (SELECT 1 FROM memories_pending p WHERE p.organisation_id = m.organisation_id
                  AND p.memory_id = m.id AND p.reading <> '')
ORDER BY m.id LIMIT %(limit)s
"""


def restate_missing(organisation_id: UUID, *, now: datetime) -> int:
    """Restate the next memories that were read before every memory got a restatement, in one
    transaction; returns how many were found. No language model is asked about them."""
    with organisation_scope(organisation_id):
        audiences = Audience.objects.filter(organisation_id=organisation_id)
        ids = tuple(audiences.values_list("id", flat=True))
    with scope(Scope(organisation=organisation_id, audiences=ids)):
        values = {"organisation": organisation_id, "limit": MISSING_BATCH_SIZE}
        found = [id_ for (id_,) in fetch_all(_MISSING_SQL, values)]
        here = Memory.objects.filter(organisation_id=organisation_id, id__in=found)
        active = here.filter(status=Status.ACTIVE)
        locked = active.select_for_update(of=("self",), no_key=True, skip_locked=True)
        rows = list(locked.order_by("id"))
        # The reader of new memories may have written some before they were locked.
        there = set(
            Restatement.objects.filter(
                organisation_id=organisation_id, memory_id__in=found
            ).values_list("memory_id", flat=True)
        )
        rows = [row for row in rows if row.id not in there]
        around = _load_context(rows, ()) if rows else _RestatementContext()
        insert_rows([_build_restatement(row, around, now) for row in rows])
    return len(rows)


def _enqueue_for_llm(rows: Sequence[Memory], now: datetime) -> None:
    """Queue turns of a group or the organisation for the language model."""
    turns = [row for row in rows if row.conversation and not row.sensitive]
    turns = [row for row in turns if len(row.content) <= rules.MAX_CHARACTERS]
    if not turns:
        return
    organisation_id = turns[0].organisation_id
    open_ = set(
        Audience.objects.filter(
            organisation_id=organisation_id,
            id__in={row.audience_id for row in turns},
            kind__in=(AudienceType.ORGANISATION, AudienceType.GROUP),
        ).values_list("id", flat=True)
    )
    owed = [
        PendingRestatement(
            organisation_id=organisation_id,
            memory_id=row.id,
            audience_id=row.audience_id,
            kind=row.kind,
            created_at=now,
        )
        for row in turns
        if row.audience_id in open_
    ]
    insert_rows(owed)
    if owed:
        notify_restatement_worker(organisation_id)


def _build_restatement(row: Memory, around: _RestatementContext, now: datetime) -> Restatement:
    turn, before = to_turn(row, around), around.turns.get(row.id, [])
    found = rules.restate(turn, before, topic=row.topic)
    alone = rules.restate(turn, (), topic=row.topic) if before else found
    return Restatement(
        id=new_id(),
        organisation_id=row.organisation_id,
        memory_id=row.id,
        audience_id=row.audience_id,
        kind=row.kind,
        text=found.text,
        keywords=[word[: MAX_CHARACTERS_BY_FIELD["keywords"]] for word in found.keywords],
        persons=[name[: MAX_CHARACTERS_BY_FIELD["persons"]] for name in found.persons],
        location=found.location[: MAX_CHARACTERS_BY_FIELD["location"]],
        topic=found.topic[: MAX_CHARACTERS_BY_FIELD["topic"]],
        entities=[{"name": name, "type": type_} for name, type_ in found.entities],
        lent=alone != found,
        made_at=now,
    )


def to_turn(row: Memory, around: _RestatementContext) -> Turn:
    """A memory as a turn, with its speaker, those addressed, and its time in the speaker's zone.

    The time is when it happened, else when it arrived.
    """
    said_by = speaking_member_id(row)
    # What was imported without a time may have been said long before it arrived.
    arrived_at = None if "import" in (row.source or {}) else row.created_at
    addressed = [around.name(id_) for id_ in row.listeners]
    if not row.listeners and row.id in around.answered:
        addressed = [around.answered[row.id]]
    return Turn(
        text=row.content,
        speaker=row.speaker or around.name(said_by),
        at=row.occurred_at or arrived_at,
        addressed=tuple(name for name in addressed if name),
        zone=around.zone(said_by),
    )


# --- context ---


def _load_context(rows: Sequence[Memory], without: Sequence[UUID]) -> _RestatementContext:
    around = _RestatementContext()
    wanted = {id_ for row in rows for id_ in _member_ids(row)}
    if wanted:
        known = Member.objects.filter(organisation_id=rows[0].organisation_id, id__in=wanted)
        around.members = {
            id_: (name, zone) for id_, name, zone in known.values_list("id", "name", "time_zone")
        }
    lost = [row for row in rows if row.conversation and rules.needs_context(row.content)]
    asking = [
        row
        for row in rows
        if not row.listeners and source_message_id(row) and rules.has_second_person(row.content)
    ]
    if lost:
        around.turns = load_turns_before(lost, window_profile().window - 1, without)
    if asking:
        around.answered = load_replied_to_speakers(asking)
    return around


def _member_ids(row: Memory) -> list[UUID]:
    found = [row.speaker_member_id or (None if row.speaker else row.author_id)]
    if rules.has_second_person(row.content):
        found += row.listeners
    return [id_ for id_ in found if id_]


# --- restatements that depend on removed turns ---

_DEPENDENT_TURNS_SQL = """
SELECT DISTINCT r.memory_id
FROM memories_memory m CROSS JOIN LATERAL (
    SELECT x.id FROM memories_memory x
    WHERE x.organisation_id = m.organisation_id AND x.conversation = m.conversation
      AND x.audience_id = m.audience_id AND (x.position, x.id) > (m.position, m.id)
    ORDER BY x.position, x.id LIMIT %(window)s) AS near
JOIN memories_restatement r ON r.organisation_id = %(organisation)s AND r.memory_id = near.id
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[]) AND r.lent
  AND NOT near.id = ANY(%(ids)s::uuid[])
"""
# A model's answer may use everything that it was shown, also later turns; all of the same audience.
_SHOWN_TO_LLM_SQL = """
SELECT r.memory_id FROM memories_restatement r
WHERE r.organisation_id = %(organisation)s AND r.source = 'llm'
  AND r.audience_id = ANY(%(audiences)s::uuid[]) AND r.shown && %(ids)s::uuid[]
  AND NOT r.memory_id = ANY(%(ids)s::uuid[])
"""


def delete_and_restate_dependents(rows: Sequence[Memory], now: datetime) -> None:
    """Delete the restatements of these memories, and remake others that use these memories."""
    organisation_id, ids = rows[0].organisation_id, [row.id for row in rows]
    leaning = _fetch_shown_to_llm(rows) | _fetch_dependent_turns(rows)
    for model in (Restatement, PendingRestatement):
        model.objects.filter(organisation_id=organisation_id, memory_id__in=ids).delete()
    _rewrite_restatements(_load_active(organisation_id, leaning), now, without=ids)


def restate_dependents(rows: Sequence[Memory], now: datetime) -> None:
    """Remake restatements of later turns that may depend on these memories or on the turns before
    them."""
    _rewrite_restatements(
        _load_active(
            rows[0].organisation_id, _fetch_shown_to_llm(rows) | _fetch_dependent_turns(rows)
        ),
        now,
    )


def _fetch_shown_to_llm(rows: Sequence[Memory]) -> set[UUID]:
    """The memories whose restatement was made by a model that was shown one of these."""
    values: dict[str, Any] = {"organisation": rows[0].organisation_id}
    values["ids"] = [row.id for row in rows]
    values["audiences"] = list({row.audience_id for row in rows})
    with connection.cursor() as cursor:
        cursor.execute(_SHOWN_TO_LLM_SQL, values)
        return {id_ for (id_,) in cursor.fetchall()}


def _fetch_dependent_turns(rows: Sequence[Memory]) -> set[UUID]:
    """Later memories of the same conversations whose restatement uses earlier turns."""
    if not any(row.conversation for row in rows):
        return set()
    values: dict[str, Any] = {"organisation": rows[0].organisation_id}
    values |= {"ids": [row.id for row in rows], "window": window_profile().window}
    with connection.cursor() as cursor:
        cursor.execute(_DEPENDENT_TURNS_SQL, values)
        return {id_ for (id_,) in cursor.fetchall()}


def _load_active(organisation_id: UUID, ids: Collection[UUID]) -> list[Memory]:
    if not ids:
        return []
    rows = Memory.objects.filter(organisation_id=organisation_id, id__in=ids)
    return list(rows.filter(status=Status.ACTIVE))


_DEPENDENTS_OF_MESSAGES_SQL = f"""
SELECT DISTINCT r.memory_id
FROM robots_message gone CROSS JOIN LATERAL (
    SELECT x.id FROM robots_message x
    WHERE x.organisation_id = gone.organisation_id AND x.conversation_id = gone.conversation_id
      AND x.id > gone.id
    ORDER BY x.id LIMIT %(through)s) AS near
JOIN memories_memory m ON m.organisation_id = %(organisation)s
    AND m.key = '{MESSAGE_KEY_PREFIX}' || near.id
    AND m.audience_id = gone.audience_id AND m.status = 'active'
JOIN memories_restatement r ON r.organisation_id = %(organisation)s AND r.memory_id = m.id
WHERE gone.organisation_id = %(organisation)s AND gone.id = ANY(%(ids)s::uuid[]) AND r.lent
"""


def restate_dependents_of_messages(
    organisation_id: UUID, messages: Sequence[UUID], now: datetime
) -> None:
    """Remake restatements that use messages whose words were withdrawn."""
    values: dict[str, Any] = {"organisation": organisation_id, "ids": list(messages)}
    values["through"] = window_profile().window
    with connection.cursor() as cursor:
        cursor.execute(_DEPENDENTS_OF_MESSAGES_SQL, values)
        leaning = [id_ for (id_,) in cursor.fetchall()]
    rows = Memory.objects.filter(organisation_id=organisation_id, id__in=leaning)
    _rewrite_restatements(list(rows), now)


def _rewrite_restatements(
    rows: Sequence[Memory], now: datetime, without: Sequence[UUID] = ()
) -> None:
    """Delete and remake these restatements."""
    if not rows:
        return
    of = {"organisation_id": rows[0].organisation_id, "memory_id__in": [row.id for row in rows]}
    for model in (Restatement, PendingRestatement):
        model.objects.filter(**of).delete()
    # Entities that a model took from removed turns are in the graph as well.
    Entity.objects.filter(**of, source=EntitySource.LLM).delete()
    write_restatements(rows, now, without=without)


def find_restatement(memory: Memory) -> Restatement | None:
    """The restatement of a memory, if any; call inside a scope that reads it."""
    return Restatement.objects.filter(
        organisation_id=memory.organisation_id, memory_id=memory.id
    ).first()
