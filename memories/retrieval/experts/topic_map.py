"""The neighbourhood of a topic: its experts, related topics, and who talks to whom."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.language.terms import is_quantity
from memories.retrieval.experts.experts import (
    Expert,
    ExpertWithEvidence,
    experts,
    topic_nodes,
    topics,
    with_evidence,
)
from orgs.database.prepared_statements import fetched
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

MOST_PEOPLE, MOST_THINGS, LOOKED_AT = 8, 8, 300

# Only from the memories of the evidence, in an order that no hidden row can change.
_AROUND = """
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
class Around:
    """people: the experts. things: (node, name, times). knows, talks: (from, to, weight)."""

    people: list[Expert] = field(default_factory=list)
    things: list[tuple[UUID, str, float]] = field(default_factory=list)
    knows: list[tuple[UUID, UUID, float]] = field(default_factory=list)
    talks: list[tuple[UUID, UUID, float]] = field(default_factory=list)


def around(principal: Principal, topic: str, people: Sequence[Expert]) -> Around:
    """The neighbourhood of a topic for a picture: limited in size, and only from readable
    memories."""
    found = Around(people=list(people)[:MOST_PEOPLE])
    memories = [id_ for one in found.people for id_ in one.evidence][:LOOKED_AT]
    if not memories:
        return found
    values = {
        "organisation": principal.organisation_id,
        "memories": memories,
        "people": [one.node for one in found.people],
        "topic": topic_nodes(principal.organisation_id, topic),
        "most": 2 * MOST_THINGS,
    }
    with principal.scope():
        for kind, one, other, name, weight in fetched(_AROUND, values):
            if kind == "thing":
                if not is_quantity(name) and len(found.things) < MOST_THINGS:
                    found.things.append((one, name, weight))
            else:
                getattr(found, kind).append((one, other, weight))
    return found


@dataclass(frozen=True, slots=True)
class TopicPage:
    """The content of the page: experts with evidence and the neighbourhood, or topics to choose."""

    known: list[ExpertWithEvidence]
    around: Around | None
    topics: list[str]


def look_up(
    actor: Actor, *, topic: str, group: str | None, limit: int, shown: int, now: datetime
) -> TopicPage:
    """Everything about one topic. Raises NotFound for a group that the asker may not know."""
    principal = resolve(act(actor, group=group))
    found = experts(principal, topic=topic, limit=limit, now=now) if topic else []
    if not found:
        return TopicPage([], None, topics(principal, now=now))
    by_words = [one for one in found if one.by == "words"]
    return TopicPage(
        with_evidence(principal, found, shown), around(principal, topic, by_words or found), []
    )
