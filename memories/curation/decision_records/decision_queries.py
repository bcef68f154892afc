"""Decisions that the asker may read: one, a list, similar ones, and their chains of successors."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from memories.access.permissions import get_readable_memory
from memories.curation.decision_records.models import (
    Claim,
    Decision,
    Dissent,
    DissentType,
    Participant,
)
from memories.curation.decision_records.record_decision import conclusion_text
from memories.curation.decision_records.topic_rules import (
    SIMILAR_ABOVE,
    topic_words,
    vote_strength,
)
from memories.language.comparison.text_comparison import jaccard_index
from memories.retrieval.candidates.search_conditions import IN_GROUP_SQL
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.errors import NotFoundError
from orgs.expiry import not_expired_sql
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

DEFAULT_SIMILAR_LIMIT = 5
# The most decisions of a chain, in each direction.
MAX_CHAIN_LENGTH = 100

_READABLE_DECISIONS_SQL = f"""
FROM memories_decision d
JOIN memories_memory n ON n.organisation_id = %(organisation)s AND n.id = d.memory_id
    AND n.status = 'active' AND {not_expired_sql("n")}
"""
_FILTERS_SQL = f"""
WHERE d.organisation_id = %(organisation)s
  AND (%(context_group)s::uuid IS NULL OR {IN_GROUP_SQL})
  AND (%(domain)s::text = '' OR lower(d.domain) = lower(%(domain)s::text))
"""
_DECISIONS_SQL = f"""
SELECT d.memory_id {_READABLE_DECISIONS_SQL} {_FILTERS_SQL}
  AND d.words @> %(words)s::text[]::varchar[]
  AND (%(last)s::uuid IS NULL OR (n.occurred_at, n.id)
       < (%(last_at)s::timestamptz, %(last)s::uuid))
ORDER BY n.occurred_at DESC, n.id DESC LIMIT %(limit)s::int
"""
# Compares every readable decision, by the stored words of its topic: 10,000 take 0.1 s.
_SIMILAR_DECISIONS_SQL = f"""
SELECT d.memory_id {_READABLE_DECISIONS_SQL} CROSS JOIN LATERAL (
    SELECT count(*) FROM unnest(d.words) AS w WHERE w = ANY(%(words)s::text[])
) AS shared (words) CROSS JOIN LATERAL (
    SELECT cardinality(d.words) + %(count)s::int - shared.words
) AS either (words) {_FILTERS_SQL}
  AND shared.words * %(denominator)s::int > either.words * %(numerator)s::int
ORDER BY shared.words::float8 / either.words DESC, n.occurred_at DESC, n.id DESC
LIMIT %(limit)s::int
"""
_DISSENTS_SQL = f"""
SELECT s.id {_READABLE_DECISIONS_SQL}
JOIN memories_dissent s ON s.organisation_id = %(organisation)s AND s.memory_id = d.memory_id
{_FILTERS_SQL} AND (%(topic_hash)s::text IS NULL OR d.topic_hash = %(topic_hash)s::text)
ORDER BY s.id DESC LIMIT %(limit)s::int
"""
_CHAIN_SQL = """
WITH RECURSIVE chain (id, depth) AS (
    SELECT %(id)s::uuid, 0
    UNION ALL
    SELECT {next}, depth + 1 FROM chain
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND {link}
    WHERE {next} IS NOT NULL AND depth < %(longest)s::int
) CYCLE id SET is_cycle USING path
SELECT '{way}', n.id, chain.depth FROM chain JOIN memories_decision d
    ON d.organisation_id = %(organisation)s AND d.memory_id = chain.id
JOIN memories_memory n ON n.organisation_id = %(organisation)s AND n.id = chain.id
    AND n.status <> 'forgotten'
