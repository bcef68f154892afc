"""Why a readable memory came up for a question, or why it did not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memories.access.permissions import get_readable_memory
from memories.language.excerpts import query_stems
from memories.restatement.names import shared_names
from memories.restatement.restate import find_restatement
from memories.retrieval.answering.confidence import is_irrelevant
from memories.retrieval.candidates.search import CANDIDATES_PER_ARM
from memories.retrieval.disclosure import fetch_disclosable
from memories.retrieval.explanation.exclusions import (
    QuerySimilarity,
    excluding_filters,
    load_similarity,
)
from memories.retrieval.explanation.match_phrases import (
    ScoreShares,
    match_phrases,
    quote_words,
)
from memories.retrieval.pipeline import run_search, search_with_duplicates
from memories.retrieval.ranking.rank_pass import select_nearest_audience
from memories.retrieval.recall import build_request, load_memories, resolve_asker, resolve_timeframe
from memories.retrieval.resolve_filters import Query
from memories.retrieval.scoring_profiles import TIER_WEIGHT
from memories.retrieval.search_types import Hit, SearchRequest
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.errors import NotFoundError
from orgs.expiry import has_expired
from orgs.principals import Actor, Principal, resolve_principal

# Known memories that are similar to a text.

# The characters of a text that are compared.
MAX_CHARACTERS = 500


def find_similar(
    principal: Principal, text: str, audience_id: UUID, *, now: datetime, limit: int = 3
) -> list[tuple[Memory, bool]]:
    """(memory, folded) of one audience's memories that are similar to a text, best first. folded:
    whether it has little to do with the text.

    It does not count as access and is not recorded, because a reviewer does not ask a question.
    """
    alone = principal.narrowed(frozenset({audience_id}))
    query = Query(text=text[:MAX_CHARACTERS], limit=limit, counts=False)
    with alone.scope():
        hits = run_search(build_request(alone, query, now)).hits
        rows = load_memories(principal.organisation_id, [hit.id for hit in hits])
    return [(rows[hit.id], is_irrelevant(hit)) for hit in hits if hit.id in rows]


STATUS_TEXTS = {
    Status.PENDING_REVIEW: "It waits for a decision, and no answer uses it until then.",
    Status.QUARANTINED: "It is held back until somebody has looked at it.",
    Status.ARCHIVED: "It is archived, and archived memories come up in no answer.",
    Status.FORGOTTEN: "It is forgotten, and no answer uses it.",
}
DUPLICATE_TEXT = "Another memory of a nearer audience says the same, and it came up in its place."
SHARED_LIMIT_TEXT = "No more may come up of what everyone in the organisation reads."
# What the question names as well; the names follow.
NAMED_TEXTS = {
    "persons": "It names the person",
    "entities": "It names",
    "keywords": "Its keywords have",
    "topics": "Its topic is",
}
FILTER_TEXTS = {
    "group": "It belongs to another group or to a conversation between two.",
    "include_shared": "The question leaves out what everyone in the organisation reads.",
    "timeframe": "It lies outside the time that was asked for.",
    "filters.tiers": "Its tier is none of those that were asked for.",
}


@dataclass(frozen=True, slots=True)
class ExplanationReason:
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
    share: ScoreShares | None
    reasons: list[ExplanationReason]
    strategy: str


def explain_memory(actor: Actor, memory_id: UUID, query: Query, *, now: datetime) -> Explanation:
    """The place of a memory in the answer to a question, with reasons. Counts as no access.

    Raises NotFoundError for a memory that the asker may not read, and for a group or member like
    `recall`; and TimeframeError.
    """
    principal = resolve_asker(actor, query)
    query = resolve_timeframe(principal, query, now)
    with principal.scope():
        try:
            memory = _get_visible(principal, memory_id)
        except NotFoundError:
            memory = None
        if principal.sayable is not None and memory is not None:
            memory = memory if fetch_disclosable(principal, [memory.id]) else None
        if memory is not None:
            question = build_request(principal, replace(query, explain=True), now)
            return _explain_readable(question, query, memory)
    return _explain_unreadable_in_group(actor, memory_id, query)


def _get_visible(principal: Principal, memory_id: UUID) -> Memory:
    memory = get_readable_memory(principal, memory_id)
    if memory.kind == "internal" and principal.actor.is_person:
        raise NotFoundError("no such memory")
    return memory


def _explain_unreadable_in_group(actor: Actor, memory_id: UUID, query: Query) -> Explanation:
    """The explanation for a memory that the asker may read, but not in the group in which it is
    asked."""
    principal = resolve_principal(actor)
    with principal.scope():
        memory = _get_visible(principal, memory_id)
    text = "Not everybody who would hear the answer may read it, or it belongs to another place."
    return _explain_without_scores(memory, query, [ExplanationReason("not-readable-there", text)])


def _explain_without_scores(
    memory: Memory, query: Query, why: list[ExplanationReason]
) -> Explanation:
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


def _explain_readable(question: SearchRequest, query: Query, memory: Memory) -> Explanation:
    if why := _status_reason(memory, question):
        return _explain_without_scores(memory, query, [why])
    # The usual judgement, but without the limit.
    whole = replace(question, whole=True)
    candidates = search_with_duplicates(whole, question).hits
    hits = select_nearest_audience(whole, candidates)
    ids = [one.id for one in hits]
    rank = ids.index(memory.id) + 1 if memory.id in ids else None
    served = rank is not None and rank <= query.limit
    near = None if rank else load_similarity(question, memory.id)
    share = relative_scores(hits, question.meaning_floor).get(memory.id)
    return Explanation(
        memory=memory,
        query=query,
        served=served,
        rank=rank,
        needed=hits[query.limit - 1].score if len(hits) >= query.limit else None,
        hit=hits[rank - 1] if rank else _unranked_hit(memory, near),
        share=share,
        reasons=_match_reasons(share, memory, question)
        if served and share
        else _replacement_reasons(memory, candidates, hits)
        or _miss_reasons(question, query, memory, rank, near),
        strategy=question.strategy,
    )


def _replacement_reasons(
    memory: Memory, candidates: Sequence[Hit], hits: Sequence[Hit]
) -> list[ExplanationReason]:
    """The reason why a candidate is not among the hits; empty if it is."""
    if any(memory.id in hit.merged for hit in hits):
        return [ExplanationReason("consolidated", DUPLICATE_TEXT)]
    one_of = {hit.id for hit in candidates} - {hit.id for hit in hits}
    return (
        [ExplanationReason("above-shared-limit", SHARED_LIMIT_TEXT)] if memory.id in one_of else []
    )


def _unranked_hit(memory: Memory, near: QuerySimilarity | None) -> Hit | None:
    """A hit with the numbers of a memory that was no candidate."""
    if near is None:
        return None
    return Hit(id=memory.id, relevance=0.0, vector=near.product, similarity=near.similarity)


def _status_reason(memory: Memory, question: SearchRequest) -> ExplanationReason | None:
    if text := STATUS_TEXTS.get(Status(memory.status)):
        return ExplanationReason(memory.status.replace("_", "-"), text)
    if has_expired(memory.expires_at, question.now) and not question.include_expired:
        return ExplanationReason("expired", "It was to be kept until a day that is over.")
    return None


def _match_reasons(
    share: ScoreShares, memory: Memory, question: SearchRequest
) -> list[ExplanationReason]:
    wanted = query_stems(question.text)
    found = [
        ExplanationReason("matches", f"It {why}.")
        for why in match_phrases(share, memory.content, wanted)
    ]
    if named := find_restatement(memory):
        found += [
            ExplanationReason(f"names-{facet}", f"{NAMED_TEXTS[facet]} {quote_words(names)}.")
            for facet, names in shared_names(question.text, named).items()
        ]
    return found


def _miss_reasons(
    question: SearchRequest,
    query: Query,
    memory: Memory,
    rank: int | None,
    near: QuerySimilarity | None,
) -> list[ExplanationReason]:
    """The reasons why it was not served, the most certain first."""
    if rank is not None:
        others = rank - 1
        text = f"{others:,} memories fit better, and the answer has room for {query.limit:,}."
        return [ExplanationReason("below-limit", text)]
    found = [
        ExplanationReason(
            f"excluded-by-{name}",
            FILTER_TEXTS.get(name) or f"The filter “{name[8:]}” leaves it out.",
        )
        for name in excluding_filters(question, memory.id)
    ]
    if found:
        return found
    similarity = near.similarity if near else None
    if question.min_similarity is not None and (similarity or 0.0) < question.min_similarity:
        text = f"Its similarity is under the {question.min_similarity:g} that was asked for."
        return [ExplanationReason("below-min-similarity", text)]
    if near and near.product is None and question.vector is not None:
        text = "Its meaning is not indexed yet, so only its words could find it."
        found.append(ExplanationReason("embedding-pending", text))
    if not (near and near.shares_words):
        found.append(ExplanationReason("no-words", "It shares no word with the question."))
    text = f"It is not among the {CANDIDATES_PER_ARM} nearest by meaning or by words."
    return [*found, ExplanationReason("no-candidate", text)]


def relative_scores(hits: Sequence[Hit], floor: float) -> Mapping[UUID, ScoreShares]:
    """The parts of each hit's score as shares of the best hit's, in 0-1, by id. floor: the
    `meaning_floor` of the model."""
    nearest = max((h.vector for h in hits if h.vector is not None), default=0.0) - floor
    most = max((h.keyword or 0.0 for h in hits), default=0.0)
    return {
        h.id: ScoreShares(
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
