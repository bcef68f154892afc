"""Note what was served: ids and scores for feedback, accesses for strength. Never the question."""

from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from memories.retrieval.types import Served
from orgs.database.prepared_statements import fetched
from orgs.models.base import new_id
from orgs.principals import Principal

LAST_ACCESSED_TOP = 5

# One statement. Rows are locked in the order of their ids, so that two recalls with common hits
# never wait for each other in a circle; the robot's row moves at most once a second, so that its
# recalls do not queue for it.
_SERVED = """
WITH counted AS (
    SELECT id FROM memories_memory
    WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s)
    ORDER BY id FOR NO KEY UPDATE
), touched AS (
    UPDATE memories_memory m
    SET access_count = access_count + 1,
        last_accessed_at = CASE WHEN m.id = ANY(%(top)s) THEN %(now)s ELSE last_accessed_at END
    FROM counted WHERE m.id = counted.id AND m.organisation_id = %(organisation)s
), stamped AS (
    UPDATE robots_robot SET last_active_at = %(now)s
    WHERE organisation_id = %(organisation)s AND id = %(robot)s
    AND (last_active_at IS NULL OR last_active_at < %(now)s::timestamptz - interval '1 second')
)
INSERT INTO memories_recall (id, organisation_id, audience_id, robot_id, member_id, group_id,
                             strategy, hits, took_ms, created_at)
VALUES (%(id)s, %(organisation)s, %(audience)s, %(robot)s, %(member)s, %(group)s, %(strategy)s,
        %(hits)s::jsonb, %(took_ms)s, %(now)s)
"""


def record_served(
    principal: Principal, served: Served, *, took_ms: float, counts: bool, now: datetime
) -> UUID:
    """Record one answer inside the asker's scope; returns the recall's id.

    counts: whether the hits' access counts rise; last_accessed moves for the top 5.
    """
    recall_id = new_id()
    fetched(*recording(recall_id, principal, served, took_ms=took_ms, counts=counts, now=now))
    return recall_id


def recording(
    recall_id: UUID,
    principal: Principal,
    served: Served,
    *,
    took_ms: float,
    counts: bool,
    now: datetime,
) -> tuple[str, dict[str, Any]]:
    """The statement that records it, and its parameters."""
    actor = principal.actor
    ids = [hit.id for hit in served.hits] if counts else []
    return _SERVED, {
        "id": recall_id,
        "organisation": actor.organisation_id,
        "audience": principal.own_audience,
        "robot": actor.robot_id,
        "member": actor.member_id,
        "group": actor.group_id,
        "strategy": served.strategy,
        "hits": orjson.dumps([[hit.id, round(hit.score, 6)] for hit in served.hits]).decode(),
        "took_ms": took_ms,
        "ids": ids,
        "top": ids[:LAST_ACCESSED_TOP],
        "now": now,
    }
