"""Fusion: arithmetic worked out by hand."""

import numpy as np
import pytest

from memories.retrieval.fusion import RRF_WEIGHTS, minmax, reciprocal_rank, weighted
from memories.retrieval.types import Floats, Pool

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


def pool(*, product: Floats, words: Floats, most: float) -> Pool:
    """Candidates of which only the arms differ."""
    none, no = np.zeros(len(product)), np.zeros(len(product), bool)
    return Pool(
        ids=np.arange(len(product)).astype("S16"), product=product, words=words,
        similarity=none, by_meaning=no, by_words=no, by_tags=none, length=none, asks=no,
        timed=no, by_named=no, by_asker=no, importance=none, accesses=none, days=none,
        category=none.astype(np.intp), tier=none.astype(np.intp), most=most,
    )  # fmt: skip


def test_a_word_shared_by_chance_does_not_outrank_the_meaning() -> None:
    # Which digits let me into the building? The door code says it without a word of that; I am on
    # the phone about the build has one of three.
    near, chance = 0.9, 0.4
    told = weighted(pool(product=column(near, chance), words=column(NOT, 4.0), most=15.0))
    assert told[0] > told[1]

    # Most of what was asked in its own words is another matter.
    told = weighted(pool(product=column(near, chance), words=column(NOT, 11.0), most=15.0))
    assert told[0] < told[1]


def test_the_words_alone_rank_as_they_score() -> None:
    told = weighted(pool(product=column(NOT, NOT), words=column(1.0, 2.0), most=40.0))
    assert 0 < told[0] < told[1] <= 1
