"""Command line: run, status, switchover, stop, env, templates.

DATA_DIR (default var/cluster) is the place of the cluster.
"""

import argparse
import ipaddress
import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from config.cluster.errors import ClusterError
from config.cluster.patroni_api import NodeState, list_faults
from config.cluster.supervisor import Cluster, ClusterSupervisor, stop_running
from config.embedded.errors import run_command
from config.embedded.exec_command import ensure_data_dir
from config.embedded.processes.data_dir_lock import AlreadyLockedError, DataDirLock


def main(words: list[str] | None = None) -> int:
    """Run one command. An error that a person can fix is one line on stderr, with exit code 1."""
    os.umask(0o077)
    arguments = _parser().parse_args(words)
    data_dir = Path(os.environ.get("DATA_DIR") or "var/cluster").resolve()
    return run_command(lambda: arguments.command(data_dir, arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m config.cluster", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, words: str, command: Callable[..., int]) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=words)
        one.set_defaults(command=command)
        return one

    add("run", "start etcd and two nodes, and watch them until a signal comes", _run)
    status = add("status", "who is the primary, and what is wrong; code 1 if anything is", _status)
    status.add_argument("--json", action="store_true")
    switchover = add("switchover", "make the other node the primary", _switchover)
    switchover.add_argument("--to", default="", help="the node, such as node2")
    add("stop", "stop the cluster of this DATA_DIR", _stop)
    templates = add("templates", "write the configuration for machines of your own", _templates)
    templates.add_argument("folder", type=Path, help="a new folder, or one to write anew")
    templates.add_argument(
        "--machine", action="append", default=[], metavar="NAME=ADDRESS", help="three or more"
    )
    templates.add_argument(
        "--network", action="append", default=[], metavar="CIDR", help="who may connect"
    )
    add("env", "print DATABASE_ADMIN_URL for a shell", _env)
    return parser


def _run(data_dir: Path, arguments: argparse.Namespace) -> int:
    return ClusterSupervisor(ensure_data_dir(data_dir)).run()


def _status(data_dir: Path, arguments: argparse.Namespace) -> int:
    states = Cluster(data_dir).load().read_states()
    faults = list_faults(states)
    if arguments.json:
        print(json.dumps({"nodes": [asdict(one) for one in states], "faults": faults}, indent=2))
    else:
        print("\n".join([*map(_describe, states), *faults]))
    return 1 if faults else 0


def _describe(state: NodeState) -> str:
    told = f"{state.name} on port {state.port}: {state.role}"
    if state.role == "away":
        return told
    told += f", timeline {state.timeline}"
    if state.is_synchronous:
        told += ", synchronous"
    if not state.is_primary:
        lag = "unknown" if state.lag_bytes is None else f"{state.lag_bytes:,} bytes"
        told += f", behind: {lag}"
    return told


def _switchover(data_dir: Path, arguments: argparse.Namespace) -> int:
    cluster = Cluster(data_dir).load()
    primary = cluster.find_primary()
    if primary is None:
        raise ClusterError("no node is the primary, so there is nothing to switch over")
    others = [node.name for node in cluster.nodes if node is not primary]
    candidate = arguments.to or others[0]
    if candidate not in others:
        raise ClusterError(f"{candidate} is no standby: there is {', '.join(others)}")
    began = time.monotonic()
    primary.api.switch_over(primary.name, candidate)
    print(f"{candidate} is the primary, after {time.monotonic() - began:.1f} seconds.")
    return 0


def _stop(data_dir: Path, arguments: argparse.Namespace) -> int:
    if not data_dir.is_dir():
        raise ClusterError(f"there is no cluster in {data_dir}")
    lock = DataDirLock(data_dir, "stop")
    try:
        lock.acquire()
    except AlreadyLockedError as busy:
        pid = int(busy.holder.get("pid", 0))
        if busy.holder.get("command") != "cluster" or not pid:
            raise
        if not stop_running(data_dir, pid):
            raise ClusterError(f"process {pid} does not end: see {data_dir / 'log'}") from None
        return 0
    lock.release()
    print("The cluster does not run.")
    return 0


def _env(data_dir: Path, arguments: argparse.Namespace) -> int:
    url = Cluster(data_dir).load().admin_url
    print(f"export DATABASE_ADMIN_URL={shlex.quote(url)}")
    return 0


def _templates(data_dir: Path, arguments: argparse.Namespace) -> int:
    from config.cluster.deployment import EXAMPLE, EXAMPLE_NETWORK, Machine, build_files

    named = [Machine(*one.partition("=")[::2]) for one in arguments.machine]
    try:
        for one in named:
            ipaddress.ip_address(one.host)
        for network in arguments.network:
            ipaddress.ip_network(network)
    except ValueError as error:
        raise ClusterError(f"--machine is NAME=ADDRESS, and --network a network: {error}") from None
    if any(not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", one.name) for one in named):
        raise ClusterError("the name of a machine has small letters, digits and hyphens")
    if named and (len(named) < 3 or not arguments.network):
        raise ClusterError("a cluster needs three machines, and --network says who may connect")
    for name, text in build_files(named or EXAMPLE, arguments.network or [EXAMPLE_NETWORK]).items():
        path = arguments.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
