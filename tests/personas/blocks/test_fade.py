"""How much an entry counts that nobody has confirmed for long."""

from datetime import timedelta

import numpy as np
import pytest

from memories.lifecycle.decay import confirmed_share
from memories.retrieval.ranking.cues import compute_final_score
from personas.blocks.entry_weight import entry_weight, is_stale
from tests.memories.retrieval.pure.feature_tables import make_feature_table, question

FRESH = timedelta(days=90)
SHARES = {-1: 1.0, 0: 1.0, 90: 1.0, 135: 0.5**0.5, 180: 0.5, 270: 0.25, 360: 0.125}


@pytest.mark.parametrize(("days", "share"), SHARES.items())
def test_half_is_left_with_each_ninety_days_more(days: int, share: float) -> None:
    assert entry_weight(timedelta(days=days), fresh_for=FRESH) == pytest.approx(share)
    assert confirmed_share(np.array([float(days)]), 90.0)[0] == pytest.approx(share)


def test_stale_is_what_is_three_times_as_old() -> None:
    assert not is_stale(timedelta(days=270), fresh_for=FRESH)
    assert is_stale(timedelta(days=270, seconds=1), fresh_for=FRESH)


@pytest.mark.conformance("P27")
def test_a_faded_score_is_that_share_of_it() -> None:
    same = {"importance": [0.5] * 3, "tier": [3] * 3, "category": [0] * 3}
    relevance = np.array([0.8, 0.8, 0.8])
    asked = question(strategy="hybrid")
    fresh = compute_final_score(
        asked, make_feature_table(**same), relevance=relevance, strength=relevance
    )
    faded = compute_final_score(
        asked,
        make_feature_table(**same, unconfirmed=[10, 180, 270]),
        relevance=relevance,
        strength=relevance,
    )
    assert faded / fresh == pytest.approx([1.0, 0.5, 0.25])
    again = make_feature_table(**same, unconfirmed=[30, 30, 60])
    month = compute_final_score(
        question(fresh_days=30.0), again, relevance=relevance, strength=relevance
    )
    assert month / fresh == pytest.approx([1.0, 1.0, 0.5])
