"""The process that keeps the archive: it receives, stores, copies, backs up and deletes."""

import contextlib
import json
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from config.archive.archive_settings import ArchiveSettings
from config.archive.base_backups import BaseRequest, create_base_backup
from config.archive.catalogue import BaseBackup, Series, SeriesState, list_series, load_series
from config.archive.errors import ArchiveError
from config.archive.log_receiver import GapError, LogReceiver, LogShipper
from config.archive.retention import OffsiteCopy, prune
from config.archive.schedule import choose_due_backup
from config.archive.source_server import ServerIdentity, SourceServer
from config.archive.status import ArchiveStatus, read_status, utc_now, write_status
from config.archive.storage.folder_storage import FolderStorage, load_bytes, store_bytes
from config.archive.storage.offsite_storage import OffsiteStorage
from config.archive.storage.reencryption import renew_lasting
from config.embedded.private_files import read_json, write_json
from orgs.database import erasure_ledger

SERIES_FILE = "archive.json"
PASS_SECONDS = 5.0
# After a failed base backup: it costs the server something, so it is not tried at once.
RETRY_SECONDS = 300.0
# The head of a page: what stands in a new segment before any change does.
_HEAD_BYTES = 64
_MAX_MARKS = 1_000
Reporter = Callable[[str], None]


