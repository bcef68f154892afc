"""The logs in DATA_DIR/log, and the output of child processes that is copied there."""

import contextlib
import logging
import logging.handlers
import sys
import threading
from pathlib import Path
from typing import IO

MAX_BYTES = 5_000_000
PREFIX_WIDTH = 8
ROUTINE_PREFIXES = ("Operations to perform", "  Apply all", "Running migrations", "  Applying ")

_console = threading.Lock()


def print_line(line: str) -> None:
    """Print one whole line at once; a closed pipe is ignored."""
    with _console, contextlib.suppress(OSError, ValueError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def is_shown_on_terminal(line: str) -> bool:
    """Whether a line is shown on the terminal: not successful requests and migrations, which would
    push the log-ins off the screen."""
    went_well = line.startswith("{") and '"level":"info"' in line
    return bool(line) and not went_well and not line.startswith(ROUTINE_PREFIXES)


def copy_output(name: str, stream: IO[bytes], folder: Path) -> threading.Thread:
    """Copy a child's output to ``folder``/NAME.log, and to the terminal what is worth reading.

    The file is rotated at 5 MB; two old ones are kept. The thread ends with the stream.
    """
    handler = logging.handlers.RotatingFileHandler(
        folder / f"{name}.log", maxBytes=MAX_BYTES, backupCount=2, encoding="utf-8", delay=True
    )

    # On a full disk a line is lost. Logging would tell so, with the line, on the terminal.
    handler.handleError = lambda record: None  # type: ignore[method-assign]

    def copy() -> None:
        with stream, contextlib.closing(handler):
            for raw in stream:
                line = raw.decode(errors="replace").rstrip()
                if is_shown_on_terminal(line):
                    print_line(f"{name:<{PREFIX_WIDTH}}| {line}")
                handler.emit(logging.makeLogRecord({"msg": line}))

    thread = threading.Thread(target=copy, name=f"log of {name}", daemon=True)
    thread.start()
    return thread


def rotate_large_log(path: Path) -> int:
    """Rename a large log of a server to .1. Returns the size of the present one in bytes."""
    size = path.stat().st_size if path.exists() else 0
    if size > MAX_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
        return 0
    return size


def extract_error_line(words: str) -> str:
    """The most useful line of a program's last output: a FATAL or an error, else the last."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    for mark in ("FATAL:", "PANIC:", "error:", "FATAL CONFIG", "# "):
        for line in lines:
            if mark in line:
                return line[line.index(mark) :]
    return lines[-1] if lines else "it printed nothing"
