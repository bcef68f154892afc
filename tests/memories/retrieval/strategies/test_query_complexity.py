"""How much a question asks for (A22): scores worked out by hand."""

import pytest

from memories.retrieval.strategies.query_complexity import (
    MEDIUM_BELOW,
    SIMPLE_BELOW,
    score_complexity,
)

LONG = "Explain how the billing service and the shop compare across both of our regions today"


@pytest.mark.conformance("A22")
@pytest.mark.parametrize(
    ("question", "tenths"),
    [
        # Words, then the asking ones among them.
        ("Spinnaker", 0),  # 1 word
        ("Who owns billing?", 2),  # 3 words; who
        ("the launch date of the new backpack", 1),  # 7 words
        ("What is the launch date of it?", 3),  # 7 words, 1; what, 2
        ("Why does it fail and how?", 5),  # 6 words, 1; why and how, 4
        ("who who who", 2),  # each word counts once
        (LONG, 10),  # 15 words, 3; explain, how, compare, across: 8; 11 is cut to 10
        ("Somewhat showy whose between-times", 0),  # parts of words are no words
    ],
)
def test_scores_worked_out_by_hand(question: str, tenths: int) -> None:
    assert score_complexity(question) == tenths / 10


@pytest.mark.parametrize(("words", "tenths"), [(0, 0), (5, 0), (6, 1), (10, 1), (11, 3), (30, 3)])
def test_longer_questions_ask_for_more(words: int, tenths: int) -> None:
    assert score_complexity("word " * words) == tenths / 10


def test_the_words_below_which_a_question_is_simple() -> None:
    assert (SIMPLE_BELOW, MEDIUM_BELOW) == (0.3, 0.7)
    assert score_complexity("who and what and how and why") == 0.9
    assert score_complexity("who what how why explain") == 1.0
    assert score_complexity("who what how why explain compare") == 1.0, "at most"
