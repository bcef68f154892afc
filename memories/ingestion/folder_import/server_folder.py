"""The folder of an organisation on the server, read without following any link.

`IMPORT_FOLDER/<slug>/<folder>/...`: each name is opened below the descriptor of the one before, so
that what is replaced meanwhile leads nowhere else. Read are regular files with a single name: a
hard link could be a file of somebody else. What begins with a dot is passed over.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO

from django.conf import settings

from memories.ingestion.file_import.import_job import MAX_UPLOAD_BYTES
from memories.ingestion.folder_import.models import FolderPauseReason

MAX_ENTRIES, MAX_DEPTH, MAX_FOLDER_CHARACTERS = 10_000, 8, 500
_CHUNK_BYTES = 1024 * 1024
_BELOW = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without waiting for the other end of a pipe that lies there.
_FILE = _BELOW | os.O_NONBLOCK
TOO_LARGE = f"It is larger than {MAX_UPLOAD_BYTES // 1024 // 1024} MB; divide it."
UNREADABLE = "The server may not read it."


class FolderError(Exception):
    """The folder cannot be looked through. reason: a FolderPauseReason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class InvalidFolderError(ValueError):
    """Not a path below the folder of an organisation."""


class FileRefusedError(Exception):
    """The file is not read; the message says why. It is not looked at again as it is."""


class FileChangingError(Exception):
    """Somebody writes to the file, or it is gone; the next run looks at it again."""


@dataclass(frozen=True, slots=True)
class FileState:
    """A file: path below the folder, size in bytes, and when its content or rights changed last, in
    nanoseconds since 1970 (`st_ctime_ns`, which no program sets as it likes)."""

    path: str
    size: int
    changed_ns: int


@dataclass(slots=True)
class FolderListing:
    """files: by path. left_out: how many entries are links, special files, files of several names,
    deeper than MAX_DEPTH, or have a name that cannot be shown."""

    files: list[FileState] = field(default_factory=list)
    left_out: int = 0
    seen: int = 0


def has_import_folder() -> bool:
    """Whether the operator named a folder."""
    return bool(settings.IMPORT_FOLDER)


def normalise_folder(given: str) -> str:
    """A path below the folder of the organisation; empty for that folder itself. Raises
    InvalidFolderError."""
    folder = given.strip().strip("/")
    if len(folder) > MAX_FOLDER_CHARACTERS:
        raise InvalidFolderError(f"A path has at most {MAX_FOLDER_CHARACTERS} characters.")
    parts = folder.split("/") if folder else []
    if any(not _is_name(part) for part in parts):
        raise InvalidFolderError(
            "Write a path such as exports/telegram: no part of it is empty or begins with a dot."
        )
    if len(parts) > MAX_DEPTH:
        raise InvalidFolderError(f"A path has at most {MAX_DEPTH} parts.")
    return folder


def _is_name(name: str) -> bool:
    """Whether an entry may be looked at: not hidden, and its name can be shown and stored."""
    return bool(name) and not name.startswith(".") and name.isprintable() and "/" not in name


@contextmanager
def open_folder(slug: str, folder: str) -> Iterator[int]:
    """The descriptor of a folder of an organisation. Raises FolderError."""
    if not settings.IMPORT_FOLDER:
        raise FolderError(FolderPauseReason.SETTING)
    names = [slug, *filter(None, folder.split("/"))]
    if not all(map(_is_name, names)):
        raise FolderError(FolderPauseReason.FOLDER)
    try:
        descriptor = _open_below(Path(settings.IMPORT_FOLDER), names)
    except PermissionError as error:
        raise FolderError(FolderPauseReason.UNREADABLE) from error
    except OSError as error:
        raise FolderError(FolderPauseReason.FOLDER) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open_below(start: Path | int, names: list[str]) -> int:
    """The descriptor of a directory; the caller closes it. start: a path, or a descriptor that
    stays open. Raises OSError also for a link."""
    if isinstance(start, int):
        descriptor = os.dup(start)
    else:
        # The operator names it, so it may be a link itself.
        descriptor = os.open(start, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in names:
        try:
            inner = os.open(name, _BELOW | os.O_DIRECTORY, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def list_files(descriptor: int) -> FolderListing:
    """The files of an open folder and below it, sorted by path. Raises FolderError if there are
    more than MAX_ENTRIES."""
    found = FolderListing()
    try:
        _list_into(found, descriptor, "", 1)
    except OSError as error:
        raise FolderError(FolderPauseReason.UNREADABLE) from error
    found.files.sort(key=lambda one: one.path)
    return found


def _list_into(found: FolderListing, descriptor: int, prefix: str, depth: int) -> None:
    folders = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            found.seen += 1
            if found.seen > MAX_ENTRIES:
                raise FolderError(FolderPauseReason.TOO_MANY)
            if entry.name.startswith("."):
                continue
            try:
                about = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if not _is_name(entry.name):
                found.left_out += 1
            elif stat.S_ISDIR(about.st_mode):
                folders.append(entry.name)
            elif _is_single_file(about):
                path = prefix + entry.name
                found.files.append(FileState(path, about.st_size, about.st_ctime_ns))
            else:
                found.left_out += 1
    for name in folders:
        inner = _open_folder_of(descriptor, name) if depth < MAX_DEPTH else None
        if inner is None:
            found.left_out += 1
            continue
        try:
            _list_into(found, inner, f"{prefix}{name}/", depth + 1)
        finally:
            os.close(inner)


def _open_folder_of(descriptor: int, name: str) -> int | None:
    """None if it became something else, is gone, or may not be read."""
    with suppress(OSError):
        return _open_below(descriptor, [name])
    return None


def _is_single_file(about: os.stat_result) -> bool:
    return stat.S_ISREG(about.st_mode) and about.st_nlink == 1


def copy_file(descriptor: int, path: str, to: IO[bytes]) -> tuple[FileState, str]:
    """Copy a file below an open folder. Returns (what was copied, the SHA-256 of its content).

    Raises FileRefusedError, and FileChangingError if it is another one after the copy.
    """
    *folders, name = path.split("/")
    try:
        inner = _open_below(descriptor, folders)
        try:
            opened = os.open(name, _FILE, dir_fd=inner)
        finally:
            os.close(inner)
    except PermissionError as error:
        raise FileRefusedError(UNREADABLE) from error
    except OSError as error:
        # Gone, or a link now.
        raise FileChangingError from error
    with os.fdopen(opened, "rb", buffering=0) as file:
        before = _state(path, file)
        if before.size > MAX_UPLOAD_BYTES:
            raise FileRefusedError(TOO_LARGE)
        digest, size = sha256(), 0
        while size <= before.size and (portion := _read(file)):
            size += len(portion)
            digest.update(portion)
            to.write(portion)
        if size != before.size or _state(path, file) != before:
            raise FileChangingError
    return before, digest.hexdigest()


def _read(file: IO[bytes]) -> bytes:
    try:
        return file.read(_CHUNK_BYTES)
    except OSError as error:
        raise FileRefusedError(UNREADABLE) from error


def _state(path: str, file: IO[bytes]) -> FileState:
    about = os.fstat(file.fileno())
    if not _is_single_file(about):
        raise FileChangingError
    return FileState(path, about.st_size, about.st_ctime_ns)
