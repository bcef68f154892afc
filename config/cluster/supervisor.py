"""`python -m config.cluster run`: etcd and two nodes, started, watched and stopped."""

import os
import signal
import time
from pathlib import Path
from urllib.parse import urlencode

from config.cluster.errors import ClusterError
from config.cluster.etcd import Etcd
from config.cluster.patroni_api import NodeState, read_states
from config.cluster.patroni_node import FirstNode, PatroniNode, SecondNode
from config.cluster.patroni_settings import SUPERUSER, dynamic_settings, list_accounts
from config.embedded.errors import EmbeddedError
from config.embedded.private_files import generate_secret, read_json, write_json
from config.embedded.processes import leftover_processes
from config.embedded.processes.children import restart_delay
from config.embedded.processes.data_dir_lock import DataDirLock
from config.embedded.processes.interrupts import Interrupts
from config.embedded.processes.logs import print_line
from config.embedded.servers.server import Server

READY_SECONDS = 120
# So often the processes are looked at: a PostgreSQL without its Patroni lives for so long.
WATCH_SECONDS = 0.1
SECRETS_FILE = "cluster.json"


class Cluster:
    """The three processes of a DATA_DIR."""

    def __init__(self, data_dir: Path, *, create: bool = False) -> None:
        self.data_dir = data_dir
        kept = read_json(data_dir / SECRETS_FILE)
        if not kept and not create:
            raise ClusterError(f"there is no cluster in {data_dir}: `make cluster` starts one")
        self.passwords = {
            part: str(kept.get(part) or generate_secret()) for part in list_accounts()
        }
        if create and self.passwords != kept:
            write_json(data_dir / SECRETS_FILE, self.passwords)
        self.etcd = Etcd(data_dir)
        self.nodes: list[PatroniNode] = [
            kind(data_dir, self.passwords, "") for kind in (FirstNode, SecondNode)
        ]

    @property
    def admin_url(self) -> str:
        """The superuser's address: both nodes, of which the one that takes writes answers."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        options = urlencode({"target_session_attrs": "read-write"})
        return f"postgresql://{SUPERUSER}:{self.passwords['SUPERUSER']}@{hosts}/postgres?{options}"

    def load(self) -> "Cluster":
        """Read the ports that a running cluster has. Raises ClusterError."""
        if not all(node.load() for node in self.nodes):
            raise ClusterError(f"the cluster in {self.data_dir} was never whole: start it again")
        return self

    def read_states(self) -> list[NodeState]:
        """What the nodes say of themselves."""
        return read_states([node.api for node in self.nodes])

    def find_primary(self) -> PatroniNode | None:
        """The node that takes writes."""
        names = [one.name for one in self.read_states() if one.is_primary]
        return next((node for node in self.nodes if node.name in names), None)


class ClusterSupervisor:
    """One run of a cluster until a signal comes."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.cluster: Cluster
        self.interrupts = Interrupts(self._kill_all)
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}

    @property
    def servers(self) -> list[Server]:
        """etcd first."""
        return [self.cluster.etcd, *self.cluster.nodes]

    def run(self) -> int:
        """Run until the end. Returns the exit code, 0 after an orderly end."""
        lock = DataDirLock(self.data_dir, "cluster")
        lock.acquire()
        self.cluster = Cluster(self.data_dir, create=True)
        try:
            self._start()
            while not self.interrupts:
                self._watch()
                time.sleep(WATCH_SECONDS)
        finally:
            self._stop()
            lock.release()
        return 0

    def _start(self) -> None:
        print_line("Starting etcd and two nodes of Patroni ...")
        address = self.cluster.etcd.start()
        for node in self.cluster.nodes:
            node.etcd = address
            # etcd keeps its own.
            node.passwords["ETCD3"] = self.cluster.etcd.password
            node.start()
        end = time.monotonic() + READY_SECONDS
        while not self._is_whole() and not self.interrupts:
            if time.monotonic() > end:
                raise ClusterError(
                    f"the cluster is not whole after {READY_SECONDS} seconds: see "
                    f"{self.data_dir / 'log'}"
                )
            self._watch()
            time.sleep(WATCH_SECONDS)
        if self.interrupts:
            return
        primary = self.cluster.find_primary()
        if primary is not None:
            # What was chosen at the first start lies in etcd; a newer release may want others.
            primary.api.change_settings(dynamic_settings())
        print_line(
            f"The cluster is ready; {primary.name if primary else 'nobody'} is the primary.\n"
            f"Logs: {self.data_dir / 'log'}\n"
            'The site with it: eval "$(make cluster ARGS=env)" && make run'
        )

    def _is_whole(self) -> bool:
        """Whether there is a primary, and the other follows it synchronously."""
        states = self.cluster.read_states()
        return any(one.is_primary for one in states) and any(one.is_synchronous for one in states)

    def _watch(self) -> None:
        for server in self.servers:
            if not server.has_died():
                continue
            if isinstance(server, PatroniNode) and (pids := server.database_pids()):
                server.stop_database()
                print_line(f"{server.name}: Patroni is gone; its PostgreSQL is stopped ({pids[0]})")
            if not self.may_start(server):
                continue
            print_line(f"{server.name} ended by itself; restarting it")
            try:
                server.start()
                self._failures[server.name] = 0
            except EmbeddedError as error:
                print_line(str(error))
                count = self._failures[server.name] = self._failures.get(server.name, 0) + 1
                self._not_before[server.name] = time.monotonic() + restart_delay(count)

    def may_start(self, server: Server) -> bool:
        """Whether a server that has ended is started again now; one that fails waits longer."""
        return time.monotonic() >= self._not_before.get(server.name, 0)

    def _stop(self) -> None:
        """Stop the standby first, so that the same node is the primary the next time."""
        if self.interrupts:
            print_line("\nStopping (Ctrl-C again to stop at once) ...")
        primary = self.cluster.find_primary() if self.cluster.nodes[0].api_port else None
        for node in sorted(self.cluster.nodes, key=lambda one: one is primary):
            node.stop()
            if hasattr(node, "home"):
                node.stop_database()
        self.cluster.etcd.stop()
        if self.interrupts:
            print_line("Stopped.")

    def _kill_all(self) -> None:
        for server in reversed(self.servers):
            if hasattr(server, "home"):
                server.kill()


def stop_running(data_dir: Path, holder_pid: int, seconds: float = 90) -> bool:
    """Ask the run of this DATA_DIR to end, and wait for it. Returns whether it ended."""
    os.kill(holder_pid, signal.SIGTERM)
    return leftover_processes.wait_until_gone([holder_pid], seconds)
