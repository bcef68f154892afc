"""The values that pass from stage to stage of a recall."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.embedding.known_models import AnswerWeights

Vector = NDArray[np.float32]
Ids = NDArray[np.bytes_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the asker narrows to; empty means everything. Ids are the organisation's own.

    visibilities: kinds of audiences (see `memories.access.visibility.audience_kinds`). deposits:
    whether what a robot left where it does not read comes up as well.
    """

    groups: tuple[UUID, ...] = ()
    members: tuple[UUID, ...] = ()
    robots: tuple[UUID, ...] = ()
    visibilities: tuple[str, ...] = ()
    teams: tuple[UUID, ...] = ()
    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    min_importance: float | None = None
    ranges: tuple[tuple[datetime | None, datetime | None], ...] = ()
    deposits: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One recall, everything looked up: pure input of the pipeline.

    context_group: the group in which it is asked; rows of direct conversations and of other
    groups stay out unless `include_direct`. organisation_audience is readable everywhere.
    sayable: see `orgs.principals.Principal`.
    lexemes, places, named, speakers: the question's words as the text index has them, their places
    in the sparse vectors of words (see candidates/word_codes), the speakers of the
    scope whom it names, in lower case (see `question_words`). vector: None where only words
    are asked. asks_when, asks_about_self: see `language.cues`; the latter only where a member asks.
    automatic: whether nobody named the strategy. meaning_floor, near_duplicate: of the model whose
    number is `model` (see memories.embedding.known_models), and weights too; None where nobody has
    measured it.
    with_similarity: whether each hit is to carry the cosine with its own text. whole: whether
    every candidate is served, for explanations, in the place of the best `limit`.
    profile: see `profiles`; tier_strategy: see `tier_strategies`, its tiers are in `filters`.
    include_expired: whether what is past its day comes up as well. prefer_personal, shared_limit:
    see `ranking.nearest_audience`.
    cohorts: those of `audiences` that a profession reads; what nobody confirms there fades once
    `fresh_days` are over.
    """

    organisation_id: UUID
    text: str
    language: str
    model: int
    meaning_floor: float
    near_duplicate: float
    limit: int
    now: datetime
    weights: AnswerWeights | None = None
    strategy: str = "hybrid"
    automatic: bool = False
    fusion: str = "minmax"
    vector: Vector | None = None
    lexemes: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    asker: UUID | None = None
    asks_when: bool = False
    asks_about_self: bool = False
    named: tuple[str, ...] = ()
    speakers: tuple[int, ...] = ()
    context_group: UUID | None = None
    sayable: frozenset[UUID] | None = None
    audiences: frozenset[UUID] = frozenset()
    organisation_audience: UUID | None = None
    include_direct: bool = False
    include_shared: bool = True
    prefer_personal: bool = True
    shared_limit: int | None = None
    min_similarity: float | None = None
    with_similarity: bool = False
    whole: bool = False
    profile: str = "balanced"
    tier_strategy: str | None = None
    include_expired: bool = False
    cohorts: tuple[UUID, ...] = ()
    fresh_days: float = 90.0
    filters: Filters = field(default_factory=Filters)


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the narrow rows say of the candidates, as columns, one place a memory.

    ids: 16 bytes each. product: inner product with the searched vectors (about -.2 to 1.6), words:
    score of the words, both NaN where that arm cannot judge the memory; by_meaning, by_words:
    whether the arm chose it, by_tags: how many of its tags the question spells out; by_named:
    whether it names the speaker. length in lexemes. most: what the words could score.
    """

    ids: Ids
    product: Floats
    words: Floats
    by_meaning: Flags
    by_words: Flags
    by_tags: Floats
    length: Floats
    asks: Flags
    timed: Flags
    by_named: Flags
    most: float = 0.0

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(Found):
    """The candidates with all that ranking asks of them.

    similarity: cosine with the text's own vector, or NaN; days since the last access; hours since
    it happened, else was written; tag_likeness: see `candidates.tag_likeness`, of the profile
    hive; category and tier
    as places in the lists of the policies. expired: whether it is past its day. helped:
    between -1 and 1, by what was told of its outcomes (see `profiles.balanced`). superseded:
    whether it does not hold any more; successor: the place of what holds now, or -1.
    shared: whether everyone in the organisation reads it. readers, wording: of a fact that holds, a
    number of its audience and one of its words, the same for the same; else NaN. unconfirmed: days
    since somebody last said it, of what a profession shares; else 0. own: the vectors of such facts
    by place. wording and own are read of the likely ones alone.
    """

    similarity: Floats
    by_asker: Flags
    importance: Floats
    accesses: Floats
    days: Floats
    hours: Floats
    tag_likeness: Floats
    category: NDArray[np.intp]
    tier: NDArray[np.intp]
    confidence: Floats
    helped: Floats
    expired: Flags
    superseded: Flags
    successor: NDArray[np.intp]
    shared: Flags
    readers: Floats
    wording: Floats
    unconfirmed: Floats
    own: Mapping[int, Vector] = field(default_factory=dict)


@dataclass(slots=True)
class Hit:
    """One memory of an answer. Every score is in 0-1 but `similarity`, a cosine, and `rerank`.

    rerank: the cross-encoder's logit, where it read this one. answers: how sure it is that this
    one answers the question (see `answering.confidence`).
    merged: the memories that say the same and are not served beside it; confidence and
    access_count: the highest of theirs, and the sum; None where nothing was compared. unconfirmed,
    shared, readers, wording, own: see `Pool`.
    """

    id: UUID
    relevance: float
    score: float = 0.0
    vector: float | None = None
    keyword: float | None = None
    similarity: float | None = None
    cues: float = 0.0
    strength: float = 0.0
    confidence: float | None = None
    access_count: int | None = None
    merged: tuple[UUID, ...] = ()
    rerank: float | None = None
    answers: float = 0.0
    unconfirmed: float = 0.0
    shared: bool = False
    readers: float | None = None
    wording: float | None = None
    own: Vector | None = field(default=None, compare=False, repr=False)


def ids_of(hits: Sequence[Hit]) -> list[UUID]:
    """The ids of hits and of what they stand for."""
    return [id_ for hit in hits for id_ in (hit.id, *hit.merged)]


@dataclass(frozen=True, slots=True)
class Served:
    """Hits in order, and what a reader of the explanation wants to know.

    confidence: how sure it is that any of them answers, in 0-1; None where nobody asked that.
    """

    hits: list[Hit]
    strategy: str
    confidence: float | None = None
