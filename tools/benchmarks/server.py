"""The web processes as `make run` starts them, and what they use of the machine."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from config.embedded.processes import leftover_processes
from config.embedded.servers.ports import choose_port
from config.embedded.supervisor import UVICORN_OPTIONS
from tools.benchmarks.database import NAME

ROOT = Path(__file__).resolve().parents[2]
WORKERS = 2
HOST = "127.0.0.1"
LONGEST_START = 120
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = resource.getpagesize()


@dataclass(slots=True)
class Server:
    """Running web processes."""

    port: int
    process: subprocess.Popen[bytes]
    started: float

    def pids(self) -> list[int]:
        """The processes that answer: the children of the first that hold the application."""
        family = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        children = [int(pid) for pid in family.read_text(encoding="utf-8").split()]
        # multiprocessing's resource tracker is a child too, of a few megabytes.
        return [pid for pid in children if "resource_tracker" not in _command(pid)]

    def resident(self) -> list[float]:
        """Megabytes of memory of each web process (RSS)."""
        pages = [int(_stat(pid, "statm").split()[1]) for pid in self.pids()]
        return [count * PAGE / 1e6 for count in pages]

    def processor_seconds(self) -> float:
        """User and system time of the web processes so far."""
        return sum(_ticks(pid) for pid in self.pids()) / TICKS

    def wait(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> float:
        """Seconds from the start of the process to the first answer of status 200."""
        while time.perf_counter() - self.started < LONGEST_START:
            if self.process.poll() is not None:
                raise RuntimeError(f"the web server ended with code {self.process.returncode}")
            connection = HTTPConnection(HOST, self.port, timeout=LONGEST_START)
            try:
                connection.request(method, path, body, headers)
                if connection.getresponse().status == 200:
                    return time.perf_counter() - self.started
            except (OSError, HTTPException):
                pass
            finally:
                connection.close()
            time.sleep(0.01)
        raise RuntimeError(f"no answer from the web server within {LONGEST_START} s")


def _stat(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8")


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return _stat(pid, "cmdline")
    return ""


def database_seconds() -> float:
    """User and system time of the database processes that serve the bench's database."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f" {NAME} " in _command(int(folder.name)):
                total += _ticks(int(folder.name))
    return total / TICKS


def _ticks(pid: int) -> int:
    fields = _stat(pid, "stat").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def machine_seconds() -> tuple[float, float]:
    """(busy, all) seconds of every core since the machine started."""
    fields = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]
    ticks = [int(field) for field in fields]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / TICKS, sum(ticks) / TICKS


@contextmanager
def running_server(log: Path) -> Iterator[Server]:
    """Web processes on a free port, in a session of their own, ended at the end."""
    port = choose_port()
    words = ["-m", "uvicorn", "config.asgi:application", "--host", HOST, "--port", str(port)]
    calm = ["--workers", str(WORKERS), *UVICORN_OPTIONS]
    environment = {**os.environ, "PORT": str(port), "LOG_LEVEL": "INFO"}
    environment.pop("DATABASE_ADMIN_URL", None)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *words, *calm],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=leftover_processes.die_with_parent(signal.SIGTERM),  # noqa: PLW1509
        )
        try:
            yield Server(port, process, started)
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(15)
    # What is left of the family.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
