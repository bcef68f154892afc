"""Grouped figures have an order of their own: the plan's depends on rows that nobody asked for."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.insights.statistics import get_statistics
from memories.retrieval.experts import topic_map
from tests.world import NOW, World

pytestmark = pytest.mark.conformance("T06")


def test_figures_are_grouped_in_order(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "For everyone.")
    here.remember(here.robot("aria"), "For the group.", group="launch")
    with CaptureQueriesContext(connection) as captured:
        found = get_statistics(here.robot("aria"), now=NOW)
    groupings = [q["sql"] for q in captured.captured_queries if "GROUP BY" in q["sql"]]
    # How full a tier is, is the greatest of its groups, in any order.
    grouped, busiest = [sql for sql in groupings if "ORDER BY" in sql]
    assert grouped.endswith("ORDER BY 1 ASC, 2 ASC"), "by kind, then by tier"
    assert "ORDER BY 4 DESC, p.id LIMIT" in busiest
    assert list(found["by_kind"]) == sorted(found["by_kind"])
    assert list(found["by_tier"]) == sorted(found["by_tier"])


def test_the_lines_of_the_picture_of_experts_are_in_order() -> None:
    """The strongest first, then by the ids of both ends, within each sort of line."""
    assert topic_map._TOPIC_MAP_SQL.rstrip().endswith("ORDER BY 1, 5 DESC, 2, 3")
