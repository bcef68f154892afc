"""Fusion: arithmetic worked out by hand."""

import numpy as np
import pytest

from memories.retrieval.fusion import RRF_WEIGHTS, minmax, reciprocal_rank
from memories.retrieval.types import Floats

NOT = np.nan


def column(*scores: float) -> Floats:
    return np.array(scores)


@pytest.mark.conformance("H21")
def test_reciprocal_ranks_of_three_lists() -> None:
    # Memories A, B, C, D: vector A B C, fulltext B D, tags C.
    vector, fulltext = column(0.9, 0.8, 0.7, NOT), column(NOT, 5.0, NOT, 4.0)
    tags = column(NOT, NOT, 1.0, NOT)

    fused = reciprocal_rank([vector, fulltext, tags])

    assert fused == pytest.approx([1 / 61, 1 / 62 + 1 / 61, 1 / 63 + 1 / 61, 1 / 62], abs=1e-9)


@pytest.mark.conformance("G17")
def test_weighted_reciprocal_ranks_are_six_to_four() -> None:
    fused = reciprocal_rank([column(0.9, 0.8), column(NOT, 1.0)], RRF_WEIGHTS)

    assert fused == pytest.approx([0.6 / 61, 0.6 / 62 + 0.4 / 61], abs=1e-9)


def test_minmax_puts_the_best_at_one_and_the_floor_at_nought() -> None:
    assert minmax(column(0.9, 0.4, -0.1, -0.5, NOT), floor=-0.1) == pytest.approx(
        [1.0, 0.5, 0.0, 0.0, 0.0]
    )
    assert len(minmax(column())) == 0
