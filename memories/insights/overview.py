"""Figures and first steps for the overview, only over what the asker may read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memories.insights.recalls import Recalls, recalls_of
from memories.library.browse import ListedMemory, show
from memories.library.threads.folded import FoldedConversation, folded
from memories.review.queue import Count, count
from memories.store.models.memory import Memory
from orgs.models.memberships import Role
from orgs.principals import MODERATORS, Actor, Principal, resolve
from robots.registry.who_taught_sql import told_sql

# Figures cover at most this many of the newest memories; `capped` says if there are more.
LOOKED_AT = 20_000
DAYS = 28
LATEST = 6
OWED = 10_000
ROBOTS = 8

# Whether robots read what is private to the asker.
_HELPED = """
EXISTS (SELECT 1 FROM robots_robot r WHERE r.organisation_id = %(organisation)s
    AND r.retired_at IS NULL AND (r.owner_id = %(me)s OR r.id IN (
        SELECT robot_id FROM robots_delegation WHERE organisation_id = %(organisation)s
        AND member_id = %(me)s AND revoked_at IS NULL)))
"""
# Robots that the asker may see (`who_taught`).
_TOLD = told_sql("r", "c")
_READ = """
organisation_id = %(organisation)s AND status = 'active' AND kind <> 'internal'
AND (expires_at IS NULL OR expires_at > %(now)s)
"""
_NONE = "'00000000-0000-0000-0000-000000000000'::uuid"
# The `most` newest readable rows, as WITH newest. The id of the last of them is found first, by ids
# alone: whole rows of everything readable would be sorted on disk. It is compared directly,
# otherwise the index would not be used.
NEWEST = f"""
border AS MATERIALIZED (SELECT coalesce((SELECT id FROM memories_memory WHERE {_READ}
    ORDER BY id DESC OFFSET %(most)s LIMIT 1), {_NONE}) AS id),
newest AS MATERIALIZED (SELECT id, audience_id, kind, first_tier, category, importance, created_at
    FROM memories_memory WHERE {_READ} AND id > (SELECT id FROM border))
"""
# Whether there are more.
CAPPED = f"(SELECT id <> {_NONE} FROM border)"
# One scan of the newest readable rows. Then the robots that brought memories lately: each robot
# that brought a memory counts for it, if the asker may see it.
_FIGURES = f"""
WITH {NEWEST}
SELECT a.kind, m.kind, coalesce(u.tier, m.first_tier),
       CASE WHEN m.created_at >= %(since)s THEN (m.created_at AT TIME ZONE %(zone)s)::date END,
       count(*), {_HELPED}, {CAPPED}
FROM newest m
JOIN orgs_audience a ON a.organisation_id = %(organisation)s AND a.id = m.audience_id
LEFT JOIN memories_use u ON u.organisation_id = %(organisation)s AND u.memory_id = m.id
GROUP BY 1, 2, 3, 4
UNION ALL
(SELECT NULL, r.name, r.id::text, NULL, count(*), NULL, NULL
FROM memories_contribution c
JOIN robots_robot r ON r.organisation_id = %(organisation)s AND r.id = c.robot_id
    AND r.builtin IS NULL AND {_TOLD}
WHERE c.organisation_id = %(organisation)s AND c.last_at > %(week)s
    AND c.memory_id = ANY (ARRAY(SELECT id FROM newest))
GROUP BY r.id, r.name ORDER BY count(*) DESC, r.id LIMIT %(robots)s)
"""
_STANDING = """
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
STEPS = ("invite", "robot", "remember", "recall", "readers")


@dataclass(frozen=True, slots=True)
class Figures:
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

    figures: Figures
    latest: Sequence[ListedMemory | FoldedConversation]
    review: Count
    owed: int
    owed_since: datetime | None
    failed: int
    recalls: Recalls
    steps: list[tuple[str, bool]]


def figures(actor: Actor, *, now: datetime) -> Figures:
    """Only the figures, for the charts as files."""
    principal = resolve(actor)
    with principal.scope():
        return _figures(principal, now)


def overview(actor: Actor, *, organisation: str, now: datetime) -> Overview:
    """Everything that the overview shows, in a few statements, however many memories there are."""
    principal = resolve(actor)
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id)
        latest = folded(rows.active(now).for_people(), page=LATEST, now=now).rows
        memories = [one for one in latest if isinstance(one, Memory)]
        shown = iter(show(principal, memories, organisation))
        owed_since, owed, failed, *done = _standing(principal.organisation_id, actor.member_id)
        wanted = _steps(actor)
        return Overview(
            _figures(principal, now),
            [next(shown) if isinstance(one, Memory) else one for one in latest],
            count(principal, now - timedelta(days=7)),
            owed,
            owed_since,
            failed,
            recalls_of(principal, now),
            [(n, bool(d)) for n, d in zip(STEPS, done, strict=True) if n in wanted],
        )


def _steps(actor: Actor) -> tuple[str, ...]:
    """The names of the first steps of a role; viewers can only ask."""
    if actor.role == Role.ADMIN:
        return STEPS
    if actor.role in MODERATORS:
        return STEPS[2:]
    return STEPS[2:4] if actor.role == Role.MEMBER else STEPS[3:4]


def _standing(organisation_id: UUID, me: UUID | None) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"organisation": organisation_id, "me": me, "owed": OWED})
        found: tuple[Any, ...] = cursor.fetchone()
    return found


def _figures(principal: Principal, now: datetime) -> Figures:
    today = now.date()
    first = today - timedelta(days=DAYS - 1)
    values: dict[str, Any] = {
        "organisation": principal.organisation_id,
        "now": now,
        "since": now - timedelta(days=DAYS + 1),
        "zone": str(now.tzinfo),
        "most": LOOKED_AT,
        "week": now - timedelta(days=7),
        "robots": ROBOTS,
        "me": principal.actor.member_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FIGURES, values)
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
    return Figures(
        by_kind.total(),
        capped,
        by_audience,
        by_kind,
        by_tier,
        [(day, by_day[day]) for day in days],
        helped,
        [(UUID(robot), name, -less) for less, robot, name in sorted(robots)],
    )
