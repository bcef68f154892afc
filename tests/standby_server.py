"""A real standby of the test server: a base backup that streams, and Django's connection to it."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.db import connections

from config.embedded.private_files import write_json
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.server_folders import TEST_DATA_MARKER
from config.settings.services import databases
from orgs.database.driver.standby_reads import STANDBY_ALIAS
from orgs.database.standby.monitor import OK, monitor
from tests.databases import autocommit_connection, rolled_back_connection

SECONDS = 30.0


class Standby(Postgres):
    """A standby of the server at an address of a superuser."""

    def __init__(self, data_dir: Path, primary: str) -> None:
        super().__init__(data_dir, fast=True)
        self.primary = urlsplit(primary)
        data_dir.mkdir(parents=True, exist_ok=True)
        # A standby has the passwords of its primary.
        write_json(data_dir / "postgres.json", {"password": self.primary.password})

    def _make_cluster(self) -> None:
        host, port = self.primary.hostname, self.primary.port
        source = f"host={host} port={port} user=postgres password={self.primary.password}"
        backup = [str(self.programs / "pg_basebackup"), "--pgdata", str(self.cluster)]
        how = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--wal-method=stream"]
        self.run_to_end([*backup, *how, "--dbname", source])
        self._write_owned(self.home / TEST_DATA_MARKER, "")

    def run_sql(self, statement: str) -> Any:
        """The first value of a statement, as the superuser."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchone()[0] if cursor.description else None

    def pause(self) -> None:
        """Replay nothing more."""
        self.run_sql("SELECT pg_wal_replay_pause()")
        wait_for(lambda: self.run_sql("SELECT pg_get_wal_replay_pause_state()") == "paused")

    def resume(self) -> None:
        self.run_sql("SELECT pg_wal_replay_resume()")

    def catch_up(self) -> None:
        """Wait until it has replayed what the primary has written by now."""
        with autocommit_connection("admin") as primary:
            # Flushed with all before it, which alone reaches a standby.
            row = primary.execute(
                "SELECT pg_logical_emit_message(false, 'test', '', true)::text"
            ).fetchone()
        assert row is not None
        wait_for(lambda: self.run_sql(f"SELECT pg_last_wal_replay_lsn() >= '{row[0]}'"))

    @contextmanager
    def no_conflict(self) -> Iterator[None]:
        """Nothing meanwhile that the primary cleans away and a search on the standby still sees.

        Replay waits up to 30 seconds for such a search, and a search that waits for replay would
        wait as long. With its snapshot open here, the primary keeps the rows.
        """
        with rolled_back_connection("admin") as primary:
            primary.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            primary.execute("SELECT 1")
            yield

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to each process of the server, such as SIGSTOP."""
        for pid in self.running_pids():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def address(self, url: str) -> str:
        """The address of the primary's database for a role, on the standby."""
        parts = urlsplit(url)
        place = f"{parts.username}:{parts.password}@127.0.0.1:{self.port}"
        return parts._replace(netloc=place).geturl()


def wait_for(question: Any, seconds: float = SECONDS) -> None:
    """Ask until the answer is true."""
    end = time.monotonic() + seconds
    while not question():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.02)


@contextmanager
def running_standby(folder: Path) -> Iterator[Standby]:
    """A standby of the test server, deleted at the end."""
    standby = Standby(folder, os.environ["DATABASE_ADMIN_URL"])
    standby.start()
    try:
        yield standby
    finally:
        standby.signal_all(signal.SIGCONT)
        standby.remove()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def standby_connection(url: str, pool_size: int = 4) -> Iterator[None]:
    """Django's connection to a standby, with the options of the settings."""
    before = os.environ.get("DATABASE_REPLICA_URL")
    os.environ["DATABASE_REPLICA_URL"] = url
    try:
        chosen = databases(pool_size)
    finally:
        os.environ.pop("DATABASE_REPLICA_URL")
        if before is not None:
            os.environ["DATABASE_REPLICA_URL"] = before
    complete = connections.configure_settings(chosen)[STANDBY_ALIAS]
    connections.settings[STANDBY_ALIAS] = complete
    try:
        yield
    finally:
        monitor.stop()
        drop_connection()
        del connections.settings[STANDBY_ALIAS]


def drop_connection() -> None:
    """Close this thread's connection to the standby, and its pool."""
    connection: Any = connections[STANDBY_ALIAS]
    connection.close()
    connection.close_pool()
    del connections[STANDBY_ALIAS]


def wait_until_ready() -> None:
    """The monitor has looked, and the standby is searched."""
    wait_for(monitor.is_ready)
    assert monitor.last.state == OK
