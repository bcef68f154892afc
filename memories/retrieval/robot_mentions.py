"""Which robot said something about a topic, and when: by exact words, of all time.

Only memories that the asker reads, and only their own words, not those of neighbouring turns.
Robots that the asker may not see are not counted (`personal_robot_privacy`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.language.text_language import prepare_words
from memories.store.speakers.attribution import marked_name
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.principals import Actor, Principal, resolve_principal
from robots.registry.personal_robot_sql import visible_robot_sql

RECENT_PERIOD = timedelta(days=7)
MAX_ROBOTS = 100
MAX_MINUS_SIGNS = 20
# Without a topic so many of the memories that came last are looked at.
MAX_CONSIDERED = 2_000

# Robots that the asker may see (`personal_robot_privacy`).
_ROBOT_VISIBLE_SQL = visible_robot_sql("r", "h")
_CONTRIBUTOR_VISIBLE_SQL = visible_robot_sql("r", "c")
_HITS_SQL = f"""
SELECT m.organisation_id, m.audience_id, m.id, m.robot_id, m.speaker, m.speaker_member_id,
    m.content, num_nonnulls(m.reworded_by_id, m.reworded_by_robot_id) > 0 AS reworded,
    coalesce(m.occurred_at, m.created_at) AS at
FROM memories_web_query(%(language)s::regconfig, %(topic)s) AS asked
JOIN memories_text t ON t.organisation_id = %(organisation)s AND t.own @@ asked
JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = t.memory_id
    AND m.status = 'active' AND {not_expired_sql()}
    AND (%(notes)s OR m.kind <> 'internal')
ORDER BY at DESC, m.id DESC LIMIT %(limit)s
"""
# Without a topic: of what came last, what was said last.
_NEWEST_SQL = f"""
SELECT m.organisation_id, m.audience_id, m.id, m.robot_id, m.speaker, m.speaker_member_id,
    m.content, num_nonnulls(m.reworded_by_id, m.reworded_by_robot_id) > 0 AS reworded,
    coalesce(m.occurred_at, m.created_at) AS at
FROM (SELECT * FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.status = 'active' AND NOT m.sensitive
        AND {not_expired_sql()} AND (%(notes)s OR m.kind <> 'internal')
    ORDER BY m.id DESC LIMIT %(considered)s) AS m
ORDER BY at DESC, m.id DESC LIMIT %(limit)s
"""
# hits: one of the two above.
_COUNTS_TEMPLATE = """
SELECT coalesce(r.external_id, r.id::text), r.name, count(*)
FROM ({hits}) AS h
CROSS JOIN LATERAL (SELECT DISTINCT robot_id FROM memories_contribution
    WHERE organisation_id = %(organisation)s AND memory_id = h.id) AS c
JOIN robots_robot r ON r.organisation_id = %(organisation)s AND r.id = c.robot_id
    AND {visible}
GROUP BY r.id ORDER BY count(*) DESC, r.id LIMIT %(robots)s
"""
_TIMELINE_TEMPLATE = """
SELECT h.at, h.id, coalesce(r.external_id, r.id::text), r.name, h.content, h.speaker, p.id, p.name,
    h.reworded
FROM (SELECT *, sum(octet_length(content)) OVER (ORDER BY at DESC, id DESC) AS so_far
    FROM ({hits}) AS newest) AS h
LEFT JOIN orgs_member p ON p.organisation_id = %(organisation)s AND p.id = h.speaker_member_id
LEFT JOIN robots_robot r ON r.organisation_id = %(organisation)s AND r.id = h.robot_id
    AND {visible}
WHERE h.so_far <= %(most_bytes)s OR h.so_far = octet_length(h.content)
ORDER BY h.at, h.id
"""
_ROBOT_COUNTS_SQL = _COUNTS_TEMPLATE.format(hits=_HITS_SQL, visible=_ROBOT_VISIBLE_SQL)
_TIMELINE_SQL = _TIMELINE_TEMPLATE.format(hits=_HITS_SQL, visible=_ROBOT_VISIBLE_SQL)
_NEWEST_COUNTS_SQL = _COUNTS_TEMPLATE.format(hits=_NEWEST_SQL, visible=_ROBOT_VISIBLE_SQL)
_NEWEST_TIMELINE_SQL = _TIMELINE_TEMPLATE.format(hits=_NEWEST_SQL, visible=_ROBOT_VISIBLE_SQL)
# What became of memories: "decision", "changed" for words that were other ones before or hold no
# longer.
_MARKS_SQL = """
SELECT m.id, CASE WHEN m.category IN ('decision', 'org_decision') THEN 'decision' ELSE 'changed' END
FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND (m.category IN ('decision', 'org_decision') OR m.valid_until IS NOT NULL
        OR EXISTS (SELECT 1 FROM memories_version v
            WHERE v.organisation_id = %(organisation)s AND v.memory_id = m.id
                AND v.content <> m.content))
