"""The count that chooses the way to search: how long it is kept, and where it tips."""

import pytest

from memories.retrieval.candidates import readable_row_count
from tests.memories.retrieval.pure.feature_tables import question


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(readable_row_count, "_cache", {})
    monkeypatch.setattr(readable_row_count.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What a count gives; each takes one off."""
    answers = [20_000, 20_001]
    monkeypatch.setattr(readable_row_count, "fetch_all", lambda sql, values: [(answers.pop(0),)])
    return answers


def test_above_twenty_thousand_rows_a_scope_is_large(clock: list[float], counted: list) -> None:
    assert not readable_row_count.is_large_scope(question())
    clock[0] += 61
    assert readable_row_count.is_large_scope(question())


def test_a_count_is_kept_for_a_minute_for_who_reads_the_same(
    clock: list[float], counted: list[int]
) -> None:
    assert readable_row_count.cached_count(question()) is None
    assert readable_row_count.count_readable_rows(question()) == 20_000
    clock[0] += 59.9
    assert (
        readable_row_count.cached_count(question())
        == readable_row_count.count_readable_rows(question())
        == 20_000
    )
    assert readable_row_count.cached_count(question(model=1)) is None
    assert (
        readable_row_count.cached_count(question(audiences=frozenset({question().organisation_id})))
        is None
    )
    clock[0] += 0.1
    assert readable_row_count.cached_count(question()) is None
    assert readable_row_count.count_readable_rows(question()) == 20_001


def test_so_many_are_remembered(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable_row_count, "MAX_CACHED", 2)
    for model in (1, 2):
        readable_row_count.cache_count(question(model=model), model)
    assert [readable_row_count.cached_count(question(model=m)) for m in (1, 2)] == [1, 2]
    readable_row_count.cache_count(question(model=3), 3)
    assert [readable_row_count.cached_count(question(model=m)) for m in (1, 2, 3)] == [
        None,
        None,
        3,
    ]
