"""Serve memories that say the same once. This affects only the answer; nothing is deleted.

Equal texts are merged, and with a threshold also nearly equal ones, unless they contradict each
other. The one of the nearest audience is served, at the rank of the best; its confidence is the
highest of all, its access count their sum. `consolidated` ignores audiences; `across_audiences`
keeps repeats within one audience.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.language.budget import Budget
from memories.language.similarity import contradict, name_others, normalised
from memories.retrieval.ranking.audience_distance import nearness
from memories.retrieval.types import Hit, Question, Vector
from memories.store.known_use import WITH_USE
from orgs.database.binary_values import halfvec_sent
from orgs.database.prepared_statements import fetched

# The rounding difference between a matrix product and a single inner product.
ROUNDING = 1e-3
Number = TypeVar("Number", int, float)

_FACTS = f"""
SELECT m.id, m.content, m.confidence, coalesce(u.access_count, 0), a.kind, CASE WHEN %(near)s THEN (
    SELECT halfvec_send(e.own) FROM memories_embedding e WHERE e.organisation_id = m.organisation_id
    AND e.memory_id = m.id AND e.model = %(model)s) END, m.audience_id, m.speaker, m.member_id,
    m.occurred_at
FROM memories_memory m
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
{WITH_USE}
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """The text of a hit and its facts. own: the text's vector, if it was requested.

    speaker, member_id, occurred_at: who said it, about whom and when, if known.
    """

    text: str
    confidence: float
    accesses: int
    audience_kind: str
    own: Vector | None = None
    audience_id: UUID | None = None
    speaker: str = ""
    member_id: UUID | None = None
    occurred_at: datetime | None = None

    def may_be(self, other: "Fact") -> bool:
        """Whether both may be one fact of two audiences, apart from their texts.

        Speaker, subject and time must not differ, if both have them.
        """
        known = (
            (self.speaker, other.speaker),
            (self.member_id, other.member_id),
            (self.occurred_at, other.occurred_at),
        )
        apart = self.audience_id != other.audience_id
        return apart and all(not one or not two or one == two for one, two in known)


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
            None if own is None else halfvec_sent(own).astype(np.float32),
            *rest,
        )
        for id_, text, confidence, accesses, kind, own, *rest in fetched(_FACTS, values)
    }


def consolidated(
    hits: Sequence[Hit], known: Mapping[UUID, Fact], *, near: float | None = None
) -> list[Hit]:
    """The hits, best first, each thing once. near: the cosine from which texts may be merged.

    Texts beyond the budget of comparisons stay separate.
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


def across_audiences(hits: Sequence[Hit], known: Mapping[UUID, Fact], *, near: float) -> list[Hit]:
    """The hits, best first, each fact once, from its nearest audience; repeats within one audience
    stay. near: the cosine from which texts may be merged. Hits that are not in `known` stay."""
    told = [hit for hit in hits if hit.id in known]
    told.sort(key=lambda hit: nearness(known[hit.id].audience_kind))
    alike, budget = _alike([known[hit.id] for hit in told], near), Budget()
    # Groups by the place of their nearest hit.
    groups: dict[int, list[Hit]] = {}
    for number, hit in enumerate(told):
        for head in np.flatnonzero(alike[number, :number]).tolist():
            one = known[told[head].id]
            if head in groups and _is_one_fact(one, known[hit.id], near, budget):
                groups[head].append(hit)
                break
        else:
            groups[number] = [hit]
    place = {hit.id: number for number, hit in enumerate(hits)}
    ordered = {min(place[hit.id] for hit in group): group for group in groups.values()}
    rest = {place[hit.id]: hit for hit in hits if hit.id not in known}
    return [
        rest[at] if at in rest else _one(sorted(ordered[at], key=lambda hit: place[hit.id]), known)
        for at in sorted({*rest, *ordered})
    ]


def _alike(facts: Sequence[Fact], near: float) -> NDArray[np.bool_]:
    """Which pairs must be compared: equal words, or vectors with at least this cosine."""
    words = [normalised(fact.text) for fact in facts]
    number = {text: place for place, text in enumerate(words)}
    wording = np.array([number[text] for text in words])
    found: NDArray[np.bool_] = wording[:, None] == wording
    at = [place for place, fact in enumerate(facts) if fact.own is not None]
    if at:
        own = np.stack([fact.own for fact in facts if fact.own is not None])
        # Rounded down; the exact comparison comes later.
        found[np.ix_(at, at)] |= own @ own.T >= near - ROUNDING
    # Pairs within one audience stay, so they are not compared.
    audiences = {fact.audience_id: place for place, fact in enumerate(facts)}
    of = np.array([audiences[fact.audience_id] for fact in facts])
    found &= of[:, None] != of
    return found


def _is_one_fact(one: Fact, other: Fact, near: float, budget: Budget) -> bool:
    if not one.may_be(other):
        return False
    if normalised(one.text) == normalised(other.text):
        return True
    # "The key of Berlin" and "the key of Munich" have similar vectors.
    return _nearly_same(one, other, near, budget) and not name_others(one.text, other.text)


def _nearly_same(one: Fact, other: Fact, near: float | None, budget: Budget) -> bool:
    if near is None or one.own is None or other.own is None:
        return False
    if float(one.own @ other.own) < near:
        return False
    return budget.take(len(one.text) + len(other.text)) and not contradict(one.text, other.text)


def _one(group: Sequence[Hit], known: Mapping[UUID, Fact]) -> Hit:
    """The nearest hit of the group, at the rank of the best, which comes first. Hits that were
    merged before keep their merged ids."""
    best = group[0]
    served = min(group, key=lambda hit: nearness(known[hit.id].audience_kind))
    others = [id_ for hit in group for id_ in (hit.id, *hit.merged)]
    return replace(
        served,
        relevance=best.relevance,
        score=best.score,
        answers=max(hit.answers for hit in group),
        confidence=max(_or(hit.confidence, known[hit.id].confidence) for hit in group),
        access_count=sum(_or(hit.access_count, known[hit.id].accesses) for hit in group),
        merged=tuple(id_ for id_ in others if id_ != served.id),
    )


def _or(told: Number | None, known: Number) -> Number:
    return known if told is None else told
