"""A primary falls, with its Patroni or the Patroni alone; another one is named; etcd is away.

Nothing that was acknowledged is lost (O19).
"""

import logging
import os
import signal
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.chaos.chaos_site import running_site
from tests.chaos.cluster import RunningCluster, running_cluster
from tests.chaos.judge import is_quiet, judge
from tests.chaos.test_chaos import Load, check_judge, session_of, under_load
from tests.world import World

log = logging.getLogger("commonmind.chaos")
# Seconds without an acknowledged write, at most: a primary and its Patroni die; one is named by
# command; etcd is away; Patroni alone dies and comes back.
FAILOVER, SWITCHOVER, WITHOUT_ETCD, PATRONI = 25.0, 4.0, 2.0, 25.0
ETCD_AWAY = 25.0


def longest_pause(load: Load, act: Callable[[], None], after: float) -> float:
    """Seconds of the longest time without an acknowledged write, from the act until so many seconds
    after the first write behind it."""
    began = time.monotonic()
    act()
    acted = time.monotonic()
    changed = load.ledger.changed
    load.site.wait(lambda: changed[-1] > acted + after)
    moments = [began, *(one for one in changed if one > began)]
    return max(later - earlier for earlier, later in pairwise(moments))


def switch_off_primary(cluster: RunningCluster, load: Load) -> None:
    """The machine of the primary falls, and comes back once the other one has taken over."""
    old = cluster.primary()
    pause = longest_pause(load, lambda: cluster.switch_off(old), after=1)
    log.info("the primary and its Patroni were killed: %.1f seconds without a write", pause)
    new = cluster.primary()
    assert new.name != old.name
    assert pause <= FAILOVER
    cluster.switch_on()
    log.info("the old one is a standby after %.1f seconds", cluster.wait(cluster.is_whole))


def kill_patroni(cluster: RunningCluster, load: Load) -> None:
    """Patroni alone is killed: its PostgreSQL takes no writes any more, at once."""
    old = cluster.primary()
    databases = old.database_pids()
    assert databases

    def kill() -> None:
        os.kill(cluster.patroni_pid(old), signal.SIGKILL)
        gone = cluster.wait(lambda: not set(databases) & set(old.database_pids()))
        log.info("its database was gone after %.2f seconds", gone)
        assert gone < 2

    pause = longest_pause(load, kill, after=1)
    log.info("Patroni alone was killed: %.1f seconds without a write", pause)
    assert pause <= PATRONI
    cluster.wait(cluster.is_whole)


def switch_over(cluster: RunningCluster, load: Load) -> None:
    """The command of the operator."""
    old = cluster.primary()
    new = next(node for node in cluster.cluster.nodes if node.name != old.name)
    pause = longest_pause(load, lambda: old.api.switch_over(old.name, new.name), after=1)
    log.info("a switchover: %.1f seconds without a write", pause)
    assert cluster.primary().name == new.name
    assert pause <= SWITCHOVER
    cluster.wait(cluster.is_whole)


def stop_etcd(cluster: RunningCluster, load: Load) -> None:
    """etcd does not answer for longer than its keys live; the cluster goes on and says so."""
    etcd = cluster.etcd_pid()
    before = cluster.primary().name

    def stop() -> None:
        os.kill(etcd, signal.SIGSTOP)
        try:
            time.sleep(ETCD_AWAY)
            assert any(one.loses_etcd for one in cluster.states().values())
        finally:
            os.kill(etcd, signal.SIGCONT)

    pause = longest_pause(load, stop, after=1)
    log.info("etcd was away for %.0f seconds: %.1f without a write", ETCD_AWAY, pause)
    assert pause <= WITHOUT_ETCD
    assert cluster.primary().name == before
    cluster.wait(
        lambda: cluster.is_whole() and not any(one.loses_etcd for one in cluster.states().values())
    )


def run_failovers(world: World, folder: Path, seed: int, rounds: int) -> None:
    """All of it under load, `rounds` times; fails with everything that the judge finds."""
    sessions = {name: session_of(world.here, name) for name in ("ada", "mina", "bob")}
    sessions["vera"] = session_of(world.there, "vera")
    acts = (switch_off_primary, kill_patroni, switch_over, stop_etcd)
    with (
        running_cluster(folder / "cluster") as cluster,
        running_site(folder, DATABASE_ADMIN_URL=cluster.cluster.admin_url) as site,
    ):
        with under_load(site, world, seed, sessions) as load:
            load.wait_for_answers(10)
            for _ in range(rounds):
                for act in acts:
                    act(cluster, load)
                    load.wait_for_answers(20)
        log.info("the load has ended: %s answers", load.ledger.acknowledged)
        site.wait(lambda: is_quiet(site))
        wrong = judge(site, load.ledger, world)
        assert wrong == [], "\n".join([*wrong[:40], site.log()[-3_000:]])
        check_judge(site, load.ledger, world)


@pytest.mark.conformance("O19")
@pytest.mark.slow
@pytest.mark.timed(1_200)
@pytest.mark.timeout(1_200)
def test_failovers(lasting_world: World, tmp_path: Path) -> None:
    run_failovers(lasting_world, tmp_path, 1919, rounds=1)
