"""Find pairs of memories of one audience that say nearly the same, or disagree, and propose them
for review.

Nothing is merged here: whoever may change both decides. Left out are robots' own notes, which
nobody reviews, and what was said to hold no more or not yet. Turns of a conversation, which repeat
each other by nature, and memories with different keys or times are no duplicates; that the later
one changes the earlier is found among them too, by the rules by which an answer marks it
(`comparison.changed_facts`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.embedding.model_catalogue import EmbeddingModel
from memories.indexing.models import SEARCHED_VECTORS_SQL
from memories.language.comparison.changed_facts import is_outdated_by, may_disagree
from memories.language.comparison.statements import read_statement
from memories.language.comparison.text_comparison import (
    is_contradiction,
    may_contradict,
    normalise_text,
)
from memories.review.contradictions import find_open_contradictions, mark_disputed
from memories.review.models import Proposal, ProposalCause
from memories.state.supersede_memory import holds_sql
from orgs.models.base import new_id

# Above this many memories of one audience a search for each new one would cost too much.
MAX_AUDIENCE_MEMORIES = 5_000
# How many of the nearest memories are compared with each memory.
MAX_NEIGHBOURS = 5


def _voice_sql(row: str) -> str:
    """Who says it, as far as it is known; two robots that name nobody have no voice."""
    return (
        f"coalesce({row}.speaker_member_id::text, nullif(lower({row}.speaker), ''), "
        f"{row}.author_id::text, '')"
    )


def _is_turn_sql(row: str) -> str:
    return f"({row}.conversation IS NOT NULL OR {row}.type = 'conversation')"


_BOTH_SQL = """p.organisation_id = %(organisation)s AND (
        (p.memory_id = m.id AND p.other_id = t.id) OR (p.memory_id = t.id AND p.other_id = m.id))"""
# `m` is given, `t` was stored before it, and either may have been said first. asked: the causes of
# items about the pair; while one is open, no other is proposed.
_PAIRS_SQL = f"""
WITH given AS MATERIALIZED (
    SELECT m.*, e.embedding
    FROM memories_memory m
    JOIN {SEARCHED_VECTORS_SQL} e ON e.organisation_id = m.organisation_id AND e.memory_id = m.id
        AND e.model = %(model)s
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s) AND m.status = 'active'
        AND {holds_sql()} AND m.superseded_by_id IS NULL
), pairs AS MATERIALIZED (
    SELECT given.id, near.memory_id AS other, near.distance
    FROM given CROSS JOIN LATERAL (
        SELECT o.memory_id, o.embedding <=> given.embedding AS distance
        FROM {SEARCHED_VECTORS_SQL} o
        WHERE o.organisation_id = %(organisation)s AND o.audience_id = given.audience_id
          AND o.model = %(model)s AND o.memory_id < given.id
        ORDER BY distance LIMIT %(nearest)s
    ) AS near WHERE near.distance <= %(reach)s
)
SELECT m.audience_id, m.id, m.kind, m.version, m.content, t.id, t.kind, t.version, t.content,
    1 - n.distance,
    coalesce(m.occurred_at, m.created_at) < coalesce(t.occurred_at, t.created_at),
    {_is_turn_sql("m")} OR {_is_turn_sql("t")},
    m.member_id IS NOT DISTINCT FROM t.member_id AND (m.key IS NULL OR t.key IS NULL)
        AND (m.occurred_at IS NULL OR t.occurred_at IS NULL OR m.occurred_at = t.occurred_at),
    {_voice_sql("m")} = {_voice_sql("t")}
        AND ({_voice_sql("m")} <> '' OR m.member_id = t.member_id) IS TRUE,
    ARRAY(SELECT p.cause FROM memories_proposal p WHERE {_BOTH_SQL} AND p.state <> 'withdrawn'),
    EXISTS (SELECT 1 FROM memories_proposal p WHERE {_BOTH_SQL} AND p.state = 'open')
FROM pairs n JOIN given m ON m.id = n.id
JOIN memories_memory t ON t.organisation_id = %(organisation)s AND t.id = n.other
WHERE t.status = 'active' AND {holds_sql("t")} AND t.superseded_by_id IS NULL
  AND (m.member_id = t.member_id) IS NOT FALSE
