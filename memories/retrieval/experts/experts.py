"""Who knows about a topic, as far as the asker may read what shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from memories.knowledge_graph.node_ids import node_of, plain_name
from memories.knowledge_graph.observations import NOT_REMOVED, STILL
from memories.knowledge_graph.subjects import subject_named
from memories.language.terms import concepts, terms
from memories.retrieval.pipeline import search
from memories.retrieval.recall import Query, prepare
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetched
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

# Of one person, the telling ones first.
EVIDENCE = 40
# Memories nearest in meaning that are looked at, and the least cosine that counts as near.
NEAR, NEAR_ENOUGH = 40, 0.35
# Who is known by words is not shown again by meaning, on whatever page.
MOST = 10_000

# In a group what is asked in recall: its own rows and the organisation's, nothing direct.
_HERE = """(%(group)s::uuid IS NULL OR m.audience_id = %(open)s::uuid
     OR (m.kind <> 'direct' AND (m.group_id IS NULL OR m.group_id = %(group)s::uuid)))"""
_FOUND = """
found AS MATERIALIZED (
    SELECT e.source, e.memory_id, sum((e.weight * near.worth)::numeric) AS weight,
        count(*) AS times,
        count(DISTINCT e.target) AS hits, max(e.observed_at) AS at, max(m.speaker) AS speaker,
        bool_or(m.group_id IS NOT DISTINCT FROM %(group)s::uuid) AS here
    FROM near JOIN memories_edge e ON e.organisation_id = %(organisation)s
        AND e.relation = 'knows_about' AND e.memory_id <= %(until)s::uuid AND
"""
_READ = f"""
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = e.memory_id
    WHERE m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > %(now)s::timestamptz)
      AND {STILL} AND {_HERE}
    GROUP BY e.source, e.memory_id
)
"""
# A topic of several words is known about where most of them are, if they are anywhere. The sums are
# exact, so that a page goes on where the one before ended.
_PEOPLE = """, people AS (
    SELECT f.source, p.id, coalesce(p.name, (array_agg(f.speaker ORDER BY f.at DESC))[1]) AS name,
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
_BY_WORDS = f"""
WITH near AS MATERIALIZED (
    SELECT node, 1.0::float8 AS worth FROM unnest(%(nodes)s::uuid[]) AS given (node)
), {_FOUND} e.target = near.node {_READ} {_PEOPLE}
"""
# What lies near in meaning shows it, and what answers a question that does.
_BY_MEANING = f"""
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
), {_FOUND} e.memory_id = near.memory_id {_READ} {_PEOPLE}
"""
_TOPICS = f"""
WITH latest AS MATERIALIZED (
    SELECT e.target, e.source, e.memory_id FROM memories_edge e
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = e.memory_id
    WHERE e.organisation_id = %(organisation)s AND e.relation = 'knows_about' AND e.other_id IS NULL
      AND m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > %(now)s::timestamptz)
      AND {NOT_REMOVED} AND {_HERE}
    ORDER BY e.id DESC LIMIT 4000
), most AS (
    SELECT target, count(DISTINCT source) AS people, count(*) AS times, max(memory_id::text) AS one
    FROM latest GROUP BY target ORDER BY 2 DESC, 3 DESC, 1 LIMIT %(limit)s::int
)
SELECT n.name FROM most JOIN memories_entity n ON n.organisation_id = %(organisation)s
    AND n.memory_id = most.one::uuid AND n.node = most.target
ORDER BY most.people DESC, most.times DESC, most.target
"""


@dataclass(frozen=True, slots=True)
class ExpertCursor:
    """Where a page of experts ended, and what was known when the first one began.

    until: memories that came later do not count, so that nobody moves from page to page.
    """

    by: str
    weight: Decimal
    times: int
    node: UUID
    until: UUID


@dataclass(frozen=True, slots=True)
class Expert:
    """Somebody who has shown to know about a topic.

    node: the member's id, or that of a speaker whom only a name is known of. weight: the sum over
    what the asker may read; by meaning each observation counts by its likeness in 0-1. times: how
    many observations, memories: in how many memories; evidence: their ids, the telling ones first.
    """

    node: UUID
    member: UUID | None
    name: str
    weight: float
    times: int
    memories: int
    last_at: datetime
    evidence: tuple[UUID, ...]
    place: ExpertCursor

    @property
    def by(self) -> str:
        """words or meaning."""
        return self.place.by


@dataclass(frozen=True, slots=True)
class ExpertWithEvidence:
    """An expert with the most telling memories, as far as the asker reads them."""

    expert: Expert
    evidence: tuple[Memory, ...]


def who_knows(
    actor: Actor,
    *,
    topic: str,
    group: str | None = None,
    limit: int = 10,
    shown: int = 3,
    after: ExpertCursor | None = None,
    now: datetime,
) -> list[ExpertWithEvidence]:
    """The experts with some evidence each. Raises NotFound for a group the asker may not know."""
    principal = resolve(act(actor, group=group))
    found = experts(principal, topic=topic, limit=limit, after=after, now=now)
    return with_evidence(principal, found, shown)


def with_evidence(
    principal: Principal, found: Sequence[Expert], shown: int
) -> list[ExpertWithEvidence]:
    """The experts with up to `shown` memories each."""
    rows = evidence(principal, [id_ for one in found for id_ in one.evidence[:shown]])
    return [
        ExpertWithEvidence(one, tuple(rows[id_] for id_ in one.evidence[:shown] if id_ in rows))
        for one in found
    ]


def experts(
    principal: Principal,
    *,
    topic: str,
    group: UUID | None = None,
    limit: int = 10,
    after: ExpertCursor | None = None,
    now: datetime,
) -> list[Expert]:
    """Who knows about a topic, most first: by its words, then by its meaning.

    after: the place of the last one of the page before.

    group: only its members and those who spoke there; else the group that the principal asks in.
    Nobody appears for whom the asker may read no evidence, and nobody's rank rests on any other.
    """
    values = _values(principal, group, limit, now)
    values["until"] = after.until if after else new_id()
    with principal.scope():
        if after and after.by == "meaning":
            found, named = [], _by_words(topic, values | {"limit": MOST})
        else:
            found = _by_words(topic, values | _from(after))
            named = _by_words(topic, values | {"limit": MOST}) if after else found
        if len(found) < limit:
            here = _from(after if after and after.by == "meaning" else None)
            here |= {"without": [one.node for one in named], "limit": limit - len(found)}
            found += _by_meaning(principal, topic, values | here, now)
    return found


def _from(after: ExpertCursor | None) -> dict[str, Any]:
    if after is None:
        return {}
    return {"weight": after.weight, "times": after.times, "node": after.node}


def topics(
    principal: Principal, *, group: UUID | None = None, limit: int = 12, now: datetime
) -> list[str]:
    """What most people have lately shown to know about, as far as the asker may read."""
    with principal.scope():
        # A number or a date is no topic to ask for, so some more are looked at than are shown.
        found = fetched(_TOPICS, _values(principal, group, 3 * limit, now))
    return [name for (name,) in found if is_topic(name)][:limit]


def is_topic(name: str) -> bool:
    """Whether a name is one to ask for: a subject, and no other word."""
    found = concepts(name)
    return bool(found) and subject_named(found)


def evidence(principal: Principal, ids: Sequence[UUID]) -> dict[UUID, Memory]:
    """The memories that show it, with their names."""
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id)
        return dict(rows.with_names().in_bulk(list(ids)))


