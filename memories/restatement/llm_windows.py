"""The turns of a conversation that a language model may be shown: of one audience, nothing
confidential.

Only memories of a whole group or the whole organisation are ever shown, no sensitive ones, and none
that concern a member who has opted out of sharing or paused learning. Runs in the role of the
worker, inside its scope of the organisation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.jobs.leases import WORKER
from memories.language.coreference import Turn
from memories.language.mentions import extract_keywords, find_persons
from memories.language.text_language import prepare_words
from memories.restatement.window_profile import WindowProfile
from memories.store.organisation_models import find_serving_model
from memories.store.speakers.attribution import bare_name
from orgs.expiry import not_expired_sql
from orgs.models.memberships import find_time_zone

MAX_CHARACTERS_SHOWN = 2_000


@dataclass(frozen=True, slots=True)
class WindowTurn:
    """A memory that may be shown, with the facts that show whether it is unchanged. proven: whether
    its speaker is a member and not a mere name."""

    memory_id: UUID
    version: int
    turn: Turn
    proven: bool = True

    @property
    def speaker(self) -> str:
        """Its speaker for a model: a mere name is marked."""
        name = self.turn.speaker
        return name if self.proven or not name else bare_name(name)


@dataclass(frozen=True, slots=True)
class OutsideText:
    """A text from outside the conversation, with the facts that show whether it is unchanged."""

    memory_id: UUID
    version: int
    text: str


# Conditions on a memory `m`, without its status.
SHOWABLE_SQL = f"""
NOT m.sensitive AND {not_expired_sql(now="now()")}
AND EXISTS (SELECT 1 FROM orgs_audience a WHERE a.organisation_id = %(organisation)s
            AND a.id = m.audience_id AND a.kind IN ('organisation', 'group'))
AND NOT EXISTS (SELECT 1 FROM orgs_member o WHERE o.organisation_id = %(organisation)s
                AND (o.id IN (m.member_id, m.speaker_member_id, m.author_id)
                     OR o.id = ANY(m.listeners))
                AND (o.sharing_off_at IS NOT NULL OR o.learning_paused_at IS NOT NULL))
"""
_ACTIVE_SHOWABLE_SQL = f"m.status = 'active' AND {SHOWABLE_SQL}"
_COLUMNS_SQL = """
m.id, m.version, m.content, coalesce(nullif(m.speaker, ''), w.name, ''),
m.speaker = '' OR m.speaker_member_id IS NOT NULL, m.occurred_at,
coalesce(s.time_zone, w.time_zone, ''),
ARRAY(SELECT l.name FROM orgs_member l
      WHERE l.organisation_id = %(organisation)s AND l.id = ANY(m.listeners))
"""
_SPEAKER_JOINS_SQL = """
LEFT JOIN orgs_member s ON s.organisation_id = m.organisation_id AND s.id = m.speaker_member_id
LEFT JOIN orgs_member w ON w.organisation_id = m.organisation_id AND w.id = m.author_id
"""
_TURNS_SQL = f"""
SELECT {_COLUMNS_SQL} FROM memories_memory m {_SPEAKER_JOINS_SQL}
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND {_ACTIVE_SHOWABLE_SQL}
ORDER BY m.position, m.id
"""
_TURNS_BEFORE_SQL = f"""
SELECT {_COLUMNS_SQL} FROM memories_memory m {_SPEAKER_JOINS_SQL}
JOIN memories_memory f ON f.organisation_id = %(organisation)s AND f.id = %(first)s
WHERE m.organisation_id = %(organisation)s AND m.conversation = f.conversation
  AND m.audience_id = f.audience_id AND (m.position, m.id) < (f.position, f.id)
      AND {_ACTIVE_SHOWABLE_SQL}
ORDER BY m.position DESC, m.id DESC LIMIT %(most)s
"""


def fetch_turns(organisation_id: UUID, ids: Sequence[UUID]) -> list[WindowTurn]:
    """The memories that may be shown, in the order of their conversation."""
    return _fetch_turns(_TURNS_SQL, {"organisation": organisation_id, "ids": list(ids)})


def fetch_turns_before(organisation_id: UUID, first: UUID, most: int) -> list[WindowTurn]:
    """Up to `most` turns before a memory in its conversation that may be shown, oldest first."""
    values = {"organisation": organisation_id, "first": first, "most": most}
    return _fetch_turns(_TURNS_BEFORE_SQL, values)[::-1]


def _fetch_turns(statement: str, values: dict[str, Any]) -> list[WindowTurn]:
    with connections[WORKER].cursor() as cursor:
        cursor.execute(statement, values)
        return [_to_window_turn(*row) for row in cursor.fetchall()]


def _to_window_turn(
    memory_id: UUID,
    version: int,
    content: str,
    speaker: str,
    proven: bool,
    at: datetime | None,
    zone: str,
    addressed: list[str],
) -> WindowTurn:
    turn = Turn(
        text=content, speaker=speaker, at=at, addressed=tuple(addressed), zone=find_time_zone(zone)
    )
    return WindowTurn(memory_id, version, turn, proven)


# Other memories of the same audience: by named people, by words, and by meaning.
_OUTSIDE_TEXTS_SQL = f"""
WITH here AS (SELECT audience_id FROM memories_memory
              WHERE organisation_id = %(organisation)s AND id = %(first)s),
