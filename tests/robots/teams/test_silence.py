"""Who is silent and who takes whose place, as pure rules."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from robots.teams.failover_rules import TeamRobotState, is_silent, select_replacements

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
LIMIT = timedelta(seconds=10)


def mate(number: int, *, active: bool = False, heard: float = 0, joined: int = 0) -> TeamRobotState:
    """heard, joined: seconds ago."""
    return TeamRobotState(
        id=UUID(int=number),
        active=active,
        heard_at=NOW - timedelta(seconds=heard),
        joined_at=NOW - timedelta(seconds=joined),
    )


def taken(*mates: TeamRobotState, waiting_too: bool = False) -> list[tuple[int | None, int]]:
    found = select_replacements(mates, limit=LIMIT, now=NOW, waiting_too=waiting_too)
    return [(fallen.int if fallen else None, one.int) for fallen, one in found]


@pytest.mark.parametrize(("seconds", "silent"), [(0, False), (9.9, False), (10, True), (60, True)])
def test_ten_seconds_without_a_word_are_silence(seconds: float, silent: bool) -> None:
    assert is_silent(NOW - timedelta(seconds=seconds), limit=LIMIT, now=NOW) is silent


@pytest.mark.conformance("H39")
def test_the_first_by_joining_takes_the_place() -> None:
    fallen = mate(1, active=True, heard=11)
    assert taken(fallen, mate(2, joined=10), mate(3, joined=20)) == [(1, 3)]
    # One that is silent itself is no help, unless nothing else is asked of it.
    assert taken(fallen, mate(2, joined=10), mate(3, joined=20, heard=11)) == [(1, 2)]
    assert taken(fallen, mate(3, heard=11)) == []
    assert taken(fallen, mate(3, heard=11), waiting_too=True) == [(1, 3)]
    assert taken(fallen, mate(2, joined=1), mate(3, joined=9, heard=11), waiting_too=True) == [
        (1, 2)
    ]


def test_nobody_takes_the_place_of_one_that_is_heard() -> None:
    assert taken(mate(1, active=True, heard=9), mate(2)) == []
    assert taken(mate(1, active=True), mate(2, active=True, heard=30), mate(3)) == [(2, 3)]
    two = (mate(1, active=True, heard=11, joined=5), mate(2, active=True, heard=30, joined=9))
    assert taken(*two, mate(3, joined=2), mate(4, joined=1)) == [(2, 3), (1, 4)]


def test_where_nobody_is_active_the_first_leads() -> None:
    assert taken(mate(2, joined=1), mate(3, joined=2)) == [(None, 3)]
    assert taken() == []
