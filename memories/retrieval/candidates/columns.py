"""What ranking knows of a candidate beside its scores, as columns."""

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from memories.lifecycle.decay import CATEGORIES
from memories.retrieval.profiles import TIERS
from memories.retrieval.types import Found, Pool, Question
from orgs.database.prepared_statements import fetched

# One row of numbers a memory. What is forgotten or over is left out.
_STATEMENT = """
SELECT string_agg(uuid_send(m.id), ''), array_send(array_agg(ARRAY[
    coalesce({similarity}, 'NaN'), {named},
    coalesce(m.speaker_member_id = %(asker)s, false)::int, m.importance, m.access_count,
    extract(epoch FROM %(now)s - coalesce(m.last_accessed_at, m.created_at)) / 86400,
    coalesce(array_position(%(every_category)s::text[], m.category::text), 0),
    coalesce(array_position(%(every_tier)s::text[], m.tier::text), 0)]::float8[]))
FROM memories_memory m {speakers}
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
"""
_SIMILARITY = (
    "(SELECT -(e.own <#> %(vector)s::halfvec) FROM memories_embedding e WHERE "
    "e.organisation_id = m.organisation_id AND e.memory_id = m.id AND e.model = %(model)s)"
)
_NAMED = "coalesce(t.speaker_key = ANY(%(named)s), false)::int"
_SPEAKERS = (
    "LEFT JOIN memories_text t ON t.organisation_id = m.organisation_id AND t.memory_id = m.id"
)
_WIDTH = 8
_SAME = [one.name for one in fields(Found) if one.name != "most"]
# dimensions, flags, type, then length and lower bound of each of two dimensions.
_HEADER = 28
_ELEMENT = np.dtype([("size", ">i4"), ("value", ">f8")])


def weighed(question: Question, found: Found) -> tuple[Pool, NDArray[np.intp]]:
    """The candidates that may be served, with all that ranking asks, and which of the found they
    are. One query in the asker's scope."""
    wanted = question.with_similarity or question.min_similarity is not None
    values: dict[str, Any] = {
        "organisation": question.organisation_id,
        "ids": [bytes(one).ljust(16, b"\0").hex() for one in found.ids],
        "asker": question.asker,
        "now": question.now,
        "every_category": list(CATEGORIES),
        "every_tier": list(TIERS),
    }
    similar = wanted and question.vector is not None
    if question.vector is not None and similar:
        values |= {"model": question.model, "vector": HalfVector(question.vector).to_text()}
    if question.named:
        values["named"] = list(question.named)
    [(ids, packed)] = fetched(_statement(similar=similar, named=bool(question.named)), values)
    if ids is None:
        places, numbers = np.empty(0, dtype=np.intp), np.empty((0, _WIDTH))
    else:
        order = np.argsort(found.ids)
        served = np.frombuffer(ids, dtype="S16")
        places = order[np.searchsorted(found.ids, served, sorter=order)]
        sent = np.frombuffer(packed, dtype=_ELEMENT, offset=_HEADER)["value"]
        numbers = sent.astype(np.float64).reshape(-1, _WIDTH)
    similarity, named, asker, importance, accesses, days, category, tier = numbers.T
    same = {name: getattr(found, name)[places] for name in _SAME}
    pool = Pool(
        **same,
        most=found.most,
        similarity=similarity,
        by_named=named > 0,
        by_asker=asker > 0,
        importance=importance,
        accesses=accesses,
        days=days,
        category=category.astype(np.intp),
        tier=tier.astype(np.intp),
    )
    return pool, places


@cache
def _statement(*, similar: bool, named: bool) -> str:
    return _STATEMENT.format(
        similarity=_SIMILARITY if similar else "NULL",
        named=_NAMED if named else "0",
        speakers=_SPEAKERS if named else "",
    )
