"""Recall: answer a question from what the asker may read, and record what was served."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings

from memories.access.visibility import audience_types
from memories.embedding.encoder import EncoderError
from memories.embedding.model_catalogue import get_model
from memories.embedding.query_cache import encode_query
from memories.language.query_cues import is_about_self, is_when_question, query_forms
from memories.retrieval.answering.confidence import classify_confidence, max_confidence
from memories.retrieval.candidates.query_words import add_query_words
from memories.retrieval.candidates.search_conditions import SHAREABLE_SQL
from memories.retrieval.pipeline import RECALL_SECONDS, run_search
from memories.retrieval.recall_log import record_recall
from memories.retrieval.reranking.rerank import (
    RERANK_DEPTH,
    fetch_passages,
    fetch_still_active,
    rerank,
)
from memories.retrieval.search_types import Hit, SearchFilters, SearchRequest, SearchResult, hit_ids
from memories.retrieval.strategies.registry import ALIASES, needs_vector
from memories.retrieval.tier_strategies import DEFAULT_LIMIT, TIER_STRATEGIES, effective_tiers
from memories.retrieval.timeframes.parse_timeframe import (
    TimeRange,
    extract_timeframe,
    parse_timeframes,
)
from memories.store.models.memory import Memory
from memories.store.tag_names import coerce_query_tags
from orgs.database.prepared_statements import fetch_all
from orgs.models.audiences import Audience, AudienceType
from orgs.models.memberships import Member
from orgs.organisations.references import find_members
from orgs.principals import Actor, Principal, load_disclosable_audiences, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.people.directory import find_known_groups
from robots.registry.robots import find_robots
from robots.teams.teams import find_teams

FUSIONS = ("minmax", "rrf", "weighted_rrf")
# The value of `timeframe` for the time that the question names.
AUTO_TIMEFRAME = ("auto",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A recall as it was asked; references are ids, external ids or platform:id.

    timeframe: times in words or as ranges, combined by OR, or AUTO for the time that the text
    names; recall resolves them into `ranges`. narrow: filters that are looked up already, instead
    of `filters` and `ranges`. working: whether every hit enters the robot's working memory.
    prefer_personal, shared_limit: see `ranking.nearest_audience`; a limit of 0 is the same as
    include_shared=False.
    """

    text: str
    limit: int = DEFAULT_LIMIT
    group: str | None = None
    member: str | None = None
    shareable_with: str | None = None
    strategy: str = "auto"
    fusion: str = "minmax"
    min_similarity: float | None = None
    include_shared: bool = True
    prefer_personal: bool = True
    shared_limit: int | None = None
    include_direct: bool = False
    filters: dict[str, Any] = field(default_factory=dict)
    timeframe: tuple[str | TimeRange, ...] = ()
    ranges: tuple[TimeRange, ...] = ()
    counts: bool = True
    narrow: SearchFilters | None = None
    explain: bool = False
    rerank: bool = False
    profile: str = "balanced"
    tier_strategy: str | None = None
    include_expired: bool = False
    working: bool = False


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The answer: hits, best first, each with its row from `load`.

    confidence: that one of them answers, in 0-1. merged: the rows, by id, of memories that say the
    same as a hit. query: as it was understood. not_reranked: why the order is the plain one
    although reranking was requested.
    """

    query: Query
    recall_id: UUID
    hits: list[tuple[Hit, Any]]
    strategy: str
    took_ms: float
    not_reranked: str | None = None
    merged: Mapping[UUID, Any] = field(default_factory=dict)
    confidence: float = 0.0

    @property
    def answered(self) -> str:
        """Whether the answer answers: yes, unsure or no."""
        return classify_confidence(self.confidence)


LoadRows = Callable[[UUID, Sequence[UUID]], Mapping[UUID, Any]]


def load_memories(organisation_id: UUID, ids: Sequence[UUID]) -> Mapping[UUID, Memory]:
    """The memories, by id, with all names, for pages."""
    rows = Memory.objects.filter(organisation_id=organisation_id)
    return rows.with_names().in_bulk(list(ids))


def recall(
    actor: Actor, query: Query, *, now: datetime, load: LoadRows = load_memories
) -> RecallResult:
    """Answer a question. Raises NotFoundError for a group or member that the asker may not know,
    and TimeframeError for a time in words.

    load: how the rows of the hits are read, inside the asker's scope.
    """
    started = time.perf_counter()
    principal = resolve_asker(actor, query)
    query = resolve_timeframe(principal, query, now)
    return recall_as_principal(principal, query, now=now, load=load, started=started)


def resolve_timeframe(principal: Principal, query: Query, now: datetime) -> Query:
    """The query with its times as ranges, in the time zone of the member who asks or for whom a
    robot asks.

    Raises TimeframeError.
    """
    if not query.timeframe:
        return query
    member_id = principal.actor.member_id
    with principal.scope():
        members = Member.objects.filter(organisation_id=principal.organisation_id)
        whose = members.filter(id=member_id).first() if member_id else None
    zone = whose.zone if whose else UTC
    if query.timeframe != AUTO_TIMEFRAME:
        return replace(
            query, ranges=parse_timeframes(query.timeframe, now=now, zone=zone), timeframe=()
        )
    text, found = extract_timeframe(query.text, now=now, zone=zone)
    return replace(query, text=text, ranges=(found,) if found else (), timeframe=())


def recall_as_principal(
    principal: Principal,
    query: Query,
    *,
    now: datetime,
    load: LoadRows = load_memories,
    started: float | None = None,
) -> RecallResult:
    """`recall` for a known principal and resolved times. started: time.perf_counter() at the start
    of the call."""
    started = time.perf_counter() if started is None else started
    read: Mapping[UUID, str] = {}
    with principal.scope(deposit=(principal.own_audience,), relaxed=True):
        question = build_request(principal, query, now)
        served = _filter_disclosable(principal, run_search(question))
        if not query.rerank:
            return _record_and_load(principal, query, served, now=now, load=load, started=started)
        read = fetch_passages(question, served.hits[:RERANK_DEPTH])
    # Outside any transaction, because the model takes longer than everything else together.
    better = rerank(query.text, served.hits, read, seconds=settings.RERANK_SECONDS)
    with principal.scope(deposit=(principal.own_audience,), relaxed=True):
        still = fetch_still_active(
            principal.organisation_id,
            hit_ids(better.hits),
            now,
            include_expired=query.include_expired,
        )
        served = _select_hits(replace(served, hits=better.hits), still)
        served = _filter_disclosable(principal, served)
        served = replace(served, hits=served.hits[: query.limit])
        answer = _record_and_load(principal, query, served, now=now, load=load, started=started)
    return replace(answer, not_reranked=better.why_not)


def _filter_disclosable(principal: Principal, served: SearchResult) -> SearchResult:
    """A second check that all hits may be said in the group, besides the filters of every
    strategy."""
    if principal.sayable is None:
        return served
    return _select_hits(served, fetch_disclosable(principal, hit_ids(served.hits)))


def _select_hits(served: SearchResult, ids: set[UUID]) -> SearchResult:
    """Keep only these hits. If some are removed, the confidence is computed again."""
    hits = _filter_hits(served.hits, ids)
    if len(hits) == len(served.hits):
        return replace(served, hits=hits)
    return replace(served, hits=hits, confidence=max_confidence(hits))


def _filter_hits(hits: Sequence[Hit], ids: set[UUID]) -> list[Hit]:
    """The hits with these ids, and only these ids among their merged ones."""
    return [
        replace(hit, merged=tuple(id_ for id_ in hit.merged if id_ in ids))
        for hit in hits
        if hit.id in ids
    ]


def _record_and_load(
    principal: Principal,
    query: Query,
    served: SearchResult,
    *,
    now: datetime,
    load: LoadRows,
    started: float,
) -> RecallResult:
    """Load the rows of the hits and record what was served; inside the principal's scope."""
    rows = load(principal.organisation_id, hit_ids(served.hits))
    took_ms = (time.perf_counter() - started) * 1000
    RECALL_SECONDS.labels(served.strategy).observe(took_ms / 1000)
    recall_id = record_recall(
        principal,
        served,
        took_ms=took_ms,
        counts=query.counts,
        now=now,
        working=query.working,
    )
    return build_result(query, recall_id, served, rows, took_ms)


