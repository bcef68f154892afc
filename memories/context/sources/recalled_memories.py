"""The memories that answer the query: as many as may fit, best first, none left out for its age."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from uuid import UUID

from django.conf import settings

from memories.context.sources.context_query import (
    STRENGTH,
    WEAK_BELOW,
    ContextBuildState,
    ContextQuery,
    build_memory_piece,
    format_day,
)
from memories.context.sources.pieces import ContextPiece
from memories.context.token_budget import WorkingMemoryItem, sort_items
from memories.language.comparison.text_comparison import normalise_text
from memories.language.query_cues import ends_with_question_mark
from memories.language.relative_dates import local_date
from memories.retrieval.answer_rows import first_fitting_ids
from memories.retrieval.answering.confidence import ANSWERED_VALUES, YES, classify_confidence
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.disclosure import filter_disclosable, select_still_active
from memories.retrieval.ranking.current_facts import current_first
from memories.retrieval.recall import build_request, load_memories
from memories.retrieval.reranking.rerank import fetch_passages, rerank, reranked_score
from memories.retrieval.resolve_filters import Query, resolve_query
from memories.retrieval.search_types import Hit, SearchFilters, SearchRequest, SearchResult
from memories.retrieval.standby.confirmed_search import search_confirmed
from memories.review.contradictions import find_undecided
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import attribution_of
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.principals import Principal

# How many memories are looked up: as many as fit if each has FEW_TOKENS with its head, within
# bounds. Of a wanted number this many times as many, because some are said twice or are too weak.
FEW_TOKENS, MIN_HITS, MAX_HITS, OVERFETCH_FACTOR = 20, 20, 200, 3
# Where the question is answered, a memory with less confidence than this is not about it. Chosen on
# 200 questions of LoCoMo, of which none lost its evidence (docs/adr/0033-full-contexts.md).
NOT_ABOUT_BELOW = 0.02
# For how many of the best the head says what relative times mean; for all it cost a point of
# evidence at 2,000 tokens.
WITH_DATES = 12
# Of how many of the best the turns beside them are looked up; a turn with more characters can be
# read without its question.
WITH_NEIGHBOURS, MAX_REPLY_CHARACTERS = 3, 100


def load_recalled_memories(asked: ContextBuildState) -> list[ContextPiece]:
    """The memories for the query, best first; those that say the same once.

    Weak ones (below WEAK_BELOW) come after all that answer as well; only a `min_strength` that the
    caller gave leaves any out. Where one answers, those that are not about the query are left out.
    """
    query = asked.query
    recall_query = asked.recall_query or build_recall_query(query)
    if asked.reranked is None:
        question = resolve_query(asked.principal, recall_query, asked.now)
        question, served = search_confirmed(asked.principal, question)
    else:
        question = build_request(asked.principal, recall_query, asked.now)
        served = select_still_active(
            asked.principal,
            asked.reranked,
            asked.now,
            include_expired=recall_query.include_expired,
        )
    strong = [hit for hit in served.hits if hit.strength >= (query.min_strength or 0.0)]
    asked.weak = len(served.hits) - len(strong)
    rows = _load_rows(asked, _about_the_query(strong))
    asked.served = replace(served, hits=[hit for hit in strong if hit.id in rows])
    chosen, repeats = _without_repeats(asked.served.hits, rows)
    by_strength = query.order == STRENGTH
    scores = effective_scores(chosen)
    places = _places(asked, chosen, scores, rows)
    if by_strength:
        # More than a whole step apart, so that no piece is worth more for being short.
        scores = [-float(places[hit.id]) for hit in chosen]
    # What is undecided now was not so at another time.
    shown = [hit.id for hit in chosen if recall_query.as_of is None]
    undecided = find_undecided(asked.principal.organisation_id, shown)
    with_dates = {hit.id for hit in chosen[:WITH_DATES]}
    pieces = {
        hit.id: replace(
            _build_piece(
                asked,
                rows[hit.id],
                replace(hit, undecided=undecided.get(hit.id)),
                repeats.get(hit.id, []),
                question.as_of,
                dates=hit.id in with_dates,
            ),
            score=score,
            weak=not by_strength and hit.strength < WEAK_BELOW,
            place=places[hit.id],
        )
        for hit, score in zip(chosen, scores, strict=True)
    }
    if query.min_strength is not None or query.filters or query.categories:
        # A caller who says which memories are wanted gets no others beside them.
        return list(pieces.values())
    return _add_neighbours(asked, question, pieces, rows)


def build_recall_query(query: ContextQuery) -> Query:
    """The recall that finds the memories of a context; its times are in words still."""
    limit = min(MAX_HITS, max(MIN_HITS, query.max_tokens // FEW_TOKENS))
    if query.max_memories is not None:
        limit = min(limit, max(1, OVERFETCH_FACTOR * query.max_memories))
    filters = {**query.filters, "categories": query.categories} if query.categories else None
    return Query(
        text=query.text,
        limit=limit,
        group=query.group,
        member=query.member,
        include_shared=query.include_shared,
        shared_limit=query.shared_limit,
        prefer_personal=query.prefer_personal,
        filters=query.filters if filters is None else filters,
        timeframe=query.timeframe,
        as_of=query.as_of,
        rerank=query.rerank,
        profile=query.profile,
    )


def search_reranked(
    principal: Principal, query: Query, *, now: datetime
) -> tuple[SearchResult, str | None]:
    """(the hits in the order of the cross-encoder, why it is the plain order, or None), with the
    times of the query resolved. More hits than the limit; nothing is recorded. Call outside any
    scope.

    While the model runs, somebody may forget a hit: see `select_still_active`.
    """
    with principal.scope(relaxed=True):
        question = resolve_query(principal, query, now)
        question, served = search_confirmed(principal, question)
        if principal.sayable is not None:
            served = filter_disclosable(principal, served)
        read = fetch_passages(question, served.hits)
    better = rerank(query.text, served.hits, read, seconds=settings.RERANK_SECONDS)
    return replace(served, hits=current_first(question, better.hits)), better.why_not


def _about_the_query(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those that are not about the query, if one answers it."""
    if not any(classify_confidence(hit.answers) == YES for hit in hits):
        return list(hits)
    return [hit for hit in hits if hit.answers >= NOT_ABOUT_BELOW]


