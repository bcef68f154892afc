"""How many documents are read at the same time on one machine, and by how many of one organisation.

Each is read in a process of its own, which may take a gigabyte. So there are a few slots for all
processes of a machine, and one organisation has at most half of them. A slot is a locked file: the
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

# A slot is looked for again after so many seconds.
LOOK_SECONDS = 0.05
# Files that nobody locked for so long are of a machine that is gone.
STALE_SECONDS = 86_400
_NAME_BYTES = 64


class ParsersBusyError(Exception):
    """There was no slot in time."""

    def __init__(self) -> None:
        super().__init__(
            "As many documents as may be at the same time are being read here. Nothing was "
            "changed; send this one again."
        )


@contextmanager
def parser_slot(
    folder: Path, organisation: str, *, slots: int, wait_seconds: float
) -> Iterator[None]:
    """Hold a slot while a document of an organisation is read. folder: that of all processes.

    slots: of the machine, at least two. wait_seconds: for how long to look for one. Raises
    ParsersBusyError.
    """
    until = time.monotonic() + wait_seconds
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    while (slot := _lock_free_slot(folder, organisation, slots)) is None:
        if time.monotonic() >= until:
            raise ParsersBusyError
        time.sleep(LOOK_SECONDS)
    with _closing(slot):
        yield


def sweep_slots(folder: Path, *, now: datetime) -> int:
    """Remove the files of machines that are gone, such as pods; returns how many."""
    removed = 0
    for path in folder.glob("*.slot"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < now.timestamp() - STALE_SECONDS:
                path.unlink()
                removed += 1
    return removed


def _lock_free_slot(folder: Path, organisation: str, slots: int) -> int | None:
    """The locked file of a free slot; None if there is none for this organisation."""
    machine = platform.node() or "machine"
    # One process looks at a time: it sees each slot free or with the name of its holder.
    with _closing(_open(folder / f"{machine}.all.slot")) as looking, ExitStack() as unused:
        fcntl.flock(looking, fcntl.LOCK_EX)
        os.utime(looking)
        free: list[int] = []
        own = 0
        for number in range(slots):
            file = unused.enter_context(_closing(_open(folder / f"{machine}.{number}.slot")))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                own += os.pread(file, _NAME_BYTES, 0).decode() == organisation
            else:
                free.append(file)
        if not free or own >= max(1, slots // 2):
            return None
        # The others are closed, and with that free again.
        slot = os.dup(free[0])
        os.ftruncate(slot, 0)
        os.pwrite(slot, organisation.encode(), 0)
        return slot


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextmanager
def _closing(file: int) -> Iterator[int]:
    try:
        yield file
    finally:
        os.close(file)