people AS (
    SELECT r.memory_id FROM memories_restatement r
    WHERE r.organisation_id = %(organisation)s AND r.audience_id = (SELECT audience_id FROM here)
      AND r.persons && %(persons)s::varchar[] ORDER BY r.made_at DESC LIMIT %(structured)s),
worded AS (
    SELECT t.memory_id FROM memories_text t, memories_words_query(
        (SELECT o.language::regconfig FROM orgs_organisation o WHERE o.id = %(organisation)s),
        %(words)s, '|') AS q
    WHERE t.organisation_id = %(organisation)s AND t.audience_id = (SELECT audience_id FROM here)
      AND t.lexemes @@ q
    ORDER BY ts_rank(t.lexemes, q) DESC, t.memory_id DESC LIMIT %(keyword)s),
meaning AS (
    SELECT avg(own::vector) AS middle FROM memories_embedding
    WHERE organisation_id = %(organisation)s AND memory_id = ANY(%(window)s::uuid[])
      AND model = %(model)s),
meant AS (
    SELECT e.memory_id FROM memories_embedding e, meaning
    WHERE e.organisation_id = %(organisation)s AND e.audience_id = (SELECT audience_id FROM here)
      AND e.model = %(model)s AND meaning.middle IS NOT NULL
    ORDER BY e.own::vector <=> meaning.middle LIMIT %(semantic)s)
SELECT m.id, m.version, m.content FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND NOT m.id = ANY(%(window)s::uuid[])
  AND m.id IN (SELECT memory_id FROM people UNION SELECT memory_id FROM worded
               UNION SELECT memory_id FROM meant)
  AND {_ACTIVE_SHOWABLE_SQL}
ORDER BY m.id
"""


def fetch_outside_texts(
    organisation_id: UUID, window: Sequence[WindowTurn], profile: WindowProfile
) -> list[OutsideText]:
    """Texts that the readers of the window know already and that may help to resolve its
    references."""
    said = "\n".join(one.turn.text[:MAX_CHARACTERS_SHOWN] for one in window)
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "model": find_serving_model(organisation_id, using=WORKER).number,
        "first": window[-1].memory_id,
        "window": [one.memory_id for one in window],
        "persons": [p.name for p in find_persons(said, {one.turn.speaker for one in window})],
        "words": prepare_words(" ".join(extract_keywords(said, 10)), is_query=True),
        "structured": profile.structured_top_k,
        "keyword": profile.keyword_top_k,
        "semantic": profile.semantic_top_k,
    }
    with connections[WORKER].cursor() as cursor:
        cursor.execute(_OUTSIDE_TEXTS_SQL, values)
        return [
            OutsideText(id_, version, text[:MAX_CHARACTERS_SHOWN])
            for id_, version, text in cursor.fetchall()
        ]


_LOCK_SHOWN_SQL = f"""
SELECT m.id, m.version FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND {_ACTIVE_SHOWABLE_SQL}
ORDER BY m.id FOR NO KEY UPDATE OF m
"""


def lock_if_unchanged(organisation_id: UUID, shown: Sequence[WindowTurn | OutsideText]) -> bool:
    """Whether every shown text is unchanged and may still be shown; they are locked until the end
    of the transaction."""
    versions = {one.memory_id: one.version for one in shown}
    with connections[WORKER].cursor() as cursor:
        cursor.execute(_LOCK_SHOWN_SQL, {"organisation": organisation_id, "ids": list(versions)})
        return dict(cursor.fetchall()) == versions


# Single texts that a language model may be shown, by the same rule as turns of a conversation.

_TEXTS_SQL = f"""
SELECT m.id, m.version, m.content FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND m.status = %(status)s AND {SHOWABLE_SQL}
ORDER BY m.id
"""
_LOCK_TEXTS_SQL = f"{_TEXTS_SQL} FOR NO KEY UPDATE OF m"


def fetch_showable(
    organisation_id: UUID,
    ids: Sequence[UUID],
    *,
    status: str = "active",
    hold: bool = False,
    using: str = WORKER,
) -> list[OutsideText]:
    """The memories that may be shown, in full, in the order of ids; call inside a scope that reads
    them.

    hold: lock them until the end of the transaction.
    """
    values: dict[str, Any] = {"organisation": organisation_id, "ids": list(ids), "status": status}
    with connections[using].cursor() as cursor:
        cursor.execute(_LOCK_TEXTS_SQL if hold else _TEXTS_SQL, values)
        return [OutsideText(*row) for row in cursor.fetchall()]
