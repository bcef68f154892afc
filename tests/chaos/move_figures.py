"""`python -m tests.chaos.move_figures [MEMORIES]`: move an organisation between two servers while
robots write and ask, and print what was refused and lost. Takes about five minutes for 20,000."""

import sys
import tempfile
import time
from pathlib import Path

from config.embedded.processes.logs import print_line
from tests.chaos.moving_servers import Callers, MovingServers, make_plant, moving_servers

MEMORIES, WRITERS, PAUSE = 20_000, 4, 0.4
_TEXTS_SQL = "SELECT content, count(*) FROM memories_memory WHERE content LIKE 'Fact %' GROUP BY 1"


def compare_texts(servers: MovingServers, server: str, callers: Callers) -> tuple[int, int]:
    """(lost, doubled) of the memories that were acknowledged."""
    held = dict(servers.fetch(server, _TEXTS_SQL))
    lost = sum(text not in held for text, _ in callers.stored)
    return lost, sum(count - 1 for count in held.values())


def wait_for_vectors(servers: MovingServers, server: str) -> None:
    """Until the worker has done what is owed."""
    while servers.fetch(server, "SELECT 1 FROM memories_pending LIMIT 1"):
        time.sleep(0.5)


def main(memories: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        moving_servers(Path(folder) / "servers", fast=False) as servers,
    ):
        servers.start_site()
        organisation, key = make_plant(servers, memories)
        wait_for_vectors(servers, servers.home)
        for target, address, left in (
            ("north", servers.north, servers.home),
            ("home", servers.home, servers.north),
        ):
            callers = Callers(servers, key)
            with callers.going_on(writers=WRITERS, pause=PAUSE):
                time.sleep(5)
                told = servers.manage(
                    "move_organisation", "plant", "--to", target, "--pause", "5", "--json"
                )
                time.sleep(5)
            lost, doubled = compare_texts(servers, address, callers)
            (behind,) = servers.fetch(left, "SELECT count(*) FROM memories_memory")[0]
            foreign = servers.count_rows(address, but=organisation)
            print_line(
                f"to {target}: {told['seconds']} s, writes refused for "
                f"{told['writes_refused_seconds']} s by the command and "
                f"{callers.refused_seconds():.2f} s as callers saw it "
                f"({callers.longest_without_write():.2f} s without an acknowledged one), "
                f"{len(callers.stored)} memories while it moved, {lost} lost, {doubled} doubled, "
                f"{behind} left behind, {foreign} foreign rows; {len(callers.asked)} recalls, "
                f"{sum(status != 200 for _, status in callers.asked)} refused; "
                f"{len(callers.faults)} faults {callers.faults[:2]}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES)
