"""The folder of a backup: written beside its place, readable by its owner only, renamed at the
end."""

import gzip
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import IO

from orgs.database.backup.errors import BackupError
from orgs.database.erasure_ledger import fsync_folder
from orgs.wired_functions import wired

CHUNK_BYTES = 1 << 20
# Most bytes are vectors, which a slower level compresses hardly better.
GZIP_LEVEL = 1


@wired
def backup_folders() -> tuple[str, ...]:
    """The names of the folders of DATA_DIR whose files go into a backup."""
    raise NotImplementedError


@contextmanager
def staged_folder(place: Path) -> Iterator[Path]:
    """A folder to fill, which is renamed to `place` at the end and deleted on an error.

    A process that is killed leaves `.NAME.unfinished`, which has no manifest. Raises BackupError.
    """
    place = place.absolute()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise BackupError(f"{place} exists and is not an empty folder: choose another one.")
    part = place.with_name(f".{place.name}.unfinished")
    try:
        ensure_private_folder(part.parent)
        part.mkdir(mode=0o700)
    except FileExistsError:
        raise BackupError(
            f"{part} is of a backup that runs or broke off. If none runs, delete it."
        ) from None
    except OSError as error:
        raise BackupError(f"{part} cannot be made: {error.strerror}.") from None
    try:
        yield part
        fsync_folder(part)
        part.rename(place)
        fsync_folder(place.parent)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        if error.errno in (ENOSPC, EDQUOT):
            raise BackupError(
                f"There is no space left for {place}; what was written has been deleted again."
            ) from None
        raise BackupError(f"{place} cannot be written: {error.strerror or error}.") from None
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def ensure_private_folder(folder: Path) -> None:
    """Make the folder and missing parents, each with mode 700."""
    if not folder.exists():
        ensure_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file with mode 600 that is on the disk at the end."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def gzip_file(path: Path) -> Iterator[IO[bytes]]:
    """The same, compressed with gzip; equal content gives equal bytes."""
    with private_file(path) as file, gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as packed:
        yield packed  # type: ignore[misc]


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_file(source: Path, target: Path) -> bool:
    """Copy one file. False if it was deleted meanwhile."""
    try:
        with source.open("rb") as file, private_file(target) as out:
            shutil.copyfileobj(file, out, CHUNK_BYTES)
    except FileNotFoundError:
        target.unlink(missing_ok=True)
        return False
    return True