def topic_nodes(organisation_id: UUID, topic: str) -> list[UUID]:
    """The concepts that a topic names; a word of grammar alone names none."""
    found = concepts(topic) or terms(topic)
    keys = dict.fromkeys([*(term.key for term in found), " ".join(t.key for t in found)])
    return [node_of(organisation_id, "concept", key) for key in keys if key]


def _values(principal: Principal, group: UUID | None, limit: int, now: datetime) -> dict[str, Any]:
    return {
        "organisation": principal.organisation_id,
        "group": group or principal.actor.group_id,
        "open": principal.organisation_audience,
        "now": now,
        "limit": limit,
        "without": [],
        "enough": 1,
        "weight": None,
        "times": None,
        "node": None,
    }


def _by_words(topic: str, values: dict[str, Any]) -> list[Expert]:
    nodes = topic_nodes(values["organisation"], topic)
    if not nodes:
        return []
    words = max(1, len(nodes) - 1) if len(nodes) > 1 else 1
    # All of two words, most of more.
    enough = words if words <= 2 else -(-words * 3 // 5)
    return _experts(_BY_WORDS, values | {"nodes": nodes, "enough": enough}, "words")


def _by_meaning(
    principal: Principal, topic: str, values: dict[str, Any], now: datetime
) -> list[Expert]:
    if not topic.strip():
        return []
    query = Query(text=topic, limit=2 * NEAR, strategy="vector", min_similarity=NEAR_ENOUGH)
    # Each memory is a piece of evidence, whoever else reads the same.
    question = prepare(principal, replace(query, counts=False, prefer_personal=False), now)
    if question.vector is None:
        return []
    # As many are looked at on each page, whatever came meanwhile.
    hits = [hit for hit in search(question).hits if hit.id <= values["until"]][:NEAR]
    if not hits:
        return []
    near = {
        "memories": [hit.id for hit in hits],
        "likeness": [min(1.0, max(0.0, hit.similarity or 0.0)) for hit in hits],
    }
    return _experts(_BY_MEANING, values | near, "meaning")


def _experts(statement: str, values: dict[str, Any], by: str) -> list[Expert]:
    return [
        Expert(
            node=node,
            member=member,
            name=plain_name(name or ""),
            weight=float(weight),
            times=times,
            memories=memories,
            last_at=last,
            evidence=tuple(ids),
            place=ExpertCursor(by, weight, times, node, values["until"]),
        )
        for node, member, name, weight, times, memories, last, ids in fetched(statement, values)
    ]
