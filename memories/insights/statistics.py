"""Figures, counted in the asker's scope, so hidden rows never count."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count

from memories.answers.model_usage import get_usage
from memories.indexing.models import Pending
from memories.jobs.leases import PendingState
from memories.lifecycle.ageing_policy import find_policy_or_default
from memories.lifecycle.tiers import TIER_RULES, compute_pressure, tier_capacities
from memories.retrieval.robot_mentions import list_robot_activity
from memories.store.models.memory import CURRENT_TIER, Memory
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.robot_administration import MemoryCount
from robots.registry.personal_robot_privacy import is_robot_hidden
from robots.registry.personal_robot_sql import visible_robot_sql

# How often the asker's own questions were answered.

MONTH = timedelta(days=30)

_RECALL_COUNTS_SQL = """
SELECT count(*), count(*) FILTER (WHERE answered = 'yes')
FROM memories_recall
WHERE organisation_id = %(organisation)s AND member_id = %(me)s AND answered <> ''
  AND created_at > %(month)s AND created_at <= %(now)s
"""


@dataclass(frozen=True, slots=True)
class RecallCounts:
    """The number of the asker's own questions in 30 days; `answered` of them had a sure answer.

    A context asks no question: what was not judged is not counted."""

    asked: int = 0
    answered: int = 0

    @property
    def hit_rate(self) -> float:
        """The share of questions with an answer, 0-1; 0 without a question."""
        return self.answered / self.asked if self.asked else 0.0


def count_recalls(principal: Principal, now: datetime) -> RecallCounts:
    """The questions of the last 30 days; call inside the principal's scope."""
    values = {
        "organisation": principal.organisation_id,
        "me": principal.actor.member_id,
        "month": now - MONTH,
        "now": now,
    }
    [counts] = fetch_all(_RECALL_COUNTS_SQL, values)
    return RecallCounts(*counts)


# How many memories each robot wrote: the same number as the list of its memories.
# A memory counts for the robot that wrote it first; `memories.retrieval.robot_mentions` counts
# every robot that contributed. One index-only scan.

RECENT_PERIOD = timedelta(days=7)
# Robots that the asker may see (`personal_robot_privacy`), evaluated once for each robot and
# audience.
_ROBOT_VISIBLE_SQL = visible_robot_sql("r", "m")
_WRITTEN_COUNTS_SQL = f"""
SELECT r.id, sum(m.memories)::bigint, sum(m.lately)::bigint
FROM (
    SELECT organisation_id, audience_id, robot_id, count(*) AS memories,
        count(*) FILTER (WHERE created_at > %(since)s) AS lately
    FROM memories_memory
    WHERE organisation_id = %(organisation)s AND status = 'active' AND kind <> 'internal'
        AND {not_expired_sql("memories_memory")}
        AND robot_id = ANY (%(robots)s::uuid[])
    GROUP BY organisation_id, audience_id, robot_id
) AS m
JOIN robots_robot r ON r.organisation_id = %(organisation)s AND r.id = m.robot_id
    AND {_ROBOT_VISIBLE_SQL}
GROUP BY r.id
"""


