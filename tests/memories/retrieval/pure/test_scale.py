"""The count that chooses the way to search: how long it is kept, and where it tips."""

import pytest

from memories.retrieval import scale
from tests.memories.retrieval.pure.pools import question


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(scale, "_known", {})
    monkeypatch.setattr(scale.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What a count gives; each takes one off."""
    answers = [20_000, 20_001]
    monkeypatch.setattr(scale, "fetched", lambda sql, values: [(answers.pop(0),)])
    return answers


def test_above_twenty_thousand_rows_a_scope_is_large(clock: list[float], counted: list) -> None:
    assert not scale.is_large(question())
    clock[0] += 61
    assert scale.is_large(question())


def test_a_count_is_kept_for_a_minute_for_who_reads_the_same(
    clock: list[float], counted: list[int]
) -> None:
    assert scale.known(question()) is None
    assert scale.readable(question()) == 20_000
    clock[0] += 59.9
    assert scale.known(question()) == scale.readable(question()) == 20_000
    assert scale.known(question(model=1)) is None
    assert scale.known(question(audiences=frozenset({question().organisation_id}))) is None
    clock[0] += 0.1
    assert scale.known(question()) is None
    assert scale.readable(question()) == 20_001


def test_so_many_are_remembered(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "MOST_REMEMBERED", 2)
    for model in (1, 2):
        scale.note(question(model=model), model)
    assert [scale.known(question(model=m)) for m in (1, 2)] == [1, 2]
    scale.note(question(model=3), 3)
    assert [scale.known(question(model=m)) for m in (1, 2, 3)] == [None, None, 3]
