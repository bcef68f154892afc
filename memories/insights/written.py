"""How many memories each robot wrote: as many as the list of what it wrote shows.

What a robot only said again after another is that other's here; `memories.retrieval.who_said`
counts each that has a part. One walk over an index that holds all that is asked.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from orgs.database.prepared_statements import fetched
from orgs.principals import Actor, Principal, resolve
from robots.registry.activity import Counted
from robots.registry.who_taught_sql import told_sql

LATELY = timedelta(days=7)
# Robots of which the asker is told (`who_taught`); looked at once for each robot and its readers.
_TOLD = told_sql("r", "m")
_WRITTEN = f"""
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
JOIN robots_robot r ON r.organisation_id = %(organisation)s AND r.id = m.robot_id AND {_TOLD}
GROUP BY r.id
"""


def written_by(actor: Actor, robots: Sequence[UUID], now: datetime) -> dict[UUID, Counted]:
    """What these robots wrote, of all time and lately, as far as a person who asks reads it.

    Those that wrote nothing are left out.
    """
    principal = resolve(actor)
    with principal.scope():
        return written_in(principal, robots, now)


def written_in(principal: Principal, robots: Sequence[UUID], now: datetime) -> dict[UUID, Counted]:
    """The same inside the scope of a person who asks."""
    values = {
        "organisation": principal.organisation_id,
        "robots": list(robots),
        "now": now,
        "since": now - LATELY,
    }
    return {id_: Counted(*numbers) for id_, *numbers in fetched(_WRITTEN, values)}
