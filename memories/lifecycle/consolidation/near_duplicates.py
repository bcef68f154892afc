"""Find pairs of memories of one audience that say nearly the same, or disagree, and propose them
for review.

Nothing is merged here: whoever may change both decides. Left out are turns of a conversation, which
repeat each other by nature, robots' own notes, which nobody reviews, and memories that have
different keys or times.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.embedding.model_catalogue import EmbeddingModel
from memories.language.comparison.text_comparison import (
    is_contradiction,
    may_contradict,
    normalise_text,
)
from memories.review.models import Proposal, ProposalCause
from orgs.models.base import new_id

# Above this many memories of one audience a search for each new one would cost too much.
MAX_AUDIENCE_MEMORIES = 5_000
# How many of the nearest memories are compared with each memory.
MAX_NEIGHBOURS = 5

# asked: the causes of items about the pair; while one is open, no other is proposed.
_PAIRS_SQL = """
WITH given AS MATERIALIZED (
    SELECT m.id, m.audience_id, m.kind, m.version, m.member_id, m.key, m.occurred_at, m.content,
           e.embedding
    FROM memories_memory m
    JOIN memories_search e ON e.organisation_id = m.organisation_id AND e.memory_id = m.id
        AND e.model = %(model)s
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s) AND m.status = 'active'
        AND m.valid_until IS NULL
), pairs AS MATERIALIZED (
    SELECT given.*, near.memory_id AS other, near.distance
    FROM given CROSS JOIN LATERAL (
        SELECT o.memory_id, o.embedding <=> given.embedding AS distance
        FROM memories_search o
        WHERE o.organisation_id = %(organisation)s AND o.audience_id = given.audience_id
          AND o.model = %(model)s AND o.memory_id < given.id
        ORDER BY distance LIMIT %(nearest)s
    ) AS near WHERE near.distance <= %(reach)s
)
SELECT m.id, m.audience_id, m.kind, m.version, m.content, t.id, t.content, 1 - m.distance, ARRAY(
    SELECT p.cause FROM memories_proposal p WHERE p.organisation_id = %(organisation)s
    AND p.memory_id = m.id AND p.other_id = t.id AND p.state <> 'withdrawn'
), EXISTS (
    SELECT 1 FROM memories_proposal p WHERE p.organisation_id = %(organisation)s
    AND p.memory_id = m.id AND p.other_id = t.id AND p.state = 'open'
)
FROM pairs m JOIN memories_memory t ON t.organisation_id = %(organisation)s AND t.id = m.other
WHERE t.status = 'active' AND t.conversation IS NULL AND t.valid_until IS NULL
  AND m.member_id IS NOT DISTINCT FROM t.member_id
  AND (m.key IS NULL OR t.key IS NULL)
  AND (m.occurred_at IS NULL OR t.occurred_at IS NULL OR m.occurred_at = t.occurred_at)
ORDER BY m.id, m.distance
"""
_COMPARABLE_IDS_SQL = """
WITH given AS MATERIALIZED (
    SELECT m.id, m.audience_id FROM memories_memory m
    WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)
      AND m.conversation IS NULL AND m.type <> 'conversation' AND m.kind <> 'internal'
), audiences AS MATERIALIZED (
    SELECT DISTINCT audience_id FROM given
), small AS (
    SELECT a.audience_id FROM audiences a WHERE (
        SELECT count(*) FROM (
            SELECT 1 FROM memories_search o WHERE o.organisation_id = %(organisation)s
            AND o.audience_id = a.audience_id AND o.model = %(model)s LIMIT %(most)s
        ) AS seen) < %(most)s
)
SELECT given.id FROM given JOIN small USING (audience_id)
"""


@dataclass(frozen=True, slots=True)
class NearPair:
    """A memory and an older one near it.

    alike: the cosine. asked: causes of earlier items about the two; waits: whether one is open.
    """

    id: UUID
    audience_id: UUID
    kind: str
    version: int
    content: str
    other_id: UUID
    other_content: str
    alike: float
    asked: list[str]
    waits: bool

    def cause(self, model: EmbeddingModel) -> ProposalCause | None:
        """The cause for which the pair is to be proposed, or None."""
        if not may_contradict(self.content, self.other_content):
            return ProposalCause.DUPLICATE if self.alike >= model.twin else None
        if self.alike >= model.disagree and is_contradiction(self.content, self.other_content):
            return ProposalCause.CONTRADICTION
        return None


def propose_pairs(
    organisation_id: UUID, ids: Sequence[UUID], *, model: EmbeddingModel, now: datetime, using: str
) -> Counter[str]:
    """Put near-duplicates and contradictions of these memories into the queue; returns {cause: how
    many}.

    For each memory at most one of each cause, the nearest. model.twin: from this cosine a pair may
    be a duplicate; model.disagree: from this cosine it may be a contradiction. A contradiction is
    never a duplicate.

    Call inside the worker's scope of the organisation, once the vectors are stored.
    """
    pairs = _fetch_pairs(organisation_id, ids, model, using)
    items = [
        build_pair_item(organisation_id, pair, cause, now)
        for pair, cause in _select_nearest(pairs, model)
    ]
    if not items:
        return Counter()
    rows = Proposal.objects.using(using)
    rows.bulk_create(items, ignore_conflicts=True)
    # A parallel run may have proposed a pair first; it is not counted here.
    written = rows.filter(organisation_id=organisation_id, id__in=[item.id for item in items])
    return Counter(written.values_list("cause", flat=True))


def undecided_pairs(
    organisation_id: UUID, ids: Sequence[UUID], *, model: EmbeddingModel, using: str
) -> list[NearPair]:
    """Near pairs that the rules call neither duplicate nor contradiction.

    No item about a contradiction of the two exists, and their words differ. Call like
    `propose_pairs`.
    """
    return [
        pair
        for pair in _fetch_pairs(organisation_id, ids, model, using)
        if pair.alike >= model.disagree
        and pair.cause(model) is None
        and not pair.waits
        and ProposalCause.CONTRADICTION not in pair.asked
        and normalise_text(pair.content) != normalise_text(pair.other_content)
    ]


def _fetch_pairs(
    organisation_id: UUID, ids: Sequence[UUID], model: EmbeddingModel, using: str
) -> list[NearPair]:
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "ids": list(ids),
        "model": model.number,
        "nearest": MAX_NEIGHBOURS,
        "reach": 1 - min(model.twin, model.disagree),
        "most": MAX_AUDIENCE_MEMORIES,
    }
    with connections[using].cursor() as cursor:
        cursor.execute(_COMPARABLE_IDS_SQL, values)
        values["ids"] = [id_ for (id_,) in cursor.fetchall()]
        if not values["ids"]:
            return []
        cursor.execute(_PAIRS_SQL, values)
        return [NearPair(*row) for row in cursor.fetchall()]


def _select_nearest(
    pairs: Sequence[NearPair], model: EmbeddingModel
) -> list[tuple[NearPair, ProposalCause]]:
    """The nearest pair for each memory and cause, without pairs that were proposed before."""
    found: dict[tuple[UUID, ProposalCause], NearPair] = {}
    for pair in pairs:
        if cause := pair.cause(model):
            found.setdefault((pair.id, cause), pair)
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
        memory_id=pair.id,
        audience_id=pair.audience_id,
        kind=pair.kind,
        other_id=pair.other_id,
        cause=cause,
        seen_version=pair.version,
        created_at=now,
    )
