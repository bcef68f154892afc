"""A web process as it is shipped, on the services of the tests, and sockets that misbehave."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from django.conf import settings

from config.embedded.processes import leftover_processes
from config.embedded.servers.ports import choose_port
from config.embedded.supervisor import UVICORN_OPTIONS
from tests.databases import autocommit_connection, database_url

ROOT = Path(__file__).resolve().parents[3]
# Of a file that no kernel holds as a whole.
FILE_BYTES = 40_000_000


@dataclass(frozen=True)
class WebProcess:
    """A running web process."""

    port: int
    folder: Path

    def client(self, key: str = "", timeout: float = 60, **headers: str) -> httpx.Client:
        shown = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", headers=shown | headers, timeout=timeout
        )

    def connect(self, sent: bytes = b"", *, window: int = 0) -> socket.socket:
        """A connection that has sent these bytes. window: of its buffer for what it reads."""
        connection = socket.socket()
        if window:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        connection.settimeout(120)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(sent)
        return connection

    def connections(self) -> int:
        """How many connections of clients the process has open."""
        lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        fields = [line.split() for line in lines]
        return sum(one[1].endswith(f":{self.port:04X}") and one[3] == "01" for one in fields)

    def statements(self, text: str = "") -> int:
        """How many statements of the application wait for a lock in the database."""
        with autocommit_connection("admin") as database:
            found = database.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND usename = %s AND wait_event_type = 'Lock' AND query LIKE %s",
                [settings.DATABASES["default"]["USER"], f"%{text}%"],
            ).fetchone()
        assert found
        return int(found[0])


@contextmanager
def serving(
    folder: Path, application: str = "config.asgi:application", **environment: object
) -> Iterator[WebProcess]:
    """A web process with its own folder. environment: settings beside the shipped ones."""
    port = choose_port()
    static = folder / "static"
    static.mkdir()
    (static / "large.txt").write_bytes(b"0123456789abcde\n" * (FILE_BYTES // 16))
    kept = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "REDIS_URL")
    given = {name: os.environ[name] for name in kept if name in os.environ} | {
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATA_DIR": str(folder),
        "PORT": str(port),
        "ENCODER": "fake",
        "LOG_LEVEL": "WARNING",
    }
    words = ["-m", "uvicorn", application, "--port", str(port), *UVICORN_OPTIONS]
    with (folder / "web.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env=given | {name: str(value) for name, value in environment.items()},
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=leftover_processes.die_with_parent(signal.SIGTERM),  # noqa: PLW1509
        )
    found = WebProcess(port, folder)
    try:
        with found.client() as client:
            wait_until(lambda: is_up(client, process), 120)
        yield found
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()


def is_up(client: httpx.Client, process: "subprocess.Popen[bytes]") -> bool:
    assert process.poll() is None, "the web process ended"
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for a state. Fails if it does not come within so many seconds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def read_answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """(status, headers, what came of the body) of the next answer; it reads to its length."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        part = connection.recv(65_536)
        assert part, "the connection was closed without an answer"
        answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
    while len(body) < int(headers.get("content-length", 0)):
        part = connection.recv(65_536)
        assert part, "the connection was closed within an answer"
        body += part
    return int(first.split()[1]), headers, body


def is_closed_within(connection: socket.socket, seconds: float) -> bool:
    """Whether the server closes the connection, without an answer, within so many seconds."""
    connection.settimeout(seconds)
    try:
        return connection.recv(65_536) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def drain(connection: socket.socket) -> int:
    """Read until the server closes; the number of bytes."""
    read = 0
    with suppress(ConnectionError):
        while part := connection.recv(1_000_000):
            read += len(part)
    return read


def post(path: str, key: str = "", **headers: object) -> bytes:
    """The line and the headers of a POST."""
    shown = {"Authorization": f"Bearer {key}"} if key else {}
    lines = {"Host": "127.0.0.1", "Content-Type": "application/json"} | shown | headers
    told = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"POST {path} HTTP/1.1\r\n{told}\r\n".encode()


def chunk(size: int) -> bytes:
    return b"%x\r\n" % size + b"x" * size + b"\r\n"


def send_chunks(connection: socket.socket, size: int, most: int) -> int:
    """Send chunks until the server has answered or closed, `most` bytes at most. Returns how many
    were sent."""
    sent = 0
    connection.setblocking(True)
    connection.settimeout(0.05)
    while sent < most:
        try:
            connection.sendall(chunk(size))
            sent += size
        except TimeoutError:
            pass
        except ConnectionError:
            break
        with suppress(TimeoutError, BlockingIOError):
            connection.setblocking(False)
            if connection.recv(1, socket.MSG_PEEK):
                break
        connection.settimeout(0.05)
    connection.settimeout(120)
    return sent


@contextmanager
def locked(*memories: UUID) -> Iterator[None]:
    """Hold the rows, so that every statement that changes them waits; they can be read and referred
    to."""
    with autocommit_connection("admin") as database, database.transaction():
        database.execute(
            "SELECT FROM memories_memory WHERE id = ANY(%s) FOR NO KEY UPDATE", [list(memories)]
        )
        yield


def change(memory: UUID, key: str) -> bytes:
    """A call that changes a memory."""
    body = json.dumps({"content": "The launch is on 4 March."}).encode()
    head = post(f"/api/v1/memories/{memory}", key, Content_Length=len(body))
    return head.replace(b"POST", b"PATCH", 1) + body


def problem_of(body: bytes) -> dict[str, Any]:
    found = json.loads(body)
    assert isinstance(found, dict)
    return found
