"""Serve memories that say the same once. This affects only the answer; nothing is deleted.

Equal texts are merged, and with a threshold also nearly equal ones, unless they contradict each
other. The one of the nearest audience is served, at the rank of the best; its confidence is the
highest of all, its access count their sum. `consolidated` ignores audiences;
`merge_across_audiences` keeps repeats within one audience.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.language.text_comparison import have_different_names, may_contradict, normalise_text
from memories.language.text_limits import WorkBudget
from memories.retrieval.ranking.audience_distance import audience_rank
from memories.retrieval.search_types import Hit, SearchRequest, Vector
from memories.store.known_use import WITH_USE
from orgs.database.binary_values import decode_halfvec
from orgs.database.prepared_statements import fetch_all

# The rounding difference between a matrix product and a single inner product.
ROUNDING = 1e-3
NumberT = TypeVar("NumberT", int, float)

_FACTS_SQL = f"""
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


def load_facts(
    question: SearchRequest, hits: Sequence[Hit], *, near: bool = False
) -> dict[UUID, Fact]:
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
            None if own is None else decode_halfvec(own).astype(np.float32),
            *rest,
        )
        for id_, text, confidence, accesses, kind, own, *rest in fetch_all(_FACTS_SQL, values)
    }


def merge_all(
    hits: Sequence[Hit], known: Mapping[UUID, Fact], *, near: float | None = None
) -> list[Hit]:
    """The hits, best first, each thing once. near: the cosine from which texts may be merged.

    Texts beyond the budget of comparisons stay separate.
    """
    groups: list[tuple[str, list[Hit]]] = []
    budget = WorkBudget()

    def belongs(first: Hit, hit: Hit) -> bool:
        return _nearly_same(known[first.id], known[hit.id], near, budget)

    for hit in hits:
        if hit.id not in known:
            continue
        plain = normalise_text(known[hit.id].text)
        same = next((g for said, g in groups if said == plain or belongs(g[0], hit)), None)
        if same is None:
            groups.append((plain, [hit]))
        else:
            same.append(hit)
    return [_merge_group(group, known) for _, group in groups]


def merge_across_audiences(
    hits: Sequence[Hit], known: Mapping[UUID, Fact], *, near: float
) -> list[Hit]:
    """The hits, best first, each fact once, from its nearest audience; repeats within one audience
    stay. near: the cosine from which texts may be merged. Hits that are not in `known` stay."""
    told = [hit for hit in hits if hit.id in known]
    told.sort(key=lambda hit: audience_rank(known[hit.id].audience_kind))
    alike, budget = _similar_pairs([known[hit.id] for hit in told], near), WorkBudget()
    # Groups by the place of their nearest hit.
    groups: dict[int, list[Hit]] = {}
    for number, hit in enumerate(told):
        for head in np.flatnonzero(alike[number, :number]).tolist():
            one = known[told[head].id]
            if head in groups and _is_same_fact(one, known[hit.id], near, budget):
                groups[head].append(hit)
                break
        else:
            groups[number] = [hit]
    place = {hit.id: number for number, hit in enumerate(hits)}
    ordered = {min(place[hit.id] for hit in group): group for group in groups.values()}
    rest = {place[hit.id]: hit for hit in hits if hit.id not in known}
    return [
        rest[at]
        if at in rest
        else _merge_group(sorted(ordered[at], key=lambda hit: place[hit.id]), known)
        for at in sorted({*rest, *ordered})
    ]


def _similar_pairs(facts: Sequence[Fact], near: float) -> NDArray[np.bool_]:
    """Which pairs must be compared: equal words, or vectors with at least this cosine."""
    words = [normalise_text(fact.text) for fact in facts]
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


def _is_same_fact(one: Fact, other: Fact, near: float, budget: WorkBudget) -> bool:
    if not one.may_be(other):
        return False
    if normalise_text(one.text) == normalise_text(other.text):
        return True
    # "The key of Berlin" and "the key of Munich" have similar vectors.
    return _nearly_same(one, other, near, budget) and not have_different_names(one.text, other.text)


def _nearly_same(one: Fact, other: Fact, near: float | None, budget: WorkBudget) -> bool:
    if near is None or one.own is None or other.own is None:
        return False
    if float(one.own @ other.own) < near:
        return False
    return budget.take(len(one.text) + len(other.text)) and not may_contradict(one.text, other.text)


def _merge_group(group: Sequence[Hit], known: Mapping[UUID, Fact]) -> Hit:
    """The nearest hit of the group, at the rank of the best, which comes first. Hits that were
    merged before keep their merged ids."""
    best = group[0]
    served = min(group, key=lambda hit: audience_rank(known[hit.id].audience_kind))
    others = [id_ for hit in group for id_ in (hit.id, *hit.merged)]
    return replace(
        served,
        relevance=best.relevance,
        score=best.score,
        answers=max(hit.answers for hit in group),
        confidence=max(_value_or(hit.confidence, known[hit.id].confidence) for hit in group),
        access_count=sum(_value_or(hit.access_count, known[hit.id].accesses) for hit in group),
        merged=tuple(id_ for id_ in others if id_ != served.id),
    )


def _value_or(told: NumberT | None, known: NumberT) -> NumberT:
    return known if told is None else told
