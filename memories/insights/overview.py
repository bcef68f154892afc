"""Figures and first steps for the overview, only over what the asker may read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memories.browsing.conversation_pages.folded_list import FoldedConversation, list_folded
from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.insights.statistics import RecallCounts, count_recalls
from memories.review.review_queue import QueueProgress, count_progress
from memories.store.known_use import CURRENT_TIER_SQL
from memories.store.models.memory import Memory
from orgs.expiry import not_expired_sql
from orgs.models.memberships import Role
from orgs.principals import MODERATOR_ROLES, Actor, Principal, resolve_principal
from robots.access.delegations import IS_READ_FOR_SQL
from robots.registry.personal_robot_sql import visible_robot_sql

# Figures cover at most this many of the newest memories; `capped` says if there are more.
MAX_COUNTED = 20_000
DAYS = 28
MAX_LATEST = 6
MAX_PENDING_COUNTED = 10_000
MAX_ROBOTS = 8

# Robots that the asker may see (`personal_robot_privacy`).
_ROBOT_VISIBLE_SQL = visible_robot_sql("r", "c")
_READABLE_SQL = f"""
organisation_id = %(organisation)s AND status = 'active' AND kind <> 'internal'
AND {not_expired_sql("memories_memory")}
"""
_NIL_ID_SQL = "'00000000-0000-0000-0000-000000000000'::uuid"
# The `most` newest readable rows, as WITH newest. The id of the last of them is found first, by ids
# alone: whole rows of everything readable would be sorted on disk. It is compared directly,
# otherwise the index would not be used.
NEWEST_CTE = f"""
border AS MATERIALIZED (SELECT coalesce((SELECT id FROM memories_memory WHERE {_READABLE_SQL}
    ORDER BY id DESC OFFSET %(most)s LIMIT 1), {_NIL_ID_SQL}) AS id),
newest AS MATERIALIZED (SELECT id, audience_id, kind, first_tier, category, importance, created_at
    FROM memories_memory WHERE {_READABLE_SQL} AND id > (SELECT id FROM border))
"""
# Whether there are more.
IS_CAPPED_SQL = f"(SELECT id <> {_NIL_ID_SQL} FROM border)"
# One scan of the newest readable rows. Then the robots that brought memories lately: each robot
# that brought a memory counts for it, if the asker may see it.
_FIGURES_SQL = f"""
WITH {NEWEST_CTE}
SELECT a.kind, m.kind, {CURRENT_TIER_SQL},
       CASE WHEN m.created_at >= %(since)s THEN (m.created_at AT TIME ZONE %(zone)s)::date END,
       count(*), {IS_READ_FOR_SQL}, {IS_CAPPED_SQL}
FROM newest m
JOIN orgs_audience a ON a.organisation_id = %(organisation)s AND a.id = m.audience_id
LEFT JOIN memories_use u ON u.organisation_id = %(organisation)s AND u.memory_id = m.id
GROUP BY 1, 2, 3, 4
UNION ALL
(SELECT NULL, r.name, r.id::text, NULL, count(*), NULL, NULL
FROM memories_contribution c
JOIN robots_robot r ON r.organisation_id = %(organisation)s AND r.id = c.robot_id
    AND r.builtin IS NULL AND {_ROBOT_VISIBLE_SQL}
WHERE c.organisation_id = %(organisation)s AND c.last_at > %(week)s
    AND c.memory_id = ANY (ARRAY(SELECT id FROM newest))
GROUP BY r.id, r.name ORDER BY count(*) DESC, r.id LIMIT %(robots)s)
"""
_SETUP_STATE_SQL = """
SELECT
    (SELECT min(created_at) FROM (SELECT created_at FROM memories_pending
        WHERE organisation_id = %(organisation)s AND state <> 'dead' LIMIT %(owed)s) o),
    (SELECT count(*) FROM (SELECT 1 FROM memories_pending
        WHERE organisation_id = %(organisation)s AND state <> 'dead' LIMIT %(owed)s) w),
    (SELECT count(*) FROM (SELECT 1 FROM memories_pending
        WHERE organisation_id = %(organisation)s AND state = 'dead' LIMIT %(owed)s) d),
    EXISTS (SELECT 1 FROM orgs_member WHERE organisation_id = %(organisation)s
        AND removed_at IS NULL AND id <> %(me)s),
    EXISTS (SELECT 1 FROM robots_robot WHERE organisation_id = %(organisation)s
        AND builtin IS NULL AND retired_at IS NULL),
    EXISTS (SELECT 1 FROM memories_memory WHERE organisation_id = %(organisation)s
        AND status = 'active' AND kind <> 'internal'),
    EXISTS (SELECT 1 FROM memories_recall WHERE organisation_id = %(organisation)s
        AND member_id = %(me)s),
    EXISTS (SELECT 1 FROM orgs_auditentry WHERE organisation_id = %(organisation)s
        AND member = %(me)s AND action = 'playground.asked')
