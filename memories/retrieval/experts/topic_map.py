"""The neighbourhood of a topic: its experts, related topics, and who talks to whom."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.language.terms import is_quantity
from memories.retrieval.experts.rank_experts import (
    ExpertWithEvidence,
    list_topics,
    load_evidence,
    rank_experts,
    topic_node_ids,
)
from memories.retrieval.search_types import Expert
from orgs.database.prepared_statements import fetch_all
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

MAX_PEOPLE, MAX_CONCEPTS, MAX_EVIDENCE = 8, 8, 300

# Only from the memories of the evidence, in an order that no hidden row can change.
_TOPIC_MAP_SQL = """
WITH things AS MATERIALIZED (
    SELECT n.node, max(n.name) AS name, count(*) AS times FROM memories_entity n
    WHERE n.organisation_id = %(organisation)s AND n.memory_id = ANY(%(memories)s::uuid[])
      AND n.type = 'concept' AND NOT n.node = ANY(%(topic)s::uuid[])
    GROUP BY n.node ORDER BY 3 DESC, 1 LIMIT %(most)s::int
)
SELECT 'thing', node, NULL::uuid, name, times::float8 FROM things
UNION ALL
SELECT 'knows', e.source, e.target, '', sum(e.weight)
FROM memories_edge e JOIN things ON things.node = e.target
WHERE e.organisation_id = %(organisation)s AND e.memory_id = ANY(%(memories)s::uuid[])
  AND e.relation = 'knows_about' AND e.source = ANY(%(people)s::uuid[])
GROUP BY e.source, e.target
UNION ALL
SELECT 'talks', s.source, m.target, '', count(*)
FROM memories_edge m JOIN memories_edge s ON s.organisation_id = %(organisation)s
    AND s.memory_id = m.memory_id AND s.relation = 'said'
WHERE m.organisation_id = %(organisation)s AND m.memory_id = ANY(%(memories)s::uuid[])
  AND m.relation = 'mentions' AND m.target = ANY(%(people)s::uuid[])
  AND s.source = ANY(%(people)s::uuid[]) AND s.source <> m.target
GROUP BY s.source, m.target
ORDER BY 1, 5 DESC, 2, 3
"""


@dataclass(slots=True)
class TopicMap:
    """people: the experts. things: (node, name, times). knows, talks: (from, to, weight)."""

    people: list[Expert] = field(default_factory=list)
    things: list[tuple[UUID, str, float]] = field(default_factory=list)
    knows: list[tuple[UUID, UUID, float]] = field(default_factory=list)
    talks: list[tuple[UUID, UUID, float]] = field(default_factory=list)


def load_topic_map(principal: Principal, topic: str, people: Sequence[Expert]) -> TopicMap:
    """The neighbourhood of a topic for a picture: limited in size, and only from readable
    memories."""
    found = TopicMap(people=list(people)[:MAX_PEOPLE])
    memories = [id_ for one in found.people for id_ in one.evidence][:MAX_EVIDENCE]
    if not memories:
        return found
    values = {
        "organisation": principal.organisation_id,
        "memories": memories,
        "people": [one.node for one in found.people],
        "topic": topic_node_ids(principal.organisation_id, topic),
        "most": 2 * MAX_CONCEPTS,
    }
    with principal.scope():
        for kind, one, other, name, weight in fetch_all(_TOPIC_MAP_SQL, values):
            if kind == "thing":
                if not is_quantity(name) and len(found.things) < MAX_CONCEPTS:
                    found.things.append((one, name, weight))
            else:
                getattr(found, kind).append((one, other, weight))
    return found


@dataclass(frozen=True, slots=True)
class TopicPage:
    """The content of the page: experts with evidence and the neighbourhood, or topics to choose."""

    known: list[ExpertWithEvidence]
    around: TopicMap | None
    topics: list[str]


def load_topic_page(
    actor: Actor, *, topic: str, group: str | None, limit: int, shown: int, now: datetime
) -> TopicPage:
    """Everything about one topic. Raises NotFoundError for a group that the asker may not know."""
    principal = resolve_principal(resolve_actor(actor, group=group))
    found = rank_experts(principal, topic=topic, limit=limit, now=now) if topic else []
    if not found:
        return TopicPage([], None, list_topics(principal, now=now))
    by_words = [one for one in found if one.by == "words"]
    return TopicPage(
        load_evidence(principal, found, shown),
        load_topic_map(principal, topic, by_words or found),
        [],
    )
