"""The write-ahead log: received by pg_receivewal, then stored encrypted, each segment once.

pg_receivewal writes into DATA_DIR/archive_log, has a finished segment on the disk before it tells
the server, and never writes to it again; a replication slot has the server keep the rest.
"""

import contextlib
import subprocess
import time
from pathlib import Path

from config.archive.archive_settings import ArchiveSettings
from config.archive.catalogue import (
    SEGMENT_NAME,
    Series,
    is_log_name,
    segment_label,
    segment_number,
)
from config.archive.errors import ArchiveError, describe_os_error
from config.archive.source_server import SLOT, SourceServer
from config.archive.storage.folder_storage import FolderStorage, load_bytes, store_bytes
from config.embedded.processes.logs import extract_error_line
from orgs.database.backup.folder import ensure_private_folder

FOLDER_NAME = "archive_log"
MAX_PAUSE = 30.0


class GapError(ArchiveError):
    """Part of the log is lost, so a new series has to begin."""


class LogReceiver:
    """pg_receivewal as a child of this process."""

    def __init__(self, server: SourceServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._not_before, self._pause = 0.0, 1.0

    def ensure_running(self) -> None:
        """Start it if it does not run. Raises ArchiveError with what it said when it ended."""
        if self._process is not None:
            if self._process.poll() is None:
                self._pause = 1.0
                return
            words = (self._process.stderr.read() if self._process.stderr else b"").decode(
                errors="replace"
            )
            self.stop()
            self._not_before = time.monotonic() + self._pause
            self._pause = min(MAX_PAUSE, 2 * self._pause)
            raise ArchiveError(f"The log is not received ({extract_error_line(words)}).")
        if time.monotonic() < self._not_before:
            return
        ensure_private_folder(self.folder)
        self._process = self.server.start_program(
            "pg_receivewal", "-D", str(self.folder), "-S", SLOT, "--no-loop",
            stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def stop(self) -> None:
        """End it; what it has received so far is on the disk."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        if self._process.stderr:
            self._process.stderr.close()
        self._process = None


class LogShipper:
    """Stores finished segments of one series.

    last: the number of the last segment that is stored, None before the first.
    """

    def __init__(self, settings: ArchiveSettings, series: Series, segment_bytes: int) -> None:
        self.settings, self.series_name = settings, series.name
        self.segment_bytes = segment_bytes
        self.folder = settings.data_dir / FOLDER_NAME
        self.storage = FolderStorage(settings.folder)
        stored = [segment_number(name, segment_bytes) for name in series.log_segments()]
        self.last = max(stored, default=None)

    @property
    def end_lsn(self) -> int:
        """The position up to which the log is stored; 0 before the first segment."""
        return 0 if self.last is None else (self.last + 1) * self.segment_bytes

    def list_waiting(self) -> list[str]:
        """The names of received segments and histories that are not stored yet."""
        with contextlib.suppress(FileNotFoundError):
            return sorted(one.name for one in self.folder.iterdir() if is_log_name(one.name))
        return []

    def ship(self) -> list[str]:
        """Store what was received, and delete it here. Returns the names in the archive.

        Raises GapError if a segment is missing before the next one, and ArchiveError.
        """
        done = []
        for name in self.list_waiting():
            path = self.folder / name
            try:
                content = path.read_bytes()
            except OSError as error:
                raise ArchiveError(describe_os_error(error, str(path))) from None
            if SEGMENT_NAME.fullmatch(name):
                self._check_place(name, content)
            target = f"{self.series_name}/wal/{name}"
            try:
                # A segment that was ended early is filled up with zeros.
                store_bytes(self.storage, self.settings.keyring, target, content.rstrip(b"\0"))
            except FileExistsError:
                self._check_same(target, content)
            if SEGMENT_NAME.fullmatch(name):
                number = segment_number(name, self.segment_bytes)
                self.last = number if self.last is None else max(self.last, number)
            path.unlink()
            done.append(target)
        return done

    def _check_place(self, name: str, content: bytes) -> None:
        if len(content) != self.segment_bytes:
            raise ArchiveError(f"The segment {name} has {len(content):,} bytes: it is torn.")
        number = segment_number(name, self.segment_bytes)
        if self.last is not None and number > self.last + 1:
            label = segment_label(self.last + 1, int(name[:8], 16), self.segment_bytes)
            raise GapError(f"The segment {label} was never received.")

    def _check_same(self, target: str, content: bytes) -> None:
        """A process that was killed between storing and deleting stored it already."""
        stored = load_bytes(self.storage, self.settings.keyring, target)
        if stored != content.rstrip(b"\0"):
            raise ArchiveError(
                f"{target} is in the archive with another content, and nothing is overwritten. Do "
                "two servers write to this archive? Stop one, or give it another ARCHIVE_DIR."
            )
