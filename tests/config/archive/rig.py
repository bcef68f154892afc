"""A server from the wheel with an archive, small tables, and a judge that knows what was there."""

import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg

from config.archive.archive_settings import read_settings
from config.archive.archiver import Archiver, load_one_series, make_base_backup
from config.archive.catalogue import BaseBackup, Series
from config.archive.restore.recovery import Recovery, plan_recovery
from config.archive.source_server import SourceServer
from config.archive.storage.folder_storage import FolderStorage
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.provisioning import role_url
from tests.config.embedded.conftest import delete_outside_folders

KEY = b64encode(bytes(range(32))).decode()
DATABASE = "commonmind"
MAKE = """
CREATE TABLE note (id bigint PRIMARY KEY, text text NOT NULL, at timestamptz NOT NULL DEFAULT
    clock_timestamp())
"""


class Rig:
    """One archived server. Its passes are run by hand, so nothing depends on a timer."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.data_dir, self.archive_dir = folder / "data", folder / "archive"
        self.environ = {
            "ARCHIVE_DIR": str(self.archive_dir), "ENCRYPTION_KEYS": KEY, "SECRET_KEY": "s" * 50,
            "ARCHIVE_SECONDS": "1", **variables,
        }  # fmt: skip
        self.server = Postgres(self.data_dir)
        self.settings = read_settings(self.environ, data_dir=self.data_dir)
        self.said: list[str] = []
        self.archiver: Archiver
        self.moments: list[datetime] = []
        self.bases: list[BaseBackup] = []
        self._next = 0

    def start(self) -> None:
        """Start the server with an empty table, and the archive."""
        self.server.start()
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}")
        with self.connection() as connection:
            connection.execute(MAKE)
        self.archiver = self.new_archiver()

    def new_archiver(self, **changes: Any) -> Archiver:
        settings = replace(self.settings, **changes)
        source = SourceServer(self.server.url)
        return Archiver(settings, source, say=self.said.append, environ=self.environ)

    @contextmanager
    def connection(self) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
        with connect(self.server) as connection:
            yield connection

    def write(self, count: int = 1) -> datetime:
        """Write rows, each a transaction. Returns a moment behind the last and before the next."""
        with self.connection() as connection:
            for _ in range(count):
                self._next += 1
                values = [self._next, f"note {self._next}"]
                connection.execute("INSERT INTO note (id, text) VALUES (%s, %s)", values)
            time.sleep(0.02)
            row = connection.execute("SELECT clock_timestamp()").fetchone()
            time.sleep(0.02)
        assert row
        moment = row[0]
        assert isinstance(moment, datetime)
        return moment

    def archive(self, until: datetime | None = None, seconds: float = 30) -> None:
        """Run passes until everything before the moment (default: now) is in the archive, and no
        base backup is due."""
        if until is None:
            with self.connection() as connection:
                row = connection.execute("SELECT clock_timestamp()").fetchone()
            assert row
            until = row[0]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.archiver.run_once()
            self.wait_for_base()
            state = self.archiver._state
            assert until is not None
            if state and state.until >= until and self.series.bases:
                return
            time.sleep(0.05)
        raise AssertionError(f"not archived: {self.archiver.status}, {self.said}")

    def wait_for_base(self) -> None:
        thread = self.archiver._base
        if thread is not None:
            thread.join()

    def base(self, kind: str = "incremental") -> BaseBackup:
        """Make a base backup now."""
        source = SourceServer(self.server.url)
        return make_base_backup(
            self.settings, source, kind, self.series, self.said.append, self.environ
        )

    @property
    def series(self) -> Series:
        assert self.archiver.shipper
        return load_one_series(self.settings, self.archiver.shipper.series_name)

    def restore(self, at: datetime | None, name: str = "restored", base: str = "") -> Postgres:
        """Restore into a new DATA_DIR; the server there is not started yet."""
        settings = replace(self.settings, data_dir=self.folder / name)
        storage = FolderStorage(settings.folder)
        plan = plan_recovery(settings, storage, at, base)
        settings.data_dir.mkdir(exist_ok=True, mode=0o700)
        Recovery(settings, storage, plan, self.said.append).run()
        return Postgres(settings.data_dir)

    def notes(self, server: Postgres) -> list[int]:
        """The ids of all rows of a server that is started for it."""
        server.start()
        try:
            with connect(server) as connection:
                return [row[0] for row in connection.execute("SELECT id FROM note ORDER BY id")]
        finally:
            server.stop()

    def notes_at(self, moment: datetime) -> list[int]:
        """What the judge finds in the living server: each row was committed after its time and
        before the next."""
        with self.connection() as connection:
            found = connection.execute("SELECT id FROM note WHERE at <= %s ORDER BY id", [moment])
            return [row[0] for row in found]

    def close(self) -> None:
        if hasattr(self, "archiver"):
            self.archiver.receiver.stop()
        self.server.stop()
        for path in self.folder.iterdir():
            if path.is_dir():
                delete_outside_folders(path)


@contextmanager
def connect(server: Postgres) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    url = role_url(server.url, database=DATABASE)
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


class Writers:
    """Threads that write rows as fast as they can; every row that was acknowledged is known."""

    def __init__(self, rig: Rig, count: int = 3) -> None:
        self.rig, self.stop = rig, threading.Event()
        self.acknowledged: list[int] = []
        self.threads = [threading.Thread(target=self._write, args=[n]) for n in range(count)]

    def _write(self, number: int) -> None:
        with self.rig.connection() as connection:
            id_ = (number + 1) * 1_000_000
            while not self.stop.is_set():
                id_ += 1
                connection.execute("INSERT INTO note (id, text) VALUES (%s, %s)", [id_, "x" * 500])
                self.acknowledged.append(id_)

    def __enter__(self) -> "Writers":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *details: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()
