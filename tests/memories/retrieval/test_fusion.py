"""Fusion: arithmetic worked out by hand."""

from uuid import UUID

import pytest

from memories.retrieval.fusion import (
    RRF_WEIGHTS,
    minmax,
    ranked,
    reciprocal_rank,
    weighted_sum,
)

A, B, C, D = (UUID(int=n) for n in range(1, 5))


@pytest.mark.conformance("H21")
def test_reciprocal_ranks_of_three_lists() -> None:
    vector, fulltext, tags = [A, B, C], [B, D], [C]

    fused = reciprocal_rank([vector, fulltext, tags])

    assert fused[A] == pytest.approx(1 / 61, abs=1e-9)
    assert fused[B] == pytest.approx(1 / 62 + 1 / 61, abs=1e-9)
    assert fused[C] == pytest.approx(1 / 63 + 1 / 61, abs=1e-9)
    assert fused[D] == pytest.approx(1 / 62, abs=1e-9)
    assert ranked(fused) == [B, C, A, D]


@pytest.mark.conformance("G17")
def test_weighted_reciprocal_ranks_are_six_to_four() -> None:
    fused = reciprocal_rank([[A, B], [B]], RRF_WEIGHTS)

    assert fused[A] == pytest.approx(0.6 / 61, abs=1e-9)
    assert fused[B] == pytest.approx(0.6 / 62 + 0.4 / 61, abs=1e-9)


def test_minmax_puts_the_best_at_one_and_the_floor_at_nought() -> None:
    assert minmax({A: 0.9, B: 0.4, C: -0.1, D: -0.5}, floor=-0.1) == {
        A: 1.0,
        B: pytest.approx(0.5),
        C: 0.0,
        D: 0.0,
    }
    assert minmax({}) == {}


def test_a_memory_that_a_list_lacks_gets_nothing_from_it() -> None:
    assert weighted_sum([{A: 1.0, B: 0.5}, {B: 1.0}]) == {A: 0.5, B: 0.75}
