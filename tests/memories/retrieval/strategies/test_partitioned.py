"""Which partitions a question is searched in."""

from typing import Any

import pytest

from memories.retrieval.search_types import SearchFilters
from memories.retrieval.strategies.registry import PARTITION_TABLE, iter_search_tables
from tests.memories.retrieval.pure.feature_tables import id_of, question

ME = id_of(7)
GROUP, REST = "n.kind = 'group'", "n.kind IN ('direct', 'organisation', 'internal')"
USER, INTERACTION = "n.kind = 'user'", "n.kind = 'interaction'"
MINE, AMONG = f"{USER} n.owner = %(me)s", f"{INTERACTION} %(me)s = ANY(n.parties)"


def searched(*kinds: str, asker: Any = ME) -> list[str]:
    """The conditions of each source, in order."""
    found = list(iter_search_tables(question(asker=asker, filters=SearchFilters(kinds=kinds))))
    for one in found:
        rest = one.conditions == (REST,)
        assert one.table == ("memories_search" if rest else PARTITION_TABLE)
        personal = "%(me)s" in " ".join(one.conditions)
        assert one.values.get("me") == (asker if personal else None)
    return [" ".join(one.conditions) for one in found]


def test_a_member_is_searched_as_themselves_and_a_robot_reads_whole_partitions() -> None:
    assert searched() == [GROUP, MINE, AMONG, REST]
    assert searched(asker=None) == [GROUP, USER, INTERACTION, REST]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["group"], [GROUP]),
        (["user"], [MINE]),
        (["interaction"], [AMONG]),
        (["direct"], [REST]),
        (["group", "user", "interaction"], [GROUP, MINE, AMONG]),
        (["user", "organisation"], [MINE, REST]),
    ],
)
def test_what_the_filter_leaves_out_is_not_searched(kinds: list[str], expected: list[str]) -> None:
    assert searched(*kinds) == expected
