"""The values that the stages of a recall pass on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.embedding.model_catalogue import AnswerWeights
from memories.store.text_parts import TextPart

if TYPE_CHECKING:
    # It reads a row of the database; this module is pure.
    from memories.store.organisation_models import OrganisationModels

Vector = NDArray[np.float32]
Ids = NDArray[np.bytes_]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """The filters of a question; empty means all. Ids are of the organisation.

    visibilities: kinds of audiences (see `memories.access.visibility.audience_types`). keywords,
    persons, entities, topics: what memories name, in lower case (`restatement.names`). deposits:
    whether memories count that a robot wrote where it does not read. as_of: only what was said up
    to this time and held then. source: what the source of a memory contains. ids: only these
    memories.
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
    levels: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    min_importance: float | None = None
    as_of: datetime | None = None
    ranges: tuple[tuple[datetime | None, datetime | None], ...] = ()
    deposits: bool = True
    source: Mapping[str, Any] | None = None
    ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One recall with everything looked up: the pure input of the pipeline.

    context_group: the group in which it is asked; rows of direct conversations and of other groups
    are left out unless `include_direct`. organisation_audience: readable in every group. sayable:
    see `orgs.principals.Principal`. lexemes: the question's words as in the text index; places:
    their places in the sparse vectors of words (see `encode_query`); word_numbers: a number
    for each lexeme, equal for the forms of one word, empty where each is a word; named: the
    speakers of the scope that it names, in lower case; speakers: their numbers in the narrow rows
    (see `query_words`). model: its number; models: those of the organisation, or None for that
    of ENCODER alone. vector: None if only words are searched. asks_when, asks_about_self: see
    `language.cues`; the latter only if a member asks. automatic: whether no strategy was named.
    meaning_floor, weights: of the model with the number `model` (see
    memories.embedding.model_catalogue); weights is None if nobody has measured it, or if it cannot
    read the question. with_similarity: whether each hit needs the cosine with its own text. whole:
    whether every candidate is served, for explanations, instead of the best `limit`. profile: see
    `scoring_profiles`; tier_strategy: see there, its tiers are in `filters`. include_expired:
    whether expired memories count. prefer_personal, shared_limit: see `select_nearest_audience`.
    cohorts: those of `audiences` that belong to a profession; unconfirmed memories there fade after
    `fresh_days`.
    """

    organisation_id: UUID
    text: str
    language: str
    model: int
    meaning_floor: float
    limit: int
    now: datetime
    models: "OrganisationModels | None" = None
    weights: AnswerWeights | None = None
    strategy: str = "hybrid"
    automatic: bool = False
    fusion: str = "minmax"
    vector: Vector | None = None
    lexemes: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    word_numbers: tuple[int, ...] = ()
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
    filters: SearchFilters = field(default_factory=SearchFilters)

    @property
    def encoder(self) -> str | None:
        """The name of the model; None for that of ENCODER."""
        return self.models.serving.name if self.models else None

    @property
    def row_models(self) -> tuple[int, ...]:
        """The numbers of the models that the narrow rows may have."""
        return self.models.in_rows if self.models else (self.model,)

    @property
    def searches_rows(self) -> bool:
        """Whether vectors of the model stand in the narrow rows."""
        return self.models is None or self.models.serving == self.models.rows

    @property
    def searches_further(self) -> bool:
        """Whether vectors of the model stand beside the narrow rows."""
        return self.models is not None and (self.models.has_parts or len(self.row_models) > 1)

    @property
    def as_of(self) -> datetime:
        """The time for which it is asked what holds: now, unless another is given."""
        return self.filters.as_of or self.now


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The facts of candidates from the narrow rows, as columns, one place for each memory.

    ids: 16 bytes each. product: inner product with the searched vectors (about -.2 to 1.6), words:
    score of the words, both NaN if that arm cannot judge the memory; by_meaning, by_words: whether
    the arm chose it; by_tags: how many of its tags the question has; by_named: whether the question
    names the speaker. length: in lexemes. part: of `product`, the part of the text that it is of
    (`decode_part`), 0 for the whole. most: the highest possible score of words.
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
    part: NDArray[np.int64]
    most: float = 0.0

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFeatures(Candidates):
    """The candidates with all facts for ranking.

    similarity: cosine with the text's own vector, or NaN; days: since the last access; hours: since
    it happened, else was written; tag_likeness: see `candidates.tag_likeness`, for the profile
    hive; category, tier: as numbers. expired: whether it has expired. helped: between -1 and 1,
    from outcomes (see `profiles.balanced`). superseded, upcoming: whether it holds no more, or
    not yet; turn: whether it is one of a conversation; successor: the place of its successor, or
    -1. shared: whether everyone in the organisation reads
    it. readers, wording: for a fact that holds, numbers for its audience and its words, equal for
    equal ones; else NaN. unconfirmed: days since somebody last said it, for memories of a
    profession; else 0. wording is read only for likely hits.
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
    upcoming: Flags
    turn: Flags
    successor: NDArray[np.intp]
    shared: Flags
    readers: Floats
    wording: Floats
    unconfirmed: Floats
    said_at: Floats
    subject: Floats
    speaker: Floats
    proven: Floats
    texts: NDArray[np.object_]


