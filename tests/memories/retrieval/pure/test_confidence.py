"""How sure it is that a memory answers: worked examples, computed by hand."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest

from memories.embedding.model_catalogue import MODELS, AnswerWeights, EmbeddingModel
from memories.retrieval.answering.confidence import (
    HITS_CONSIDERED,
    NO_BELOW,
    UNMEASURED_CONFIDENCE,
    YES_FROM,
    classify_confidence,
    compute_answer_confidence,
    is_irrelevant,
    max_confidence,
    speaker_margin,
)
from memories.retrieval.search_types import Hit
from tests.memories.retrieval.pure.feature_tables import id_of, make_feature_table, question

MINILM = AnswerWeights(base=-8.7, near=7.0, share=8.9, base_alone=-9.8, near_alone=11.0)
ASKED = question(lexemes=("launch", "day"), weights=MINILM, vector=np.zeros(3))


def sigmoid(odds: float) -> float:
    return 1 / (1 + exp(-odds))


def test_the_weights_belong_to_the_model() -> None:
    assert MODELS["minilm"].answers == MODELS["fake"].answers == MINILM
    assert MODELS["bge-small-en-v1.5"].answers is None
    assert EmbeddingModel("somebody/else", 1_000).answers is None


def test_both_arms_say_together_how_sure_it_is() -> None:
    """-8.7 + 7 x 1.0 + 8.9 x 4 / 8 = 2.75, and so on."""
    turns = make_feature_table(
        most=8.0, product=[1.0, 1.0, 0.2, 0.6], words=[4.0, 0.0, np.nan, 8.0]
    )
    odds = [2.75, -1.7, -7.3, 4.4]
    assert compute_answer_confidence(ASKED, turns, None) == pytest.approx(
        [sigmoid(one) for one in odds]
    )


@pytest.mark.parametrize("strategy", ["hybrid", "keyword"])
def test_words_alone_say_it_where_no_vector_is_known(strategy: str) -> None:
    """-4.4 + 12.5 x 4 / 8 = 1.85 and -4.4; a model is asked for nothing."""
    turns = make_feature_table(most=8.0, product=[np.nan, np.nan], words=[4.0, np.nan])
    for weights in (MINILM, None):
        asked = replace(ASKED, strategy=strategy, weights=weights)
        found = compute_answer_confidence(asked, turns, None)
        assert found == pytest.approx([sigmoid(1.85), sigmoid(-4.4)])


def test_keyword_looks_at_no_vector() -> None:
    turns = make_feature_table(most=8.0, product=[1.6, -0.1], words=[4.0, 4.0])
    found = compute_answer_confidence(replace(ASKED, strategy="keyword"), turns, None)
    assert found == pytest.approx([sigmoid(1.85)] * 2)


@pytest.mark.parametrize("changed", [{"strategy": "vector"}, {"lexemes": ()}])
def test_meaning_alone_says_it_where_no_word_counts(changed: dict[str, object]) -> None:
    """-9.8 + 11 x 1.0 = 1.2. What has no vector either is nothing."""
    turns = make_feature_table(product=[1.0, 0.2, np.nan], words=[np.nan, np.nan, np.nan])
    found = compute_answer_confidence(replace(ASKED, **changed), turns, None)
    assert found == pytest.approx([sigmoid(1.2), sigmoid(-7.6), 0.0])


def test_a_model_that_nobody_measured_says_neither_yes_nor_no_by_meaning() -> None:
    other = replace(ASKED, weights=None)
    turns = make_feature_table(most=8.0, product=[0.9, 0.9, np.nan], words=[8.0, np.nan, np.nan])
    found = compute_answer_confidence(other, turns, None)
    assert found == pytest.approx([sigmoid(8.1), UNMEASURED_CONFIDENCE, sigmoid(-4.4)])
    assert [classify_confidence(one) for one in found] == ["yes", "unsure", "no"]
    alone = make_feature_table(product=[1.6, np.nan])
    assert compute_answer_confidence(replace(other, strategy="vector"), alone, None).tolist() == [
        UNMEASURED_CONFIDENCE,
        0.0,
    ]


def test_what_another_said_in_the_words_of_the_question_takes_from_it() -> None:
    """.77 + 10.6 x lead: nothing is left where others have all words and who is named has none."""
    turns = make_feature_table(most=8.0, product=[1.0], words=[4.0])
    plain = sigmoid(2.75)
    for lead in (0.25, 0.0, -0.5):
        found = compute_answer_confidence(ASKED, turns, lead)
        assert found == pytest.approx([plain * sigmoid(0.77 + 10.6 * lead)])
    assert sigmoid(0.77 - 5.3) < 0.011


def test_the_lead_is_between_the_best_of_each_side() -> None:
    turns = make_feature_table(
        most=10.0,
        words=[6.0, 9.0, 4.0, 10.0, np.nan],
        by_named=[1, 0, 0, 0, 1],
        asks=[0, 0, 0, 1, 0],
    )
    named = replace(ASKED, named=("ann",))
    assert speaker_margin(named, turns) == pytest.approx(0.6 - 0.9), (
        "a question of another's says nothing"
    )
    assert speaker_margin(ASKED, turns) is None, "nobody is named"
    assert speaker_margin(replace(named, strategy="vector"), turns) is None
    assert speaker_margin(replace(named, lexemes=()), turns) is None
    alone = make_feature_table(most=10.0, words=[6.0], by_named=[1])
    assert speaker_margin(named, alone) == pytest.approx(0.6)
    without = make_feature_table(most=10.0, words=[6.0], by_named=[0])
    assert speaker_margin(named, without) == pytest.approx(-0.6)
    assert speaker_margin(named, make_feature_table(words=[np.nan], by_named=[1])) == 0.0


def test_a_share_is_never_over_one() -> None:
    """Several sources are merged, and each counts rows of its own."""
    turns = make_feature_table(most=2.0, product=[np.nan], words=[8.0])
    assert compute_answer_confidence(ASKED, turns, None) == pytest.approx([sigmoid(8.1)])


def test_the_words_of_an_answer_are_those_of_its_confidence() -> None:
    assert (YES_FROM, NO_BELOW) == (0.6, 0.08)
    found = [classify_confidence(one) for one in (1.0, 0.6, 0.5999, 0.08, 0.0799, 0.0)]
    assert found == ["yes", "yes", "unsure", "unsure", "no", "no"]
    folded = [is_irrelevant(Hit(id_of(1), 0.5, answers=one)) for one in (0.08, 0.0799)]
    assert folded == [False, True]


def test_an_answer_is_as_sure_as_the_surest_of_its_first_ten() -> None:
    assert HITS_CONSIDERED == 10
    hits = [Hit(id_of(n), 0.5, answers=n / 100) for n in range(1, 12)]
    assert max_confidence(hits) == 0.10
    assert max_confidence(hits[:3]) == 0.03
    assert max_confidence([]) == 0.0


def test_no_number_is_too_large() -> None:
    turns = make_feature_table(most=1.0, product=[1e9, -1e9], words=[1.0, 1.0])
    assert compute_answer_confidence(ASKED, turns, None).tolist() == pytest.approx([1.0, 0.0])
