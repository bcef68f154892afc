"""The request for a context, as every source gets it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

from memories.access.audience_labels import memory_audience_label
from memories.context.sources.pieces import ContextPiece
from memories.retrieval.search_types import SearchResult
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import attribution_of
from orgs.principals import Actor, Principal

# A memory as a line of a context.

MEMORY = "memory"


def build_memory_piece(memory: Memory, **more: Any) -> ContextPiece:
    """The piece of a memory that came `with_names`: when, whose words, until when it was true, and
    what.

    more: further fields of the citation.
    """
    day = memory.occurred_at or memory.created_at
    said = attribution_of(memory)
    over = f"was true until {_format_day(memory.valid_until.date())}" if memory.valid_until else ""
    return ContextPiece(
        head=(_format_day(day.date()), *said.head, over),
        text=memory.content,
        type=MEMORY,
        id=memory.id,
        more={
            "audience": {"kind": memory.audience.kind, "label": memory_audience_label(memory)},
            **said.citation,
            **more,
        },
        said=memory.content,
        key=memory.key,
        audience=memory.audience.kind,
    )


def _format_day(day: date) -> str:
    return day.isoformat()


DEFAULT_MAX_TOKENS, DEFAULT_MIN_STRENGTH = 2000, 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextQuery:
    """The request. `categories`, `entity_types` and `accounts` filter by name; empty means all.

    max_tokens: of the whole text. order: of the memories, one of `token_budget.ORDERS`; None means
    by relevance. min_strength: the least strength of recalled memories, 0-1. shared_limit: see
    `retrieval.ranking.nearest_audience`.
    """

    text: str
    max_tokens: int = DEFAULT_MAX_TOKENS
    group: str | None = None
    member: str | None = None
    order: str | None = None
    max_entities: int = 10
    max_memories: int = 10
    min_strength: float = DEFAULT_MIN_STRENGTH
    categories: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()
    include_recent: bool = True
    include_shared: bool = True
    shared_limit: int | None = None
    prefer_personal: bool = True
    accounts: tuple[str, ...] | None = None


@dataclass(slots=True, kw_only=True)
class ContextBuildState:
    """A request on its way through the sources, in the asker's scope. A later source sees what
    earlier ones gave.

    memories, messages: ids that a section holds already; entries: ids of block entries, which do
    not count against the recalled memories. served: the hits that are strong enough, more than are
    shown; set by the source of memories. weak: how many hits were too weak.
    """

    query: ContextQuery
    principal: Principal
    now: datetime
    memories: set[UUID] = field(default_factory=set)
    messages: set[UUID] = field(default_factory=set)
    entries: set[UUID] = field(default_factory=set)
    served: SearchResult | None = None
    weak: int = 0

    @property
    def actor(self) -> Actor:
        return self.principal.actor


# Gives pieces, best first; None if the request leaves the source out.
SourceLoader = Callable[[ContextBuildState], Sequence[ContextPiece] | None]
