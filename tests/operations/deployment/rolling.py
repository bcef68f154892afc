"""Web pods of the chart as processes, who shares out calls among them, and callers that keep their
connections."""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings

from config.embedded.processes import leftover_processes
from config.embedded.servers.ports import choose_port
from tests.config.transport.web_process import wait_until
from tests.databases import database_url
from tests.operations.deployment.chart import ROOT, environment, pods, render

# Seconds after which the last of a cluster knows that nobody is to be sent to a pod.
LAG = 2.0
HOST = "memory.example.org"


@dataclass
class Pod:
    """One web pod. told: when it was told to end, in seconds of the monotonic clock."""

    port: int
    process: "subprocess.Popen[bytes]"
    log: Path
    told: float = float("inf")

    def status(self, path: str) -> int:
        """Of a probe; 0 if nobody takes the connection."""
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=10).status_code
        except httpx.TransportError:
            return 0

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-2_000:]
        return self.status("/readyz") == 200

    def tell_to_end(self) -> None:
        self.told = time.monotonic()
        self.process.send_signal(signal.SIGTERM)


@contextmanager
def running_pod(folder: Path, drain: float) -> Iterator[Pod]:
    """A pod by the words and the environment that the chart gives it; ready when it is here."""
    folder.mkdir()
    port = choose_port()
    # A busy machine answers late, which is no matter of a restart.
    said = (f"web.drainSeconds={drain:g}", "web.finishSeconds=120")
    sets = [word for one in said for word in ("--set", one)]
    manifests = render("smallest", *sets, "--set-string", "settings.REQUEST_SECONDS=100")
    [container] = pods(manifests)["web"]["spec"]["containers"]
    words = [word.replace("--port=8000", f"--port={port}") for word in container["command"]]
    assert f"--port={port}" in words
    secrets = {
        "SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATABASE_SUPPORT_URL": database_url("support"),
        "REDIS_URL": os.environ["REDIS_URL"],
    }
    for name, value in secrets.items():
        (folder / name).write_text(value)
    # /tmp first: the folder of the test may lie there.
    places = {"/tmp": str(folder), "/run/secrets/commonmind": str(folder)}  # noqa: S108
    given = {
        name: next((v.replace(a, b) for a, b in places.items() if v.startswith(a)), v)
        for name, v in environment(container).items()
    }
    given |= {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "DATA_DIR": str(folder),
        "ENCODER": "fake",
    }
    log = folder / "web.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=ROOT,
            env=given,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=leftover_processes.die_with_parent(signal.SIGTERM),  # noqa: PLW1509
        )
    pod = Pod(port, process, log)
    try:
        wait_until(pod.is_ready, 180)
        yield pod
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@dataclass
class Endpoints:
    """Who shares out calls: a pod that is told to end gets calls for `LAG` seconds more."""

    pods: list[Pod] = field(default_factory=list)

    def choose(self, chance: random.Random) -> Pod:
        now = time.monotonic()
        return chance.choice([pod for pod in self.pods if now < pod.told + LAG])


@dataclass
class Count:
    """What the callers saw. failed: in words; written: ids that were acknowledged."""

    answered: int = 0
    goodbyes: int = 0
    failed: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)


class Caller(threading.Thread):
    """Calls again and again on a connection that it keeps, and never twice.

    pause: the longest time between two calls, in seconds. A connection is left for another one only
    where the answer says so.
    """

    def __init__(
        self, endpoints: Endpoints, key: str, seed: int, pause: float, stop: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self.endpoints, self.key, self.pause, self.stop = endpoints, key, pause, stop
        self.seed, self.count = seed, Count()
        self.chance = random.Random(seed)  # noqa: S311

    def run(self) -> None:
        with ExitStack() as stack:
            self._call(stack)

    def _call(self, stack: ExitStack) -> None:
        connection: http.client.HTTPConnection | None = None
        number, used = 0, 0
        while not self.stop.is_set():
            number += 1
            if connection is None:
                pod, used = self.endpoints.choose(self.chance), 0
                connection = http.client.HTTPConnection("127.0.0.1", pod.port, timeout=60)
                stack.callback(connection.close)
            began, used = time.monotonic(), used + 1
            method, path, body = self._next(number)
            try:
                connection.request(method, path, body and json.dumps(body), self._headers())
                answer = connection.getresponse()
                said = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.count.failed.append(
                    f"{method} {path}: {error!r}, call {used} of its connection, "
                    f"{began - pod.told:.2f} s after the pod was told to end"
                )
                connection.close()
                connection = None
                continue
            if answer.status >= 400:
                self.count.failed.append(f"{method} {path}: {answer.status} {said[:200]!r}")
            self.count.answered += 1
            if method == "POST" and path.endswith("/memories"):
                self.count.written.append(str(json.loads(said)["id"]))
            if answer.will_close:
                self.count.goodbyes += 1
                connection.close()
                connection = None
            self.stop.wait(self.chance.uniform(0, self.pause))

    def _headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Host": HOST,
            "X-Forwarded-Proto": "https",
        }

    def _next(self, number: int) -> tuple[str, str, dict[str, Any] | None]:
        if number % 3 == 0:
            text = f"Caller {self.seed} saw lamp number {number} in the hall."
            return "POST", "/api/v1/memories", {"content": text}
        if number % 3 == 1:
            return "POST", "/api/v1/recall", {"query": "lamp in the hall"}
        return "GET", "/api/v1/memories?limit=5", None


def wait_for_end(pod: Pod, seconds: float) -> float:
    """Seconds from the signal to the end of the pod."""
    pod.process.wait(seconds)
    return time.monotonic() - pod.told
