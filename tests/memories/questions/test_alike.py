"""Which questions stand together."""

import time

import pytest

from memories.questions.alike import group_alike


def grouped(*texts: str) -> list[list[str]]:
    return [[texts[i] for i in one] for one in group_alike([("", text) for text in texts])]


@pytest.mark.conformance("X14")
def test_alike_questions_stand_together() -> None:
    opens, fridays = "When does the canteen open?", "when does the canteen open on Fridays"
    runs, pays = "Who runs the canteen kitchen?", "What does the canteen lunch cost?"
    assert grouped(opens, runs, fridays, pays) == [[opens, fridays], [runs], [pays]]


def test_what_was_asked_elsewhere_stands_apart() -> None:
    same = "When does the canteen open?"
    assert group_alike([("launch", same), ("design", same), ("launch", same)]) == [[0, 2], [1]]


def test_a_question_joins_the_most_similar_ones() -> None:
    first, second = "printer paper tray", "printer paper colour toner"
    assert grouped(first, second, "colour toner printer") == [
        [first],
        [second, "colour toner printer"],
    ]


def test_without_words_that_matter_only_the_same_stand_together() -> None:
    assert grouped("Why?", "How is it?", "why?") == [["Why?", "why?"], ["How is it?"]]


def test_many_different_questions_take_no_long_time() -> None:
    texts = [" ".join(f"w{n}x{i}" for i in range(60)) for n in range(300)]
    began = time.process_time()
    assert len(grouped(*texts)) == 300
    assert time.process_time() - began < 2
