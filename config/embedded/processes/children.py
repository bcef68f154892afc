"""Web, worker and beat as child processes: started, watched, restarted, ended."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from config.embedded.processes import leftover_processes
from config.embedded.processes.logs import copy_output

PROJECT_ROOT = Path(__file__).resolve().parents[3]
RUN_VARIABLE = "COMMONMIND_RUN"
STABLE_SECONDS = 30
MAX_RESTART_DELAY = 30.0


class Child:
    """A Python command of this project, in a session of its own, its output in the log folder."""

    def __init__(
        self, name: str, arguments: list[str], environment: Mapping[str, str], log_folder: Path
    ) -> None:
        self.name = name
        self.command = [sys.executable, *arguments]
        self.environment = {**environment, "PYTHONUNBUFFERED": "1"}
        self.log_folder = log_folder
        self.failures = 0
        self.process: subprocess.Popen[bytes] | None = None
        self._pump: threading.Thread | None = None
        self._started = 0.0
        self._not_before = 0.0

    def start(self) -> None:
        """Start the process; call this from the main thread (see die_with_parent)."""
        self._started = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            cwd=PROJECT_ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # the supervisor handles Ctrl-C
            preexec_fn=leftover_processes.die_with_parent(signal.SIGTERM),  # noqa: PLW1509  # it makes one system call
        )
        assert self.process.stdout is not None  # noqa: S101 - for the type checker
        self._pump = copy_output(self.name, self.process.stdout, self.log_folder)

    def poll(self) -> int | None:
        """The exit code, or None while the process runs."""
        return None if self.process is None else self.process.poll()

    def mind(self) -> int | None:
        """Restart a process that has ended, with a longer pause each time. Returns the exit code of
        one that has just ended, else None."""
        code = self.poll()
        if self.process is not None and code is not None:
            self.kill()  # its remaining children still hold the port
            steady = time.monotonic() - self._started > STABLE_SECONDS
            self.failures = 1 if steady else self.failures + 1
            self._not_before = time.monotonic() + restart_delay(self.failures)
            self.process = None
            return code
        if self.process is None and time.monotonic() >= self._not_before:
            self.start()
        return None

    def terminate(self) -> None:
        """Ask the process to end; it ends its own children."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """End the process and its children at once. Safe inside a signal handler."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def wait_until(self, moment: float) -> None:
        """Wait for the end up to ``moment`` (monotonic), then force it, and flush the log."""
        if self.process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, moment - time.monotonic()))
        self.kill()
        self.process.wait()
        if self._pump is not None:
            self._pump.join(2)


def restart_delay(failures: int) -> float:
    """Seconds before the next start: 0.5, 1, 2, ... up to 30."""
    return min(MAX_RESTART_DELAY, 0.5 * 2.0 ** (failures - 1))
