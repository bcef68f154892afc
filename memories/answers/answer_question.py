"""An answer to a question: the sentence or two that answer, each marked in its memory, or a text
of a language model, each sentence of which cites memories."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, cast
from uuid import UUID

from memories.answers.model_usage import may_ask
from memories.answers.select_sentences import (
    AnswerCandidate,
    AnswerSpan,
    find_supporting_span,
    list_disagreeing,
    select_sentences,
)
from memories.answers.written_answer import (
    AnswerSource,
    WrittenSentence,
    ask_for_sentences,
    list_unchanged,
    load_sources,
    parse_written_answer,
)
from memories.context.sources.recalled_memories import search_reranked
from memories.lifecycle.llm_checks.llm_propositions import ModelUnavailableError
from memories.llm.client import is_configured
from memories.questions.record_question import AskedQuestion
from memories.retrieval.answer_rows import AnswerRow, fetch_answer_rows, mark_undecided
from memories.retrieval.answering.confidence import NO, YES, classify_confidence, is_irrelevant
from memories.retrieval.disclosure import filter_disclosable, select_still_active
from memories.retrieval.pipeline import RECALL_SECONDS, run_search
from memories.retrieval.recall import build_request, resolve_asker, resolve_timeframe
from memories.retrieval.recall_log import record_recall
from memories.retrieval.reranking.rerank import reranked_score
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import Hit, SearchResult
from memories.store.speakers.attribution import marked_name
from orgs.models.memberships import load_member_zone
from orgs.principals import Actor, Principal

# How many memories an answer may be looked for in.
MAX_MEMORIES = 50
NOTHING_ANSWERS = "Nothing here answers that."
BY_RULES, BY_MODEL = "rules", "model"
# How many memories a language model is shown.
MAX_SHOWN = 10
# Why the rules answer although there is a model: it may not see what answers, the organisation has
# asked enough for today, it gave no answer, or no sentence of it was supported.
NOT_SHOWABLE, OVER_LIMIT, NO_ANSWER, UNSUPPORTED = (
    "not-showable", "over-limit", "no-answer", "unsupported",
)  # fmt: skip
NOT_BY_MODEL_REASONS = (NOT_SHOWABLE, OVER_LIMIT, NO_ANSWER, UNSUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """A sentence of an answer; by the rules with its speaker before it, where that is a mere name.
    cites: the numbers of its citations."""

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
    disagrees: recalled memories that say otherwise than a cited one, also where nobody has decided
    yet which holds. confidence, not_reranked: as
    in a recall. asked_model: whether a model was to answer; not_by_model: why it did not."""

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
    asked_model: bool = False
    not_by_model: str | None = None

    @property
    def answered(self) -> str:
        """Whether the recalled memories answer the question: yes, unsure or no."""
        return classify_confidence(self.confidence)

    @property
    def text(self) -> str:
        """The sentences, one a line; or that nothing answers."""
        lines = (" ".join(one.text.split()) for one in self.sentences)
        return "\n".join(lines) or NOTHING_ANSWERS


# The parts of a streamed answer: the confidence of the recall, sentences, the answer.
AnswerPart = float | WrittenSentence | Answer


class RecalledText(NamedTuple):
    """What a hit says. superseded_by: the memory that holds instead, if the asker reads it."""

    text: str
    speaker: str
    superseded_by: UUID | None


def answer_question(actor: Actor, query: Query, *, now: datetime, by: str | None = None) -> Answer:
    """Answer a question from what the asker may read. Raises what `recall` raises.

    by: BY_RULES, BY_MODEL, or None for the language model if one is configured. Raises
    ModelUnavailableError for BY_MODEL without one. Where the model gives no supported sentence, the
    rules answer. The memories that are cited or disagree count as recalled, and `recall_id` takes
    feedback on them.
    """
    *_, answer = _iter_answer(actor, query, now, by, stream=False)
    return cast("Answer", answer)


def stream_answer(
    actor: Actor, query: Query, *, now: datetime, by: str | None = None
) -> Generator[AnswerPart]:
    """The same in parts: the confidence of the recall, before a model is asked; each supported
    sentence of the model, as soon as it is there; the answer. A sentence that is shown here is
    missing in the answer only if a memory that it cites was forgotten or changed meanwhile."""
    return _iter_answer(actor, query, now, by, stream=True)


