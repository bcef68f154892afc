"""What ranking knows of a candidate beside its scores, as columns."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.embedding.known_models import DIMENSIONS
from memories.lifecycle.decay import CATEGORIES, CONFIRMED_AT
from memories.retrieval.candidates.tag_likeness import tag_likeness
from memories.retrieval.profiles import TIERS
from memories.retrieval.types import Found, Ids, Pool, Question, Vector
from orgs.database.binary_values import halfvec, uuids
from orgs.database.prepared_statements import fetched

# What may be served once for several audiences: no turn of a conversation, and it holds.
_FACT = "m.conversation IS NULL AND m.type <> 'conversation' AND m.valid_until IS NULL"
# One of those whose texts and vectors are looked at.
_FRONT = "m.id = ANY(%(front)s::uuid[])"
# Its words without case, spacing and punctuation, as far as so many characters.
_WORDING = (
    "hashtext(regexp_replace(lower(left(m.content, 400)), '[^[:alnum:]%%€$£+-]+', '', 'g'))::float8"
)
# One row of numbers a memory. What is forgotten is left out; so is what is over, unless wanted.
_STATEMENT = """
SELECT string_agg(uuid_send(m.id), ''), array_send(array_agg(ARRAY[
    coalesce((u.successes - u.failures)::float8 / (u.successes + u.failures + 2), 0),
    m.confidence, coalesce(m.expires_at <= %(now)s, false)::int,
    CASE WHEN m.valid_until <= %(now)s
        THEN coalesce(array_position(%(ids)s::uuid[], m.superseded_by_id), 0) ELSE -1 END,
    coalesce({similarity}, 'NaN'),
    coalesce(m.speaker_member_id = %(asker)s, false)::int, m.importance,
    coalesce(u.access_count, 0),
    extract(epoch FROM %(now)s - coalesce(u.last_accessed_at, m.created_at)) / 86400,
    greatest(0, extract(epoch FROM %(now)s - coalesce(m.occurred_at, m.created_at))) / 3600,
    coalesce(array_position(%(every_category)s::text[], m.category::text), 0),
    coalesce(array_position(%(every_tier)s::text[], coalesce(u.tier, m.first_tier)::text),
        0), (m.audience_id = %(organisation_audience)s::uuid)::int,
    CASE WHEN {fact} THEN uuid_hash(m.audience_id)::float8 ELSE 'NaN' END,
    CASE WHEN {front} AND {fact} THEN {wording} ELSE 'NaN' END,
    {unconfirmed}]::float8[])), {own}
FROM memories_memory m
LEFT JOIN memories_use u ON u.organisation_id = m.organisation_id AND u.memory_id = m.id
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND m.status = 'active'
    AND (%(include_expired)s OR m.expires_at IS NULL OR m.expires_at > %(now)s)