"""
_ACTIVITY_SQL = f"""
SELECT p.id, p.called, p.name, count(*), count(*) FILTER (WHERE p.last_at > %(since)s) FROM (
SELECT r.id, coalesce(r.external_id, r.id::text) AS called, r.name, max(c.last_at) AS last_at
FROM memories_contribution c
JOIN memories_memory m ON m.organisation_id = c.organisation_id AND m.id = c.memory_id
    AND m.status = 'active' AND {not_expired_sql()}
    AND (%(notes)s OR m.kind <> 'internal')
JOIN robots_robot r ON r.organisation_id = c.organisation_id AND r.id = c.robot_id
    AND {_CONTRIBUTOR_VISIBLE_SQL}
WHERE c.organisation_id = %(organisation)s
GROUP BY r.id, c.memory_id
) AS p GROUP BY p.id, p.called, p.name ORDER BY 4 DESC, p.id LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class RobotCount:
    """A robot, and the number of memories that it brought."""

    id: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One memory of a timeline. at: when it was said, else written; speaker: a name, or empty;
    member_id, member_name: the member who said it, None for a mere name. robot_id, robot_name: None
    if the asker may not see it (`personal_robot_privacy`). reworded: its present words are somebody
    else's."""

    at: datetime
    memory_id: UUID
    robot_id: str | None
    robot_name: str | None
    content: str
    speaker: str
    member_id: UUID | None
    member_name: str | None
    reworded: bool

    @property
    def shown_speaker(self) -> str:
        """Whose words it gives, for people: a mere name is marked; empty for none."""
        return self.member_name or marked_name(self.speaker)


@dataclass(frozen=True, slots=True)
class RobotActivity:
    """To how many memories a robot contributed, and to how many of these in the last seven days."""

    robot_id: UUID
    id: str
    name: str
    memories: int
    lately: int


def count_by_robot(
    actor: Actor, *, topic: str, now: datetime, limit: int | None = None
) -> list[RobotCount]:
    """The robots that brought the memories with all words of the topic, the most active first, at
    most MAX_ROBOTS. limit: counts only so many of the newest memories, None all of them.

    A memory counts for each robot that brought it. "or" and a minus sign work as in a
    web search; the order of words does not matter."""
    return [
        RobotCount(*row)
        for row in _fetch_in_scope(
            actor,
            _ROBOT_COUNTS_SQL,
            now,
            topic=_prepare_topic(topic),
            limit=limit,
            robots=MAX_ROBOTS,
        )
    ]


def list_timeline(actor: Actor, *, topic: str, limit: int, now: datetime) -> list[TimelineEntry]:
    """The `limit` newest memories with all words of the topic, as far as their texts fit into one
    answer, the oldest of them first."""
    most = settings.ANSWER_TEXTS_MAX_BYTES
    asked = {"topic": _prepare_topic(topic), "limit": limit, "most_bytes": most}
    return [TimelineEntry(*row) for row in _fetch_in_scope(actor, _TIMELINE_SQL, now, **asked)]


def _prepare_topic(topic: str) -> str:
    """What `memories_web_query` takes. PostgreSQL refuses a query with 32 minus signs in a row, as
    a drawn line has; from MAX_MINUS_SIGNS on they are blanks."""
    first = prepare_words(topic, is_query=True).split("-", MAX_MINUS_SIGNS)
    return "-".join([*first[:-1], first[-1].replace("-", " ")])


def list_newest(
    actor: Actor, *, limit: int, now: datetime
) -> tuple[list[TimelineEntry], list[RobotCount]]:
    """As `list_timeline` and `count_by_robot` without a topic: the `limit` that were said last, of
    the MAX_CONSIDERED that came last."""
    asked = {"limit": limit, "considered": MAX_CONSIDERED}
    most = {"most_bytes": settings.ANSWER_TEXTS_MAX_BYTES}
    moments = _fetch_in_scope(actor, _NEWEST_TIMELINE_SQL, now, **asked, **most)
    robots = _fetch_in_scope(actor, _NEWEST_COUNTS_SQL, now, **asked, robots=MAX_ROBOTS)
    return [TimelineEntry(*row) for row in moments], [RobotCount(*row) for row in robots]


def load_timeline_marks(actor: Actor, ids: Sequence[UUID], *, now: datetime) -> dict[UUID, str]:
    """{memory: "decision" or "changed"} of those memories that are one or the other."""
    return dict(_fetch_in_scope(actor, _MARKS_SQL, now, ids=list(ids)))


def list_robot_activity(principal: Principal, *, now: datetime) -> list[RobotActivity]:
    """The MOST_ROBOTS most active robots of all time, over memories that the asker reads; call
    inside the scope."""
    more = {"since": now - RECENT_PERIOD, "limit": MAX_ROBOTS}
    return [
        RobotActivity(*row)
        for row in fetch_all(_ACTIVITY_SQL, _statement_values(principal, now) | more)
    ]


def _fetch_in_scope(
    actor: Actor, statement: str, now: datetime, **more: Any
) -> list[tuple[Any, ...]]:
    principal = resolve_principal(actor)
    with principal.scope():
        return list(fetch_all(statement, _statement_values(principal, now) | more))


def _statement_values(principal: Principal, now: datetime) -> dict[str, Any]:
    return {
        "organisation": principal.organisation_id,
        "language": principal.language,
        "now": now,
        "notes": not principal.actor.is_person,
    }
