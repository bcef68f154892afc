"""What ranking knows of a candidate beside its scores, as columns."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.lifecycle.decay import CATEGORIES
from memories.retrieval.profiles import TIERS
from memories.retrieval.types import Found, Pool, Question
from orgs.database.binary_values import halfvec, uuids
from orgs.database.prepared_statements import fetched

# One row of numbers a memory. What is forgotten or over is left out.
_STATEMENT = """
SELECT string_agg(uuid_send(m.id), ''), array_send(array_agg(ARRAY[
    coalesce({similarity}, 'NaN'),
    coalesce(m.speaker_member_id = %(asker)s, false)::int, m.importance, m.access_count,
    extract(epoch FROM %(now)s - coalesce(m.last_accessed_at, m.created_at)) / 86400,
    coalesce(array_position(%(every_category)s::text[], m.category::text), 0),
    coalesce(array_position(%(every_tier)s::text[], m.tier::text), 0)]::float8[]))
FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
"""
_SIMILARITY = (
    "(SELECT -(e.own <#> %(vector)s::halfvec) FROM memories_embedding e WHERE "
    "e.organisation_id = m.organisation_id AND e.memory_id = m.id AND e.model = %(model)s)"
)
_WIDTH = 7
_SAME = [one.name for one in fields(Found) if one.name != "most"]
_PLAIN = _STATEMENT.format(similarity="NULL")
_WITH_SIMILARITY = _STATEMENT.format(similarity=_SIMILARITY)
# dimensions, flags, type, then length and lower bound of each of two dimensions.
_HEADER = 28
_ELEMENT = np.dtype([("size", ">i4"), ("value", ">f8")])


def weighed(question: Question, found: Found) -> tuple[Pool, NDArray[np.intp]]:
    """The candidates that may be served, with all that ranking asks, and which of the found they
    are. One query in the asker's scope."""
    wanted = question.with_similarity or question.min_similarity is not None
    values: dict[str, Any] = {
        "organisation": question.organisation_id,
        "ids": uuids(found.ids),
        "asker": question.asker,
        "now": question.now,
        "every_category": list(CATEGORIES),
        "every_tier": list(TIERS),
    }
    similar = wanted and question.vector is not None
    if question.vector is not None and similar:
        values |= {"model": question.model, "vector": halfvec(question.vector)}
    [(ids, packed)] = fetched(_WITH_SIMILARITY if similar else _PLAIN, values)
    if ids is None:
        places, numbers = np.empty(0, dtype=np.intp), np.empty((0, _WIDTH))
    else:
        order = np.argsort(found.ids)
        served = np.frombuffer(ids, dtype="S16")
        places = order[np.searchsorted(found.ids, served, sorter=order)]
        sent = np.frombuffer(packed, dtype=_ELEMENT, offset=_HEADER)["value"]
        numbers = sent.astype(np.float64).reshape(-1, _WIDTH)
    similarity, asker, importance, accesses, days, category, tier = numbers.T
    same = {name: getattr(found, name)[places] for name in _SAME}
    pool = Pool(
        **same,
        most=found.most,
        similarity=similarity,
        by_asker=asker > 0,
        importance=importance,
        accesses=accesses,
        days=days,
        category=category.astype(np.intp),
        tier=tier.astype(np.intp),
    )
    return pool, places
