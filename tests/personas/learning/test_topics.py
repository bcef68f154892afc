"""Which topics of texts rise and fall; pure."""

from uuid import UUID

import pytest

from personas.learning.topics import TopicTrend, count_topics

WINDOWS = 8
RISING, FALLING = (0, 1, 1, 2, 3, 5, 6, 8), (8, 6, 5, 3, 2, 1, 1, 0)
FLAT, NOISE = (2,) * 8, (3, 0, 2, 1, 4, 0, 2, 2)


def series(counts: tuple[int, ...]) -> dict[int, int]:
    """As the log of operations gives it: by how many windows ago."""
    return {WINDOWS - 1 - place: many for place, many in enumerate(counts) if many}


def topics(**said: tuple[int, ...]) -> dict[str, TopicTrend]:
    texts = {UUID(int=n): f"They ask about {name}." for n, name in enumerate(said)}
    given = {UUID(int=n): series(counts) for n, counts in enumerate(said.values())}
    return {one.topic: one for one in count_topics(texts, given, WINDOWS)}


@pytest.mark.conformance("P28")
def test_a_rising_series_is_told_from_a_flat_one() -> None:
    found = topics(cannibalisation=RISING, leases=FLAT, parking=FALLING, signage=NOISE)
    assert {name: one.found.trend for name, one in found.items()} == {
        "cannibalisation": "rising",
        "leases": "flat",
        "parking": "falling",
        "signage": "flat",
    }
    assert found["cannibalisation"].counts == RISING
    assert found["leases"].found.p == 1.0


def test_a_topic_of_several_texts_is_one() -> None:
    texts = {UUID(int=1): "Lease terms first.", UUID(int=2): "Ask for each lease."}
    given = {UUID(int=1): {0: 2}, UUID(int=2): {0: 1, 7: 1}}
    lease = {one.topic.casefold(): one.counts for one in count_topics(texts, given, WINDOWS)}[
        "lease"
    ]
    assert lease == (1, 0, 0, 0, 0, 0, 0, 3)


def test_what_was_named_twice_is_no_topic() -> None:
    assert topics(lease=(0, 0, 0, 0, 0, 0, 1, 1)) == {}
