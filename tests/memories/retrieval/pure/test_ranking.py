"""The top of the judged, and pools put together."""

from dataclasses import replace
from uuid import UUID

import numpy as np

from memories.retrieval.candidates.scan_rows import merge_candidates
from memories.retrieval.ranking import rank_pass
from memories.retrieval.ranking.cues import Scores
from memories.retrieval.ranking.rank_pass import _apply_caps, build_hit, top_indexes, value_or_none
from memories.retrieval.search_types import CandidateFeatures
from tests.memories.retrieval.pure.feature_tables import (
    id_of,
    make_feature_table,
    question,
    without_features,
)


def judged(*scores: float) -> Scores:
    none = np.zeros(len(scores))
    return Scores(np.array(scores), np.array(scores) / 2, none, none + 0.25, none)


def test_the_best_first_equal_ones_by_id() -> None:
    turns = make_feature_table(ids=[4, 3, 2, 1])
    assert top_indexes(question(limit=10), turns, judged(0.1, 0.5, 0.9, 0.5)) == [2, 3, 1, 0]
    assert top_indexes(question(limit=2), turns, judged(0.1, 0.5, 0.9, 0.5)) == [2, 3]
    assert top_indexes(question(limit=2, whole=True), turns, judged(0.1, 0.5, 0.9, 0.5)) == [
        2,
        3,
        1,
        0,
    ]


def test_what_is_not_similar_enough_stays_out() -> None:
    turns = make_feature_table(similarity=[0.2, 0.3, np.nan, 0.9])
    asked = question(min_similarity=0.3)
    assert top_indexes(asked, turns, judged(4, 3, 2, 1)) == [1, 3]
    assert top_indexes(question(min_similarity=0.0), turns, judged(4, 3, 2, 1)) == [0, 1, 2, 3]


def test_each_source_gives_so_many() -> None:
    origins = np.array([0, 0, 1, 0, 1])
    assert _apply_caps([0, 1, 2, 3, 4], origins, [2, 1]) == [0, 1, 2]
    assert _apply_caps([4, 3, 2], origins, [0, 5]) == [4, 2]


def test_caps_hold_before_the_limit(monkeypatch) -> None:
    turns = make_feature_table(ids=[1, 2, 3, 4], product=[0.9, 0.8, 0.7, 0.6])
    monkeypatch.setattr(rank_pass, "find_candidates", lambda q, sources: sources)
    monkeypatch.setattr(rank_pass, "load_features", without_features)
    halves = [
        make_feature_table(ids=[1, 2], product=[0.9, 0.8]),
        make_feature_table(ids=[3, 4], product=[0.7, 0.6]),
    ]

    def ranked(caps, **fields):
        asked = question(strategy="vector", **fields)
        return [one.id.int for one in rank_pass.rank_hits(asked, halves, caps)]

    assert ranked(None, limit=3) == [1, 2, 3]
    assert ranked([1, 2], limit=3) == [1, 3, 4]
    assert ranked([1, 2], limit=2) == [1, 3]
    assert ranked([1, 1], limit=1, whole=True) == [1, 3]
    assert len(turns) == 4


def test_what_is_over_by_now_is_nothing_that_others_are_measured_by(monkeypatch) -> None:
    """The best by words has expired: the others are judged as if it had never been there."""

    def without_the_first(asked, found, *, front=None):
        whole, places = without_features(asked, found)
        kept = np.flatnonzero(found.ids != id_of(1).bytes)
        columns = {
            n: getattr(whole, n)[kept]
            for n in whole.__dataclass_fields__
            if n not in ("most", "own")
        }
        return CandidateFeatures(**columns, most=whole.most), places[kept]

    turns = make_feature_table(ids=[1, 2, 3], product=[0.1, 0.2, 0.1], words=[30.0, 10.0, 5.0])
    left = make_feature_table(ids=[2, 3], product=[0.2, 0.1], words=[10.0, 5.0])
    monkeypatch.setattr(rank_pass, "find_candidates", lambda q, sources: sources)
    asked = question(strategy="hybrid", limit=2)
    monkeypatch.setattr(rank_pass, "load_features", without_the_first)
    found = [(hit.id, hit.relevance) for hit in rank_pass.rank_hits(asked, [turns])]
    monkeypatch.setattr(rank_pass, "load_features", without_features)
    assert found == [(hit.id, hit.relevance) for hit in rank_pass.rank_hits(asked, [left])]


def test_what_has_faded_makes_room_for_what_the_shortlist_left_out(monkeypatch) -> None:
    """By relevance alone the third could not be the best; the two before it are a quarter each."""
    turns = make_feature_table(ids=[1, 2, 3], product=[0.9, 0.8, 0.3])
    days = {1: 270.0, 2: 270.0, 3: 0.0}

    def faded(asked, found, *, front=None):
        whole, places = without_features(asked, found)
        numbers = [int.from_bytes(bytes(one).ljust(16, b"\0")) for one in whole.ids]
        return replace(whole, unconfirmed=np.array([days[one] for one in numbers])), places

    monkeypatch.setattr(rank_pass, "find_candidates", lambda q, sources: sources)
    asked = question(strategy="vector", limit=1)
    monkeypatch.setattr(rank_pass, "load_features", without_features)
    assert [one.id.int for one in rank_pass.rank_hits(asked, [turns])] == [1]
    monkeypatch.setattr(rank_pass, "load_features", faded)
    assert [one.id.int for one in rank_pass.rank_hits(asked, [turns])] == [3]


def test_a_hit_carries_what_explains_it() -> None:
    # An id that ends in noughts: numpy drops them.
    turns = make_feature_table(ids=[1 << 64], product=[0.5], words=[np.nan], similarity=[0.25])
    found = build_hit(turns, judged(0.8), 0)
    assert found.id == UUID(int=1 << 64)
    assert (found.score, found.relevance, found.strength) == (0.8, 0.4, 0.25)
    assert (found.vector, found.keyword, found.similarity) == (0.5, None, 0.25)
    assert value_or_none(turns.words, 0) is None


def test_of_a_memory_that_several_hold_the_first_counts() -> None:
    one = make_feature_table(ids=[1, 2], product=[0.1, 0.2], most=3.0)
    other = make_feature_table(ids=[2, 3], product=[0.8, 0.9], most=5.0)
    whole, origins = merge_candidates([one, other])
    assert [UUID(bytes=bytes(i).ljust(16, b"\0")) for i in whole.ids] == [
        id_of(n) for n in (1, 2, 3)
    ]
    assert whole.product.tolist() == [0.1, 0.2, 0.9]
    assert (origins.tolist(), whole.most) == ([0, 0, 1], 5.0)
    alone, origins = merge_candidates([one])
    assert alone is one
    assert origins.tolist() == [0, 0]