WHERE depth > 0 AND NOT is_cycle GROUP BY n.id, chain.depth ORDER BY chain.depth, n.id DESC
"""
_PREDECESSORS_SQL = _CHAIN_SQL.format(
    way="earlier", next="m.id", link="m.superseded_by_id = chain.id"
)
_SUCCESSORS_SQL = _CHAIN_SQL.format(way="later", next="m.superseded_by_id", link="m.id = chain.id")
# Both directions of a chain, the nearest decision first.
_CHAINS_SQL = f"({_PREDECESSORS_SQL}) UNION ALL ({_SUCCESSORS_SQL}) ORDER BY 1, 3, 2 DESC"

PartRow = TypeVar("PartRow", Participant, Claim, Dissent)


@dataclass(frozen=True, slots=True)
class DecisionCursor:
    """Where a page of decisions ended."""

    decided_at: datetime
    id: UUID

    @property
    def text(self) -> str:
        """The place as a cursor has it."""
        return json.dumps([self.decided_at.isoformat(), str(self.id)])

    @classmethod
    def of(cls, text: str) -> "DecisionCursor":
        """The place that a `text` names. Raises ValueError, also for a cursor of another list."""
        parts = json.loads(text)
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise ValueError("not a place")
        decided_at, id_ = parts
        return cls(datetime.fromisoformat(decided_at), UUID(id_))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """A decision with its whole record, as far as the asker reads it.

    memory: `with_names`. similarity: 0-1, if it was searched by a topic. earlier, later: decisions
    that it superseded and that superseded it, the nearest first; only filled for a single decision.
    """

    memory: Memory
    record: Decision
    participants: Sequence[Participant]
    claims: Sequence[Claim]
    dissents: Sequence[Dissent]
    similarity: float | None = None
    earlier: Sequence["DecisionRecord"] = field(default_factory=list)
    later: Sequence["DecisionRecord"] = field(default_factory=list)

    @property
    def conclusion(self) -> str:
        return conclusion_text(self.memory)

    @property
    def strength(self) -> str:
        return vote_strength(self.record.agree, self.record.disagree)

    @property
    def open_dissents(self) -> list[Dissent]:
        """The dissents that are neither acknowledged nor rebutted."""
        return [one for one in self.dissents if one.is_open]

    @property
    def risks(self) -> list[Dissent]:
        """All dissents that warn of a risk, answered or not."""
        return [one for one in self.dissents if one.form == DissentType.RISK_WARNING]

    @property
    def open_risks(self) -> list[Dissent]:
        return [one for one in self.risks if one.is_open]

    @property
    def place(self) -> DecisionCursor:
        return DecisionCursor(self.memory.occurred_at or self.memory.created_at, self.memory.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionQuery:
    """Which decisions. group, member: where and for whom it is asked.

    topic: its words must all be in the decision's topic. domain: must be equal but for case.
    """

    topic: str = ""
    domain: str = ""
    group: str | None = None
    member: str | None = None
    limit: int = 50


def list_decisions(
    actor: Actor, query: DecisionQuery, *, after: DecisionCursor | None = None, now: datetime
) -> list[DecisionRecord]:
    """A page of the active decisions that the asker may read there, the newest first.

    after: the place of the last one of the page before. Raises NotFoundError and MissingScopeError.
    """
    principal = resolve_principal(resolve_actor(actor, member=query.member, group=query.group))
    with principal.scope():
        return list_decisions_in_scope(principal, query, after=after, now=now)


def list_decisions_in_scope(
    principal: Principal, query: DecisionQuery, *, after: DecisionCursor | None, now: datetime
) -> list[DecisionRecord]:
    """`decisions` for a known principal; call inside the principal's scope."""
    values = _query_parameters(principal, now, query.domain) | {
        "words": sorted(topic_words(query.topic)),
        "last": after.id if after else None,
        "last_at": after.decided_at if after else None,
        "limit": query.limit,
    }
    return load_decision_records(principal, [id_ for (id_,) in fetch_all(_DECISIONS_SQL, values)])


def get_decision(
    actor: Actor, decision_id: UUID, *, member: str | None = None, group: str | None = None
) -> DecisionRecord:
    """One decision with its chain. Raises NotFoundError, also for one that is forgotten."""
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with principal.scope():
        return get_decision_in_scope(principal, decision_id)


def get_decision_in_scope(principal: Principal, decision_id: UUID) -> DecisionRecord:
    """`get_decision` for a known principal; call inside the principal's scope."""
    memory = get_readable_memory(principal, decision_id)
    values = {
        "organisation": principal.organisation_id,
        "id": memory.id,
        "longest": MAX_CHAIN_LENGTH,
    }
    chain = fetch_all(_CHAINS_SQL, values)
    found = load_decision_records(principal, [memory.id, *(id_ for _, id_, _ in chain)])
    known = {one.memory.id: one for one in found}
    own = known.get(memory.id)
    # The rule of `get_decision_memory`, without another query.
    if own is None or memory.status == Status.FORGOTTEN:
        raise NotFoundError("no such decision")
    return DecisionRecord(
        memory=own.memory,
        record=own.record,
        participants=own.participants,
        claims=own.claims,
        dissents=own.dissents,
        earlier=[known[id_] for way, id_, _ in chain if way == "earlier" and id_ in known],
        later=[known[id_] for way, id_, _ in chain if way == "later" and id_ in known],
    )


