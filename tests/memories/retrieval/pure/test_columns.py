"""Three values from the database as columns: each number finds its place."""

import struct
from uuid import UUID

import numpy as np

from memories.retrieval.candidates.columns import COLUMNS, pool_from

ORDER = (
    "product", "words", "similarity", "by_meaning", "by_words", "by_tags", "length", "asks",
    "timed", "by_named", "by_asker", "importance", "accesses", "days", "category", "tier",
)  # fmt: skip


def sent(*rows: list[float]) -> bytes:
    """Float8[][] as PostgreSQL sends it: dimensions, nulls, type; length and bound of each."""
    head = struct.pack(">3i4i", 2, 0, 701, len(rows), 1, 16, 1)
    return head + b"".join(struct.pack(">id", 8, value) for row in rows for value in row)


def test_every_number_has_its_place() -> None:
    first, second = [float(n) for n in range(16)], [-1.0] * 16
    ids = UUID(int=7).bytes + UUID(int=8).bytes
    pool = pool_from(ids, sent(first, second), 2.5)
    assert (len(pool), pool.most) == (2, 2.5)
    assert [UUID(bytes=bytes(i)) for i in pool.ids] == [UUID(int=7), UUID(int=8)]
    flags = ("by_meaning", "by_words", "asks", "timed", "by_named", "by_asker")
    for place, name in enumerate(ORDER):
        column = getattr(pool, name).tolist()
        assert column == ([place > 0, False] if name in flags else [place, -1]), name
    for name in flags:
        assert getattr(pool_from(ids, sent([0.0] * 16, [1.0] * 16), 0), name).tolist() == [
            False, True,
        ]  # fmt: skip
    assert pool.category.dtype == pool.tier.dtype == np.intp


def test_nothing_found_is_an_empty_pool() -> None:
    assert len(pool_from(None, None, 0.0)) == 0
    assert pool_from(None, None, 0.0).tier.tolist() == []


def test_the_columns_are_asked_for_in_that_order() -> None:
    asked = COLUMNS.partition("array_agg(ARRAY[")[2]
    words = ["product", "score", "similarity", "near", "worded", "tagged", "length", "asks",
             "timed", "named", "asker", "importance", "access_count", "86400", "category",
             "tier"]  # fmt: skip
    places = [asked.index(word) for word in words]
    assert places == sorted(places)
    assert "/ 86400" in COLUMNS, "days"


def test_each_flag_is_told_by_its_own_column_alone() -> None:
    flags = {3: "by_meaning", 4: "by_words", 7: "asks", 8: "timed", 9: "by_named", 10: "by_asker"}
    for place, name in flags.items():
        row = [0.0] * 16
        row[place] = 1.0
        pool = pool_from(UUID(int=7).bytes, sent(row), 0)
        assert [f for f in flags.values() if getattr(pool, f)[0]] == [name]
