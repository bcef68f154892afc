"""What may be said in a group: what every present member of it may read, and what is shareable."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memories.retrieval.answering.confidence import max_confidence
from memories.retrieval.candidates.search_conditions import SHAREABLE_SQL
from memories.retrieval.reranking.rerank import fetch_still_active
from memories.retrieval.search_types import Expert, Hit, SearchResult
from orgs.database.prepared_statements import fetch_all
from orgs.models.audiences import Audience, AudienceType
from orgs.principals import Principal, load_disclosable_audiences
from robots.access.acting_for_members import resolve_actor

_DISCLOSABLE_SQL = f"""
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND (%(everything)s OR m.audience_id = ANY(%(sayable)s::uuid[]) OR ({SHAREABLE_SQL}))
"""


def restrict_to_shareable(principal: Principal, group: str) -> Principal:
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


def fetch_disclosable(principal: Principal, ids: Sequence[UUID]) -> set[UUID]:
    """The memories among these that may be said in the group; inside the principal's scope."""
    values = {
        "organisation": principal.organisation_id,
        "ids": list(ids),
        "everything": principal.sayable is None,
        "sayable": list(principal.sayable or ()),
    }
    return {id_ for (id_,) in fetch_all(_DISCLOSABLE_SQL, values)}


def filter_disclosable(principal: Principal, served: SearchResult) -> SearchResult:
    """The hits that may be said in the group. Call it inside the principal's scope."""
    return select_hits(served, fetch_disclosable(principal, served.shown_ids()))


def select_still_active(
    principal: Principal, served: SearchResult, now: datetime, *, include_expired: bool
) -> SearchResult:
    """The hits that may be served still; inside the principal's scope."""
    still = fetch_still_active(
        principal.organisation_id, served.shown_ids(), now, include_expired=include_expired
    )
    served = select_hits(served, still)
    return served if principal.sayable is None else filter_disclosable(principal, served)


def select_hits(served: SearchResult, ids: set[UUID]) -> SearchResult:
    """Keep only these hits, and people whom these memories show. If hits are removed, the
    confidence is computed again."""
    hits = _filter_hits(served.hits, ids)
    if served.people:
        served = replace(served, people=_filter_people(served.people, ids))
    if len(hits) == len(served.hits):
        return replace(served, hits=hits)
    return replace(served, hits=hits, confidence=max_confidence(hits))


def _filter_people(people: Sequence[Expert], ids: set[UUID]) -> tuple[Expert, ...]:
    shown = (replace(one, evidence=tuple(e for e in one.evidence if e in ids)) for one in people)
    return tuple(one for one in shown if one.evidence)


def _filter_hits(hits: Sequence[Hit], ids: set[UUID]) -> list[Hit]:
    """The hits with these ids, and only these ids among their merged ones and those that say
    otherwise."""
    return [
        replace(
            hit,
            merged=tuple(id_ for id_ in hit.merged if id_ in ids),
            replaced=hit.replaced if hit.replaced and hit.replaced.by in ids else None,
        )
        for hit in hits
        if hit.id in ids
    ]
