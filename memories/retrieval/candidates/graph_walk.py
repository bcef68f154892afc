"""Search along the graph: from the entities that a question names, and from the memories nearest to
it in meaning, to memories that need not share a word with it.

Runs inside the asker's scope, so every followed edge is one that they may read. The walk is one
recursive statement: no node twice on a path, limited neighbours for each node, limited rows; a node
with many neighbours passes less weight on than one with few.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

from memories.knowledge_graph.node_ids import compute_node_id
from memories.language.entities import extract_entities
from memories.language.terms import extract_concepts
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql

DEFAULT_DEPTH, MAX_DEPTH, DEFAULT_LIMIT = 2, 4, 100
MAX_SEEDS = 16
NO_MEMORIES: Mapping[UUID, float] = MappingProxyType({})

# The reached nodes, and those that each step keeps. Of a node with many observations the latest
# count.
_WALK_SQL = """
WITH RECURSIVE seeds AS MATERIALIZED (
    SELECT given.node, 1 / (1 + ln(1 + count(found.id))) AS worth
    FROM unnest(%(nodes)s::uuid[]) AS given (node)
    CROSS JOIN LATERAL (
        SELECT o.id FROM memories_observation o
        WHERE o.organisation_id = %(organisation)s AND o.target = given.node LIMIT 1000
    ) AS found
    GROUP BY given.node
    UNION ALL
    SELECT given.node, given.worth FROM unnest(%(memories)s::uuid[], %(worths)s::float8[])
        AS given (node, worth)
), walk (node, depth, score) AS (
    SELECT node, 0, worth::float8 FROM seeds
    UNION ALL
    SELECT next.node, walk.depth + 1, walk.score * next.share
    FROM walk CROSS JOIN LATERAL (
        SELECT near.node, .8 * sum(near.weight) / (.5 + sum(near.weight))
            / (1 + ln(count(*) OVER ())) AS share
        FROM (
            (SELECT o.target AS node, o.weight FROM memories_observation o
             WHERE o.organisation_id = %(organisation)s AND o.source = walk.node
             ORDER BY o.memory_id DESC LIMIT 100)
            UNION ALL
            (SELECT o.source, o.weight FROM memories_observation o
             WHERE o.organisation_id = %(organisation)s AND o.target = walk.node
             ORDER BY o.memory_id DESC LIMIT 100)
        ) AS near
        GROUP BY near.node ORDER BY 2 DESC, 1 LIMIT 60 / (1 + walk.depth * walk.depth)
    ) AS next
    WHERE walk.depth < %(depth)s
) CYCLE node SET looped USING way
"""
_REACHED_SQL = f"""{_WALK_SQL}, reached AS MATERIALIZED (
    SELECT node, min(depth) AS depth, sum(score) AS score FROM (
        SELECT node, depth, score FROM walk WHERE depth > 0 AND NOT looped LIMIT 20000
    ) AS bounded GROUP BY node
), close AS MATERIALIZED (
    SELECT %(asker)s::uuid AS person, 1.25::float8 AS boost WHERE %(asker)s::uuid IS NOT NULL
    UNION ALL
    SELECT DISTINCT o.target, 1.1::float8 FROM (
        SELECT s.memory_id FROM memories_edge s
        WHERE s.organisation_id = %(organisation)s AND s.source = %(asker)s::uuid
          AND s.relation = 'said' ORDER BY s.memory_id DESC LIMIT 100
    ) AS mine JOIN memories_edge o ON o.organisation_id = %(organisation)s
        AND o.memory_id = mine.memory_id AND o.relation = 'mentions'
)
SELECT m.id, min(reached.depth) AS depth,
    max(reached.score) * coalesce(max(close.boost), 1) AS score
FROM reached
JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = reached.node
LEFT JOIN memories_edge said ON said.organisation_id = %(organisation)s
    AND said.memory_id = m.id AND said.relation IN ('said', 'mentions')
LEFT JOIN close ON close.person IN (said.source, said.target)
WHERE m.status = 'active' AND (%(include_expired)s::bool OR {not_expired_sql()})
GROUP BY m.id ORDER BY 3 DESC, m.id LIMIT %(limit)s::int
"""


@dataclass(frozen=True, slots=True)
class GraphHit:
    """A memory that the walk reached: in how many steps, and its score, above 0 and not
    normalised."""

    id: UUID
    depth: int
    score: float


def seed_node_ids(organisation_id: UUID, text: str) -> list[UUID]:
    """The node ids of the concepts and entities in a text, also of those without any row."""
    nodes = [
        compute_node_id(organisation_id, "concept", term.key) for term in extract_concepts(text)
    ]
    nodes += [compute_node_id(organisation_id, one.type, one.key) for one in extract_entities(text)]
    return list(dict.fromkeys(nodes))[:MAX_SEEDS]


def search_graph(
    organisation_id: UUID,
    text: str,
    *,
    now: datetime,
    asker: UUID | None = None,
    depth: int = DEFAULT_DEPTH,
    limit: int = DEFAULT_LIMIT,
    include_expired: bool = False,
    near: Mapping[UUID, float] = NO_MEMORIES,
) -> list[GraphHit]:
    """Memories near the entities that a text names, nearest first; call inside the asker's scope.

    Memories that mention such an entity, that people who know about it said, and that answer these.
    asker: a member; memories of them, or of those to whom they talk, rank a little higher. near:
    memories where the walk begins as well, with the weight of each in 0-1.
    """
    return walk_graph(
        organisation_id,
        seed_node_ids(organisation_id, text),
        now=now,
        asker=asker,
        depth=depth,
        limit=limit,
        include_expired=include_expired,
        near=near,
    )


def walk_graph(
    organisation_id: UUID,
    nodes: Sequence[UUID],
    *,
    now: datetime,
    asker: UUID | None = None,
    depth: int = DEFAULT_DEPTH,
    limit: int = DEFAULT_LIMIT,
    include_expired: bool = False,
    near: Mapping[UUID, float] = NO_MEMORIES,
) -> list[GraphHit]:
    """Memories up to `depth` steps from any of the nodes or the memories `near`, best first. It
    always terminates, also with cycles."""
    if not nodes and not near:
        return []
    values = {
        "organisation": organisation_id,
        "nodes": list(nodes)[:MAX_SEEDS],
        "memories": list(near),
        "worths": list(near.values()),
        "depth": max(0, min(depth, MAX_DEPTH)),
        "asker": asker,
        "now": now,
        "limit": limit,
        "include_expired": include_expired,
    }
    return [GraphHit(*row) for row in fetch_all(_REACHED_SQL, values)]
