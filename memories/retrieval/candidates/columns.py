"""Candidates as columns: three values leave the database, however many rows there are.

Rows as Python objects cost more than finding them; numbers in one piece cost nothing.
"""

import struct

import numpy as np

from memories.retrieval.types import Pool

# One row of numbers a memory, in the order that `pool_from` names.
COLUMNS = """
SELECT string_agg(uuid_send(m.id), ''), array_send(array_agg(ARRAY[
    coalesce(c.product, 'NaN'), coalesce(c.score, 'NaN'), coalesce({similarity}, 'NaN'),
    c.near, c.worded, c.tagged, coalesce(c.length, 0), coalesce(c.asks, false)::int,
    coalesce(c.timed, false)::int, coalesce(c.speaker_key = ANY(%(named)s), false)::int,
    coalesce(m.speaker_member_id = %(asker)s, false)::int, m.importance, m.access_count,
    extract(epoch FROM %(now)s - coalesce(m.last_accessed_at, m.created_at)) / 86400,
    coalesce(array_position(%(every_category)s::text[], m.category::text), 0),
    coalesce(array_position(%(every_tier)s::text[], m.tier::text), 0)]::float8[])),
    (SELECT ARRAY[{weights}]::float8[]{source})
FROM candidates c
JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = c.memory_id
WHERE m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
"""
_WIDTH = 16
# dimensions, flags, type, then length and lower bound of each of two dimensions.
_HEADER = struct.calcsize(">3i4i")
_ELEMENT = np.dtype([("size", ">i4"), ("value", ">f8")])


def pool_from(ids: bytes | None, packed: bytes | None, most: float) -> Pool:
    """The columns of the one row that COLUMNS gives; most: what the words could score at best."""
    if ids is None or packed is None:
        numbers = np.empty((0, _WIDTH))
    else:
        elements = np.frombuffer(packed, dtype=_ELEMENT, offset=_HEADER)
        numbers = elements["value"].astype(np.float64).reshape(-1, _WIDTH)
    column = numbers.T
    return Pool(
        ids=np.frombuffer(ids or b"", dtype="S16"),
        product=column[0],
        words=column[1],
        similarity=column[2],
        by_meaning=column[3] > 0,
        by_words=column[4] > 0,
        by_tags=column[5],
        length=column[6],
        asks=column[7] > 0,
        timed=column[8] > 0,
        by_named=column[9] > 0,
        by_asker=column[10] > 0,
        importance=column[11],
        accesses=column[12],
        days=column[13],
        category=column[14].astype(np.intp),
        tier=column[15].astype(np.intp),
        most=most,
    )
