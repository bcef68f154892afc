"""How many documents are read at the same time on one machine, and by how many of one organisation.

Each is read in a process of its own, which may take a gigabyte. So there are a few places for all
processes of a machine, and one organisation has at most half of them. A place is a locked file: the
kernel frees it when its holder ends, however that ends.
"""

import fcntl
import os
import platform
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path

# A place is looked for again after so many seconds.
LOOK_SECONDS = 0.05
# Files that nobody locked for so long are of a machine that is gone.
STALE_SECONDS = 86_400
_NAME_BYTES = 64


class ParsersBusyError(Exception):
    """There was no place in time."""

    def __init__(self) -> None:
        super().__init__(
            "As many documents as may be at the same time are being read here. Nothing was "
            "changed; send this one again."
        )


@contextmanager
def parser_place(
    folder: Path, organisation: str, *, places: int, wait_seconds: float
) -> Iterator[None]:
    """Hold a place while a document of an organisation is read. folder: that of all processes.

    places: of the machine, at least two. wait_seconds: for how long to look for one. Raises
    ParsersBusyError.
    """
    until = time.monotonic() + wait_seconds
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    while (place := _lock_free_place(folder, organisation, places)) is None:
        if time.monotonic() >= until:
            raise ParsersBusyError
        time.sleep(LOOK_SECONDS)
    with _closing(place):
        yield


def sweep_places(folder: Path, *, now: datetime) -> int:
    """Remove the files of machines that are gone, such as pods; returns how many."""
    removed = 0
    for path in folder.glob("*.place"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < now.timestamp() - STALE_SECONDS:
                path.unlink()
                removed += 1
    return removed


def _lock_free_place(folder: Path, organisation: str, places: int) -> int | None:
    """The locked file of a free place; None if there is none for this organisation."""
    machine = platform.node() or "machine"
    # One process looks at a time: it sees each place free or with the name of its holder.
    with _closing(_open(folder / f"{machine}.all.place")) as looking, ExitStack() as unused:
        fcntl.flock(looking, fcntl.LOCK_EX)
        os.utime(looking)
        free: list[int] = []
        own = 0
        for number in range(places):
            file = unused.enter_context(_closing(_open(folder / f"{machine}.{number}.place")))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                own += os.pread(file, _NAME_BYTES, 0).decode() == organisation
            else:
                free.append(file)
        if not free or own >= max(1, places // 2):
            return None
        # The others are closed, and with that free again.
        place = os.dup(free[0])
        os.ftruncate(place, 0)
        os.pwrite(place, organisation.encode(), 0)
        return place


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextmanager
def _closing(file: int) -> Iterator[int]:
    try:
        yield file
    finally:
        os.close(file)
