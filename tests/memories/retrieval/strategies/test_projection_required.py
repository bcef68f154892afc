"""A strategy runs only where its layout is kept."""

from typing import Any

import pytest

from memories.retrieval.strategies import registry
from memories.retrieval.strategies.registry import ProjectionOffError, check_projection
from tests.memories.retrieval.pure.feature_tables import id_of


@pytest.mark.parametrize("rows", [[], [(False,)], [(None,)]])
def test_a_layout_that_is_not_kept_is_refused(
    monkeypatch: pytest.MonkeyPatch, rows: list[Any]
) -> None:
    monkeypatch.setattr(registry, "fetch_all", lambda sql, values: rows)
    with pytest.raises(ProjectionOffError, match="rebuild_projections --organisation <slug> graph"):
        check_projection(id_of(1), "graph")


def test_one_that_is_kept_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        registry, "fetch_all", lambda sql, values: asked.append(values) or [(True,)]
    )
    check_projection(id_of(1), "graph")
    assert asked == [{"organisation": id_of(1), "name": "graph"}]
