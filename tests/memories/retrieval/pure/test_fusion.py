"""Fusion: arithmetic worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from memories.retrieval.candidates import search
from memories.retrieval.ranking.cues import (
    RRF_WEIGHTS,
    fuse,
    fuse_reciprocal_ranks,
    fuse_weighted,
    normalise_minmax,
)
from memories.retrieval.search_types import CandidateFeatures, Floats, Ids
from tests.memories.retrieval.pure.feature_tables import question

NOT = np.nan


def column(*scores: float) -> Floats:
    return np.array(scores)


def ids(letters: str) -> Ids:
    return np.array([letter.encode() * 16 for letter in letters])


@pytest.mark.conformance("H21")
def test_reciprocal_ranks_of_three_lists() -> None:
    # Memories A, B, C, D: vector A B C, fulltext B D, tags C.
    vector, fulltext = column(0.9, 0.8, 0.7, NOT), column(NOT, 5.0, NOT, 4.0)
    tags = column(NOT, NOT, 1.0, NOT)

    fused = fuse_reciprocal_ranks([vector, fulltext, tags], ids("abcd"))

    assert fused == pytest.approx([1 / 61, 1 / 62 + 1 / 61, 1 / 63 + 1 / 61, 1 / 62], abs=1e-9)


@pytest.mark.conformance("G17")
def test_weighted_reciprocal_ranks_are_six_to_four() -> None:
    fused = fuse_reciprocal_ranks([column(0.9, 0.8), column(NOT, 1.0)], ids("ab"), RRF_WEIGHTS)

    assert fused == pytest.approx([0.6 / 61, 0.6 / 62 + 0.4 / 61], abs=1e-9)


def test_minmax_puts_the_best_at_one_and_the_floor_at_nought() -> None:
    assert normalise_minmax(column(0.9, 0.4, -0.1, -0.5, NOT), floor=-0.1) == pytest.approx(
        [1.0, 0.5, 0.0, 0.0, 0.0]
    )
    assert len(normalise_minmax(column())) == 0


def pool(*, product: Floats, words: Floats, most: float) -> CandidateFeatures:
    """Candidates of which only the arms differ."""
    none, no = np.zeros(len(product)), np.zeros(len(product), bool)
    return CandidateFeatures(
        ids=np.arange(len(product)).astype("S16"), product=product, words=words,
        similarity=none, by_meaning=no, by_words=no, by_tags=none, length=none, asks=no,
        timed=no, by_named=no, part=none, by_asker=no, importance=none, accesses=none, days=none,
        hours=none, tag_likeness=none,
        category=none.astype(np.intp), tier=none.astype(np.intp), most=most,
        confidence=none, helped=none, expired=no, superseded=no, upcoming=no, turn=no,
        successor=none.astype(np.intp),
        shared=no, readers=none, wording=none, unconfirmed=none, said_at=none, subject=none,
        speaker=none, proven=none, texts=np.full(len(product), None),
    )  # fmt: skip


def test_a_word_shared_by_chance_does_not_outrank_the_meaning() -> None:
    # Which digits let me into the building? The door code says it without a word of that; I am on
    # the phone about the build has one of three.
    near, chance = 0.9, 0.4
    told = fuse_weighted(pool(product=column(near, chance), words=column(NOT, 4.0), most=15.0))
    assert told[0] > told[1]

    # Most of what was asked in its own words is another matter.
    told = fuse_weighted(pool(product=column(near, chance), words=column(NOT, 11.0), most=15.0))
    assert told[0] < told[1]


def test_the_words_alone_rank_as_they_score() -> None:
    told = fuse_weighted(pool(product=column(NOT, NOT), words=column(1.0, 2.0), most=40.0))
    assert 0 < told[0] < told[1] <= 1


def test_the_words_have_a_little_more_to_say_than_the_meaning() -> None:
    # Nearness from -.1: (.4 + .1) / (.9 + .1) = .5. Words: the best of the two is all there is.
    found = fuse_weighted(pool(product=column(0.9, 0.4), words=column(1.0, 4.0), most=0.0))
    assert found == pytest.approx([0.47 * 1.0 + 0.53 * 0.25, 0.47 * 0.5 + 0.53 * 1.0])


def test_a_full_hit_has_two_thirds_of_what_the_words_are_worth() -> None:
    # .65 x 20 = 13: 6.5 is half of that, and nobody has more.
    found = fuse_weighted(pool(product=column(0.9, -0.1), words=column(NOT, 6.5), most=20.0))
    assert found == pytest.approx([0.47, 0.53 * 0.5])
    found = fuse_weighted(pool(product=column(0.9, -0.1), words=column(NOT, 14.0), most=20.0))
    assert found == pytest.approx([0.47, 0.53])


def test_one_arm_alone_where_the_other_found_nothing() -> None:
    near = fuse_weighted(pool(product=column(0.9, 0.4), words=column(NOT, NOT), most=5.0))
    assert near == pytest.approx([1.0, 0.5])
    near = fuse_weighted(pool(product=column(0.9, 0.4), words=column(0.0, NOT), most=5.0))
    assert near == pytest.approx([1.0, 0.5])
    words = fuse_weighted(pool(product=column(-0.1, NOT), words=column(2.0, 1.0), most=0.0))
    assert words == pytest.approx([1.0, 0.5])


def test_minmax_of_nothing_to_tell_apart_is_nought() -> None:
    assert normalise_minmax(column(-0.1, -0.5), floor=-0.1).tolist() == [0.0, 0.0]
    assert normalise_minmax(column(0.0, NOT)).tolist() == [0.0, 0.0]
    assert normalise_minmax(column(1.0, 3.0), best=4.0).tolist() == [0.25, 0.75]
    assert normalise_minmax(column(1.0, 3.0)).tolist() == [1 / 3, 1.0]


def test_of_equal_scores_the_older_id_comes_first_wherever_its_row_lies() -> None:
    scores = [column(5.0, 5.0, NOT)]
    assert fuse_reciprocal_ranks(scores, ids("abc")) == pytest.approx([1 / 61, 1 / 62, 0])
    assert fuse_reciprocal_ranks(scores, ids("bac")) == pytest.approx([1 / 62, 1 / 61, 0])


def chosen(strategy: str, fusion: str) -> list[float]:
    """A by meaning and by tag, B by both arms, C by words alone; both arms judge everything."""
    one = replace(
        pool(product=column(0.9, 0.4, 0.1), words=column(1.0, 4.0, 2.0), most=0.0),
        by_meaning=np.array([True, True, False]),
        by_words=np.array([False, True, True]),
        by_tags=column(2.0, 0.0, 0.0),
    )
    return fuse(one, strategy, fusion).tolist()


@pytest.mark.conformance("H21", "G17")
def test_each_strategy_and_fusion_by_hand() -> None:
    assert chosen("vector", "minmax") == pytest.approx([1.0, 0.5, 0.2])
    assert chosen("keyword", "minmax") == pytest.approx([0.25, 1.0, 0.5])
    assert chosen("hybrid", "minmax") == pytest.approx(
        [0.47 + 0.53 * 0.25, 0.47 * 0.5 + 0.53, 0.47 * 0.2 + 0.53 * 0.5]
    )
    # What each arm found by itself: A first of meaning; B second of it, first of words; C second.
    six_to_four = [0.6 / 61, 0.6 / 62 + 0.4 / 61, 0.4 / 62]
    best = max(six_to_four)
    assert chosen("hybrid", "weighted_rrf") == pytest.approx([v / best for v in six_to_four])
    # With tags as the third list, where A alone stands.
    three = [1 / 61 + 1 / 61, 1 / 62 + 1 / 61, 1 / 62]
    assert chosen("hybrid", "rrf") == pytest.approx([v / max(three) for v in three])


@pytest.mark.conformance("G17")
def test_each_arm_gives_fifty_to_the_weighted_ranks_and_else_a_hundred() -> None:
    def most(**fields: object) -> int:
        return search.arm_size(question(**fields))

    assert most(fusion="weighted_rrf") == 50
    assert most(fusion="rrf") == most(fusion="minmax") == 100
    assert most(fusion="weighted_rrf", limit=80) == 80