class Archiver:
    """One archive of one server. Only one at a time writes to an ARCHIVE_DIR."""

    def __init__(
        self,
        settings: ArchiveSettings,
        server: SourceServer,
        say: Reporter = lambda text: None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.settings, self.server, self.say, self.environ = settings, server, say, environ
        self.storage = FolderStorage(settings.folder)
        self.receiver = LogReceiver(server, settings.data_dir / "archive_log")
        self.offsite: OffsiteCopy | None = None
        if settings.offsite:
            self.offsite = OffsiteCopy(settings, OffsiteStorage(settings.offsite))
        self.status = replace(
            read_status(settings.data_dir) or ArchiveStatus(written_at=utc_now()),
            failures=0, failed_at=None, failure="", has_offsite=self.offsite is not None,
        )  # fmt: skip
        self.shipper: LogShipper | None = None
        self._has_gap = False
        self.identity: ServerIdentity | None = None
        self._state: SeriesState | None = None
        self._marks: deque[tuple[datetime, int]] = deque()
        self._switched = self._base_not_before = float("-inf")
        self._base: threading.Thread | None = None

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set. Failures are counted and tried again. Raises ArchiveError if
        another process makes this archive."""
        words = f"Another process makes the archive in {self.settings.folder}: stop it first."
        with self.storage.lock("archiver", words):
            try:
                while not stop.is_set():
                    self.run_once()
                    stop.wait(PASS_SECONDS)
            finally:
                self.receiver.stop()
                if self._base is not None:
                    self._base.join()

    def run_once(self) -> None:
        """Do what is to be done now. What fails does not keep the rest from being done."""
        for step in (self._open, self._receive, self._store, self._start_base, self._copy_offsite):
            self._attempt(step)
            if self.shipper is None:
                break
        self._write_status()

    def _attempt(self, step: Callable[[], None]) -> None:
        """Do a step. A failure is noted; a gap in the log also begins a series."""
        try:
            step()
        except GapError as error:
            self._fail(f"{error} A new series begins.")
            self._attempt(self._begin_series)
        except ArchiveError as error:
            self._fail(str(error))

    def _fail(self, words: str) -> None:
        if words != self.status.failure or self.status.failed_at is None:
            self.say(words)
        self.status = replace(
            self.status, failures=self.status.failures + 1, failed_at=utc_now(), failure=words
        )

    def _open(self) -> None:
        """Find the series to go on with, or begin one."""
        if self.shipper is not None:
            return
        self.identity = self.server.identify()
        if not self.identity.summarises:
            self._fail("The server has summarize_wal off, so every base backup is a full one.")
        check_owner(self.settings, self.identity)
        renew_lasting(self.storage, self.settings.keyring)
        kept = read_json(self.settings.data_dir / SERIES_FILE)
        name = str(kept.get("series", ""))
        same = kept.get("system_id") == self.identity.system_id
        is_known = name in list_series(self.storage.list_sizes())
        if not self.server.ensure_slot():
            self._has_gap = True
        if same and is_known:
            self._use_series(name)
        if self._has_gap or self.shipper is None:
            self._begin_series()

    def _begin_series(self) -> None:
        """Begin a history. What was received belongs to the one before, if that is known."""
        assert self.identity is not None  # noqa: S101 - `_open` comes first
        self.receiver.stop()
        self._finish_series()
        # If this breaks off, `_open` does it again.
        self.shipper, self._has_gap = None, True
        self.server.drop_slot()
        self.server.ensure_slot()
        name = f"{utc_now():%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        store_bytes(
            self.storage, self.settings.keyring, f"{name}/owner",
            json.dumps({"system_id": self.identity.system_id}).encode(),
        )  # fmt: skip
        # After what a full disk refuses.
        for path in (self.settings.data_dir / "archive_log").glob("*"):
            path.unlink(missing_ok=True)
        told = {"series": name, "system_id": self.identity.system_id}
        write_json(self.settings.data_dir / SERIES_FILE, told)
        self.say(f"The series {name} begins.")
        self._use_series(name)
        self._has_gap = False
        self._base_not_before = float("-inf")

    def _finish_series(self) -> None:
        """Store what was received of the series, up to a gap: the server keeps it no longer."""
        if self.shipper is None:
            return
        try:
            # What lies behind a gap belongs to no series.
            with contextlib.suppress(GapError):
                self.shipper.ship()
            self._note_reached()
        except ArchiveError as error:
            self._fail(f"The end of the series {self.shipper.series_name} is not stored: {error}")

    def _use_series(self, name: str) -> None:
        assert self.identity is not None  # noqa: S101 - `_open` comes first
        self.storage.delete_unfinished(name)
        series = load_one_series(self.settings, name)
        self.shipper = LogShipper(self.settings, series, self.identity.segment_bytes)
        self._marks.clear()
        self._state = series.state
        self.status = replace(
            self.status, series=name, until=series.state.until if series.state else None
        )
        self._note_base(series.bases[-1] if series.bases else None)

    def _receive(self) -> None:
        """The receiver also ends when the server forgot our place in the log, as after a failover;
        only a new series helps then."""
        try:
            self.receiver.ensure_running()
        except ArchiveError as error:
            if self.server.ensure_slot():
                raise
            raise GapError(f"{error} The server has not kept the log for us.") from None

    def _store(self) -> None:
        """Store segments and the ledger, and note up to which moment all is there."""
        assert self.shipper is not None  # noqa: S101 - `_open` comes first
        moment, position = self.server.read_position()
        if self._marks and (self._marks[-1][1] == position or len(self._marks) >= _MAX_MARKS):
            self._marks.pop()
        self._marks.append((moment, position))
        self.shipper.ship()
        self._store_ledger()
        self._note_reached()
        is_time = time.monotonic() - self._switched >= self.settings.switch_every.total_seconds()
        if self._marks and is_time:
            self._switched = time.monotonic()
            self.server.switch_segment()

    def _note_reached(self) -> None:
        """Note the last moment whose position is stored."""
        assert self.shipper is not None  # noqa: S101 - `_open` comes first
        reached: tuple[datetime, int] | None = None
        while self._marks and self._marks[0][1] <= self.shipper.end_lsn + _HEAD_BYTES:
            reached = self._marks.popleft()
        if reached:
            self.status = replace(self.status, until=reached[0])
            self._store_state(*reached)

    def _store_state(self, until: datetime, lsn: int) -> None:
        """A clock that was put back does not take back what could be restored before."""
        assert self.shipper is not None  # noqa: S101 - `_open` comes first
        if self._state is not None:
            if lsn == self._state.lsn and until - self._state.until < self.settings.switch_every:
                return
            until = max(until, self._state.until)
        self._state = SeriesState(until, lsn)
        name, content = f"{self.shipper.series_name}/state", self._state.to_json()
        store_bytes(self.storage, self.settings.keyring, name, content, replace=True)

    def _store_ledger(self) -> None:
        """The ledger of erasures only grows, so its length is its version."""
        assert self.shipper is not None  # noqa: S101 - `_open` comes first
        path = self.settings.data_dir / erasure_ledger.FILE_NAME
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return
        name = f"{self.shipper.series_name}/ledger/{len(content):015d}"
        if not (self.settings.folder / name).exists():
            store_bytes(self.storage, self.settings.keyring, name, content)

    def _start_base(self) -> None:
        """Begin a base backup beside the rest if one is due."""
        assert self.shipper is not None  # noqa: S101 - `_open` comes first
        if self._base is not None and self._base.is_alive():
            return
        if time.monotonic() < self._base_not_before:
            return
        series = load_one_series(self.settings, self.shipper.series_name)
        self._note_base(series.bases[-1] if series.bases else None)
        kind = choose_due_backup(
            series.bases,
            self.server.read_position()[0],
            base_every=self.settings.base_every,
            full_every=self.settings.full_every,
        )
        if kind is None:
            return
        self._base_not_before = time.monotonic() + RETRY_SECONDS
        self._base = threading.Thread(target=self._make_base, args=[kind, series], daemon=True)
        self._base.start()

    def _make_base(self, kind: str, series: Series) -> None:
        try:
            make_base_backup(self.settings, self.server, kind, series, self.say, self.environ)
            self._base_not_before = float("-inf")
        except ArchiveError as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"The base backup broke off ({error.strerror or type(error).__name__}).")

    def _note_base(self, base: BaseBackup | None) -> None:
        if base is not None:
            self.status = replace(
                self.status, base_at=base.ended_at, base_kind=base.kind, base_bytes=base.size
            )

    def _copy_offsite(self) -> None:
        assert self.shipper is not None  # noqa: S101 - `_open` comes first
        if self.offsite is None:
            return
        until = self.status.until
        waiting = self.offsite.copy()
        self.status = replace(
            self.status,
            offsite_waiting=waiting,
            offsite_until=self.status.offsite_until if waiting else until,
        )

    def _write_status(self) -> None:
        waiting = len(self.shipper.list_waiting()) if self.shipper else 0
        self.status = replace(self.status, written_at=utc_now(), waiting=waiting)
        try:
            write_status(self.settings.data_dir, self.status)
        except OSError as error:
            self.say(f"The state of the archive is not noted ({type(error).__name__}).")


def make_base_backup(
    settings: ArchiveSettings,
    server: SourceServer,
    kind: str,
    series: Series,
    say: Reporter,
    environ: Mapping[str, str] = os.environ,
) -> BaseBackup:
    """Make a base backup, and delete what is not needed any more. An incremental one that the
    server cannot make becomes a full one. Raises ArchiveError."""
    identity = server.identify()
    request = BaseRequest(kind, series, identity)
    try:
        made = create_base_backup(settings, server, request, environ)
    except ArchiveError as error:
        if kind == "full" or "is being made already" in str(error):
            raise
        say(f"{error} A full one is made instead.")
        made = create_base_backup(settings, server, replace(request, kind="full"), environ)
    say(f"The base backup {made.id} is made ({made.size:,} bytes).")
    for storage in (FolderStorage(settings.folder), _offsite(settings)):
        if storage is not None:
            prune(settings, storage, series.name, made.ended_at)
    return made


def _offsite(settings: ArchiveSettings) -> OffsiteStorage | None:
    return OffsiteStorage(settings.offsite) if settings.offsite else None


def load_one_series(settings: ArchiveSettings, name: str) -> Series:
    """The series in ARCHIVE_DIR. Raises ArchiveError."""
    storage = FolderStorage(settings.folder)
    sizes = storage.list_sizes(f"{name}/")
    return load_series(name, sizes, lambda n: load_bytes(storage, settings.keyring, n))


def check_owner(settings: ArchiveSettings, identity: ServerIdentity) -> None:
    """Raises ArchiveError if the archive is of another database."""
    storage = FolderStorage(settings.folder)
    for name in list_series(storage.list_sizes()):
        told = json.loads(load_bytes(storage, settings.keyring, f"{name}/owner"))
        if told.get("system_id") != identity.system_id:
            raise ArchiveError(
                f"{settings.folder} holds the archive of another database. Name another folder in "
                "ARCHIVE_DIR; keep the old one as long as you may need it."
            )


def current_series(data_dir: Path) -> str:
    """The series that DATA_DIR writes. Raises ArchiveError if there is none."""
    name = read_json(data_dir / SERIES_FILE).get("series")
    if not name:
        raise ArchiveError(f"No archive of {data_dir} has begun: `make run` with ARCHIVE_DIR does.")
    return str(name)
