"""How full the tiers are and what moves between them, only over what the asker may read.

Robots' own notes are left out, because people do not read them. Few statements, each over a bounded
number of rows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memories.insights.overview import IS_CAPPED_SQL, NEWEST_CTE
from memories.insights.statistics import MONTH, RecallCounts, count_recalls
from memories.lifecycle.ageing_policy import find_policy_or_default
from memories.lifecycle.decay import (
    STRENGTH_PARAMETERS,
    STRENGTH_SQL,
    STRONG_FROM,
    WEAK_BELOW,
)
from memories.lifecycle.tiers import TIER_RULES, compute_pressure, tier_capacities
from memories.store.known_use import CURRENT_TIER_SQL
from orgs.expiry import not_expired_sql
from orgs.principals import Actor, Principal, resolve_principal

# Figures cover at most this many of the newest memories and moves; `capped` says if there are more.
MAX_COUNTED = 20_000
MAX_LATEST = 50
LASTING_PERIOD = timedelta(days=7)
# If the share of promotions that lasted is below or above these, the limits of the tiers may be
# wrong. Fewer promotions than ENOUGH say nothing.
TOO_EASY_BELOW, TOO_HARD_ABOVE, MIN_PROMOTIONS = 0.4, 0.8, 10

_STRENGTHS_SQL = f"""
WITH {NEWEST_CTE}
SELECT {IS_CAPPED_SQL}, m.audience_id, {CURRENT_TIER_SQL},
    CASE WHEN s.strength >= %(strong)s THEN 'strong'
         WHEN s.strength < %(weak)s THEN 'weak' ELSE 'fading' END,
    least(9, floor(10 * s.strength))::int, count(*), count(*) FILTER (WHERE u.updates > 0),
    coalesce(sum(u.surprise) FILTER (WHERE u.updates > 0), 0)
FROM newest m
LEFT JOIN memories_known_use u
    ON u.organisation_id = %(organisation)s AND u.memory_id = m.id
LEFT JOIN unnest(%(categories)s::text[], %(rates)s::float8[]) AS r (category, rate)
    ON r.category = m.category
CROSS JOIN LATERAL (
    SELECT {STRENGTH_SQL} AS strength
) s
GROUP BY 2, 3, 4, 5
"""
# Only moves of active memories.
_READABLE_JOIN_SQL = f"""
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = t.memory_id
        AND m.status = 'active' AND {not_expired_sql()}