def effective_scores(hits: Sequence[Hit]) -> list[float]:
    """A score for each hit, in the order of the hits, from which the order in a context follows.

    It never rises from one hit to the next, so that the given order stays. A weak one gets the
    lowest score of the others that answer as well (yes, unsure or no) or better. Pure.
    """
    scores: list[float] = []
    for hit in hits:
        score = reranked_score(hit)
        scores.append(min(score, scores[-1]) if scores else score)
    levels = [ANSWERED_VALUES.index(classify_confidence(hit.answers)) for hit in hits]
    lowest = dict[int, float]()
    for hit, level, score in zip(hits, levels, scores, strict=True):
        if hit.strength >= WEAK_BELOW:
            for wider in range(level, len(ANSWERED_VALUES)):
                lowest[wider] = min(lowest.get(wider, score), score)
    return [
        min(score, lowest.get(level, score)) if hit.strength < WEAK_BELOW else score
        for hit, level, score in zip(hits, levels, scores, strict=True)
    ]


def _load_rows(asked: ContextBuildState, hits: Sequence[Hit]) -> Mapping[UUID, Memory]:
    """The rows of the first hits whose texts fit into one answer."""
    organisation_id = asked.principal.organisation_id
    first = first_fitting_ids(organisation_id, [hit.id for hit in hits])
    return load_memories(organisation_id, first)


def _without_repeats(
    hits: Sequence[Hit], rows: Mapping[UUID, Memory]
) -> tuple[list[Hit], dict[UUID, list[Memory]]]:
    """The hits without those that say in the same words, with the same attribution and for the same
    readers, what a better one says; and these others by the better one."""
    kept: list[Hit] = []
    first: dict[tuple[object, ...], UUID] = {}
    repeats: dict[UUID, list[Memory]] = {}
    for hit in hits:
        row = rows[hit.id]
        said = (row.audience_id, attribution_of(row), row.member_id, row.valid_until)
        better = first.setdefault((normalise_text(row.content), *said), hit.id)
        if better == hit.id:
            kept.append(hit)
        else:
            repeats.setdefault(better, []).append(row)
    return kept, repeats


def _build_piece(
    asked: ContextBuildState,
    memory: Memory,
    hit: Hit,
    repeats: Sequence[Memory],
    as_of: datetime,
    *,
    dates: bool,
) -> ContextPiece:
    """The piece of a hit; of what was said several times the newest, with the number of times.

    as_of: the time for which it is asked.
    """
    newest = max([memory, *repeats], key=lambda row: (row.occurred_at or row.created_at, row.id))
    piece = build_memory_piece(
        newest,
        asked.zone,
        as_of,
        dates=dates,
        strength=hit.strength,
        score=round(hit.score, 6),
    )
    piece = _with_state(piece, hit, asked.zone)
    if not repeats:
        return piece
    more = {**piece.more, "repeats": [row.id for row in (memory, *repeats) if row.id != newest.id]}
    return replace(
        piece,
        id=newest.id,
        head=(*piece.head, f"said {len(repeats) + 1} times"),
        more=more,
    )


def _with_state(piece: ContextPiece, hit: Hit, zone: tzinfo) -> ContextPiece:
    """The piece, which says whether it holds now. From and until when it does, if that was said,
    `build_memory_piece` says."""
    if hit.state is None:
        return piece
    more = {**piece.more, "state": str(hit.state)}
    if not hit.holds:
        return replace(piece, more=more)
    words = str(hit.state)
    if hit.replaced is not None:
        day = format_day(local_date(datetime.fromtimestamp(hit.replaced.at, UTC), zone))
        words = f"was true until {day}" if hit.replaced.settled else f"disputed on {day}"
    if hit.contradicted_by is not None:
        more["contradicted_by"] = str(hit.contradicted_by)
    return replace(piece, head=(*piece.head, words), more=more)


