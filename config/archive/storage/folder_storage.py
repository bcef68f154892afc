"""Where files of an archive lie: a folder, or an S3-compatible storage. Names use slashes."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

from config.archive.errors import ArchiveError, describe_os_error
from config.archive.storage.encryption import EncryptingWriter, iter_decrypted
from memories.store.encryption.keys import Keyring
from orgs.database.backup.folder import ensure_private_folder
from orgs.database.erasure_ledger import fsync_folder

UNFINISHED = ".unfinished"
# A segment of the log, the ledger or a description has at most 1 GB; a base backup is streamed.
MAX_SMALL_BYTES = 1 << 30


class Storage(Protocol):
    """What a restore reads from. Every method may raise ArchiveError."""

    def list_sizes(self, prefix: str = "") -> dict[str, int]:
        """Name to bytes of every file whose name begins with the prefix."""

    def open_stored(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """The stored bytes of a file."""

    def delete(self, name: str) -> None:
        """Delete a file; one that is gone is no error."""


class FolderStorage:
    """ARCHIVE_DIR. A file is written beside its place, is on the disk, and then gets its name."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def list_sizes(self, prefix: str = "") -> dict[str, int]:
        """Name to bytes of every finished file below the folder."""
        found = {}
        base = prefix.rpartition("/")[0]
        for path in sorted((self.root / base).rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if not name.startswith(prefix) or path.name.startswith("."):
                continue
            with contextlib.suppress(FileNotFoundError):
                if path.is_file() and not path.is_symlink():
                    found[name] = path.stat().st_size
        return found

    @contextlib.contextmanager
    def open_stored(self, name: str) -> Iterator[IO[bytes]]:
        """The stored bytes. Raises ArchiveError if there is no such file."""
        try:
            with (self.root / name).open("rb") as file:
                yield file
        except FileNotFoundError:
            raise ArchiveError(f"{name} is missing in the archive.") from None
        except OSError as error:
            raise ArchiveError(describe_os_error(error, f"{name} in the archive")) from None

    def delete(self, name: str) -> None:
        """Delete a file, and its folder if that is empty then. Raises ArchiveError."""
        path = self.root / name
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise ArchiveError(describe_os_error(error, f"{name} in {self.root}")) from None
        with contextlib.suppress(OSError):
            path.parent.rmdir()

    @contextlib.contextmanager
    def create(self, name: str, *, replace: bool = False) -> Iterator[IO[bytes]]:
        """A file to write; it has its name when all of it is on the disk.

        Raises FileExistsError, and leaves what is there, unless `replace`; ArchiveError if it
        cannot be written.
        """
        path = self.root / name
        part = path.with_name(f".{path.name}{UNFINISHED}")
        try:
            ensure_private_folder(path.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
            with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if replace:
                part.replace(path)
            else:
                os.link(part, path)
                part.unlink()
            fsync_folder(path.parent)
        except FileExistsError:
            raise
        except OSError as error:
            raise ArchiveError(describe_os_error(error, f"{name} in {self.root}")) from None
        finally:
            part.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lock(self, name: str, words: str) -> Iterator[None]:
        """Hold the lock file of this name; the kernel frees it. Raises ArchiveError with `words`
        if another process holds it."""
        try:
            ensure_private_folder(self.root)
            descriptor = os.open(self.root / f".{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ArchiveError(describe_os_error(error, str(self.root))) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise ArchiveError(words) from None
        finally:
            os.close(descriptor)

    def delete_unfinished(self, folder: str) -> None:
        """Delete what a killed process was writing below the folder, such as a series; call it with
        the lock held of those who write there."""
        for path in (self.root / folder).rglob(f".*{UNFINISHED}"):
            path.unlink(missing_ok=True)


def store_bytes(
    folder: FolderStorage, keyring: Keyring, name: str, content: bytes, *, replace: bool = False
) -> None:
    """Store a small file, encrypted. Raises FileExistsError unless `replace`."""
    with folder.create(name, replace=replace) as out:
        writer = EncryptingWriter(out, name, keyring.newest)
        writer.write(content)
        writer.close()


def load_bytes(storage: Storage, keyring: Keyring, name: str) -> bytes:
    """The content of a small file. Raises ArchiveError."""
    found = bytearray()
    with storage.open_stored(name) as source:
        for part in iter_decrypted(source, name, keyring):
            found += part
            if len(found) > MAX_SMALL_BYTES:
                raise ArchiveError(f"{name} is larger than it can be.")
    return bytes(found)