ORDER BY m.id, n.distance
"""
_COMPARABLE_IDS_SQL = f"""
WITH given AS MATERIALIZED (
    SELECT m.id, m.audience_id FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
      AND m.kind <> 'internal'
), audiences AS MATERIALIZED (
    SELECT DISTINCT audience_id FROM given
), small AS (
    SELECT a.audience_id FROM audiences a WHERE (
        SELECT count(*) FROM (
            SELECT 1 FROM {SEARCHED_VECTORS_SQL} o WHERE o.organisation_id = %(organisation)s
            AND o.audience_id = a.audience_id AND o.model = %(model)s LIMIT %(most)s
        ) AS seen) < %(most)s
)
SELECT given.id FROM given JOIN small USING (audience_id)
"""
# A row that somebody else has locked is left out: they may wait for rows that this transaction has
# locked.
_LOCK_FREE_MEMORIES_SQL = """
SELECT id FROM memories_memory
WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s::uuid[])
FOR KEY SHARE SKIP LOCKED
"""


@dataclass(frozen=True, slots=True)
class NearMemory:
    """One memory of a pair."""

    id: UUID
    kind: str
    version: int
    content: str


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two near memories of one audience, the newer one as it was said, and the older one.

    nearest_to: the one for which the pair was looked for. alike: the cosine. turns: whether one is
    a turn of a conversation; one_event: whether neither is, and they have no different keys, times
    or subjects; one_voice: whether the same person is known to say both. asked: causes of earlier
    items about the two; waits: whether one is open.
    """

    audience_id: UUID
    newer: NearMemory
    older: NearMemory
    nearest_to: UUID
    alike: float
    turns: bool
    one_event: bool
    one_voice: bool
    asked: list[str]
    waits: bool

    def cause(self, model: EmbeddingModel) -> ProposalCause | None:
        """The cause for which the pair is to be proposed, or None."""
        if self.disagrees(model):
            return ProposalCause.CONTRADICTION
        twins = self.one_event and self.alike >= model.twin
        if twins and not may_contradict(self.newer.content, self.older.content):
            return ProposalCause.DUPLICATE
        return None

    def disagrees(self, model: EmbeddingModel) -> bool:
        """Whether the rules find that the two disagree."""
        return self.alike >= model.disagree and self._disagree()

    def _disagree(self) -> bool:
        """Whether the newer one changes the older one, or, of one event, they give two values."""
        older, newer = read_statement(self.older.content), read_statement(self.newer.content)
        if older and newer:
            if is_outdated_by(older, newer, one_voice=self.one_voice, turns=self.turns):
                return True
            if not may_disagree(older, newer):
                return False
        return self.one_event and is_contradiction(self.newer.content, self.older.content)


def propose_pairs(
    organisation_id: UUID, ids: Sequence[UUID], *, model: EmbeddingModel, now: datetime, using: str
) -> Counter[str]:
    """Put near-duplicates and contradictions of these memories into the queue; returns {cause: how
    many}.

    For each memory at most one of each cause, the nearest. model.twin: from this cosine a pair may
    be a duplicate; model.disagree: from this cosine it may be a contradiction. A contradiction is
    never a duplicate. A pair of which somebody changes or deletes a memory at this moment is left
    to the next run of consolidation: to wait for it here could be a deadlock.

    Call inside the worker's scope of the organisation, once the vectors are stored.
    """
    pairs = _fetch_pairs(organisation_id, ids, model, using, now)
    _confirm_wishes(organisation_id, pairs, model, using)
    nearest = _select_nearest(pairs, model)
    free = _lock_free_memories(organisation_id, [pair for pair, _ in nearest], using)
    items = [
        build_pair_item(organisation_id, pair, cause, now)
        for pair, cause in nearest
        if {pair.newer.id, pair.older.id} <= free
    ]
    if not items:
        return Counter()
    rows = Proposal.objects.using(using)
    rows.bulk_create(items, ignore_conflicts=True)
    # A parallel run may have proposed a pair first; it is not counted here.
    written = rows.filter(organisation_id=organisation_id, id__in=[item.id for item in items])
    return Counter(written.values_list("cause", flat=True))


