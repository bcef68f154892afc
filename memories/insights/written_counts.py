"""How many memories each robot wrote: the same number as the list of its memories.

A memory counts for the robot that wrote it first; `memories.retrieval.robot_mentions` counts every
robot that contributed. One index-only scan.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from orgs.database.prepared_statements import fetch_all
from orgs.principals import Actor, Principal, resolve_principal
from robots.registry.memory_counts import MemoryCount
from robots.registry.personal_robot_sql import visible_robot_sql

RECENT_PERIOD = timedelta(days=7)
# Robots that the asker may see (`who_taught`), evaluated once for each robot and audience.
_ROBOT_VISIBLE_SQL = visible_robot_sql("r", "m")
_WRITTEN_COUNTS_SQL = f"""
SELECT r.id, sum(m.memories)::bigint, sum(m.lately)::bigint
FROM (
    SELECT organisation_id, audience_id, robot_id, count(*) AS memories,
        count(*) FILTER (WHERE created_at > %(since)s) AS lately
    FROM memories_memory
    WHERE organisation_id = %(organisation)s AND status = 'active' AND kind <> 'internal'
        AND (expires_at IS NULL OR expires_at > %(now)s)
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
