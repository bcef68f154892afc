"""What says the same is served once: for this answer, nothing is deleted.

Equal texts collapse, and where a threshold is given nearly equal ones as well, unless they
contradict each other. The nearest audience is served, in the place of the best; its confidence is
the highest of all, its access count their sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from memories.language.budget import Budget
from memories.language.similarity import contradict, normalised
from memories.retrieval.ranking.audience_distance import nearness
from memories.retrieval.types import Hit, Question, Vector
from orgs.database.prepared_statements import fetched

_FACTS = """
SELECT m.id, m.content, m.confidence, m.access_count, a.kind, CASE WHEN %(near)s THEN (
    SELECT e.own::text FROM memories_embedding e WHERE e.organisation_id = m.organisation_id
    AND e.memory_id = m.id AND e.model = %(model)s) END
FROM memories_memory m
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a hit says and how sure it is. own: the text's vector, where it is asked for."""

    text: str
    confidence: float
    accesses: int
    audience_kind: str
    own: Vector | None = None


def facts(question: Question, hits: Sequence[Hit], *, near: bool = False) -> dict[UUID, Fact]:
    """The facts behind hits, by id; one query in the asker's scope."""
    values = {
        "organisation": question.organisation_id,
        "ids": [hit.id for hit in hits],
        "model": question.model,
        "near": near,
    }
    return {
        id_: Fact(
            text,
            confidence,
            accesses,
            kind,
            None if own is None else HalfVector.from_text(own).to_numpy().astype(np.float32),
        )
        for id_, text, confidence, accesses, kind, own in fetched(_FACTS, values)
    }


def consolidated(
    hits: Sequence[Hit], known: Mapping[UUID, Fact], *, near: float | None = None
) -> list[Hit]:
    """The hits, best first, each thing once. near: the cosine from which texts may be one.

    What there is no budget left to compare is read twice.
    """
    groups: list[tuple[str, list[Hit]]] = []
    budget = Budget()

    def belongs(first: Hit, hit: Hit) -> bool:
        return _nearly_same(known[first.id], known[hit.id], near, budget)

    for hit in hits:
        if hit.id not in known:
            continue
        plain = normalised(known[hit.id].text)
        same = next((g for said, g in groups if said == plain or belongs(g[0], hit)), None)
        if same is None:
            groups.append((plain, [hit]))
        else:
            same.append(hit)
    return [_one(group, known) for _, group in groups]


def _nearly_same(one: Fact, other: Fact, near: float | None, budget: Budget) -> bool:
    if near is None or one.own is None or other.own is None:
        return False
    if float(one.own @ other.own) < near:
        return False
    return budget.take(len(one.text) + len(other.text)) and not contradict(one.text, other.text)


def _one(group: Sequence[Hit], known: Mapping[UUID, Fact]) -> Hit:
    best = group[0]
    served = min(group, key=lambda hit: nearness(known[hit.id].audience_kind))
    return Hit(
        id=served.id,
        relevance=best.relevance,
        score=best.score,
        vector=served.vector,
        keyword=served.keyword,
        similarity=served.similarity,
        cues=served.cues,
        strength=served.strength,
        confidence=max(known[hit.id].confidence for hit in group),
        access_count=sum(known[hit.id].accesses for hit in group),
        merged=tuple(hit.id for hit in group if hit is not served),
    )