"""
_SIMILARITY = (
    "(SELECT -(e.own <#> %(vector)s::halfvec) FROM memories_embedding e WHERE "
    "e.organisation_id = m.organisation_id AND e.memory_id = m.id AND e.model = %(model)s)"
)
# Of facts alone: the id and the vector, one after the other.
_OWN = f"""string_agg(uuid_send(m.id) || CASE WHEN {_FRONT} AND {_FACT} THEN (
    SELECT halfvec_send(e.own) FROM memories_embedding e
    WHERE e.organisation_id = m.organisation_id AND e.memory_id = m.id AND e.model = %(model)s
) END, '')"""
_NO_OWN = "NULL::bytea"
# Days, of what a profession shares; who reads nothing of that asks nothing more.
_UNCONFIRMED = f"""CASE WHEN m.audience_id = ANY(%(cohorts)s::uuid[])
    THEN extract(epoch FROM %(now)s - {CONFIRMED_AT}) / 86400 ELSE 0 END"""
_WIDTH = 16
_SAME = [one.name for one in fields(Found) if one.name != "most"]
_STATEMENTS = {
    (similar, own, fades): _STATEMENT.format(
        similarity=_SIMILARITY if similar else "NULL",
        own=_OWN if own else _NO_OWN,
        front=_FRONT if own else "false",
        fact=_FACT,
        wording=_WORDING,
        unconfirmed=_UNCONFIRMED if fades else "0",
    )
    for similar in (False, True)
    for own in (False, True)
    for fades in (False, True)
}
# dimensions, flags, type, then length and lower bound of each of two dimensions.
_HEADER = 28
_ELEMENT = np.dtype([("size", ">i4"), ("value", ">f8")])
_VECTOR = np.dtype([("id", "S16"), ("head", "V4"), ("own", ">f2", (DIMENSIONS,))])


def weighed(
    question: Question, found: Found, *, front: Ids | None = None
) -> tuple[Pool, NDArray[np.intp]]:
    """The candidates that may be served, with all that ranking asks, and which of the found they
    are. One query in the asker's scope, and another for tags where the profile asks for them.

    front: those of which, if they are facts, words and vectors are read to be compared.
    """
    hive = question.profile == "hive"
    wanted = question.with_similarity or question.min_similarity is not None or hive
    values: dict[str, Any] = {
        "organisation": question.organisation_id,
        "ids": uuids(found.ids),
        "asker": question.asker,
        "now": question.now,
        "include_expired": question.include_expired,
        "every_category": list(CATEGORIES),
        "every_tier": list(TIERS),
        "organisation_audience": question.organisation_audience,
    }
    similar = wanted and question.vector is not None
    if question.vector is not None and similar:
        values |= {"model": question.model, "vector": halfvec(question.vector)}
    own = front is not None and question.prefer_personal
    if front is not None and own:
        values |= {"model": question.model, "front": uuids(front)}
    if question.cohorts:
        values["cohorts"] = list(question.cohorts)
    [(ids, packed, vectors)] = fetched(_STATEMENTS[similar, own, bool(question.cohorts)], values)
    if ids is None:
        places, numbers = np.empty(0, dtype=np.intp), np.empty((0, _WIDTH))
    else:
        order = np.argsort(found.ids)
        served = np.frombuffer(ids, dtype="S16")
        places = order[np.searchsorted(found.ids, served, sorter=order)]
        sent = np.frombuffer(packed, dtype=_ELEMENT, offset=_HEADER)["value"]
        numbers = sent.astype(np.float64).reshape(-1, _WIDTH)
    helped, confidence, expired, successor, similarity, asker, *numbered = numbers.T
    importance, accesses, days, hours, category, tier, shared, readers, wording, unconfirmed = (
        numbered
    )
    same = {name: getattr(found, name)[places] for name in _SAME}
    pool = Pool(
        **same,
        most=found.most,
        similarity=similarity,
        by_asker=asker > 0,
        importance=importance,
        accesses=accesses,
        days=days,
        hours=hours,
        tag_likeness=tag_likeness(question, same["ids"]) if hive else np.full(len(places), np.nan),
        category=category.astype(np.intp),
        tier=tier.astype(np.intp),
        confidence=confidence,
        helped=helped,
        expired=expired > 0,
        superseded=successor >= 0,
        successor=_places_of(successor.astype(np.intp) - 1, places, len(found)),
        shared=shared > 0,
        readers=readers,
        wording=wording,
        unconfirmed=unconfirmed,
        own=_own(vectors, same["ids"]),
    )
    return pool, places


def _own(sent: bytes | None, ids: Ids) -> dict[int, Vector]:
    """The vectors by the places of their memories."""
    if not sent:
        return {}
    at = {bytes(id_): place for place, id_ in enumerate(ids)}
    rows = np.frombuffer(sent, dtype=_VECTOR)
    vectors = rows["own"].astype(np.float32)
    return {at[bytes(id_)]: vector for id_, vector in zip(rows["id"], vectors, strict=True)}


def _places_of(named: NDArray[np.intp], places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Where the memories stand that are named by their place among the found; -1 for none."""
    here = np.full(most + 1, -1, dtype=np.intp)
    here[places] = np.arange(len(places))
    return here[np.where(named < 0, most, named)]
