"""One number carries the labels of eight words, and what they are worth comes out of it."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.retrieval.candidates.scan_rows import (
    DIMENSIONS,
    LABEL_WEIGHTS,
    compute_idf_of_labels,
    decode_labels,
    encode_query,
    score_words,
)

Row = dict[int, int]


def read(text: str) -> Row:
    body, dimensions = text.rsplit("/", 1)
    assert int(dimensions) == DIMENSIONS
    pairs = [pair.split(":") for pair in body.strip("{}").split(",") if pair]
    return {int(place): int(value) for place, value in pairs}


def product(row: Row, question: Row) -> float:
    """As the database adds it: in 32 bits, place by place."""
    total = np.float32(0)
    for place in sorted(row.keys() & question.keys()):
        total += np.float32(row[place]) * np.float32(question[place])
    return float(total)


def found(places: list[int], rows: list[Row]) -> list[list[int]]:
    codes = [np.array([product(row, read(text)) for row in rows]) for text in encode_query(places)]
    return decode_labels(codes, len(places), len(rows)).tolist()


def test_a_word_is_eight_to_the_power_of_its_number() -> None:
    assert encode_query([7, 3, 9]) == [f"{{3:8,7:1,9:64}}/{DIMENSIONS}"]
    assert encode_query([]) == []


def test_the_ninth_word_takes_a_second_product() -> None:
    first, second = encode_query(list(range(1, 10)))
    assert read(first) == {n + 1: 8**n for n in range(8)}
    assert read(second) == {9: 1}


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=48, unique=True),
    st.lists(st.dictionaries(st.integers(1, 40), st.integers(1, 4)), min_size=1, max_size=5),
)
def test_every_label_comes_out_as_it_went_in(places: list[int], rows: list[Row]) -> None:
    assert found(places, rows) == [[row.get(place, 0) for row in rows] for place in places]


def test_eight_full_words_are_exact_in_thirty_two_bits() -> None:
    places = list(range(1, 9))
    assert found(places, [dict.fromkeys(places, 4)]) == [[4]] * 8


def test_two_words_of_one_place_both_get_its_label() -> None:
    assert found([5, 5, 6], [{5: 3}]) == [[3], [3], [0]]


@pytest.mark.parametrize(("label", "worth"), [(0, 0), (1, 0.3), (2, 0.5), (3, 0.7), (4, 1)])
def test_what_a_label_is_worth(label: int, worth: float) -> None:
    assert LABEL_WEIGHTS[label] == worth


def test_a_rare_word_weighs_more() -> None:
    many = np.array([[4, 4, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert compute_idf_of_labels(many, 4).tolist() == pytest.approx(
        [log(1 + 1.5 / 3.5), log(1 + 3.5 / 1.5), log(1 + 4.5 / 0.5)]
    )
    # More rows have it than lie in the scope: some have no vector yet.
    assert compute_idf_of_labels(many, 2).tolist()[0] == pytest.approx(log(1 + 0.5 / 3.5))


def test_scores_of_rows() -> None:
    many = np.array([[4, 4, 3, 0], [0, 4, 1, 0]])
    length = np.array([40.0, 80.0, 80.0, 1.0])
    scores = score_words(many, length, np.array([2.0, 10.0]))
    # An own word of 80 lexemes is divided by .5 + .5 x 2; a lent one is not.
    assert scores[:3].tolist() == pytest.approx([2.0, 12 / 1.5, 0.7 * 2 + 0.3 * 10])
    assert np.isnan(scores[3]), "no word is shared"
    assert np.isnan(score_words(np.empty((0, 4), dtype=np.int64), length, np.empty(0))).all()