def build_result(
    query: Query, recall_id: UUID, served: SearchResult, rows: Mapping[UUID, Any], took_ms: float
) -> RecallResult:
    """The answer of hits with their rows; hits without a row are left out, because the asker cannot
    read them."""
    hits = [(hit, rows[hit.id]) for hit in served.hits if hit.id in rows]
    merged = {id_: rows[id_] for hit, _ in hits for id_ in hit.merged if id_ in rows}
    sure = served.confidence or 0.0
    return RecallResult(
        query, recall_id, hits, served.strategy, took_ms, merged=merged, confidence=sure
    )


def resolve_asker(actor: Actor, query: Query) -> Principal:
    """The principal of a query: who asks, for whom and in which group. Raises NotFoundError for
    references that the asker may not know."""
    acting = resolve_actor(
        actor, member=query.member, group=query.group, include_direct=query.include_direct
    )
    principal = resolve_principal(acting)
    if query.shareable_with is not None:
        return _shareable_principal(principal, query.shareable_with)
    return principal


def build_request(principal: Principal, query: Query, now: datetime) -> SearchRequest:
    """The question with all references resolved and its vector; call inside the principal's
    scope."""
    return add_vector(add_query_words(resolve_query(principal, query, now)), principal.reader)


def _shareable_principal(principal: Principal, group: str) -> Principal:
    """The principal reduced to what every present member of the group may read, without robots' own
    notes.

    Shareable memories may leave their group, so the asker's other groups are searched as well, only
    for these.
    """
    alone = replace(principal.actor, group_id=None)
    if not alone.is_person:
        alone = replace(alone, member_id=None)
    place = resolve_actor(alone, group=group)
    assert place.group_id is not None  # noqa: S101 - for the type checker
    safe = load_disclosable_audiences(principal.organisation_id, place.group_id)
    with principal.scope():
        groups = Audience.objects.filter(
            organisation_id=principal.organisation_id,
            kind=AudienceType.GROUP,
            id__in=principal.audiences,
        )
        others = frozenset(groups.values_list("id", flat=True))
    return replace(principal.narrowed(safe | others), sayable=safe)


