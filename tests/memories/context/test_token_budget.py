"""What stays within a budget and in which order it comes, by worked examples."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memories.context.token_budget import (
    WorkingMemoryItem,
    hyperbolic_recency,
    select_evicted,
    select_fitting,
    sort_items,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def item(
    number: int, importance: float = 0.5, tokens: int = 10, **more: float
) -> WorkingMemoryItem:
    """added and used: hours ago."""
    return WorkingMemoryItem(
        id=UUID(int=number),
        tokens=tokens,
        importance=importance,
        access_count=int(more.get("accesses", 0)),
        added_at=NOW - timedelta(hours=more.get("added", 0)),
        last_used_at=NOW - timedelta(hours=more.get("used", 0)),
    )


def numbers(items: list[WorkingMemoryItem]) -> list[int]:
    return [one.id.int for one in items]


@pytest.mark.conformance("H14")
def test_the_least_important_leave_until_enough_is_free() -> None:
    user_pref, architecture_decision = item(1, 0.9, 30), item(2, 1.0, 40)
    random_note, debug_log, temp_calc = item(3, 0.1, 20), item(4, 0.2, 20), item(5, 0.3, 20)
    all_five = [user_pref, temp_calc, architecture_decision, debug_log, random_note]
    assert select_evicted(all_five, 75) == [random_note, debug_log, temp_calc]
    assert select_evicted(all_five, 90) == [random_note, debug_log]
    assert select_evicted(all_five, 91) == [random_note, debug_log]
    assert select_evicted(all_five, 110) == [random_note]
    assert select_evicted(all_five, 130) == []


def test_of_equal_importance_the_oldest_leaves() -> None:
    young, old = item(1, added=1), item(2, added=2)
    assert select_evicted([young, old], 10) == [old]
    assert select_evicted([young, old], 9) == [old, young]


def test_what_is_being_added_stays() -> None:
    new, old = item(1, 0.1), item(2, 0.9)
    assert select_evicted([new, old], 10, keep=new.id) == [old]


@pytest.mark.conformance("H16")
def test_recent_is_by_the_last_use() -> None:
    items = [item(1, 0.9, used=3), item(2, 0.1, used=1), item(3, 0.5, used=2)]
    assert numbers(sort_items(items, "recent", now=NOW)) == [2, 3, 1]


@pytest.mark.conformance("H17")
def test_important_is_by_importance_or_by_recalls() -> None:
    items = [item(1, 0.2, accesses=9), item(2, 0.9, accesses=1), item(3, 0.5, accesses=4)]
    assert numbers(sort_items(items, "important", now=NOW)) == [2, 3, 1]
    assert numbers(sort_items(items, "important", now=NOW, by="access_count")) == [1, 3, 2]


@pytest.mark.conformance("H18")
@pytest.mark.parametrize(("hours", "weight"), [(0, 1), (1, 0.5), (3, 0.25), (24, 0.04)])
def test_what_was_used_long_ago_weighs_less(hours: int, weight: float) -> None:
    assert hyperbolic_recency(NOW - timedelta(hours=hours), NOW) == pytest.approx(weight)


@pytest.mark.conformance("H18")
def test_balanced_is_importance_times_recency() -> None:
    # .9 / 4 = .225, .4 / 1 = .4, .6 / 2 = .3
    items = [item(1, 0.9, used=3), item(2, 0.4), item(3, 0.6, used=1)]
    assert numbers(sort_items(items, "balanced", now=NOW)) == [2, 3, 1]


def test_a_use_in_the_future_weighs_no_more_than_one_now() -> None:
    assert hyperbolic_recency(NOW + timedelta(hours=2), NOW) == 1


@pytest.mark.parametrize("order", ["recent", "important", "balanced"])
def test_equal_items_have_one_order(order: str) -> None:
    items = [item(1), item(2), item(3)]
    assert sort_items(items, order, now=NOW) == sort_items(items[::-1], order, now=NOW)


@pytest.mark.conformance("H19")
def test_what_does_not_fit_is_skipped_and_the_next_that_fits_is_taken() -> None:
    assert numbers(select_fitting([item(1), item(2), item(3)], 25)) == [1, 2]
    assert numbers(select_fitting([item(1), item(2, tokens=20), item(3)], 25)) == [1, 3]
    assert numbers(select_fitting([item(1, tokens=26), item(2), item(3), item(4)], 25)) == [2, 3]
    assert numbers(select_fitting([item(1), item(2)], 20)) == [1, 2]
    assert select_fitting([item(1)], 9) == []
