"""Experts by the observations that show what they know: one rule for every search of them.

The statements run in the asker's scope, so evidence is a memory that the asker may read.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.knowledge_graph.models import QUESTION_NOT_EXPIRED_SQL
from memories.knowledge_graph.node_ids import strip_platform
from memories.retrieval.search_types import Expert, ExpertCursor
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.models.base import new_id

# In a group the same rows as in a recall: its own and the organisation's, no direct ones.
IN_GROUP_SQL = """(%(group)s::uuid IS NULL OR m.audience_id = %(open)s::uuid
     OR (m.kind <> 'direct' AND (m.group_id IS NULL OR m.group_id = %(group)s::uuid)))"""
_EVIDENCE_SQL = """
found AS MATERIALIZED (
    SELECT e.source, e.memory_id, sum((e.weight * near.worth)::numeric) AS weight,
        count(*) AS times,
        count(DISTINCT e.target) AS hits, max(e.observed_at) AS at, max(m.speaker) AS speaker,
        bool_or(m.group_id IS NOT DISTINCT FROM %(group)s::uuid) AS here
    FROM near JOIN memories_edge e ON e.organisation_id = %(organisation)s
        AND e.relation = 'knows_about' AND e.memory_id <= %(until)s::uuid AND
"""
_READABLE_SQL = f"""
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = e.memory_id
    WHERE m.status = 'active' AND {not_expired_sql()}
      AND {QUESTION_NOT_EXPIRED_SQL} AND {IN_GROUP_SQL}
    GROUP BY e.source, e.memory_id
)
"""
# For a topic of several words most of them must be in the evidence, if any evidence has so many.
# The sums are exact numbers, so that a page continues exactly after the one before.
_PEOPLE_SQL = """, people AS (
    SELECT f.source, p.id, coalesce(p.name, (
            SELECT n.name FROM memories_entity n WHERE n.organisation_id = %(organisation)s
            AND n.memory_id = (array_agg(f.memory_id ORDER BY f.at DESC, f.memory_id))[1]
            AND n.node = f.source
        ), (array_agg(f.speaker ORDER BY f.at DESC, f.memory_id))[1]) AS name,
        sum(f.weight) AS weight, sum(f.times)::int AS times, count(*)::int AS memories,
        max(f.at) AS at, (array_agg(f.memory_id
            ORDER BY f.hits DESC, f.weight DESC, f.at DESC, f.memory_id))[1:40] AS evidence
    FROM found f
    LEFT JOIN orgs_member p ON p.organisation_id = %(organisation)s AND p.id = f.source
    WHERE f.hits >= least(%(enough)s::int, (SELECT max(hits) FROM found))
      AND NOT f.source = ANY(%(without)s::uuid[]) AND p.removed_at IS NULL
      AND (%(group)s::uuid IS NULL OR (p.id IS NULL AND f.here) OR EXISTS (
          SELECT 1 FROM orgs_groupmembership g WHERE g.organisation_id = %(organisation)s
            AND g.group_id = %(group)s::uuid AND g.member_id = p.id))
    GROUP BY f.source, p.id, p.name
)
SELECT source, id, name, weight, times, memories, at, evidence FROM people
WHERE %(weight)s::numeric IS NULL OR weight < %(weight)s::numeric
   OR (weight = %(weight)s::numeric AND (times < %(times)s::int
       OR (times = %(times)s::int AND source > %(node)s::uuid)))
ORDER BY weight DESC, times DESC, source LIMIT %(limit)s::int
"""
BY_WORDS_SQL = f"""
WITH near AS MATERIALIZED (
    SELECT node, 1.0::float8 AS worth FROM unnest(%(nodes)s::uuid[]) AS given (node)
), {_EVIDENCE_SQL} e.target = near.node {_READABLE_SQL} {_PEOPLE_SQL}
"""
# Evidence is a memory near in meaning, or an answer to such a memory.
BY_MEANING_SQL = f"""
WITH like_it AS MATERIALIZED (
    SELECT * FROM unnest(%(memories)s::uuid[], %(likeness)s::float8[]) AS given (memory_id, worth)
), near AS MATERIALIZED (
    SELECT memory_id, max(worth) AS worth FROM (
        SELECT memory_id, worth FROM like_it
        UNION ALL
        SELECT a.memory_id, worth FROM like_it JOIN memories_edge a
            ON a.organisation_id = %(organisation)s AND a.target = like_it.memory_id
           AND a.relation = 'replied_to'
    ) AS both_ways GROUP BY memory_id
), {_EVIDENCE_SQL} e.memory_id = near.memory_id {_READABLE_SQL} {_PEOPLE_SQL}
"""
# Evidence is one of these memories and no other.
_BY_MEMORIES_SQL = f"""
WITH near AS MATERIALIZED (
    SELECT * FROM unnest(%(memories)s::uuid[], %(likeness)s::float8[]) AS given (memory_id, worth)
), {_EVIDENCE_SQL} e.memory_id = near.memory_id {_READABLE_SQL} {_PEOPLE_SQL}
"""


def evidence_values(
    organisation_id: UUID,
    *,
    group: UUID | None,
    open_audience: UUID | None,
    limit: int,
    now: datetime,
) -> dict[str, Any]:
    """The parameters of the statements, for a first page. open_audience: of everyone in the
    organisation."""
    return {
        "organisation": organisation_id,
        "group": group,
        "open": open_audience,
        "now": now,
        "limit": limit,
        "without": [],
        "enough": 1,
        "weight": None,
        "times": None,
        "node": None,
    }


def find_people(
    memories: Sequence[UUID], worth: Sequence[float], values: dict[str, Any]
) -> list[Expert]:
    """Those whom these memories show to know something, the best first; inside the asker's scope.

    worth: of each memory, in 0-1; an observation counts by it. values: see `evidence_values`.
    """
    if not memories:
        return []
    near = {"memories": list(memories), "likeness": list(worth), "until": new_id()}
    return fetch_experts(_BY_MEMORIES_SQL, values | near, "meaning")


def fetch_experts(statement: str, values: dict[str, Any], by: str) -> list[Expert]:
    """The experts that a statement finds; call inside the asker's scope. by: words or meaning."""
    return [
        Expert(
            node=node,
            member=member,
            name=strip_platform(name or ""),
            weight=float(weight),
            times=times,
            memories=memories,
            last_at=last,
            evidence=tuple(ids),
            place=ExpertCursor(by, weight, times, node, values["until"]),
        )
        for node, member, name, weight, times, memories, last, ids in fetch_all(statement, values)
    ]
