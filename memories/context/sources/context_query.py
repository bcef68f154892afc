"""The request for a context, as every source gets it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from memories.access.audience_labels import memory_audience_label
from memories.context.sources.pieces import ContextPiece
from memories.context.token_budget import ORDERS
from memories.language.relative_dates import (
    find_relative_dates,
    format_spoken_day,
    local_date,
    weekday_name,
)
from memories.lifecycle.decay import compute_strength_at
from memories.retrieval.answer_rows import short_document
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import SearchResult
from memories.retrieval.timeframes.parse_timeframe import TimeRange
from memories.store.conversation_turns import source_message_id
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import attribution_of
from orgs.cohort_types import audience_level
from orgs.iso_times import to_zone
from orgs.principals import Actor, Principal

# A memory as a line of a context.

MEMORY = "memory"
# How many relative times of one text are resolved.
MAX_RESOLVED_DATES = 3


def build_memory_piece(
    memory: Memory,
    zone: tzinfo,
    now: datetime,
    *,
    dates: bool = True,
    strength: float | None = None,
    **more: Any,
) -> ContextPiece:
    """The piece of a memory that came `with_names`: when, whose words, from and until when it is
    true, which days its relative times are, and what.

    zone: in which days are shown. now: the time for which it is asked. dates: whether its relative
    times are resolved. strength: 0-1, if it is known. more: further fields of the citation.
    """
    if strength is None:
        strength = compute_strength_at(memory, now)
    at = memory.occurred_at or memory.created_at
    said = attribution_of(memory)
    return ContextPiece(
        head=(
            format_day(local_date(at, zone)),
            *said.head,
            *_validity(memory, zone, now),
        ),
        dates=resolve_dates(memory.content, at, said.person.zone if said.person else zone, zone)
        if dates
        else (),
        text=memory.content,
        type=MEMORY,
        id=memory.id,
        more={
            "audience": {"kind": memory.audience.kind, "label": memory_audience_label(memory)},
            **said.citation,
            "category": memory.category,
            "strength": round(strength, 6),
            "tags": memory.tags,
            "metadata": short_document(memory.metadata),
            "source": short_document(memory.open_source),
            **more,
        },
        said=memory.content,
        key=memory.key,
        audience=audience_level(memory.audience.kind, memory.audience.key),
        message=source_message_id(memory),
    )


def _validity(memory: Memory, zone: tzinfo, now: datetime) -> Iterator[str]:
    """From and until when a memory is true, as parts of a head, if that was said or decided."""
    since, until = memory.valid_from, memory.valid_until
    if since is not None:
        word = "will be true from" if since > now else "true since"
        yield f"{word} {format_day(local_date(since, zone))}"
    if until is not None:
        word = "was true until" if until <= now else "true until"
        yield f"{word} {format_day(local_date(until, zone))}"


def resolve_dates(text: str, at: datetime, speaker_zone: tzinfo, zone: tzinfo) -> tuple[str, ...]:
    """The relative times of a text as parts of its head: "last week = week of 16 Nov 2026".

    They count by the speaker's days. "Today" is left out where it is the day of the head.
    """
    said_on, head_day = local_date(at, speaker_zone), local_date(at, zone)
    found = find_relative_dates(text, said_on, most=MAX_RESOLVED_DATES)
    shown = format_spoken_day(head_day) if said_on == head_day else ""
    return tuple(f"{words} = {when}" for words, when in found if when != shown)


def format_day(day: date) -> str:
    """2026-11-26 Thu."""
    return f"{day.isoformat()} {weekday_name(day)}"


def format_time(at: datetime, zone: tzinfo) -> str:
    """2026-11-26 Thu 14:05, in a zone."""
    there = to_zone(at, zone)
    return f"{format_day(there.date())} {there:%H:%M}"


DEFAULT_MAX_TOKENS, DEFAULT_MAX_ENTITIES = 2000, 10
# The order that also decides which of the found memories are taken: the strongest first.
STRENGTH = "strength"
CONTEXT_ORDERS = (*ORDERS, STRENGTH)
# A memory below this strength comes after others that answer as well.
WEAK_BELOW = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextQuery:
    """The request. `categories`, `entity_types` and `accounts` filter by name; empty means all.

    max_tokens: of the whole text. order: of the memories in the text, one of CONTEXT_ORDERS;
    None means by relevance. max_memories: None means as many as fit. max_entities: None means none,
    unless `entity_types` asks for some. min_strength: the least strength of recalled memories, 0-1;
    None means that weak ones come last. include_profile: whether the facts about the member come
    first for whom it is. include_direct: None means that a robot that asks for a
    member alone is given what it was told by them in direct conversations. The others mean the same
    as in `retrieval.resolve_filters.Query`.
    """

    text: str
    max_tokens: int = DEFAULT_MAX_TOKENS
    group: str | None = None
    member: str | None = None
    order: str | None = None
    max_entities: int | None = None
    max_memories: int | None = None
    min_strength: float | None = None
    filters: dict[str, Any] = field(default_factory=dict)
    timeframe: tuple[str | TimeRange, ...] = ()
    as_of: date | None = None
    rerank: bool = False
    profile: str = "balanced"
    categories: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()
    include_direct: bool | None = None
    include_recent: bool = True
    include_profile: bool = False
    include_shared: bool = True
    shared_limit: int | None = None
    prefer_personal: bool = True
    accounts: tuple[str, ...] | None = None


@dataclass(slots=True, kw_only=True)
class ContextBuildState:
    """A request on its way through the sources, in the asker's scope. A later source sees what
    earlier ones gave.

    recall_query: the query of the memories; built from `query` if it is None. zone: of the clock by
    which all days and times are shown. reranked: the hits in the order of the cross-encoder, if it
    read them. served: the hits that are strong enough, more than are shown; set by the source of
    memories. weak: how many hits were too weak.
    """

    query: ContextQuery
    principal: Principal
    now: datetime
    recall_query: Query | None = None
    zone: tzinfo = UTC
    reranked: SearchResult | None = None
    served: SearchResult | None = None
    weak: int = 0

    @property
    def actor(self) -> Actor:
        return self.principal.actor


# Gives pieces, best first; None if the request leaves the source out.
SourceLoader = Callable[[ContextBuildState], Sequence[ContextPiece] | None]
