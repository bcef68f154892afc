"""A robot's stream: record, recall by time, importance and relevance, summarise a range.

An entry is a memory that only the robot itself reads (`visibility: internal`); `metadata.stream` is
its kind. So an entry is found, corrected, forgotten and erased like every memory. A person has no
stream. A robot that acts for a member uses its own stream.
"""

import time
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Coalesce

from memories.context.streams.stream_scores import (
    IMPORTANCE_BY_TYPE,
    INSIGHT,
    KINDS,
    OBSERVATION,
    REFLECTION,
    score_stream_entry,
)
from memories.embedding.tokens.token_count import count_tokens
from memories.ingestion.drafts import Draft, RememberResult
from memories.ingestion.remember import remember
from memories.language.rendering.model_text import render_line
from memories.lifecycle.consolidation.archive_selection import find_medoids
from memories.retrieval.pipeline import run_search
from memories.retrieval.recall import build_request, load_memories
from memories.retrieval.recall_log import record_recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import Hit, SearchResult
from memories.retrieval.timeframes.parse_timeframe import TimeRange
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.organisation_models import to_organisation_models
from orgs.principals import Actor, Principal, resolve_principal

METADATA_KEY = "stream"
# How many of the latest entries and of the best hits are scored; how many entries are summarised.
MAX_LATEST, MAX_HITS, MAX_SUMMARISED = 1_000, 200, 2_000
# This many observations represent those of a range.
REPRESENTATIVES = 5
DEFAULT_SUMMARY_TOKENS = 500
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredEntry:
    """An entry and its score. relevance, score: 0-1."""

    memory: Memory
    relevance: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRecallResult:
    """The best entries, best first. recall_id: for feedback on them."""

    recall_id: UUID
    entries: list[ScoredEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSummary:
    """count: entries in the range; kinds: the same by kind. text: the entries of `memories`, a line
    each, with `tokens` tokens together."""

    count: int
    kinds: dict[str, int]
    text: str
    tokens: int
    memories: list[Memory]


def add_stream_entry(
    actor: Actor,
    content: str,
    *,
    kind: str = OBSERVATION,
    importance: float | None = None,
    occurred_at: datetime | None = None,
    now: datetime,
) -> RememberResult:
    """Add an entry to the robot's own stream; importance 0-1, by default that of the kind.

    Entries of different times are never merged, even if they say the same. Raises PermissionError
    for a person.
    """
    draft = Draft(
        content=content,
        visibility="internal",
        importance=IMPORTANCE_BY_TYPE[kind] if importance is None else importance,
        occurred_at=occurred_at or now,
        metadata={METADATA_KEY: kind},
    )
    return remember(_require_robot(actor), draft, now=now)


def stream_entries(
    principal: Principal,
    *,
    kind: str | None = None,
    span: TimeRange = (None, None),
    now: datetime,
) -> MemoryQuerySet:
    """The entries of the robot's stream, without sensitive ones; evaluate inside its scope.

    span: the time in which they happened, both ends included; None is open.
    """
    since, until = span
    rows = Memory.objects.active(now).filter(
        organisation_id=principal.organisation_id,
        audience_id=principal.own_audience,
        sensitive=False,
        metadata__stream__in=[kind] if kind else KINDS,
    )
    rows = rows.annotate(at=Coalesce(F("occurred_at"), F("created_at")))
    if since is not None:
        rows = rows.filter(at__gte=since)
    return rows if until is None else rows.filter(at__lte=until)


def resolve_own_stream(actor: Actor) -> Principal:
    """The robot's principal, reduced to its own audience. Raises PermissionError for a person."""
    principal = resolve_principal(_require_robot(actor))
    return principal.narrowed(frozenset({principal.own_audience}))


def recall_stream(
    actor: Actor, query: str, *, limit: int = 10, now: datetime
) -> StreamRecallResult:
    """The best entries for a question (see `stream_scores`); equal ones the newest first.

    The latest LATEST entries are all scored, also those that do not match the question; of the
    older ones the BEST that match. The returned entries count as recalled.
    """
    started = time.perf_counter()
    principal = resolve_own_stream(actor)
    with principal.scope(deposit=(principal.own_audience,), relaxed=True):
        served = run_search(build_request(principal, Query(text=query, limit=MAX_HITS), now))
        relevance = {hit.id: hit.relevance for hit in served.hits}
        rows = stream_entries(principal, now=now)
        latest = list(rows.order_by("-at", "-id").values_list("id", flat=True)[:MAX_LATEST])
        scored = [
            (_score_entry(at, importance, relevance.get(id_, 0.0), now), id_)
            for id_, at, importance in rows.filter(id__in={*latest, *relevance}).values_list(
                "id", "at", "importance"
            )
        ]
        best = sorted(scored, reverse=True)[:limit]
        known = load_memories(principal.organisation_id, [id_ for _, id_ in best])
        hits = [
            Hit(id=id_, relevance=relevance.get(id_, 0.0), score=score)
            for score, id_ in best
            if id_ in known
        ]
        recall_id = record_recall(
            principal,
            SearchResult(hits, served.strategy),
            took_ms=(time.perf_counter() - started) * 1000,
            counts=True,
            now=now,
        )
    found = [ScoredEntry(memory=known[h.id], relevance=h.relevance, score=h.score) for h in hits]
    return StreamRecallResult(recall_id=recall_id, entries=found)


def summarise_stream(
    actor: Actor, span: TimeRange, *, max_tokens: int = DEFAULT_SUMMARY_TOKENS, now: datetime
) -> StreamSummary:
    """A summary of a range in a few of its entries: insights, then reflections, the most important
    first, then representative observations. It has only the words of the entries."""
    principal = resolve_own_stream(actor)
    with principal.scope():
        rows = stream_entries(principal, span=span, now=now)
        found = list(rows.order_by("-at", "-id")[:MAX_SUMMARISED])
        counts = Counter(rows.values_list("metadata__stream", flat=True))
        chosen = [one for kind in (INSIGHT, REFLECTION) for one in _sort_by_importance(found, kind)]
        chosen += _select_representatives(
            principal, [one for one in found if one.metadata[METADATA_KEY] == OBSERVATION]
        )
    lines: list[Memory] = []
    texts: list[str] = []
    taken = 0
    for memory in chosen:
        text = render_line(memory.content)
        cost = count_tokens(text)
        if taken + cost > max_tokens:
            break
        lines.append(memory)
        texts.append(text)
        taken += cost
    return StreamSummary(
        count=counts.total(),
        kinds={kind: counts[kind] for kind in KINDS},
        text="\n".join(texts),
        tokens=taken,
        memories=lines,
    )


def _require_robot(actor: Actor) -> Actor:
    if actor.robot_id is None:
        raise PermissionError("A stream belongs to a robot; a person has none.")
    return replace(actor, member_id=None, group_id=None)


def _score_entry(at: datetime, importance: float, relevance: float, now: datetime) -> float:
    hours = (now - at) / _HOUR
    return score_stream_entry(hours=hours, importance=importance, relevance=relevance)


def _sort_by_importance(found: list[Memory], kind: str) -> list[Memory]:
    """The entries of one kind, the most important first; equal ones stay newest first."""
    those = [one for one in found if one.metadata[METADATA_KEY] == kind]
    return sorted(those, key=lambda one: -one.importance)


def _select_representatives(principal: Principal, observations: list[Memory]) -> list[Memory]:
    """The range is cut into CENTRAL parts; of each the observation nearest to the centroid, in the
    order of time. Of a part without any vector it is the latest one. Up to CENTRAL observations are
    all returned."""
    if len(observations) <= REPRESENTATIVES:
        return observations[::-1]
    ordered = observations[::-1]
    known = {one.id: one for one in ordered}
    size = -(-len(ordered) // REPRESENTATIVES)
    parts = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    ids = [[one.id for one in part] for part in parts]
    model = to_organisation_models(principal.encoders).serving
    middles = find_medoids(principal.organisation_id, ids, model.number)
    return [known[middles.get(place, part[-1].id)] for place, part in enumerate(parts)]
