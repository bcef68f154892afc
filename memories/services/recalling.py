"""Recall: answer a question with what the asker may read, and remember that it was served."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from memories.encoders import EncoderError, encode_query, model_id
from memories.models import Memory, Recall
from memories.policies.cues import without_names
from memories.retrieval.candidates import named_speakers
from memories.retrieval.pipeline import search
from memories.retrieval.types import Filters, Hit, Question, Served
from orgs.models import Organisation, new_id
from orgs.principals import Actor, Principal, resolve, shareable_audiences
from orgs.services import NotFound, find_group, find_member
from robots.services import act, find_robot, stamp_activity

LAST_ACCESSED_TOP = 5
STRATEGIES = ("auto", "keyword", "fulltext", "vector", "hybrid")
FUSIONS = ("minmax", "rrf", "weighted_rrf")
ALIASES = {"auto": "hybrid", "fulltext": "keyword"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A recall as it was asked; references are ids, external ids or platform:id."""

    text: str
    limit: int = 10
    group: str | None = None
    member: str | None = None
    shareable_with: str | None = None
    strategy: str = "auto"
    fusion: str = "minmax"
    min_similarity: float | None = None
    include_shared: bool = True
    include_direct: bool = False
    filters: dict[str, Any] = field(default_factory=dict)
    ranges: tuple[tuple[datetime | None, datetime | None], ...] = ()
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found, best first, and how."""

    recall_id: UUID
    hits: list[tuple[Hit, Memory]]
    strategy: str
    took_ms: float


def recall(actor: Actor, query: Query, *, now: datetime) -> Answer:
    """Answer a question. Raises NotFound for a group or member that the asker may not know."""
    started = time.perf_counter()
    acting = act(actor, member=query.member, group=query.group, include_direct=query.include_direct)
    principal = resolve(acting)
    if query.shareable_with is not None:
        principal = _shareable(principal, query.shareable_with)
    with principal.scope(deposit=(principal.own_audience,)):
        question = _with_vector(_question(principal, query, now))
        served = search(question)
        memories = Memory.objects.with_names().in_bulk([hit.id for hit in served.hits])
        hits = [(hit, memories[hit.id]) for hit in served.hits if hit.id in memories]
        took_ms = (time.perf_counter() - started) * 1000
        recall_id = _record(principal, served, took_ms, query, now)
    return Answer(recall_id, hits, served.strategy, took_ms)


def _shareable(principal: Principal, group: str) -> Principal:
    """Only what every current member of the group may read, and no robot's own notes."""
    alone = replace(principal.actor, group_id=None)
    if not alone.is_person:
        alone = replace(alone, member_id=None)
    place = act(alone, group=group)
    assert place.group_id is not None  # noqa: S101 - for the type checker
    safe = shareable_audiences(principal.organisation_id, place.group_id)
    return principal.narrowed(safe)


def _question(principal: Principal, query: Query, now: datetime) -> Question:
    actor = principal.actor
    organisation = Organisation.objects.only("language").get(id=actor.organisation_id)
    return Question(
        organisation_id=actor.organisation_id,
        text=query.text,
        language=organisation.language,
        model=model_id(),
        limit=query.limit,
        now=now,
        strategy=ALIASES.get(query.strategy, query.strategy),
        fusion=query.fusion,
        asker=actor.member_id,
        context_group=actor.group_id,
        organisation_audience=principal.organisation_audience,
        include_direct=actor.include_direct,
        include_shared=query.include_shared,
        min_similarity=query.min_similarity,
        filters=_filters(actor.organisation_id, query),
    )


def _with_vector(question: Question) -> Question:
    """The question with its vector and the speakers it names.

    The vector is the normalised sum of the whole question's and of the question without the
    names: names pull towards everything those people said.
    """
    if question.strategy == "keyword":
        return question
    named = named_speakers(question)
    try:
        vector = encode_query(question.text)
        if rest := without_names(question.text, list(named)) if named else "":
            vector = vector + encode_query(rest)
            vector = vector / np.linalg.norm(vector)
    except EncoderError:
        # Words still find; health says that meaning does not.
        return replace(question, strategy="keyword", named=named)
    return replace(question, vector=vector, named=named)


def _filters(organisation_id: UUID, query: Query) -> Filters:
    """References to ids. What does not exist narrows to nothing, like what is hidden."""
    given = query.filters
    return Filters(
        groups=_ids(given.get("groups", ()), lambda r: find_group(organisation_id, r).id),
        members=_ids(given.get("members", ()), lambda r: find_member(organisation_id, r).id),
        robots=_ids(given.get("robots", ()), lambda r: find_robot(organisation_id, r).id),
        kinds=tuple(given.get("kinds", ())),
        types=tuple(given.get("types", ())),
        categories=tuple(given.get("categories", ())),
        tiers=tuple(given.get("tiers", ())),
        tags=tuple(given.get("tags", ())),
        metadata=given.get("metadata"),
        min_importance=given.get("min_importance"),
        ranges=query.ranges,
    )


_NOBODY = UUID(int=0)


def _ids(references: Sequence[str], find: Any) -> tuple[UUID, ...]:
    found = []
    for reference in references:
        try:
            found.append(find(reference))
        except NotFound:
            found.append(_NOBODY)
    return tuple(found)


# Rows are locked in the order of their ids, so that two recalls with common hits never wait
# for each other in a circle.
_COUNT_ACCESS = """
WITH served AS (
    SELECT id FROM memories_memory
    WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s)
    ORDER BY id FOR NO KEY UPDATE
)
UPDATE memories_memory m
SET access_count = access_count + 1,
    last_accessed_at = CASE WHEN m.id = ANY(%(top)s) THEN %(now)s ELSE last_accessed_at END
FROM served WHERE m.id = served.id AND m.organisation_id = %(organisation)s
"""


def _record(
    principal: Principal,
    served: Served,
    took_ms: float,
    query: Query,
    now: datetime,
) -> UUID:
    """Keep ids and served scores for feedback, and count the access."""
    actor, hits = principal.actor, served.hits
    recall_id = new_id()
    with connection.cursor() as cursor:
        # Losing the last counts in a crash is cheaper than a disk flush for every question.
        cursor.execute("SET LOCAL synchronous_commit = off")
        if hits and query.counts:
            ids = [hit.id for hit in hits]
            cursor.execute(
                _COUNT_ACCESS,
                {
                    "organisation": actor.organisation_id,
                    "ids": ids,
                    "top": ids[:LAST_ACCESSED_TOP],
                    "now": now,
                },
            )
    Recall.objects.bulk_create(
        [
            Recall(
                id=recall_id,
                organisation_id=actor.organisation_id,
                audience_id=principal.own_audience,
                robot_id=actor.robot_id,
                member_id=actor.member_id,
                group_id=actor.group_id,
                strategy=served.strategy,
                hits=[[str(hit.id), round(hit.score, 6)] for hit in hits],
                took_ms=took_ms,
                created_at=now,
            )
        ]
    )
    if actor.robot_id:
        stamp_activity(organisation_id=actor.organisation_id, robot_id=actor.robot_id, now=now)
    return recall_id
