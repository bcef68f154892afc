"""The values that pass from stage to stage of a recall."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the asker narrows to; empty means everything. Ids are the organisation's own."""

    groups: tuple[UUID, ...] = ()
    members: tuple[UUID, ...] = ()
    robots: tuple[UUID, ...] = ()
    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    min_importance: float | None = None
    ranges: tuple[tuple[datetime | None, datetime | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One recall, everything looked up: pure input of the pipeline.

    context_group: the group in which it is asked; rows of direct conversations and of other
    groups stay out unless `include_direct`. organisation_audience is readable everywhere.
    named: the speakers that the question names, in lower case, with their share of the scope.
    vector: None where only words are asked. asks_when, asks_about_self: see policies.cues;
    the latter only where a member asks.
    """

    organisation_id: UUID
    text: str
    language: str
    model: int
    limit: int
    now: datetime
    strategy: str = "hybrid"
    fusion: str = "minmax"
    vector: Vector | None = None
    asker: UUID | None = None
    asks_when: bool = False
    asks_about_self: bool = False
    named: Mapping[str, float] = field(default_factory=dict)
    context_group: UUID | None = None
    audiences: frozenset[UUID] = frozenset()
    organisation_audience: UUID | None = None
    include_direct: bool = False
    include_shared: bool = True
    min_similarity: float | None = None
    filters: Filters = field(default_factory=Filters)


@dataclass(slots=True)
class Candidates:
    """What one arm found: scores by memory, higher is better."""

    scores: dict[UUID, float] = field(default_factory=dict)


@dataclass(slots=True)
class Hit:
    """One memory of an answer. Every score is in 0-1 but `similarity`, a cosine."""

    id: UUID
    relevance: float
    score: float = 0.0
    vector: float | None = None
    keyword: float | None = None
    similarity: float | None = None
    cues: float = 0.0
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class Served:
    """Hits in order, and what a reader of the explanation wants to know."""

    hits: list[Hit]
    strategy: str