"""
FIRST_STEPS = ("invite", "robot", "remember", "recall", "readers")


@dataclass(frozen=True, slots=True)
class OverviewFigures:
    """Numbers of readable memories by audience, kind, tier and day. capped: only the newest
    LOOKED_AT are counted.

    by_day: the last DAYS days in the asker's time zone, the oldest first. helped: whether robots
    read what is private to the asker. by_robot: (id, name, memories that it brought in seven days)
    of the ROBOTS most active ones.
    """

    total: int = 0
    capped: bool = False
    by_audience: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    by_tier: Counter[str] = field(default_factory=Counter)
    by_day: list[tuple[date, int]] = field(default_factory=list)
    helped: bool = False
    by_robot: list[tuple[UUID, str, int]] = field(default_factory=list)

    @property
    def this_week(self) -> int:
        return sum(number for _, number in self.by_day[-7:])


@dataclass(frozen=True, slots=True)
class Overview:
    """The content of the page. latest: the newest memories, with turns of chats folded into their
    conversation. steps: (name, whether it is done) for the steps of this role.

    owed: how many memories wait for their index; owed_since: when the oldest of these was written.
    """

    figures: OverviewFigures
    latest: Sequence[ListedMemory | FoldedConversation]
    review: QueueProgress
    owed: int
    owed_since: datetime | None
    failed: int
    recalls: RecallCounts
    steps: list[tuple[str, bool]]


def get_overview_figures(actor: Actor, *, now: datetime) -> OverviewFigures:
    """Only the figures, for the charts as files."""
    principal = resolve_principal(actor)
    with principal.scope():
        return _fetch_figures(principal, now)


def get_overview(actor: Actor, *, organisation: str, now: datetime) -> Overview:
    """Everything that the overview shows, in a few statements, however many memories there are."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id)
        latest = list_folded(rows.active(now).for_people(), page=MAX_LATEST, now=now).rows
        memories = [one for one in latest if isinstance(one, Memory)]
        shown = iter(to_listed_memories(principal, memories, organisation))
        owed_since, owed, failed, *done = _fetch_setup_state(
            principal.organisation_id, actor.member_id
        )
        wanted = _first_steps(actor)
        return Overview(
            _fetch_figures(principal, now),
            [next(shown) if isinstance(one, Memory) else one for one in latest],
            count_progress(principal, now - timedelta(days=7)),
            owed,
            owed_since,
            failed,
            count_recalls(principal, now),
            [(n, bool(d)) for n, d in zip(FIRST_STEPS, done, strict=True) if n in wanted],
        )


def _first_steps(actor: Actor) -> tuple[str, ...]:
    """The names of the first steps of a role; viewers can only ask."""
    if actor.role == Role.ADMIN:
        return FIRST_STEPS
    if actor.role in MODERATOR_ROLES:
        return FIRST_STEPS[2:]
    return FIRST_STEPS[2:4] if actor.role == Role.MEMBER else FIRST_STEPS[3:4]


def _fetch_setup_state(organisation_id: UUID, me: UUID | None) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(
            _SETUP_STATE_SQL,
            {"organisation": organisation_id, "me": me, "owed": MAX_PENDING_COUNTED},
        )
        found: tuple[Any, ...] = cursor.fetchone()
    return found


def _fetch_figures(principal: Principal, now: datetime) -> OverviewFigures:
    today = now.date()
    first = today - timedelta(days=DAYS - 1)
    values: dict[str, Any] = {
        "organisation": principal.organisation_id,
        "now": now,
        "since": now - timedelta(days=DAYS + 1),
        "zone": str(now.tzinfo),
        "most": MAX_COUNTED,
        "week": now - timedelta(days=7),
        "robots": MAX_ROBOTS,
        "me": principal.actor.member_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FIGURES_SQL, values)
        rows = cursor.fetchall()
    by_audience, by_kind, by_tier = Counter[str](), Counter[str](), Counter[str]()
    by_day: Counter[date] = Counter()
    helped, capped, robots = False, False, []
    for audience, kind, tier, day, number, helps, more in rows:
        if audience is None:
            robots.append((-number, tier, kind))
            continue
        helped, capped = helps, more
        by_audience[audience] += number
        by_kind[kind] += number
        by_tier[tier] += number
        if day is not None:
            by_day[day] += number
    days = [first + timedelta(days=n) for n in range(DAYS)]
    return OverviewFigures(
        by_kind.total(),
        capped,
        by_audience,
        by_kind,
        by_tier,
        [(day, by_day[day]) for day in days],
        helped,
        [(UUID(robot), name, -less) for less, robot, name in sorted(robots)],
    )
