"""What the wording adds and the score that ranks, worked out by hand."""

from math import log

import numpy as np
import pytest

from memories.retrieval.ranking.cues import compute_cues, compute_relevance, score_candidates
from tests.memories.retrieval.pure.feature_tables import make_feature_table, question


def test_a_longer_turn_says_more_up_to_thirty_lexemes() -> None:
    found = compute_cues(question(), make_feature_table(length=[0, 4, 30, 300]))
    # .05 x ln 5 = .080472; .05 x ln 31 = .171699.
    assert found == pytest.approx([0.0, 0.080472, 0.171699, 0.171699], abs=1e-6)


def test_a_short_question_is_no_answer() -> None:
    assert compute_cues(question(), make_feature_table(asks=[1, 0])) == pytest.approx([-0.06, 0.0])


def test_whom_the_question_names_said_it() -> None:
    turns = make_feature_table(by_named=[1, 0])
    assert compute_cues(question(named=("ann",)), turns) == pytest.approx([0.20, 0.0])
    assert compute_cues(question(named=("ann", "bob")), turns) == pytest.approx([0.10, 0.0])
    assert compute_cues(question(), turns) == pytest.approx([0.0, 0.0])


def test_when_and_who_asks() -> None:
    turns = make_feature_table(timed=[1, 0], by_asker=[0, 1])
    assert compute_cues(question(asks_when=True), turns) == pytest.approx([0.08, 0.0])
    assert compute_cues(question(asks_about_self=True), turns) == pytest.approx([0.0, 0.10])
    assert compute_cues(question(), turns) == pytest.approx([0.0, 0.0])


def test_relevance_is_brought_to_nought_and_one() -> None:
    # From -.06 to 1 + .05 ln 31 + .20 + .08 + .10 = 1.551699, so 1.611699 wide.
    highest = 0.05 * log(31) + 0.38
    found = compute_relevance(np.array([0.0, 1.0, 0.5]), np.array([-0.06, highest, 0.0]))
    assert found == pytest.approx([0.0, 1.0, 0.56 / 1.611699], abs=1e-6)


def test_the_score_of_a_hybrid() -> None:
    turns = make_feature_table(importance=[0.8, 0.8], tier=[1, 0], length=[4, 0])
    judged = score_candidates(question(strategy="hybrid"), turns, np.array([0.5, 0.5]))
    # (.5 + .080472 + .06) / 1.611699 = .397389; (.5 + .06) / 1.611699 = .347459.
    assert judged.cues == pytest.approx([0.080472, 0.0], abs=1e-6)
    assert judged.relevance == pytest.approx([0.397389, 0.347459], abs=1e-6)
    assert judged.strength == pytest.approx([0.8, 0.8])
    # .85 relevance + .10 x .8 + .05 x (1, none).
    assert judged.score == pytest.approx([0.467781, 0.375340], abs=1e-6)


@pytest.mark.parametrize(
    ("strategy", "fusion"),
    [("keyword", "minmax"), ("vector", "minmax"), ("hybrid", "rrf"), ("hybrid", "weighted_rrf")],
)
def test_what_is_asked_for_as_such_gets_no_cues(strategy: str, fusion: str) -> None:
    turns = make_feature_table(importance=[0.8], length=[30])
    judged = score_candidates(question(strategy=strategy, fusion=fusion), turns, np.array([0.5]))
    assert (judged.cues[0], judged.relevance[0]) == (0.0, 0.5)
    assert judged.score[0] == pytest.approx(0.85 * 0.5 + 0.08)