def _places(
    asked: ContextBuildState,
    hits: Sequence[Hit],
    scores: Sequence[float],
    rows: Mapping[UUID, Memory],
) -> dict[UUID, int]:
    """Where each stands in the text: the best first, the strongest first, or in the wanted
    order of `token_budget`."""
    if asked.query.order is None:
        weak = [hit.strength < WEAK_BELOW for hit in hits]
        ranked = sorted(range(len(hits)), key=lambda at: (-scores[at], weak[at], at))
        return {hits[at].id: place for place, at in enumerate(ranked)}
    if asked.query.order == STRENGTH:
        ranked = sorted(range(len(hits)), key=lambda at: (-hits[at].strength, at))
        return {hits[at].id: place for place, at in enumerate(ranked)}
    items = [_to_item(rows[hit.id]) for hit in hits]
    ordered = sort_items(items, asked.query.order, now=asked.now)
    return {item.id: place for place, item in enumerate(ordered)}


def _to_item(memory: Memory) -> WorkingMemoryItem:
    return WorkingMemoryItem(
        id=memory.id,
        tokens=0,
        importance=memory.importance,
        access_count=memory.access_count,
        added_at=memory.created_at,
        last_used_at=memory.last_accessed_at or memory.created_at,
    )


# The turns directly before and after a turn, for the same readers, that could be served themselves:
# the conditions on n are those of the search.
_NEIGHBOURS_SQL = """
SELECT h.id, before.id, after.id FROM memories_memory h
LEFT JOIN LATERAL (
    SELECT y.id FROM memories_memory y
    WHERE y.organisation_id = %(organisation)s AND y.conversation = h.conversation
      AND y.audience_id = h.audience_id AND y.status = 'active'
      AND (y.position, y.id) < (h.position, h.id)
    ORDER BY y.position DESC, y.id DESC LIMIT 1) AS before ON true
LEFT JOIN LATERAL (
    SELECT y.id FROM memories_memory y
    WHERE y.organisation_id = %(organisation)s AND y.conversation = h.conversation
      AND y.audience_id = h.audience_id AND y.status = 'active'
      AND (y.position, y.id) > (h.position, h.id)
    ORDER BY y.position, y.id LIMIT 1) AS after ON true
WHERE h.organisation_id = %(organisation)s AND h.id = ANY(%(ids)s::uuid[])
"""
_SERVABLE_SQL = f"""
SELECT x.id FROM memories_memory x
JOIN memories_text n ON n.organisation_id = x.organisation_id AND n.memory_id = x.id
WHERE x.organisation_id = %(organisation)s AND x.id = ANY(%(ids)s::uuid[]) AND x.status = 'active'
  AND octet_length(x.content) <= %(most_bytes)s
  AND {not_expired_sql("x")} {{narrowed}}
"""
# A longer turn is no question that its reply needs.
_MOST_BYTES = 2_000


def _add_neighbours(
    asked: ContextBuildState,
    question: SearchRequest,
    pieces: Mapping[UUID, ContextPiece],
    rows: Mapping[UUID, Memory],
) -> list[ContextPiece]:
    """The pieces; the best ones with the question that a short turn answers, and with the turn that
    answers a question."""
    best = list(pieces)[:WITH_NEIGHBOURS]
    best = [id_ for id_ in best if pieces[id_].id == id_ and rows[id_].conversation]
    around = (
        fetch_all(_NEIGHBOURS_SQL, {"organisation": question.organisation_id, "ids": best})
        if best
        else []
    )
    found = _load_servable(question, {id_ for row in around for id_ in row[1:] if id_})
    made = dict(pieces)
    for id_, before, after in around:
        said, asker, reply = rows[id_].content, found.get(before), found.get(after)
        short = len(said) <= MAX_REPLY_CHARACTERS and not ends_with_question_mark(said)
        if short and asker and ends_with_question_mark(asker.content):
            made[id_] = replace(made[id_], before=_neighbour(asked, pieces, asker))
        if ends_with_question_mark(said) and reply:
            made[id_] = replace(made[id_], after=_neighbour(asked, pieces, reply))
    return list(made.values())


def _neighbour(
    asked: ContextBuildState, pieces: Mapping[UUID, ContextPiece], memory: Memory
) -> ContextPiece:
    known = pieces.get(memory.id)
    same = known is not None and known.id == memory.id
    return known if known and same else build_memory_piece(memory, asked.zone, asked.now)


def _load_servable(question: SearchRequest, ids: set[UUID]) -> Mapping[UUID, Memory]:
    """The short ones of these memories that the search could serve at any time: what is beside an
    answer was said at about its time."""
    if not ids:
        return {}
    conditions, values = build_conditions(replace(question, filters=SearchFilters()))
    values |= {"ids": sorted(ids), "now": question.now, "most_bytes": _MOST_BYTES}
    narrowed = "".join(f" AND {condition}" for condition in conditions)
    rows = fetch_all(_SERVABLE_SQL.format(narrowed=narrowed), values)
    return load_memories(question.organisation_id, [id_ for (id_,) in rows])
