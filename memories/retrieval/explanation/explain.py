"""Why a readable memory came up for a question, or why it did not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memories.access.lookup import fetch
from memories.embedding.known_models import known_model
from memories.language.excerpts import stems
from memories.retrieval.candidates.search import POOL
from memories.retrieval.explanation.exclusions import Nearness, exclusions, nearness
from memories.retrieval.explanation.reasons import Share, reasons
from memories.retrieval.pipeline import ranked
from memories.retrieval.profiles import TIER_WEIGHT
from memories.retrieval.ranking.nearest_audience import nearest
from memories.retrieval.recall import Query, asker, prepare, sayable, timed
from memories.retrieval.types import Hit, Question
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.errors import NotFound
from orgs.principals import Actor, Principal, resolve

WITHDRAWN = {
    Status.PENDING_REVIEW: "It waits for a decision, and no answer uses it until then.",
    Status.QUARANTINED: "It is held back until somebody has looked at it.",
    Status.ARCHIVED: "It is archived, and archived memories come up in no answer.",
    Status.FORGOTTEN: "It is forgotten, and no answer uses it.",
}
CONSOLIDATED = "Another memory of a nearer audience says the same, and it came up in its place."
ABOVE = "No more may come up of what everyone in the organisation reads."
NARROWED = {
    "group": "It belongs to another group or to a conversation between two.",
    "include_shared": "The question leaves out what everyone in the organisation reads.",
    "timeframe": "It lies outside the time that was asked for.",
    "filters.tiers": "Its tier is none of those that were asked for.",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """code: stable, for robots; text: one sentence."""

    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """rank: among the candidates, counted from 1, None if it was none; needed: the score of the
    last served hit, None if there was room.

    hit: its numbers, if there are any; share: these relative to the best candidate.
    """

    memory: Memory
    query: Query
    served: bool
    rank: int | None
    needed: float | None
    hit: Hit | None
    share: Share | None
    reasons: list[Reason]
    strategy: str


def explain(actor: Actor, memory_id: UUID, query: Query, *, now: datetime) -> Explanation:
    """The place of a memory in the answer to a question, with reasons. Counts as no access.

    Raises NotFound for a memory that the asker may not read, and for a group or member like
    `recall`; and NotUnderstood.
    """
    principal = asker(actor, query)
    query = timed(principal, query, now)
    with principal.scope():
        try:
            memory = _visible(principal, memory_id)
        except NotFound:
            memory = None
        if principal.sayable is not None and memory is not None:
            memory = memory if sayable(principal, [memory.id]) else None
        if memory is not None:
            question = prepare(principal, replace(query, explain=True), now)
            return _explained(question, query, memory)
    return _closed_here(actor, memory_id, query)


def _visible(principal: Principal, memory_id: UUID) -> Memory:
    memory = fetch(principal, memory_id)
    if memory.kind == "internal" and principal.actor.is_person:
        raise NotFound("no such memory")
    return memory


def _closed_here(actor: Actor, memory_id: UUID, query: Query) -> Explanation:
    """The explanation for a memory that the asker may read, but not in the group in which it is
    asked."""
    principal = resolve(actor)
    with principal.scope():
        memory = _visible(principal, memory_id)
    text = "Not everybody who would hear the answer may read it, or it belongs to another place."
    return _without_numbers(memory, query, [Reason("not-readable-there", text)])


def _without_numbers(memory: Memory, query: Query, why: list[Reason]) -> Explanation:
    return Explanation(
        memory=memory,
        query=query,
        served=False,
        rank=None,
        needed=None,
        hit=None,
        share=None,
        reasons=why,
        strategy=query.strategy,
    )


def _explained(question: Question, query: Query, memory: Memory) -> Explanation:
    if why := _withdrawn(memory, question):
        return _without_numbers(memory, query, [why])
    # The usual judgement, but without the limit.
    whole = replace(question, whole=True)
    candidates = ranked(whole, question).hits
    hits = nearest(whole, candidates)
    ids = [one.id for one in hits]
    rank = ids.index(memory.id) + 1 if memory.id in ids else None
    served = rank is not None and rank <= query.limit
    near = None if rank else nearness(question, memory.id)
    share = beside(hits).get(memory.id)
    return Explanation(
        memory=memory,
        query=query,
        served=served,
        rank=rank,
        needed=hits[query.limit - 1].score if len(hits) >= query.limit else None,
        hit=hits[rank - 1] if rank else _raw(memory, near),
        share=share,
        reasons=_came(share, memory, question)
        if served and share
        else _stood_for(memory, candidates, hits) or _missed(question, query, memory, rank, near),
        strategy=question.strategy,
    )


def _stood_for(memory: Memory, candidates: Sequence[Hit], hits: Sequence[Hit]) -> list[Reason]:
    """The reason why a candidate is not among the hits; empty if it is."""
    if any(memory.id in hit.merged for hit in hits):
        return [Reason("consolidated", CONSOLIDATED)]
    one_of = {hit.id for hit in candidates} - {hit.id for hit in hits}
    return [Reason("above-shared-limit", ABOVE)] if memory.id in one_of else []


def _raw(memory: Memory, near: Nearness | None) -> Hit | None:
    """A hit with the numbers of a memory that was no candidate."""
    if near is None:
        return None
    return Hit(id=memory.id, relevance=0.0, vector=near.product, similarity=near.similarity)


def _withdrawn(memory: Memory, question: Question) -> Reason | None:
    if text := WITHDRAWN.get(Status(memory.status)):
        return Reason(memory.status.replace("_", "-"), text)
    over = memory.expires_at is not None and memory.expires_at <= question.now
    if over and not question.include_expired:
        return Reason("expired", "It was to be kept until a day that is over.")
    return None


def _came(share: Share, memory: Memory, question: Question) -> list[Reason]:
    wanted = stems(question.text)
    return [Reason("matches", f"It {why}.") for why in reasons(share, memory.content, wanted)]


def _missed(
    question: Question, query: Query, memory: Memory, rank: int | None, near: Nearness | None
) -> list[Reason]:
    """The reasons why it was not served, the most certain first."""
    if rank is not None:
        others = rank - 1
        text = f"{others:,} memories fit better, and the answer has room for {query.limit:,}."
        return [Reason("below-limit", text)]
    found = [
        Reason(
            f"excluded-by-{name}", NARROWED.get(name) or f"The filter “{name[8:]}” leaves it out."
        )
        for name in exclusions(question, memory.id)
    ]
    if found:
        return found
    similarity = near.similarity if near else None
    if question.min_similarity is not None and (similarity or 0.0) < question.min_similarity:
        text = f"Its similarity is under the {question.min_similarity:g} that was asked for."
        return [Reason("below-min-similarity", text)]
    if near and near.product is None and question.vector is not None:
        text = "Its meaning is not indexed yet, so only its words could find it."
        found.append(Reason("embedding-pending", text))
    if not (near and near.shares_words):
        found.append(Reason("no-words", "It shares no word with the question."))
    text = f"It is not among the {POOL} nearest by meaning or by words."
    return [*found, Reason("no-candidate", text)]


def _left_out_by(name: str) -> str:
    return f"The filter “{name.removeprefix('filters.')}” leaves it out."


def beside(hits: Sequence[Hit]) -> Mapping[UUID, Share]:
    """The parts of each hit's score as shares of the best hit's, in 0-1, by id."""
    floor = known_model().meaning_floor
    nearest = max((h.vector for h in hits if h.vector is not None), default=0.0) - floor
    most = max((h.keyword or 0.0 for h in hits), default=0.0)
    return {
        h.id: Share(
            meaning=None
            if h.vector is None or nearest <= 0
            else max(0.0, (h.vector - floor) / nearest),
            words=None if not most else (h.keyword or 0.0) / most,
            fits=h.cues,
            strength=h.strength,
        )
        for h in hits
    }


def tier_weight(memory: Memory) -> float:
    """The weight of the memory's tier in the score, 0-1."""
    return TIER_WEIGHT[memory.tier]
