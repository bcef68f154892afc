"""Archives of small files, made without a server, and a server that is none."""

import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from config.archive.archive_settings import ArchiveSettings, read_settings
from config.archive.catalogue import BaseBackup, SeriesState, segment_label
from config.archive.source_server import ServerIdentity, SourceServer
from config.archive.storage.folder_storage import FolderStorage, store_bytes
from tests.config.archive.rig import KEY

SERIES = "20261101T120000Z-abcdef"
SIZE = 16 << 20
BASE_FILES = ("data", "manifest", "files", "info")


def small_settings(folder: Path, **variables: str) -> ArchiveSettings:
    """Of an archive in this folder."""
    environ = {"ARCHIVE_DIR": str(folder / "archive"), "ENCRYPTION_KEYS": KEY} | variables
    (folder / "data").mkdir(exist_ok=True)
    return read_settings(environ, data_dir=folder / "data")


def store(settings: ArchiveSettings, name: str, content: bytes = b"x") -> None:
    """A file of the archive, in place of what is there."""
    storage = FolderStorage(settings.folder)
    store_bytes(storage, settings.keyring, name, content, replace=True)


def store_base(
    settings: ArchiveSettings,
    base: BaseBackup,
    series: str = SERIES,
    files: Iterable[str] = BASE_FILES,
) -> None:
    """The files of a base backup; without `info` it is one that was killed."""
    for file in files:
        content = base.to_json() if file == "info" else b"x"
        store(settings, f"{series}/base/{base.id}/{file}", content)


def store_log(settings: ArchiveSettings, numbers: Iterable[int], series: str = SERIES) -> None:
    """Segments of these numbers."""
    for number in numbers:
        store(settings, f"{series}/wal/{segment_label(number, 1, SIZE)}")


def store_state(settings: ArchiveSettings, until: datetime, series: str = SERIES) -> None:
    """The moment up to which all is there."""
    store(settings, f"{series}/state", SeriesState(until, 0).to_json())


def names_of(settings: ArchiveSettings) -> set[str]:
    """Every finished file of the folder."""
    return set(FolderStorage(settings.folder).list_sizes())


class Elsewhere(FolderStorage):
    """A folder in the place of an off-site storage. sent: names in the order in which they came."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.sent: list[str] = []

    def upload(self, name: str, path: Path) -> None:
        with self.create(name, replace=True) as out:
            out.write(path.read_bytes())
        self.sent.append(name)


class StandIn(SourceServer):
    """A server that answers the archiver, and from which nothing is received.

    has_slot: whether it keeps the log. receives: whether the program that receives goes on.
    """

    def __init__(self, position: int = 0) -> None:
        self.has_slot, self.receives, self.position = False, True, position

    def identify(self) -> ServerIdentity:
        return ServerIdentity("1", 1, SIZE, "18.6", summarises=True)

    def ensure_slot(self) -> bool:
        had, self.has_slot = self.has_slot, True
        return had

    def drop_slot(self) -> None:
        self.has_slot = False

    def read_position(self) -> tuple[datetime, int]:
        return datetime.now(UTC), self.position

    def switch_segment(self) -> None:
        """Nothing is written, so none ends."""

    def start_program(self, name: str, *arguments: str, stdout: int) -> "subprocess.Popen[bytes]":
        if name == "pg_receivewal" and self.receives and self.has_slot:
            command = ["sleep", "60"]
        else:
            command = ["sh", "-c", "echo 'error: it ends' >&2; exit 1"]
        return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE)
