"""An organisation moves between two servers from the wheel, and its command is killed (O18)."""

import time
from pathlib import Path

import pytest

from tests.chaos.move_figures import compare_texts, wait_for_vectors
from tests.chaos.moving_servers import Callers, MovingServers, make_plant, moving_servers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
# Seconds after which the command is killed; it starts for about three.
KILLED_AFTER = (4.0, 6.0, 8.0, 10.0)


def has_moved(servers: MovingServers) -> bool:
    """Whether the move is over, with all that it has to delete."""
    placed = servers.fetch(servers.home, "SELECT server FROM orgs_placement")
    left = servers.fetch(servers.home, "SELECT 1 FROM orgs_organisationmove")
    return placed == [("north",)] and not left


@pytest.mark.conformance("O18")
def test_killed_again_and_again_it_arrives_whole(tmp_path: Path) -> None:
    with moving_servers(tmp_path / "servers", fast=True) as servers:
        servers.start_site()
        organisation, key = make_plant(servers, 300)
        wait_for_vectors(servers, servers.home)
        callers = Callers(servers, key)
        with callers.going_on(writers=2, pause=0.3):
            for seconds in KILLED_AFTER:
                if not has_moved(servers):
                    servers.kill_move("north", seconds)
            # A seal that was left ends by itself, and the command goes on or says that it did.
            if not has_moved(servers):
                assert not servers.kill_move("north", 300.0)
            time.sleep(2)
        assert callers.faults == []
        assert {status for _, status in callers.asked} == {200}
        assert compare_texts(servers, servers.north, callers) == (0, 0)
        assert servers.fetch(servers.home, "SELECT count(*) FROM memories_memory") == [(0,)]
        assert servers.count_rows(servers.north, but=organisation) == 0
        for address in (servers.home, servers.north):
            assert servers.fetch(address, "SELECT slot_name FROM pg_replication_slots") == []
            assert servers.fetch(address, "SELECT pubname FROM pg_publication") == []
        assert servers.fetch(servers.home, "SELECT slug FROM orgs_organisationmove") == []