_DISCLOSABLE_SQL = f"""
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND (%(everything)s OR m.audience_id = ANY(%(sayable)s::uuid[]) OR ({SHAREABLE_SQL}))
"""


def fetch_disclosable(principal: Principal, ids: Sequence[UUID]) -> set[UUID]:
    """The memories among these that may be said in the group; inside the principal's scope."""
    values = {
        "organisation": principal.organisation_id,
        "ids": list(ids),
        "everything": principal.sayable is None,
        "sayable": list(principal.sayable or ()),
    }
    return {id_ for (id_,) in fetch_all(_DISCLOSABLE_SQL, values)}


def resolve_query(principal: Principal, query: Query, now: datetime) -> SearchRequest:
    """The question with its references resolved; call in the asker's scope."""
    actor, model = principal.actor, get_model()
    filters = query.narrow or _resolve_filters(actor, query)
    # Reranking needs more hits, but that must not make the search continue in slower tiers.
    deeper = query.rerank and query.tier_strategy != "fast_first"
    return SearchRequest(
        organisation_id=actor.organisation_id,
        text=query.text,
        language=principal.language,
        model=model.number,
        meaning_floor=model.meaning_floor,
        weights=model.answers,
        limit=max(query.limit, RERANK_DEPTH) if deeper else query.limit,
        now=now,
        strategy=ALIASES.get(query.strategy, query.strategy),
        automatic=query.strategy == "auto",
        fusion=query.fusion,
        asker=actor.member_id,
        asks_when=is_when_question(query.text),
        asks_about_self=actor.member_id is not None and is_about_self(query.text),
        context_group=actor.group_id,
        sayable=principal.sayable,
        audiences=principal.audiences,
        organisation_audience=principal.organisation_audience,
        include_direct=actor.include_direct,
        include_shared=query.include_shared and query.shared_limit != 0,
        prefer_personal=query.prefer_personal,
        shared_limit=query.shared_limit,
        min_similarity=query.min_similarity,
        with_similarity=query.explain,
        profile=query.profile,
        tier_strategy=query.tier_strategy,
        include_expired=query.include_expired,
        cohorts=tuple(sorted(principal.cohorts & principal.audiences)),
        fresh_days=settings.BLOCK_FRESH_DAYS,
        filters=replace(filters, tiers=effective_tiers(query.tier_strategy, filters.tiers)),
    )


def add_vector(question: SearchRequest, reader: UUID) -> SearchRequest:
    """The question with its vector: the normalised sum of the vectors of its forms (see
    `language.cues`). reader: who asks, see `encode_query`."""
    if not needs_vector(question):
        return question
    names = sorted(question.named, key=len, reverse=True)
    try:
        vectors = [encode_query(form, reader=reader) for form in query_forms(question.text, names)]
    except EncoderError:
        # Search goes on by words; the health check reports the missing encoder.
        return replace(question, strategy="keyword")
    vector = sum(vectors[1:], vectors[0])
    question = replace(question, vector=vector / np.linalg.norm(vector))
    if question.tier_strategy is None or question.min_similarity is not None:
        return question
    # Only with a vector: without one no hit has a similarity, and words must still find.
    least = TIER_STRATEGIES[question.tier_strategy].min_similarity
    return replace(question, min_similarity=least)


def _resolve_filters(actor: Actor, query: Query) -> SearchFilters:
    """The filters with references resolved to ids. An unknown reference matches nothing, like a
    hidden one."""
    given, organisation_id = query.filters, actor.organisation_id
    return SearchFilters(
        groups=_resolve_ids(given.get("groups", ()), partial(find_known_groups, actor)),
        members=_resolve_ids(
            given.get("members", ()), partial(find_members, organisation_id, removed=True)
        ),
        robots=_resolve_ids(given.get("robots", ()), partial(find_robots, organisation_id)),
        visibilities=audience_types(
            given.get("visibilities", ()), member=actor.member_id is not None
        ),
        teams=_resolve_ids(given.get("teams", ()), partial(find_teams, organisation_id)),
        kinds=tuple(given.get("kinds", ())),
        types=tuple(given.get("types", ())),
        categories=tuple(given.get("categories", ())),
        tiers=tuple(given.get("tiers", ())),
        tags=coerce_query_tags(given.get("tags", ())),
        metadata=given.get("metadata"),
        min_importance=given.get("min_importance"),
        ranges=query.ranges,
    )


_NO_ID = UUID(int=0)
Ids = tuple[UUID, ...]


def _resolve_ids(
    references: Sequence[str], find: Callable[[Sequence[str]], Mapping[str, Any]]
) -> Ids:
    """The ids of what the references mean. All are looked up at once."""
    found = find(references) if references else {}
    return tuple(
        found[reference].id if reference in found else _NO_ID
        for reference in dict.fromkeys(references)
    )