class ComparedText(NamedTuple):
    """What a hit says, for comparing; see `CandidateFeatures`."""

    text: str
    at: float
    subject: float
    speaker: float
    proven: float


class Replacement(NamedTuple):
    """The newer memory that says otherwise: its id, when it was said in seconds since 1970, and
    whether that settles the matter (else the two disagree)."""

    by: UUID
    at: float
    settled: bool


class FactState(StrEnum):
    """Whether a hit holds now. CURRENT: it says otherwise than an older hit. OUTDATED: a newer
    memory says otherwise. DISPUTED: so does one that has less standing, or somebody is to decide
    which of two holds. SUPERSEDED: it was said or decided that it does not hold any more. UPCOMING:
    it was said that it holds from a later day on."""

    CURRENT = "current"
    OUTDATED = "outdated"
    DISPUTED = "disputed"
    SUPERSEDED = "superseded"
    UPCOMING = "upcoming"


@dataclass(slots=True)
class Hit:
    """One memory of an answer. Every score is in 0-1, except `similarity`, a cosine, `rerank`, and
    the parts `vector`, `keyword` and `cues`.

    rerank: the cross-encoder's logit, if it read this one. answers: the confidence that this one
    answers the question (see `answering.confidence`). merged: ids of memories that say the same and
    are not served themselves; confidence, access_count: the highest and the sum of theirs; None if
    nothing was compared. said: what it says, for a likely and short one. replaced: the newest
    memory that says otherwise (see `ranking.current_facts`); current: whether it is that memory for
    another hit. undecided: another memory, where somebody is to decide which of both holds.
    part: the part of a long text that fits the question best, if one does better than the whole.
    superseded, upcoming, turn, unconfirmed, shared, readers, wording: see
    `CandidateFeatures`.
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
    superseded: bool = False
    upcoming: bool = False
    turn: bool = False
    said: ComparedText | None = None
    replaced: Replacement | None = None
    current: bool = False
    undecided: UUID | None = None
    part: TextPart | None = None

    @property
    def holds(self) -> bool:
        """Whether nobody has said that it holds no more, or not yet."""
        return not (self.superseded or self.upcoming)

    @property
    def state(self) -> FactState | None:
        """Whether it holds now; None if nothing is known about that."""
        if self.superseded:
            return FactState.SUPERSEDED
        if self.upcoming:
            return FactState.UPCOMING
        if self.replaced is not None:
            return FactState.OUTDATED if self.replaced.settled else FactState.DISPUTED
        if self.current:
            return FactState.CURRENT
        return FactState.DISPUTED if self.undecided else None

    @property
    def contradicted_by(self) -> UUID | None:
        """The memory that says otherwise."""
        return self.replaced.by if self.replaced else self.undecided

    @property
    def outdated_since(self) -> datetime | None:
        """When the newer memory was said by which it is outdated."""
        if self.state is not FactState.OUTDATED or self.replaced is None:
            return None
        return datetime.fromtimestamp(self.replaced.at, UTC)


# A part as one number: 20 bits each for where it begins and ends, its own number above.
PART_BITS = 20


def decode_part(code: int) -> TextPart | None:
    """The part of a `Candidates.part`; None for a whole text."""
    mask = (1 << PART_BITS) - 1
    if not code:
        return None
    return TextPart(code >> 2 * PART_BITS, code >> PART_BITS & mask, code & mask)


def hit_ids(hits: Sequence[Hit]) -> list[UUID]:
    """The ids of hits and of the memories merged into them."""
    return [id_ for hit in hits for id_ in (hit.id, *hit.merged)]


@dataclass(frozen=True, slots=True)
class ExpertCursor:
    """Where a page of experts ended, and the newest memory when the first page was made.

    until: later memories do not count, so that the order is the same on all pages.
    """

    by: str
    weight: Decimal
    times: int
    node: UUID
    until: UUID


@dataclass(frozen=True, slots=True)
class Expert:
    """Somebody who has shown to know about a topic.

    node: the member's id, or the node of a speaker without a member. weight: the sum over
    observations that the asker may read; by meaning each counts by its similarity in 0-1. times:
    number of observations; memories: number of memories; evidence: their ids, the best first.
    """

    node: UUID
    member: UUID | None
    name: str
    weight: float
    times: int
    memories: int
    last_at: datetime
    evidence: tuple[UUID, ...]
    place: ExpertCursor

    @property
    def by(self) -> str:
        """How the expert was found: words or meaning."""
        return self.place.by


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in order, and the strategy that found them.

    confidence: that any of them answers, in 0-1; None if it was not judged. people: those whom what
    was found shows to know about it, best first; only a search along the graph looks for them.
    judged: ids of the hits, served or not, from which the confidence, the order and the marks are.
    """

    hits: list[Hit]
    strategy: str
    confidence: float | None = None
    people: tuple[Expert, ...] = ()
    judged: tuple[UUID, ...] = ()

    def shown_ids(self) -> list[UUID]:
        """The ids of all memories that the result shows or names."""
        return [*hit_ids(self.hits), *(id_ for one in self.people for id_ in one.evidence)]

    def relevant_ids(self) -> list[UUID]:
        """The ids of all memories that the result shows, names or rests on."""
        newer = [hit.replaced.by for hit in self.hits if hit.replaced]
        return list(dict.fromkeys([*self.shown_ids(), *newer, *self.judged]))
