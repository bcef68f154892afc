"""What a recall looks up for each hit is found by one index, whatever is known of the tables.

Before, an index with a part of the conditions was taken where the tables had grown meanwhile.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from memories.indexing.neighbour_context import _NEIGHBOURS_JOIN
from memories.retrieval.recall import _NAMED_MEMORIES
from memories.store.known_use import WITH_USE
from orgs.principals import resolve_principal
from tests.world import World

HITS = "WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s)"


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


@pytest.mark.parametrize(
    ("select", "alias", "index", "column"),
    [
        # Two indexes have both; which is taken depends on the size.
        (f"SELECT u.tier FROM memories_memory m {WITH_USE}", "u", "use_", "memory_id"),
        # The reader's own uses.
        (
            f"SELECT u.access_count FROM memories_memory m {WITH_USE}",
            "o",
            "reader_use_once",
            "memory_id",
        ),
        (
            f"SELECT near.id FROM memories_memory m {_NEIGHBOURS_JOIN}",
            "x",
            "memory_turns",
            "audience_id",
        ),
    ],
    ids=["its use", "the use of its reader", "the turns around"],
)
def test_one_index_has_every_condition(
    world: World, select: str, alias: str, index: str, column: str
) -> None:
    values = {"organisation": world.here.id, "ids": [uuid4()], "reach": 5}
    with resolve_principal(world.here.robot("aria")).scope(), connection.cursor() as cursor:
        for way in ("seqscan", "bitmapscan", "sort"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {select} {HITS}", values)
        [[plan]] = cursor.fetchone()
    scans = [n for n in nodes(plan["Plan"]) if str(n.get("Alias", "")).startswith(alias)]
    assert scans
    for scan in scans:
        assert scan["Index Name"].startswith(index)
        assert f"({column} = m.{column.replace('memory_id', 'id')})" in scan["Index Cond"]


def test_the_names_of_a_memory_read_no_other_use(world: World) -> None:
    """Joined, the view of uses was read for all that the reader was ever served, and twice nested:
    34 of the 36 ms that 77 memories of a context took."""
    here = world.here
    text, values = _NAMED_MEMORIES.text(organisation_id=here.id, ids=[uuid4()])
    with resolve_principal(here.robot("aria")).scope(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {text}", values)
        [[plan]] = cursor.fetchone()
    tables = ("memories_use", "memories_readeruse")
    scans = [n for n in nodes(plan["Plan"]) if n.get("Relation Name") in tables]
    assert {n["Relation Name"] for n in scans} == set(tables)
    for scan in scans:
        assert "(memory_id = memories_memory.id)" in scan.get("Index Cond", "")
