"""A cluster of a test's own, whose nodes can be killed like machines."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from config.cluster.etcd import is_installed
from config.cluster.patroni_api import NodeState
from config.cluster.patroni_node import PatroniNode
from config.cluster.supervisor import Cluster
from config.embedded.private_files import read_json
from config.embedded.processes import leftover_processes
from config.embedded.servers.server_folders import delete_server_folder
from tests.chaos.run_cluster import SWITCHED_OFF
from tests.config.embedded.conftest import PROJECT, SERVICE_VARIABLES

PAUSE = 0.02


@dataclass
class RunningCluster:
    """The processes of `tests.chaos.run_cluster` in a folder."""

    data_dir: Path
    process: "subprocess.Popen[bytes]"

    @property
    def cluster(self) -> Cluster:
        return Cluster(self.data_dir).load()

    def wait(self, holds: Callable[[], Any], seconds: float = 120) -> float:
        """Seconds until the state holds."""
        began = time.monotonic()
        while not holds():
            assert self.process.poll() is None, "the cluster has ended"
            assert time.monotonic() < began + seconds, f"{holds}: {self.cluster.read_states()}"
            time.sleep(PAUSE)
        return time.monotonic() - began

    def primary(self) -> PatroniNode:
        """The node that takes writes; its folder is known."""
        found: list[PatroniNode] = []

        def look() -> bool:
            found[:] = [one for one in [self.cluster.find_primary()] if one]
            return bool(found)

        self.wait(look)
        return found[0]

    def patroni_pid(self, node: PatroniNode) -> int:
        """The process of Patroni of this node."""
        return pid_in(node.home)

    def etcd_pid(self) -> int:
        """The process of etcd."""
        home = read_json(self.data_dir / "etcd.json").get("home")
        return pid_in(Path(str(home or self.data_dir / "etcd")))

    def states(self) -> dict[str, NodeState]:
        return {one.name: one for one in self.cluster.read_states()}

    def is_whole(self) -> bool:
        """Whether there is a primary with a synchronous standby."""
        found = self.states().values()
        return any(o.is_primary for o in found) and any(o.is_synchronous for o in found)

    def switch_off(self, node: PatroniNode) -> None:
        """End Patroni and its PostgreSQL as if the machine lost its power; it stays off."""
        (self.data_dir / SWITCHED_OFF).write_text(node.name)
        pids = [self.patroni_pid(node), *node.database_pids()]
        leftover_processes.send_signal(pids, signal.SIGKILL)

    def switch_on(self) -> None:
        (self.data_dir / SWITCHED_OFF).unlink()


def pid_in(home: Path) -> int:
    """The one process that works in that folder."""
    [pid] = [int(one.name) for one in Path("/proc").glob("[0-9]*") if works_in(one, home)]
    return pid


def works_in(process: Path, home: Path) -> bool:
    """Whether a process, by its folder in /proc, works in that folder."""
    try:
        return (process / "cwd").readlink() == home
    except OSError:
        return False


def require_cluster() -> None:
    """Skip where etcd or Patroni is missing, or fail if all has to be proven."""
    missing = None
    if not is_installed():
        missing = "etcd is not installed (apt install etcd-server)"
    else:
        try:
            import patroni  # noqa: F401
        except ImportError:
            missing = "Patroni is not installed (make setup-cluster)"
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"CI=true, and {missing}.")
    if missing:
        pytest.skip(f"{missing}; the tests of the cluster are left out.")


@contextmanager
def running_cluster(folder: Path) -> Iterator[RunningCluster]:
    """A whole cluster; ended and deleted afterwards."""
    require_cluster()
    folder.mkdir()
    data_dir = folder / "data"
    given = {n: v for n, v in os.environ.items() if not n.startswith(SERVICE_VARIABLES)}
    with (folder / "cluster.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.run_cluster"],
            cwd=PROJECT,
            env=given | {"DATA_DIR": str(data_dir)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    running = RunningCluster(data_dir, process)
    ready = folder / "cluster.log"
    try:
        running.wait(lambda: "is ready" in ready.read_text())
        yield running
    finally:
        process.terminate()
        try:
            process.wait(90)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for name in ("etcd", "node1", "node2"):
            if home := read_json(data_dir / f"{name}.json").get("home"):
                delete_server_folder(Path(home))
