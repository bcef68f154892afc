"""A terminal for a process."""

import os
import pty
import subprocess
import time
from collections.abc import Callable


def read_terminal(make: Callable[[int], subprocess.Popen[bytes]], typed: bytes = b"") -> bytes:
    """What a process writes on a terminal. typed: what is typed there before it asks."""
    master, slave = pty.openpty()
    process = make(slave)
    os.close(slave)
    os.write(master, typed)
    shown = b""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    process.wait(30)
    os.close(master)
    return shown
