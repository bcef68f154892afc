"""Who knows about a topic, by evidence that the asker may read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.knowledge_graph.models import (
    PERSON_NOT_REMOVED_SQL,
)
from memories.knowledge_graph.node_ids import compute_node_id
from memories.knowledge_graph.topic_terms import has_topic_term
from memories.language.terms import extract_concepts, extract_terms
from memories.retrieval.candidates.expert_evidence import (
    BY_MEANING_SQL,
    BY_WORDS_SQL,
    IN_GROUP_SQL,
    evidence_values,
    fetch_experts,
)
from memories.retrieval.pipeline import run_search
from memories.retrieval.recall import build_request
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import Expert, ExpertCursor
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

# How many of the nearest memories count, and the least cosine.
MAX_NEAREST, MIN_COSINE = 40, 0.35
# An expert found by words is not listed again by meaning, on any page.
MAX_EXPERTS = 10_000

_TOPICS_SQL = f"""
WITH latest AS MATERIALIZED (
    SELECT e.target, e.source, e.memory_id FROM memories_edge e
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = e.memory_id
    WHERE e.organisation_id = %(organisation)s AND e.relation = 'knows_about' AND e.other_id IS NULL
      AND m.status = 'active' AND {not_expired_sql()}
      AND {PERSON_NOT_REMOVED_SQL} AND {IN_GROUP_SQL}
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
class ExpertWithEvidence:
    """An expert with the best evidence that the asker reads."""

    expert: Expert
    evidence: tuple[Memory, ...]


def find_experts_with_evidence(
    actor: Actor,
    *,
    topic: str,
    group: str | None = None,
    limit: int = 10,
    shown: int = 3,
    after: ExpertCursor | None = None,
    now: datetime,
) -> list[ExpertWithEvidence]:
    """The experts, each with `shown` memories. Raises NotFoundError for a group that the asker may
    not know."""
    principal = resolve_principal(resolve_actor(actor, group=group))
    found = rank_experts(principal, topic=topic, limit=limit, after=after, now=now)
    return load_evidence(principal, found, shown)


def load_evidence(
    principal: Principal, found: Sequence[Expert], shown: int
) -> list[ExpertWithEvidence]:
    """The experts with up to `shown` memories each."""
    rows = load_evidence_memories(principal, [id_ for one in found for id_ in one.evidence[:shown]])
    return [
        ExpertWithEvidence(one, tuple(rows[id_] for id_ in one.evidence[:shown] if id_ in rows))
        for one in found
    ]


def rank_experts(
    principal: Principal,
    *,
    topic: str,
    group: UUID | None = None,
    limit: int = 10,
    after: ExpertCursor | None = None,
    now: datetime,
) -> list[Expert]:
    """The experts of a topic, the best first: by its words, then by its meaning.

    after: the place of the last one of the page before. group: only its members and those who spoke
    there; by default the group in which the principal asks. Only evidence that the asker may read
    makes somebody appear or rank.
    """
    values = _statement_values(principal, group, limit, now)
    values["until"] = after.until if after else new_id()
    with principal.scope():
        if after and after.by == "meaning":
            found, named = [], _rank_by_words(topic, values | {"limit": MAX_EXPERTS})
        else:
            found = _rank_by_words(topic, values | _cursor_values(after))
            named = _rank_by_words(topic, values | {"limit": MAX_EXPERTS}) if after else found
        if len(found) < limit:
            here = _cursor_values(after if after and after.by == "meaning" else None)
            here |= {"without": [one.node for one in named], "limit": limit - len(found)}
            found += _rank_by_meaning(principal, topic, values | here, now)
    return found


def _cursor_values(after: ExpertCursor | None) -> dict[str, Any]:
    if after is None:
        return {}
    return {"weight": after.weight, "times": after.times, "node": after.node}


def list_topics(
    principal: Principal, *, group: UUID | None = None, limit: int = 12, now: datetime
) -> list[str]:
    """The topics about which most people have lately shown knowledge, as far as the asker may
    read."""
    with principal.scope():
        # More are read than shown, because numbers and dates are left out.
        found = fetch_all(_TOPICS_SQL, _statement_values(principal, group, 3 * limit, now))
    return [name for (name,) in found if is_topic(name)][:limit]


def is_topic(name: str) -> bool:
    """Whether a name is a topic: a subject, and no other word."""
    found = extract_concepts(name)
    return bool(found) and has_topic_term(found)


def load_evidence_memories(principal: Principal, ids: Sequence[UUID]) -> dict[UUID, Memory]:
    """The memories of evidence, by id, with names."""
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id)
        return dict(rows.with_names().in_bulk(list(ids)))


def topic_node_ids(organisation_id: UUID, topic: str) -> list[UUID]:
    """The node ids of the concepts in a topic; of a topic of function words only, of its terms."""
    found = extract_concepts(topic) or extract_terms(topic)
    keys = dict.fromkeys([*(term.key for term in found), " ".join(t.key for t in found)])
    return [compute_node_id(organisation_id, "concept", key) for key in keys if key]


def _statement_values(
    principal: Principal, group: UUID | None, limit: int, now: datetime
) -> dict[str, Any]:
    return evidence_values(
        principal.organisation_id,
        group=group or principal.actor.group_id,
        open_audience=principal.organisation_audience,
        limit=limit,
        now=now,
    )


def _rank_by_words(topic: str, values: dict[str, Any]) -> list[Expert]:
    nodes = topic_node_ids(values["organisation"], topic)
    if not nodes:
        return []
    words = max(1, len(nodes) - 1) if len(nodes) > 1 else 1
    # One or two words must all match, of more words three fifths.
    enough = words if words <= 2 else -(-words * 3 // 5)
    return fetch_experts(BY_WORDS_SQL, values | {"nodes": nodes, "enough": enough}, "words")


def _rank_by_meaning(
    principal: Principal, topic: str, values: dict[str, Any], now: datetime
) -> list[Expert]:
    if not topic.strip():
        return []
    query = Query(text=topic, limit=2 * MAX_NEAREST, strategy="vector", min_similarity=MIN_COSINE)
    # Equal memories of several audiences all count as evidence.
    question = build_request(principal, replace(query, counts=False, prefer_personal=False), now)
    if question.vector is None:
        return []
    # The same number is considered on each page, whatever was added meanwhile.
    hits = [hit for hit in run_search(question).hits if hit.id <= values["until"]][:MAX_NEAREST]
    if not hits:
        return []
    near = {
        "memories": [hit.id for hit in hits],
        "likeness": [min(1.0, max(0.0, hit.similarity or 0.0)) for hit in hits],
    }
    return fetch_experts(BY_MEANING_SQL, values | near, "meaning")
