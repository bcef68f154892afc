"""Serve memories that say the same once. This affects only the answer; nothing is deleted.

The same say texts that differ in nothing but blanks, letter case and typographic marks, whose
speaker, subject and time do not differ. The one of the nearest audience is served, at the rank of
the best; its confidence is the highest of all, its access count their sum. `merge_all` ignores
audiences; `merge_across_audiences` keeps repeats within one audience.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from memories.language.comparison.text_comparison import normalise_text
from memories.retrieval.ranking.audience_distance import audience_rank
from memories.retrieval.search_types import Hit, SearchRequest
from memories.store.known_use import WITH_USE
from orgs.cohort_types import audience_level_sql
from orgs.database.prepared_statements import fetch_all

NumberT = TypeVar("NumberT", int, float)
# Of results with the same text, so many are compared with each further hit, for linear time.
MAX_COMPARED_RESULTS = 50

_FACTS_SQL = f"""
SELECT m.id, m.content, m.confidence, coalesce(u.access_count, 0),
    {audience_level_sql("a")}, m.audience_id, m.speaker, m.member_id, m.occurred_at
FROM memories_memory m
JOIN orgs_audience a ON a.organisation_id = m.organisation_id AND a.id = m.audience_id
{WITH_USE}
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """The text of a hit and its facts.

    speaker, member_id, occurred_at: who said it, about whom and when, if known.
    """

    text: str
    confidence: float
    accesses: int
    audience_kind: str  # its `audience_level`
    audience_id: UUID | None = None
    speaker: str = ""
    member_id: UUID | None = None
    occurred_at: datetime | None = None

    def may_be(self, other: "Fact") -> bool:
        """Whether both may be one fact, apart from their texts and audiences.

        Speaker, subject and time must not differ, if both have them.
        """
        known = (
            (self.speaker, other.speaker),
            (self.member_id, other.member_id),
            (self.occurred_at, other.occurred_at),
        )
        return all(not one or not two or one == two for one, two in known)

    def repeats_elsewhere(self, other: "Fact") -> bool:
        """Whether both may be one fact of two audiences."""
        return self.audience_id != other.audience_id and self.may_be(other)


def load_facts(question: SearchRequest, hits: Sequence[Hit]) -> dict[UUID, Fact]:
    """The facts behind hits, by id; one query in the asker's scope."""
    values = {"organisation": question.organisation_id, "ids": [hit.id for hit in hits]}
    return {id_: Fact(*rest) for id_, *rest in fetch_all(_FACTS_SQL, values)}


def merge_all(hits: Sequence[Hit], known: Mapping[UUID, Fact]) -> list[Hit]:
    """The hits, best first, each thing once; those that are not in `known` are left out."""
    told = [hit for hit in hits if hit.id in known]
    return [_merge_group(group, known) for group in _group_equal(told, known, Fact.may_be)]


def merge_across_audiences(hits: Sequence[Hit], known: Mapping[UUID, Fact]) -> list[Hit]:
    """The hits, best first, each fact once, from its nearest audience; repeats within one audience
    stay. Hits that are not in `known` stay."""
    told = [hit for hit in hits if hit.id in known]
    told.sort(key=lambda hit: audience_rank(known[hit.id].audience_kind))
    groups = _group_equal(told, known, Fact.repeats_elsewhere)
    place = {hit.id: number for number, hit in enumerate(hits)}
    ordered = {min(place[hit.id] for hit in group): group for group in groups}
    rest = {place[hit.id]: hit for hit in hits if hit.id not in known}
    return [
        rest[at]
        if at in rest
        else _merge_group(sorted(ordered[at], key=lambda hit: place[hit.id]), known)
        for at in sorted({*rest, *ordered})
    ]


def _group_equal(
    hits: Sequence[Hit], known: Mapping[UUID, Fact], is_same: Callable[[Fact, Fact], bool]
) -> list[list[Hit]]:
    """The hits in groups of one fact, each by its first hit, with which the others are compared."""
    groups: list[list[Hit]] = []
    by_text: dict[str, list[list[Hit]]] = defaultdict(list)
    for hit in hits:
        fact = known[hit.id]
        there = by_text[normalise_text(fact.text)]
        group = next((g for g in there if is_same(known[g[0].id], fact)), None)
        if group is None:
            groups.append(group := [])
            if len(there) < MAX_COMPARED_RESULTS:
                there.append(group)
        group.append(hit)
    return groups


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
