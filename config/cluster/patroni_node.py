"""A node: Patroni and the PostgreSQL that it runs, which live and die together.

Patroni alone may be killed, and its PostgreSQL goes on as a primary that nobody watches: it takes
writes that are lost as soon as the other node is the primary. So whoever sees the end of Patroni
stops that PostgreSQL at once (`stop_database`).
"""

import contextlib
import json
import signal
from pathlib import Path
from typing import ClassVar

from config.cluster.patroni_api import PatroniApi
from config.cluster.patroni_settings import (
    API_USER,
    SUPERUSER,
    NodeSettings,
    build_configuration,
    build_environment,
)
from config.cluster.python_copy import PatroniPython, find_python
from config.embedded.processes import leftover_processes
from config.embedded.servers import ports
from config.embedded.servers.postgres import find_programs
from config.embedded.servers.server import Server

NETWORKS = ("127.0.0.1/32",)


class PatroniNode(Server):
    """One node on 127.0.0.1. passwords: one for each part of `list_accounts`; both nodes have the
    same. etcd: HOST:PORT."""

    title: ClassVar[str] = "Patroni"
    # Its first start makes the database or copies that of the primary, which others wait for.
    start_seconds: ClassVar[float] = 30
    # In order it waits until the standby has everything.
    stop_seconds: ClassVar[float] = 40

    def __init__(self, data_dir: Path, passwords: dict[str, str], etcd: str) -> None:
        super().__init__(data_dir)
        self.passwords, self.etcd = passwords, etcd
        self.api_port = 0
        self.python = PatroniPython("", {})

    @property
    def program_name(self) -> str:  # type: ignore[override]
        """The name of the process of Patroni."""
        return Path(self.python.program).name[:15]

    @property
    def url(self) -> str:
        """The superuser's address of this node alone."""
        password = self.passwords["SUPERUSER"]
        return f"postgresql://{SUPERUSER}:{password}@127.0.0.1:{self.port}/postgres"

    @property
    def api(self) -> PatroniApi:
        """Its REST interface."""
        password = self.passwords["RESTAPI"]
        return PatroniApi(self.name, self.api_port, self.port, API_USER, password)

    @property
    def cluster(self) -> Path:
        """The data directory of its PostgreSQL."""
        return self.home / "cluster"

    def load(self) -> bool:
        """Read ports and folder of the last start, to ask a node that another process runs."""
        state = self._state()
        self.home = Path(str(state.get("home") or self.data_dir / self.name))
        self.port, self.api_port = int(state.get("port", 0)), int(state.get("api_port", 0))
        return bool(self.port and self.api_port)

    def prepare(self) -> None:
        """Choose the port of the REST interface. What Patroni reads is written with the ports."""
        if not self.wanted:
            known = self._state().get("api_port")
            self.api_port = known if known and ports.is_free(known) else ports.choose_port()
            self._store(self._state() | {"api_port": self.api_port})

    def end_leftovers(self) -> None:
        """End Patroni, then the PostgreSQL that it left behind."""
        self.python = find_python(self.account)
        super().end_leftovers()
        self.stop_database()

    def stop_database(self) -> None:
        """End the PostgreSQL of this node at once; the next start replays its log."""
        pids = self.database_pids()
        # SIGQUIT: no session is waited for, no client is told that its commit went well.
        leftover_processes.send_signal(pids, signal.SIGQUIT)
        if pids and not leftover_processes.wait_until_gone(pids, 3):
            leftover_processes.send_signal(self.database_pids(), signal.SIGKILL)
            leftover_processes.wait_until_gone(pids, 10)

    def database_pids(self) -> list[int]:
        """The processes of this node's PostgreSQL."""
        if not self.cluster.exists():
            return []
        return leftover_processes.find_pids_in(self.cluster, "postgres")

    def command(self) -> list[str]:
        """The command of Patroni in the foreground, with its configuration written anew."""
        settings = NodeSettings(
            name=self.name,
            host="127.0.0.1",
            port=self.port,
            api_port=self.api_port,
            data_dir=str(self.cluster),
            bin_dir=str(find_programs(self.account)),
            networks=NETWORKS,
            password_file=str(self.home / "pgpass"),
        )
        path = self.home / "patroni.yml"
        # JSON is YAML.
        path.write_text(json.dumps(build_configuration(settings), indent=2), encoding="utf-8")
        path.chmod(0o644)
        return [self.python.program, "-m", "patroni", str(path)]

    def answers(self) -> bool:
        """Whether Patroni answers; its PostgreSQL may still be made."""
        return self.api.ask("/liveness")[0] == 200

    def kill(self) -> None:
        """End both at once. Safe inside a signal handler."""
        super().kill()
        with contextlib.suppress(OSError):
            leftover_processes.send_signal(self.database_pids(), signal.SIGQUIT)

    def _environment(self) -> dict[str, str]:  # type: ignore[override]
        return {
            **Server._environment(),
            **self.python.environment,
            **build_environment(self.passwords, [self.etcd]),
        }


class FirstNode(PatroniNode):
    """The first of two."""

    name: ClassVar[str] = "node1"


class SecondNode(PatroniNode):
    """The second of two."""

    name: ClassVar[str] = "node2"