def _iter_answer(
    actor: Actor, query: Query, now: datetime, by: str | None, *, stream: bool
) -> Generator[AnswerPart]:
    if by == BY_MODEL and not is_configured():
        raise ModelUnavailableError("No language model is set up here. Ask by rules.")
    started = time.perf_counter()
    asks_model = by != BY_RULES and is_configured()
    principal = resolve_asker(actor, query)
    query = resolve_timeframe(principal, query, now)
    reranked, not_reranked = None, None
    if query.rerank:
        # Outside of transactions, because the model takes longer than everything else.
        reranked, not_reranked = search_reranked(principal, query, now=now)
    sources: list[AnswerSource] = []
    reason: str | None = None
    with _scope(principal):
        recalled = _recall(principal, query, now, reranked, started)
        if asks_model and recalled.spans:
            sources, reason = _select_sources(principal, recalled, query, now)
        if not sources:
            draft = _by_rules(recalled)
            recall_id = _record(principal, query, recalled, draft, now)
    yield recalled.served.confidence or 0.0
    if sources:
        # Outside of transactions as well; meanwhile a memory may change or be forgotten.

        def may_show(sentence: WrittenSentence) -> bool:
            with _scope(principal):
                current = _still_readable(principal, query, recalled, now)
                return _list_citable(principal, current, sources).issuperset(sentence.cites)

        shows = may_show if stream else None
        given = yield from ask_for_sentences(principal, query.text, sources, now, shows)
        with _scope(principal):
            recalled = _still_readable(principal, query, recalled, now)
            draft, reason = _by_model(principal, recalled, sources, given)
            recall_id = _record(principal, query, recalled, draft, now)
    yield Answer(
        query=query,
        recall_id=recall_id,
        confidence=recalled.served.confidence or 0.0,
        strategy=recalled.served.strategy,
        took_ms=(time.perf_counter() - started) * 1000,
        by=draft.by,
        sentences=draft.sentences,
        citations=draft.citations,
        disagrees=draft.disagrees,
        not_reranked=not_reranked,
        asked_model=asks_model,
        not_by_model=reason,
    )


def _scope(principal: Principal) -> AbstractContextManager[None]:
    """A transaction in which the asker's answer can be recorded."""
    return principal.scope(deposit=(principal.own_audience,), relaxed=True)