"""
# The ids are an array, and active ones are a set: without statistics a join would compare every
# pair. sank_at: when the memory was next demoted after its promotion.
_MOVES_CTE = f"""
found AS MATERIALIZED (
    SELECT memory_id, moved_at, reason, array_position(%(order)s::text[], to_tier::text)
        < array_position(%(order)s::text[], from_tier::text) AS up
    FROM memories_transition
    WHERE organisation_id = %(organisation)s AND kind <> 'internal'
      AND moved_at > %(month)s AND moved_at <= %(now)s
    ORDER BY moved_at DESC, memory_id DESC LIMIT %(most)s
), active AS MATERIALIZED (
    SELECT id FROM memories_memory
    WHERE organisation_id = %(organisation)s AND id = ANY (ARRAY(SELECT memory_id FROM found))
      AND status = 'active' AND {not_expired_sql("memories_memory")}
), told AS MATERIALIZED (
    SELECT found.*, memory_id IN (SELECT id FROM active) AS is_active FROM found
)
"""
_MOVE_COUNTS_SQL = f"""
WITH {_MOVES_CTE}, lately AS (
    SELECT memory_id, moved_at, up, min(moved_at) FILTER (WHERE NOT up) OVER (
        PARTITION BY memory_id ORDER BY moved_at
        ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS sank_at
    FROM told WHERE is_active
)
SELECT count(*) FILTER (WHERE up AND moved_at > %(hour)s),
    count(*) FILTER (WHERE NOT up AND moved_at > %(hour)s),
    count(*) FILTER (WHERE up AND moved_at > %(yesterday)s),
    count(*) FILTER (WHERE NOT up AND moved_at > %(yesterday)s),
    count(*), count(DISTINCT memory_id) FILTER (WHERE up),
    count(DISTINCT memory_id) FILTER (WHERE up AND sank_at - moved_at <= %(lasting)s)
FROM lately
"""
# The days are those of the asker's time zone.
_MOVES_BY_DAY_SQL = f"""
WITH {_MOVES_CTE}
SELECT (moved_at AT TIME ZONE %(zone)s)::date, reason, count(*)
FROM told WHERE is_active GROUP BY 1, 2
"""
_LATEST_MOVES_SQL = f"""
SELECT t.memory_id,
    CASE WHEN m.sensitive THEN 'An encrypted memory' ELSE left(m.content, 400) END,
    t.from_tier, t.to_tier, t.reason, t.surprise, t.moved_at
FROM memories_transition t {_READABLE_JOIN_SQL}
WHERE t.organisation_id = %(organisation)s AND t.kind <> 'internal' AND t.moved_at <= %(now)s
ORDER BY t.moved_at DESC, t.memory_id DESC LIMIT %(latest)s
"""


@dataclass(frozen=True, slots=True)
class TierMoveEntry:
    """One move with the beginning of the memory's text. surprise: as in `TierMove`."""

    memory_id: UUID
    text: str
    from_tier: str
    to_tier: str
    reason: str
    surprise: float
    moved_at: datetime


@dataclass(frozen=True, slots=True)
class TierMoveCounts:
    """Numbers of moves; month: in the last 30 days, at most LOOKED_AT.

    risen: promotions among these. fell_back: those that were followed by a demotion within a week.
    """

    up_last_hour: int = 0
    down_last_hour: int = 0
    up_last_day: int = 0
    down_last_day: int = 0
    month: int = 0
    risen: int = 0
    fell_back: int = 0

    @property
    def effectiveness(self) -> float:
        """The share of promotions without a demotion within a week, 0-1; 0 without any."""
        return (self.risen - self.fell_back) / self.risen if self.risen else 0.0

    @property
    def velocity(self) -> float:
        """Moves for each day."""
        return self.month / MONTH.days

    @property
    def advice(self) -> str:
        """`too_easy` or `could_be_easier` for promotion; empty if the share is normal or too little
        is known."""
        if self.risen < MIN_PROMOTIONS:
            return ""
        if self.effectiveness < TOO_EASY_BELOW:
            return "too_easy"
        return "could_be_easier" if self.effectiveness > TOO_HARD_ABOVE else ""


@dataclass(frozen=True, slots=True)
class TierFigures:
    """The figures of the page. room: {tier: most memories of one audience}, by the organisation's
    policy. fullest: {tier: how full its fullest audience is, 0-1}. evicts: whether workers may
    summarise what is over capacity.

    by_strength: numbers of strong, fading and weak ones; by_tenth: how many have a strength of 0 to
    .1, .1 to .2 and so on. moved: {(day, reason): moves} of the last 30 days. reported: memories
    with feedback; surprise: their mean, 0 without any. capped: only the newest LOOKED_AT memories
    are counted.
    """

    capped: bool = False
    evicts: bool = False
    by_tier: Counter[str] = field(default_factory=Counter)
    room: dict[str, int] = field(default_factory=dict)
    fullest: dict[str, float] = field(default_factory=dict)
    by_strength: Counter[str] = field(default_factory=Counter)
    by_tenth: Counter[int] = field(default_factory=Counter)
    moved: dict[tuple[date, str], int] = field(default_factory=dict)
    reported: int = 0
    surprise: float = 0.0
    moves: TierMoveCounts = field(default_factory=TierMoveCounts)
    recalls: RecallCounts = field(default_factory=RecallCounts)

    @property
    def total(self) -> int:
        return self.by_tier.total()


def get_tier_figures(actor: Actor, *, now: datetime) -> TierFigures:
    """Only the figures, for the charts as files."""
    principal = resolve_principal(actor)
    with principal.scope():
        return _fetch_figures(principal, now)


def get_tier_figures_and_moves(
    actor: Actor, *, now: datetime
) -> tuple[TierFigures, Sequence[TierMoveEntry]]:
    """The figures and the newest moves, at most LATEST; in six statements."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _fetch(_LATEST_MOVES_SQL, _query_parameters(principal, now))
        return _fetch_figures(principal, now), [TierMoveEntry(*row) for row in rows]


def _fetch_figures(principal: Principal, now: datetime) -> TierFigures:
    values = _query_parameters(principal, now)
    standing = _fetch(_STRENGTHS_SQL, values)
    [moves] = _fetch(_MOVE_COUNTS_SQL, values)
    policy = find_policy_or_default(principal.organisation_id)
    room = tier_capacities(policy.capacities)
    by_audience, by_tier, by_strength = Counter[tuple[UUID, str]](), Counter[str](), Counter[str]()
    by_tenth = Counter[int]()
    capped, reported, surprise = False, 0, 0.0
    # Sorted, because the order of a sum would depend on the plan, and the plan on hidden rows.
    for more, audience, tier, strength, tenth, number, told, surprises in sorted(standing):
        capped = more
        by_audience[audience, tier] += number
        by_tier[tier] += number
        by_strength[strength] += number
        by_tenth[tenth] += number
        reported += told
        surprise += surprises
    return TierFigures(
        capped,
        policy.evict,
        by_tier,
        room,
        _fill_levels(by_audience, room),
        by_strength,
        by_tenth,
        {(day, reason): number for day, reason, number in _fetch(_MOVES_BY_DAY_SQL, values)},
        reported,
        surprise / reported if reported else 0.0,
        TierMoveCounts(*moves),
        count_recalls(principal, now),
    )


def _fill_levels(by_audience: Counter[tuple[UUID, str]], room: dict[str, int]) -> dict[str, float]:
    found = dict.fromkeys(room, 0.0)
    for (_, tier), number in by_audience.items():
        found[tier] = max(found[tier], compute_pressure({tier: number}, room))
    return found


def _fetch(statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _query_parameters(principal: Principal, now: datetime) -> dict[str, Any]:
    return {
        "organisation": principal.organisation_id,
        "now": now,
        "zone": str(now.tzinfo or "UTC"),
        "hour": now - timedelta(hours=1),
        "yesterday": now - timedelta(days=1),
        "month": now - MONTH,
        "lasting": LASTING_PERIOD,
        "most": MAX_COUNTED,
        "latest": MAX_LATEST,
        "order": [rule.tier for rule in TIER_RULES],
        "strong": STRONG_FROM,
        "weak": WEAK_BELOW,
        **STRENGTH_PARAMETERS,
    }
