"""What topics are compared by, and how strong a decision is, at the borders."""

from hashlib import sha256

import pytest

from memories.curation.decision_records.topic_rules import (
    topic_hash,
    topic_words,
    vote_strength,
)


@pytest.mark.conformance("G23")
@pytest.mark.parametrize(
    ("agree", "disagree", "expected"),
    [
        (1, 0, "unanimous"),
        (10**9, 0, "unanimous"),
        (10**9 - 1, 1, "strong"),
        (81, 19, "strong"),
        (800_000_000_000_000_001, 199_999_999_999_999_999, "strong"),
        (80, 20, "moderate"),
        (4, 1, "moderate"),
        (60, 40, "moderate"),
        (3, 2, "moderate"),
        (599_999_999_999_999_999, 400_000_000_000_000_001, "weak"),
        (51, 49, "weak"),
        (50, 50, "split"),
        (0, 0, "split"),
        (49, 51, "contested"),
        (0, 1, "contested"),
    ],
)
def test_strength(agree: int, disagree: int, expected: str) -> None:
    assert vote_strength(agree, disagree) == expected


def test_nobody_votes_less_than_never() -> None:
    with pytest.raises(ValueError, match="less than 0"):
        vote_strength(-1, 2)
    with pytest.raises(ValueError, match="less than 0"):
        vote_strength(2, -1)


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("Which database for Orders?", {"which", "database", "for", "orders"}),
        ("orders, ORDERS & oRdErS", {"orders"}),
        ("\ufb01le \uff4fn Stra\xdfe", {"file", "on", "strasse"}),
        ("e\u0301tude étude", {"étude"}),
        ("snake_case v2.1", {"snake", "case", "v2", "1"}),
        ("  ?!  ", set()),
        ("", set()),
    ],
)
def test_words_of_a_topic(topic: str, words: set[str]) -> None:
    assert topic_words(topic) == words


def test_a_topic_is_looked_at_as_far_as_the_budget() -> None:
    assert topic_words("a " * 1000 + "beyond") == {"a"}


@pytest.mark.conformance("G24")
def test_the_hash_is_of_the_sorted_set_of_words() -> None:
    expected = sha256(b"database\norders\nwhich").hexdigest()
    assert topic_hash(topic_words("Which database? Orders!")) == expected
    assert topic_hash(topic_words("orders database which Which")) == expected
    assert topic_hash(topic_words("orders database")) != expected
    # Two words are not one.
    assert topic_hash({"ab", "c"}) != topic_hash({"a", "bc"})
