"""Memories of one audience with similar tags."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from orgs.database.prepared_statements import fetch_all

# The least Jaccard index of the tags; the most similar memories for one memory; how many of the
# latest memories of a frequent tag are compared.
MIN_SIMILARITY, MAX_SIMILAR, MAX_COMPARED = 0.1, 50, 100

_SIMILAR_SQL = f"""
WITH mine AS MATERIALIZED (
    SELECT m.id, m.audience_id, m.tags, tag.node
    FROM unnest(%(memories)s::uuid[], %(nodes)s::uuid[]) AS tag (id, node)
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = tag.id
), near AS (
    SELECT DISTINCT mine.id AS source, mine.tags, found.memory_id AS target
    FROM mine CROSS JOIN LATERAL (
        SELECT e.memory_id FROM memories_entity e
        WHERE e.organisation_id = %(organisation)s AND e.node = mine.node
          AND e.audience_id = mine.audience_id AND e.memory_id <> mine.id
        ORDER BY e.memory_id DESC LIMIT {MAX_COMPARED}
    ) AS found
    WHERE NOT (found.memory_id = ANY(%(memories)s::uuid[]) AND found.memory_id > mine.id)
), judged AS (
    SELECT near.source, near.target,
        (SELECT count(*) FROM unnest(near.tags) AS a (tag) WHERE tag = ANY (other.tags))::float8
        / (SELECT count(DISTINCT tag) FROM unnest(near.tags || other.tags) AS b (tag)) AS weight
    FROM near JOIN memories_memory other ON other.organisation_id = %(organisation)s
        AND other.id = near.target AND other.status = 'active' AND cardinality(other.tags) > 0
), ranked AS (
    SELECT judged.*, row_number() OVER (
        PARTITION BY source ORDER BY weight DESC, target DESC) AS place
    FROM judged WHERE weight >= {MIN_SIMILARITY}
)
SELECT source, target, weight FROM ranked WHERE place <= {MAX_SIMILAR}
ORDER BY weight DESC, source, target
"""
_DEGREES_SQL = """
SELECT of.id, (
    SELECT count(*) FROM memories_edge e WHERE e.organisation_id = %(organisation)s
      AND e.relation = 'related_to' AND (e.source = of.id OR e.target = of.id))
FROM unnest(%(ids)s::uuid[]) AS of (id)
"""


def fetch_similar_by_tags(
    organisation_id: UUID, tagged: Sequence[tuple[UUID, UUID]]
) -> list[tuple[UUID, UUID, float]]:
    """(memory, other, Jaccard index in 0-1) for new memories, each pair once.

    tagged: (memory, node of one of its tags). At most MOST for each memory.
    """
    if not tagged:
        return []
    values = {
        "organisation": organisation_id,
        "memories": [memory for memory, _ in tagged],
        "nodes": [node for _, node in tagged],
    }
    pairs = fetch_all(_SIMILAR_SQL, values)
    ids = list({one for pair in pairs for one in pair[:2]})
    degrees: Counter[UUID] = Counter(
        dict(fetch_all(_DEGREES_SQL, {"organisation": organisation_id, "ids": ids}))
    )
    kept = []
    for source, target, weight in pairs:
        if degrees[source] < MAX_SIMILAR and degrees[target] < MAX_SIMILAR:
            degrees[source] += 1
            degrees[target] += 1
            kept.append((source, target, weight))
    return kept
