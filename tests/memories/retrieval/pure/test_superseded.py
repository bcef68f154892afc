"""What a newer memory has superseded: .8 of its score, and less than what superseded it."""

from dataclasses import replace

import numpy as np
import pytest

from memories.retrieval.ranking import rank_pass
from memories.retrieval.ranking.cues import cap_superseded
from tests.memories.retrieval.pure.feature_tables import (
    make_feature_table,
    question,
    without_features,
)


def lowered(scores: list[float], superseded: list[int], successor: list[int]) -> list[float]:
    size = len(scores)
    turns = make_feature_table(
        ids=list(range(1, size + 1)), superseded=superseded, successor=successor
    )
    found: list[float] = cap_superseded(np.array(scores), turns).tolist()
    return found


def test_eight_tenths_are_left_where_the_successor_is_not_found_or_scores_more() -> None:
    assert lowered([0.5, 0.6, 0.5], [1, 0, 0], [-1, -1, -1]) == [0.4, 0.6, 0.5]
    assert lowered([0.5, 0.6, 0.5], [1, 0, 0], [1, -1, -1]) == [0.4, 0.6, 0.5]


def test_it_never_stands_above_its_successor() -> None:
    old, new = lowered([0.8, 0.1], [1, 0], [1, -1])
    assert new == 0.1
    assert 0.0999 < old < 0.1


def test_a_chain_stands_in_its_order_whatever_is_found_first() -> None:
    first, second, third = lowered([0.9, 0.9, 0.1], [1, 1, 0], [1, 2, -1])
    assert first < second < third == 0.1


def test_the_shortlist_serves_the_same_as_the_whole_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty superseded ones that are very near; what is far is strong, so it comes before them."""
    near, far = [0.95] * 20, [0.68 + place / 1_000 for place in range(20)]
    turns = make_feature_table(ids=list(range(1, 41)), product=near + far)
    gone = np.array([True] * 20 + [False] * 20)

    def weighed(asked, found, *, front=None):
        numbers = [int.from_bytes(bytes(one).ljust(16, b"\0")) - 1 for one in found.ids]
        over = gone[numbers]
        whole, places = without_features(asked, found)
        known = {"importance": 1.0 - over, "tier": np.where(over, 0, 1)}
        none = np.full(len(places), -1)
        return replace(whole, superseded=over, successor=none, **known), places

    monkeypatch.setattr(rank_pass, "find_candidates", lambda q, sources: sources)
    monkeypatch.setattr(rank_pass, "load_features", weighed)
    asked = question(strategy="vector", limit=5)
    served = [hit.id.int for hit in rank_pass.rank_hits(asked, [turns])]
    whole = [hit.id.int for hit in rank_pass.rank_hits(replace(asked, whole=True), [turns])][:5]
    assert served == whole == [40, 39, 38, 37, 36]
