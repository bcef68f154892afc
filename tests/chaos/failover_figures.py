"""`python -m tests.chaos.failover_figures`: how long nothing is written and what is lost, by plain
inserts through libpq, without the product. Needs etcd and Patroni; takes about five minutes."""

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import psycopg

from config.embedded.processes.logs import print_line
from tests.chaos.cluster import RunningCluster, running_cluster

WRITERS, ETCD_AWAY = 4, 25.0


@dataclass
class Inserts:
    """Rows that were acknowledged, with the moment of it, and statements that failed."""

    address: str
    rows: dict[int, float] = field(default_factory=dict)
    failed: int = 0
    stop: threading.Event = field(default_factory=threading.Event)

    def write(self, first: int) -> None:
        """Insert every so many numbers until it is told to stop."""
        number, connection = first, None
        while not self.stop.is_set():
            try:
                if connection is None:
                    connection = psycopg.connect(self.address, autocommit=True, connect_timeout=2)
                connection.execute("INSERT INTO figures VALUES (%s)", [number])
                self.rows[number] = time.monotonic()
                number += WRITERS
            except psycopg.Error:
                self.failed += 1
                connection = None
                # It may be stored all the same, so the number is not tried again.
                number += WRITERS
            time.sleep(0.01)

    def longest_pause(self) -> float:
        """Seconds."""
        moments = sorted(self.rows.values())
        return max(later - earlier for earlier, later in pairwise(moments))


def measure(name: str, cluster: RunningCluster, act: Callable[[], None]) -> None:
    """Write, act, write on for three seconds, and print what became of it."""
    address = cluster.cluster.admin_url
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS figures; CREATE TABLE figures (n int PRIMARY KEY)")
    inserts = Inserts(address)
    threads = [threading.Thread(target=inserts.write, args=(n,)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    time.sleep(3)
    act()
    acted = time.monotonic()
    cluster.wait(lambda: max(inserts.rows.values()) > acted + 3)
    inserts.stop.set()
    for thread in threads:
        thread.join()
    with psycopg.connect(address) as connection:
        held = {n for (n,) in connection.execute("SELECT n FROM figures")}
    lost = len(inserts.rows.keys() - held)
    print_line(
        f"{name}: {inserts.longest_pause():.1f} s without a write, {inserts.failed} statements "
        f"failed, {lost} of {len(inserts.rows):,} acknowledged rows lost"
    )


def fall(cluster: RunningCluster) -> None:
    cluster.switch_off(cluster.primary())


def lose_patroni(cluster: RunningCluster) -> None:
    os.kill(cluster.patroni_pid(cluster.primary()), signal.SIGKILL)


def switch_over(cluster: RunningCluster) -> None:
    old = cluster.primary()
    new = next(node.name for node in cluster.cluster.nodes if node.name != old.name)
    old.api.switch_over(old.name, new)


def lose_etcd(cluster: RunningCluster) -> None:
    pid = cluster.etcd_pid()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(ETCD_AWAY)
    os.kill(pid, signal.SIGCONT)


def main() -> int:
    """Everything once."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_cluster(Path(folder) / "cluster") as cluster,
    ):
        measure("switchover", cluster, lambda: switch_over(cluster))
        cluster.wait(cluster.is_whole)
        measure("Patroni alone killed", cluster, lambda: lose_patroni(cluster))
        cluster.wait(cluster.is_whole)
        measure("etcd away for 25 s", cluster, lambda: lose_etcd(cluster))
        cluster.wait(cluster.is_whole)
        measure("primary and Patroni killed, synchronous", cluster, lambda: fall(cluster))
        cluster.switch_on()
        cluster.wait(cluster.is_whole)
        cluster.primary().api.change_settings({"synchronous_mode": False})
        time.sleep(5)
        measure("primary and Patroni killed, asynchronous", cluster, lambda: fall(cluster))
    return 0


if __name__ == "__main__":
    sys.exit(main())
