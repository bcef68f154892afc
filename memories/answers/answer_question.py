"""An answer to a question: the sentence or two that answer, each marked in its memory."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memories.answers.select_sentences import (
    AnswerCandidate,
    AnswerSpan,
    list_disagreeing,
    select_sentences,
)
from memories.context.sources.recalled_memories import search_reranked
from memories.retrieval.answer_rows import AnswerRow, fetch_answer_rows
from memories.retrieval.answering.confidence import NO, classify_confidence
from memories.retrieval.disclosure import filter_disclosable
from memories.retrieval.pipeline import RECALL_SECONDS, run_search
from memories.retrieval.recall import (
    Query,
    build_request,
    resolve_asker,
    resolve_timeframe,
    select_still_active,
)
from memories.retrieval.recall_log import record_recall
from memories.retrieval.reranking.rerank import LOGIT_WEIGHT
from memories.retrieval.search_types import Hit, SearchResult
from orgs.principals import Actor, Principal

# How many memories an answer may be looked for in.
MAX_MEMORIES = 50
NOTHING_ANSWERS = "Nothing here answers that."
BY_RULES = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """A sentence of an answer. cites: the numbers of its citations."""

    text: str
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCitation:
    """A memory that an answer rests on. start, end: where the sentence stands that answers, in
    characters of its text."""

    number: int
    hit: Hit
    row: AnswerRow
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer and what it rests on. by: who made the sentences; empty where nothing answers.
    disagrees: recalled memories that say otherwise than a cited one. confidence, not_reranked: as
    in a recall."""

    query: Query
    recall_id: UUID
    confidence: float
    strategy: str
    took_ms: float
    by: str = ""
    sentences: list[AnswerSentence] = field(default_factory=list)
    citations: list[AnswerCitation] = field(default_factory=list)
    disagrees: list[tuple[Hit, AnswerRow]] = field(default_factory=list)
    not_reranked: str | None = None

    @property
    def answered(self) -> str:
        """Whether the recalled memories answer the question: yes, unsure or no."""
        return classify_confidence(self.confidence)

    @property
    def text(self) -> str:
        """The sentences, one a line; or that nothing answers."""
        return "\n".join(one.text for one in self.sentences) or NOTHING_ANSWERS


def answer_question(actor: Actor, query: Query, *, now: datetime) -> Answer:
    """Answer a question from what the asker may read. Raises what `recall` raises.

    The memories that are cited or disagree count as recalled, and `recall_id` takes feedback on
    them.
    """
    started = time.perf_counter()
    principal = resolve_asker(actor, query)
    query = resolve_timeframe(principal, query, now)
    reranked, why_not = None, None
    if query.rerank:
        # Outside of transactions, because the model takes longer than everything else.
        reranked, why_not = search_reranked(principal, query, now=now)
    with principal.scope(deposit=(principal.own_audience,), relaxed=True):
        served = _search(principal, query, now, reranked)
        rows = fetch_answer_rows(principal.organisation_id, [hit.id for hit in served.hits])
        hits = [hit for hit in served.hits if hit.id in rows]
        spans, others = _select(query.text, hits, rows, served.confidence)
        shown = {span.memory for span in spans} | set(others)
        took_ms = (time.perf_counter() - started) * 1000
        RECALL_SECONDS.labels(served.strategy).observe(took_ms / 1000)
        recall_id = record_recall(
            principal,
            replace(served, hits=[hit for hit in hits if hit.id in shown]),
            took_ms=took_ms,
            counts=query.counts,
            now=now,
        )
    by_id = {hit.id: hit for hit in hits}
    return Answer(
        query=query,
        recall_id=recall_id,
        confidence=served.confidence or 0.0,
        strategy=served.strategy,
        took_ms=took_ms,
        by=BY_RULES if spans else "",
        sentences=[
            AnswerSentence(text=rows[span.memory].content[span.start : span.end], cites=(number,))
            for number, span in enumerate(spans, 1)
        ],
        citations=[
            AnswerCitation(
                number=number,
                hit=by_id[span.memory],
                row=rows[span.memory],
                start=span.start,
                end=span.end,
            )
            for number, span in enumerate(spans, 1)
        ],
        disagrees=[(by_id[id_], rows[id_]) for id_ in others],
        not_reranked=why_not,
    )


def _search(
    principal: Principal, query: Query, now: datetime, reranked: SearchResult | None
) -> SearchResult:
    """The hits that may be served; call in the asker's scope."""
    if reranked is not None:
        served = select_still_active(principal, query, reranked, now)
        return replace(served, hits=served.hits[: query.limit])
    served = run_search(build_request(principal, query, now))
    # A second check, besides the filters of every strategy.
    return served if principal.sayable is None else filter_disclosable(principal, served)


def _select(
    question: str,
    hits: Sequence[Hit],
    rows: Mapping[UUID, AnswerRow],
    confidence: float | None,
) -> tuple[list[AnswerSpan], list[UUID]]:
    """(the sentences that answer, the memories that disagree with theirs)."""
    if classify_confidence(confidence or 0.0) == NO:
        return [], []
    candidates = _to_candidates(hits, rows)
    spans = select_sentences(question, candidates)
    return spans, list_disagreeing(candidates, {span.memory for span in spans})


def _to_candidates(hits: Sequence[Hit], rows: Mapping[UUID, AnswerRow]) -> list[AnswerCandidate]:
    """The hits as memories whose sentences may answer. Their scores never rise, so that the order
    of the recall stays, also that of the cross-encoder."""
    found: list[AnswerCandidate] = []
    lowest = float("inf")
    for hit in hits:
        row = rows[hit.id]
        lowest = min(lowest, hit.score + LOGIT_WEIGHT * (hit.rerank or 0.0))
        found.append(
            AnswerCandidate(
                hit=hit,
                text=row.content,
                score=lowest,
                speaker=row.speaker,
                successor=hit.replaced.by if hit.replaced else row.superseded_by,
            )
        )
    return found