def list_similar_decisions(
    actor: Actor,
    topic: str,
    *,
    domain: str = "",
    limit: int = DEFAULT_SIMILAR_LIMIT,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> list[DecisionRecord]:
    """The decisions whose topics share more than ALIKE_ABOVE of their words (Jaccard), the most
    similar first.

    domain: as in DecisionQuery. All readable active decisions are compared, whatever their age.
    Raises NotFoundError and MissingScopeError.
    """
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with principal.scope():
        return list_similar_decisions_in_scope(
            principal, topic, domain=domain, limit=limit, now=now
        )


def list_similar_decisions_in_scope(
    principal: Principal,
    topic: str,
    *,
    domain: str = "",
    limit: int = DEFAULT_SIMILAR_LIMIT,
    now: datetime,
) -> list[DecisionRecord]:
    """`similar` for a known principal; call inside the principal's scope."""
    words = topic_words(topic)
    values = _query_parameters(principal, now, domain) | {
        "words": sorted(words),
        "count": len(words),
        "numerator": SIMILAR_ABOVE.numerator,
        "denominator": SIMILAR_ABOVE.denominator,
        "limit": limit,
    }
    return load_decision_records(
        principal, [id_ for (id_,) in fetch_all(_SIMILAR_DECISIONS_SQL, values)], words
    )


def list_dissents(
    actor: Actor,
    topic_hash: str | None,
    *,
    member: str | None = None,
    group: str | None = None,
    limit: int = 100,
    now: datetime,
) -> list[Dissent]:
    """The dissents on decisions with exactly this topic, the newest first.

    topic_hash: from `rules.topic_hash`; None means any topic. Raises NotFoundError and
    MissingScopeError.
    """
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    values = _query_parameters(principal, now) | {
        "topic_hash": topic_hash and topic_hash.lower(),
        "limit": limit,
    }
    with principal.scope():
        ids = [id_ for (id_,) in fetch_all(_DISSENTS_SQL, values)]
        rows = Dissent.objects.filter(organisation_id=principal.organisation_id)
        known = rows.select_related(*Dissent.NAMED).in_bulk(ids)
        return [known[id_] for id_ in ids if id_ in known]


def _query_parameters(principal: Principal, now: datetime, domain: str = "") -> dict[str, Any]:
    return {
        "domain": domain.strip(),
        "organisation": principal.organisation_id,
        "organisation_audience": principal.organisation_audience,
        "context_group": principal.actor.group_id,
        "now": now,
    }


def load_decision_records(
    principal: Principal, ids: Sequence[UUID], words: Iterable[str] | None = None
) -> list[DecisionRecord]:
    """The decisions with these ids, in this order; in the principal's scope. words: of the searched
    topic, for `similarity`."""
    here = {"organisation_id": principal.organisation_id, "memory_id__in": ids}
    memories = (
        Memory.objects.filter(organisation_id=principal.organisation_id)
        .with_names()
        .select_related("decision")
        .in_bulk(list(ids))
    )
    records = {id_: row.decision for id_, row in memories.items() if hasattr(row, "decision")}
    present, claims = _load_parts(Participant, here), _load_parts(Claim, here)
    dissents = _load_parts(Dissent, here)
    wanted = None if words is None else frozenset(words)
    return [
        DecisionRecord(
            memory=memories[id_],
            record=records[id_],
            participants=present[id_],
            claims=claims[id_],
            dissents=dissents[id_],
            similarity=None if wanted is None else jaccard_index(wanted, records[id_].words) or 0.0,
        )
        for id_ in ids
        if id_ in memories and id_ in records
    ]


def load_record(principal: Principal, memory: Memory) -> DecisionRecord:
    """The record of a memory that is a decision, in the principal's scope; the memory was selected
    with its decision."""
    here = {"organisation_id": principal.organisation_id, "memory_id": memory.id}
    return DecisionRecord(
        memory=memory,
        record=memory.decision,
        participants=_load_parts(Participant, here)[memory.id],
        claims=_load_parts(Claim, here)[memory.id],
        dissents=_load_parts(Dissent, here)[memory.id],
    )


def _load_parts(model: type[PartRow], here: dict[str, Any]) -> dict[UUID, list[PartRow]]:
    found: dict[UUID, list[PartRow]] = defaultdict(list)
    rows = model._default_manager.filter(**here).select_related(*model.NAMED)
    for row in rows.order_by("position", "id"):
        found[row.memory_id].append(row)
    return found