def _lock_free_memories(organisation_id: UUID, pairs: Sequence[NearPair], using: str) -> set[UUID]:
    """The ids of their memories that nobody else has locked, kept from being deleted until the
    transaction ends."""
    ids = {id_ for pair in pairs for id_ in (pair.newer.id, pair.older.id)}
    if not ids:
        return set()
    with connections[using].cursor() as cursor:
        cursor.execute(_LOCK_FREE_MEMORIES_SQL, {"organisation": organisation_id, "ids": list(ids)})
        return {id_ for (id_,) in cursor.fetchall()}


def _confirm_wishes(
    organisation_id: UUID, pairs: Sequence[NearPair], model: EmbeddingModel, using: str
) -> None:
    """Tell readers of contradictions that wait because somebody wished it, where the rules find
    them too."""
    wished = [
        pair
        for pair in pairs
        if pair.waits and ProposalCause.CONTRADICTION in pair.asked and pair.disagrees(model)
    ]
    for pair in wished:
        waiting = find_open_contradictions(
            organisation_id, pair.newer.id, [pair.older.id], using=using
        ) | find_open_contradictions(organisation_id, pair.older.id, [pair.newer.id], using=using)
        mark_disputed(waiting.values())


def undecided_pairs(
    organisation_id: UUID, ids: Sequence[UUID], *, model: EmbeddingModel, now: datetime, using: str
) -> list[NearPair]:
    """Near pairs of one event that the rules call neither duplicate nor contradiction.

    No item about a contradiction of the two exists, and their words differ. Call like
    `propose_pairs`.
    """
    return [
        pair
        for pair in _fetch_pairs(organisation_id, ids, model, using, now)
        if pair.one_event
        and pair.alike >= model.disagree
        and pair.cause(model) is None
        and not pair.waits
        and ProposalCause.CONTRADICTION not in pair.asked
        and normalise_text(pair.newer.content) != normalise_text(pair.older.content)
    ]


def _fetch_pairs(
    organisation_id: UUID, ids: Sequence[UUID], model: EmbeddingModel, using: str, now: datetime
) -> list[NearPair]:
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "ids": list(ids),
        "model": model.number,
        "nearest": MAX_NEIGHBOURS,
        "reach": 1 - min(model.twin, model.disagree),
        "most": MAX_AUDIENCE_MEMORIES,
        "now": now,
    }
    with connections[using].cursor() as cursor:
        cursor.execute(_COMPARABLE_IDS_SQL, values)
        values["ids"] = [id_ for (id_,) in cursor.fetchall()]
        if not values["ids"]:
            return []
        cursor.execute(_PAIRS_SQL, values)
        return [_to_pair(*row) for row in cursor.fetchall()]


def _to_pair(audience_id: UUID, *row: Any) -> NearPair:
    given, other = NearMemory(*row[:4]), NearMemory(*row[4:8])
    alike, said_before, turns, one_event, one_voice, asked, waits = row[8:]
    newer, older = (other, given) if said_before else (given, other)
    return NearPair(
        audience_id, newer, older, given.id, alike, turns, one_event and not turns, one_voice,
        asked, waits,
    )  # fmt: skip


def _select_nearest(
    pairs: Sequence[NearPair], model: EmbeddingModel
) -> list[tuple[NearPair, ProposalCause]]:
    """The nearest pair for each memory and cause, without pairs that were proposed before."""
    found: dict[tuple[UUID, ProposalCause], NearPair] = {}
    for pair in pairs:
        if cause := pair.cause(model):
            found.setdefault((pair.nearest_to, cause), pair)
    return [
        (pair, cause)
        for (_, cause), pair in found.items()
        if not pair.waits and cause not in pair.asked
    ]


def build_pair_item(
    organisation_id: UUID, pair: NearPair, cause: ProposalCause, now: datetime
) -> Proposal:
    """An open queue item about the two; not stored yet."""
    return Proposal(
        id=new_id(),
        organisation_id=organisation_id,
        memory_id=pair.newer.id,
        audience_id=pair.audience_id,
        kind=pair.newer.kind,
        other_id=pair.older.id,
        cause=cause,
        seen_version=pair.newer.version,
        created_at=now,
    )