def count_written(actor: Actor, robots: Sequence[UUID], now: datetime) -> dict[UUID, MemoryCount]:
    """By robot, the number of memories that it wrote, in total and lately, as far as the asking
    person reads them.

    Robots without any are left out.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        return count_written_in_scope(principal, robots, now)


def count_written_in_scope(
    principal: Principal, robots: Sequence[UUID], now: datetime
) -> dict[UUID, MemoryCount]:
    """`count_written` inside the scope of the asking person."""
    values = {
        "organisation": principal.organisation_id,
        "robots": list(robots),
        "now": now,
        "since": now - RECENT_PERIOD,
    }
    return {id_: MemoryCount(*numbers) for id_, *numbers in fetch_all(_WRITTEN_COUNTS_SQL, values)}


def get_statistics(actor: Actor, *, now: datetime) -> dict[str, Any]:
    """Numbers of memories that the asker may read, by kind and tier, and how many wait for their
    index."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id).active(now)
        by_kind: dict[str, int] = {}
        by_tier: dict[str, int] = {}
        counts = rows.values_list("kind", CURRENT_TIER).annotate(n=Count("id"))
        # Ordered, because the order of a plan could depend on rows that the asker cannot read.
        for kind, tier, n in counts.order_by("kind", CURRENT_TIER):
            by_kind[kind] = by_kind.get(kind, 0) + n
            by_tier[tier] = by_tier.get(tier, 0) + n
        owed = Pending.objects.filter(organisation_id=principal.organisation_id)
        dead = owed.filter(state=PendingState.DEAD).count()
        return {
            "memories": sum(by_kind.values()),
            "by_kind": by_kind,
            "by_tier": dict(sorted(by_tier.items())),
            "robots": rows.exclude(is_robot_hidden()).values("robot_id").distinct().count(),
            "embedding_pending": owed.count() - dead,
            "embedding_failed": dead,
            "activity": [
                {
                    "robot": {"id": one.id, "name": one.name},
                    "memories": one.memories,
                    "last_7_days": one.lately,
                }
                for one in list_robot_activity(principal, now=now)
            ],
            **_tier_statistics(principal, now),
            "language_model": asdict(get_usage(principal.organisation_id, now=now))
            if _sees_usage(actor)
            else None,
        }


def _sees_usage(actor: Actor) -> bool:
    """Whether the asker may know what everybody together asked of the language model."""
    return "manage" in actor.scopes or (actor.is_person and actor.role == Role.ADMIN)


# Only moves of memories that the asker reads and that are not forgotten. Recalls are the asker's
# own.
_READABLE_JOIN_SQL = f"""
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = p.memory_id
        AND m.status = 'active' AND {not_expired_sql()}
"""
_TIER_MOVES_SQL = f"""
SELECT count(*) FILTER (WHERE faster), count(*) FILTER (WHERE NOT faster),
    (SELECT coalesce(avg((answered = 'yes')::int), 0) FROM memories_recall
        WHERE organisation_id = %(organisation)s AND answered <> ''),
    (SELECT coalesce(avg(p.surprise), 0) FROM memories_known_use p {_READABLE_JOIN_SQL}
        WHERE p.organisation_id = %(organisation)s AND p.updates > 0)
FROM (
    SELECT array_position(%(order)s::text[], to_tier::text)
        < array_position(%(order)s::text[], from_tier::text) AS faster
    FROM memories_transition p {_READABLE_JOIN_SQL}
    WHERE p.organisation_id = %(organisation)s AND p.moved_at > %(since)s AND p.moved_at <= %(now)s
) AS moves
"""


def _tier_statistics(principal: Principal, now: datetime) -> dict[str, Any]:
    """Moves of the last hour, the share of questions with an answer, the mean surprise of feedback,
    and how full the fullest tier of an audience is."""
    values = {
        "organisation": principal.organisation_id,
        "order": [rule.tier for rule in TIER_RULES],
        "since": now - timedelta(hours=1),
        "now": now,
    }
    [(up, down, hit_rate, surprise)] = fetch_all(_TIER_MOVES_SQL, values)
    return {
        "promotions_last_hour": up,
        "demotions_last_hour": down,
        "hit_rate": float(hit_rate),
        "avg_surprise": float(surprise),
        "pressure": _max_tier_fill(principal, now),
    }


def _max_tier_fill(principal: Principal, now: datetime) -> float:
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).active(now)
    counts = rows.values_list("audience_id", CURRENT_TIER).annotate(n=Count("id")).order_by()
    most = tier_capacities(find_policy_or_default(principal.organisation_id).capacities)
    return max((compute_pressure({tier: n}, most) for _, tier, n in counts), default=0.0)
