"""etcd, which remembers who the primary is. One process on 127.0.0.1, from Debian's package."""

import contextlib
import http.client
import json
import shutil
from functools import cached_property
from typing import Any, ClassVar

from config.cluster.errors import ClusterError
from config.cluster.patroni_settings import ETCD_USER
from config.embedded.servers import ports
from config.embedded.servers.server import Server

MISSING = "etcd is missing: install it (on Debian: apt install etcd-server)"
TIMEOUT_SECONDS = 5


class Etcd(Server):
    """An etcd that asks for a password. ``start()`` returns HOST:PORT."""

    name: ClassVar[str] = "etcd"
    title: ClassVar[str] = "etcd"
    program_name: ClassVar[str] = "etcd"
    retry_texts: ClassVar[tuple[str, ...]] = ("address already in use",)
    stop_seconds: ClassVar[float] = 10

    @property
    def url(self) -> str:
        """HOST:PORT for clients."""
        return f"127.0.0.1:{self.port}"

    @cached_property
    def program(self) -> str:
        """The path of etcd. Raises ClusterError if there is none."""
        if (found := shutil.which("etcd")) is None:
            raise ClusterError(MISSING)
        return found

    def prepare(self) -> None:
        """Choose a port for the peers, which one process alone has none of."""
        self.peer_port = ports.choose_port()
        _ = self.program

    def command(self) -> list[str]:
        """The command of etcd in the foreground."""
        own, peer = f"http://{self.url}", f"http://127.0.0.1:{self.peer_port}"
        return [
            self.program,
            *("--name", "loopback", "--data-dir", str(self.home / "data")),
            *("--listen-client-urls", own, "--advertise-client-urls", own),
            *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
            *("--initial-cluster", f"loopback={peer}", "--auto-compaction-retention", "1"),
        ]

    def answers(self) -> bool:
        """Whether our password lets us in; a fresh etcd gets it first."""
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            if self._log_in():
                return True
            if self._post("auth/user/list", {})[0] == 200:
                self._ask_for_password()
                return self._log_in()
        return False

    def _log_in(self) -> bool:
        status, _ = self._post("auth/authenticate", {"name": ETCD_USER, "password": self.password})
        return status == 200

    def _ask_for_password(self) -> None:
        """Without it every user of this machine could name another primary. Each step may have been
        done before."""
        self._post("auth/user/add", {"name": ETCD_USER, "password": self.password})
        self._post("auth/role/add", {"name": "root"})
        self._post("auth/user/grant", {"user": ETCD_USER, "role": "root"})
        self._post("auth/enable", {})

    def _post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", f"/v3/{path}", json.dumps(body))
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")


def is_installed() -> bool:
    """Whether this machine has etcd."""
    return shutil.which("etcd") is not None
