"""Finding and ending processes that an earlier, killed run left behind (Linux: /proc)."""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

PR_SET_PDEATHSIG = 1
PROC = Path("/proc")

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent(signal_number: int) -> Callable[[], None]:
    """A ``preexec_fn`` that has the kernel send the signal when the parent's thread ends.

    Start the child from the main thread: the kernel watches the thread that forked. It forgets
    the wish on setuid, which subprocess does before it calls ``preexec_fn``.
    """
    parent = os.getpid()

    def ask_kernel() -> None:
        if _libc is not None:
            _libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    return ask_kernel


def find_pids_in(folder: Path, program: str) -> list[int]:
    """Live processes of ``program`` that work in ``folder``, as a database server does."""
    wanted = str(folder.resolve())
    found = []
    for pid in _all_pids():
        with contextlib.suppress(OSError):
            name = (PROC / str(pid) / "comm").read_text(encoding="utf-8").strip()
            if name == program and str((PROC / str(pid) / "cwd").readlink()) == wanted:
                found.append(pid)
    return found


def find_pids_with(variable: str, value: str) -> list[int]:
    """Live processes that were started with ``variable=value``, this one left out."""
    wanted = f"{variable}={value}".encode()
    found = []
    for pid in _all_pids():
        with contextlib.suppress(OSError):
            if wanted in (PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                found.append(pid)
    return [pid for pid in found if pid != os.getpid()]


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        stat = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def send_signal(pids: Iterable[int], signal_number: int) -> None:
    """Send the signal to each process that still exists."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal_number)


def wait_until_gone(pids: Iterable[int], timeout: float) -> bool:
    """Wait up to ``timeout`` seconds; tell whether all of them are gone."""
    end = time.monotonic() + timeout
    waiting = [pid for pid in pids if is_alive(pid)]
    while waiting and time.monotonic() < end:
        time.sleep(0.05)
        waiting = [pid for pid in waiting if is_alive(pid)]
    return not waiting


def terminate_all(pids: Iterable[int], timeout: float = 10) -> None:
    """Ask the processes to end (SIGTERM), then insist (SIGKILL)."""
    pids = list(pids)
    send_signal(pids, signal.SIGTERM)
    if not wait_until_gone(pids, timeout):
        send_signal([pid for pid in pids if is_alive(pid)], signal.SIGKILL)
        wait_until_gone(pids, 5)


def _all_pids() -> Iterator[int]:
    try:
        names = [entry.name for entry in PROC.iterdir()]
    except OSError:
        return iter(())
    return (int(name) for name in names if name.isdigit())