@dataclass(frozen=True, slots=True)
class _Recalled:
    """The hits, their rows, the time that finding them took, and the sentences that answer by the
    rules."""

    question: str
    served: SearchResult
    rows: Mapping[UUID, AnswerRow]
    took_ms: float
    spans: list[AnswerSpan] = field(default_factory=list)

    @property
    def hits(self) -> list[Hit]:
        return [hit for hit in self.served.hits if hit.id in self.rows]

    @property
    def texts(self) -> dict[UUID, RecalledText]:
        return {
            id_: RecalledText(row.content, row.speaker, row.superseded_by)
            for id_, row in self.rows.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    by: str = ""
    sentences: list[AnswerSentence] = field(default_factory=list)
    citations: list[AnswerCitation] = field(default_factory=list)
    disagrees: list[tuple[Hit, AnswerRow]] = field(default_factory=list)


def _recall(
    principal: Principal,
    query: Query,
    now: datetime,
    reranked: SearchResult | None,
    started: float,
) -> _Recalled:
    """What answers; call in the asker's scope."""
    if reranked is not None:
        served = select_still_active(
            principal, reranked, now, include_expired=query.include_expired
        )
        served = replace(served, hits=served.hits[: query.limit])
    else:
        served = run_search(build_request(principal, query, now))
        if principal.sayable is not None:
            # A second check, besides the filters of every strategy.
            served = filter_disclosable(principal, served)
    served, rows = _with_rows(principal, query, served)
    took_ms = (time.perf_counter() - started) * 1000
    RECALL_SECONDS.labels(served.strategy).observe(took_ms / 1000)
    return _with_spans(_Recalled(query.text, served, rows, took_ms))


def _with_rows(
    principal: Principal, query: Query, served: SearchResult
) -> tuple[SearchResult, dict[UUID, AnswerRow]]:
    """The hits with what is undecided about them, and their rows."""
    rows = fetch_answer_rows(principal.organisation_id, [hit.id for hit in served.hits])
    as_of, others = query.as_of, query.shareable_with
    hits = [
        mark_undecided(hit, rows[hit.id], as_of=as_of, shareable_with=others)
        if hit.id in rows
        else hit
        for hit in served.hits
    ]
    return replace(served, hits=hits), rows


def _with_spans(recalled: _Recalled) -> _Recalled:
    confidence = recalled.served.confidence
    spans = select_answer(recalled.question, confidence, recalled.hits, recalled.texts)
    return replace(recalled, spans=spans)


def _still_readable(
    principal: Principal, query: Query, recalled: _Recalled, now: datetime
) -> _Recalled:
    """The same without what was forgotten or changed its readers since; in the asker's scope."""
    served = select_still_active(
        principal, recalled.served, now, include_expired=query.include_expired
    )
    served, rows = _with_rows(principal, query, served)
    return _with_spans(replace(recalled, served=served, rows=rows))


def _record(
    principal: Principal, query: Query, recalled: _Recalled, draft: _Draft, now: datetime
) -> UUID:
    """Record what the answer shows like a recall; returns its id."""
    shown = {one.hit.id for one in draft.citations} | {hit.id for hit, _ in draft.disagrees}
    served = replace(recalled.served, hits=[hit for hit in recalled.hits if hit.id in shown])
    answered = classify_confidence(recalled.served.confidence or 0.0)
    asked = AskedQuestion(query.text, answered) if query.asks_everywhere else None
    return record_recall(
        principal,
        served,
        took_ms=recalled.took_ms,
        counts=query.counts,
        now=now,
        asked=asked,
    )


def _by_rules(recalled: _Recalled) -> _Draft:
    """The sentences that answer by the rules."""
    sentences = []
    for number, span in enumerate(recalled.spans, 1):
        row = recalled.rows[span.memory]
        text = row.content[span.start : span.end]
        if row.speaker and row.speaker_id is None:
            text = f"{marked_name(row.speaker)}: {text}"
        sentences.append(AnswerSentence(text=text, cites=(number,)))
    return _to_draft(BY_RULES if sentences else "", recalled, sentences, recalled.spans)


def _to_draft(
    by: str,
    recalled: _Recalled,
    sentences: list[AnswerSentence],
    spans: Sequence[AnswerSpan],
) -> _Draft:
    """The answer with these citations, and what disagrees with them."""
    hits, rows = {hit.id: hit for hit in recalled.hits}, recalled.rows
    citations = [
        AnswerCitation(
            number=number,
            hit=hits[span.memory],
            row=rows[span.memory],
            start=span.start,
            end=span.end,
        )
        for number, span in enumerate(spans, 1)
    ]
    others = select_disagreeing(recalled.hits, recalled.texts, spans)
    disagrees = [(hits[id_], rows[id_]) for id_ in others]
    return _Draft(by=by, sentences=sentences, citations=citations, disagrees=disagrees)


def _select_sources(
    principal: Principal, recalled: _Recalled, query: Query, now: datetime
) -> tuple[list[AnswerSource], str | None]:
    """(the memories that the model is shown, or none and why not); in the asker's scope.

    It is asked only if it may see what answers by the rules: else it would answer past that.
    """
    if not may_ask(principal.organisation_id, now=now):
        return [], OVER_LIMIT
    zone = load_member_zone(principal.organisation_id, principal.actor.member_id)
    about = [hit for hit in recalled.hits if not is_irrelevant(hit)][:MAX_SHOWN]
    as_of = query.as_of if isinstance(query.as_of, datetime) else now
    sources = load_sources(principal, about, zone, as_of)
    showable = {one.memory for one in sources}
    if not showable.issuperset(span.memory for span in recalled.spans):
        return [], NOT_SHOWABLE
    return sources, None


def _list_citable(
    principal: Principal, recalled: _Recalled, sources: Sequence[AnswerSource]
) -> set[UUID]:
    """The memories that a sentence may still cite; in the asker's scope."""
    return {hit.id for hit in recalled.hits} & list_unchanged(principal, sources)


def _by_model(
    principal: Principal,
    recalled: _Recalled,
    sources: Sequence[AnswerSource],
    given: Mapping[str, Any] | None,
) -> tuple[_Draft, str | None]:
    """(the model's supported sentences, None); else the rules' answer and why. In the asker's
    scope."""
    readable = _list_citable(principal, recalled, sources)
    written = None if given is None else parse_written_answer(given, sources)
    if given is None or written is None:
        return _by_rules(recalled), NO_ANSWER
    if not given["sentences"] and classify_confidence(recalled.served.confidence or 0.0) != YES:
        # It finds no answer, and the rules are not sure of theirs.
        return _Draft(), None
    kept = [one for one in written if readable.issuperset(one.cites)]
    if not kept:
        return _by_rules(recalled), UNSUPPORTED
    numbers: dict[UUID, int] = {}
    for one in kept:
        for id_ in one.cites:
            numbers.setdefault(id_, len(numbers) + 1)
    sentences = [
        AnswerSentence(text=one.text, cites=tuple(numbers[id_] for id_ in one.cites))
        for one in kept
    ]
    spans = [
        find_supporting_span(
            recalled.rows[id_].content, id_, " ".join(one.text for one in kept if id_ in one.cites)
        )
        for id_ in numbers
    ]
    return _to_draft(BY_MODEL, recalled, sentences, spans), None


def select_answer(
    question: str,
    confidence: float | None,
    hits: Sequence[Hit],
    texts: Mapping[UUID, RecalledText],
) -> list[AnswerSpan]:
    """The sentences that answer; none for a confidence that says no. hits: best first, each with a
    text."""
    if classify_confidence(confidence or 0.0) == NO:
        return []
    return select_sentences(question, _to_candidates(hits, texts))


def select_disagreeing(
    hits: Sequence[Hit], texts: Mapping[UUID, RecalledText], spans: Sequence[AnswerSpan]
) -> list[UUID]:
    """The ids of the hits that say otherwise than the memories of these sentences."""
    return list_disagreeing(_to_candidates(hits, texts), {span.memory for span in spans})


def _to_candidates(
    hits: Sequence[Hit], texts: Mapping[UUID, RecalledText]
) -> list[AnswerCandidate]:
    """The hits as memories whose sentences may answer. Their scores never rise, so that the order
    of the recall stays, also that of the cross-encoder."""
    found: list[AnswerCandidate] = []
    lowest = float("inf")
    for hit in hits:
        text, speaker, superseded_by = texts[hit.id]
        lowest = min(lowest, reranked_score(hit))
        found.append(
            AnswerCandidate(
                hit=hit,
                text=text,
                score=lowest,
                speaker=speaker,
                successor=hit.replaced.by if hit.replaced else superseded_by,
            )
        )
    return found
