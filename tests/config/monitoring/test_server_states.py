"""What the doctor says of the servers that DATABASE_URL names (O19)."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection

from config.embedded.servers.ports import choose_port
from config.monitoring.diagnosis import CHECKS, FAULT, OK, WARNING
from config.monitoring.server_states import (
    ServerState,
    find_absent,
    find_faults,
    list_servers,
    read_server_states,
)
from tests.world import World

PRIMARY = ServerState("one:5432", True, "7", 3)
STANDBY = ServerState("two:5432", False, "7")


def test_a_primary_with_its_standby_is_well() -> None:
    assert find_faults([STANDBY, PRIMARY]) == []
    assert find_absent([STANDBY, PRIMARY]) == []


def test_two_servers_that_take_writes_are_told_with_their_timelines() -> None:
    [told] = find_faults([PRIMARY, ServerState("two:5432", True, "7", 4)])
    assert told == (
        "Several servers take writes: one:5432 (timeline 3) and two:5432 (timeline 4); the service "
        "uses one:5432."
    )


def test_another_database_is_told() -> None:
    told = find_faults([PRIMARY, ServerState("two:5432", False, "8")])
    assert told == ["one:5432 and two:5432 are not copies of one database."]


def test_nobody_takes_writes() -> None:
    away = ServerState("one:5432")
    assert find_faults([away, STANDBY]) == ["No server takes writes."]
    assert find_absent([away, STANDBY]) == ["one:5432"]


def test_servers_of_an_address() -> None:
    assert list_servers({"host": "a,b", "port": "1,2"}) == [("a", "1"), ("b", "2")]
    assert list_servers({"host": "a,b", "port": 5}) == [("a", "5"), ("b", "5")]
    assert list_servers({}) == [("localhost", "5432")]


def test_a_server_that_is_away_does_not_hide_the_other(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = connection.get_connection_params()
    several = given | {
        "host": f"{given['host']},{given['host']}",
        "port": f"{choose_port()},{given['port']}",
        "target_session_attrs": "read-write",
    }
    away, found = read_server_states(several)
    assert away.is_away
    assert found.is_primary
    assert found.timeline >= 1
    assert told_of(several, monkeypatch)[0] == WARNING
    assert away.name in told_of(several, monkeypatch)[1]
    assert told_of(given, monkeypatch)[0] == OK
    twice = several | {"port": f"{given['port']},{given['port']}"}
    state, text = told_of(twice, monkeypatch)[:2]
    assert state == FAULT
    assert "Several servers take writes" in text


def told_of(parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """What the doctor says of the servers that a connection with these parameters may reach."""
    asked = SimpleNamespace(get_connection_params=lambda: parameters)
    monkeypatch.setattr("config.monitoring.diagnosis.connection", asked)
    return CHECKS["servers"]()
