"""How far a trail was told: windows, floors, another database."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from memories.audit_stream.trail_position import CLOCKS, TrailPosition, first_id
from orgs.models.base import new_id

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_it_is_kept_as_json() -> None:
    place = TrailPosition.begin("one", 100, NOON)
    assert TrailPosition.from_json(place.to_json()) == place
    read = place.opened("one", 120, 125, NOON + MINUTE).told(new_id())
    assert TrailPosition.from_json(read.to_json()) == read


def test_a_window_ends_where_it_was_opened() -> None:
    place = TrailPosition.begin("one", 100, NOON).opened("one", 120, 125, NOON + MINUTE)
    assert place.is_open
    assert (place.position, place.until) == (100, 120)
    assert place.after == first_id(NOON - CLOCKS)
    behind = place.told(UUID(int=7)).closed()
    assert (behind.position, behind.is_open) == (120, False)


def test_the_floor_follows_one_window_later_and_never_a_running_transaction() -> None:
    place = TrailPosition.begin("one", 100, NOON)
    first = place.opened("one", 120, 125, NOON + MINUTE).closed()
    assert first.floor == NOON
    # 120 still runs: what it writes may be as old as the window before.
    second = first.opened("one", 120, 140, NOON + 2 * MINUTE).closed()
    assert second.floor == NOON
    third = second.opened("one", 150, 150, NOON + 3 * MINUTE).closed()
    assert third.floor == NOON + 2 * MINUTE


def test_the_horizon_never_goes_back() -> None:
    place = TrailPosition.begin("one", 100, NOON).opened("one", 90, 90, NOON)
    assert place.until == 100


def test_another_database_tells_all_from_the_floor_on() -> None:
    place = TrailPosition.begin("one", 100, NOON).opened("two", 40, 50, NOON + MINUTE)
    assert (place.epoch, place.position, place.until) == ("two", 0, 40)
    assert place.after == first_id(NOON - CLOCKS)
    assert place.closed().floor == NOON + MINUTE or place.closed().floor == NOON


def test_the_first_id_of_a_moment_is_below_those_made_then() -> None:
    made = new_id()
    now = datetime.now(UTC)
    assert first_id(now - MINUTE) < made < first_id(now + MINUTE)
