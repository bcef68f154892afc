"""Two database servers of their own, the product's processes between them, and callers who go on
while an organisation moves from one to the other and back."""

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import psycopg

from config.embedded.private_files import generate_secret
from config.embedded.servers.ports import choose_port
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.provisioning import LOGIN_ROLES, provision, role_url
from config.embedded.servers.valkey import Valkey
from orgs.placement.moving.organisation_rows import HAS_ORGANISATION_SQL
from tests.chaos.chaos_site import LIMITS
from tests.config.embedded.conftest import PROJECT, SERVICE_VARIABLES, delete_outside_folders

DATABASE, QUESTION, SLUG = "commonmind", "Which pump runs at forty bar?", "plant"
BATCH = 50


@dataclass
class MovingServers:
    """home, north: addresses of the superusers. environment: of the product's processes."""

    home: str
    north: str
    environment: dict[str, str]
    folder: Path
    port: int = 0
    processes: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def manage(self, *words: str, **variables: str) -> dict[str, Any]:
        """Run a command; what it prints as JSON."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=PROJECT, env=self.environment | variables, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout) if "--json" in words else {}

    def start(self, name: str, *words: str) -> "subprocess.Popen[bytes]":
        """A process that is ended with the servers."""
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *words], cwd=PROJECT, env=self.environment, stdout=log,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def start_site(self) -> None:
        """Two web processes, each with its own memory of placements, and a worker."""
        self.port = choose_port()
        listen = ["--host", "127.0.0.1", "--port", str(self.port), "--workers", "2"]
        self.start("web", "-m", "uvicorn", "config.asgi:application", *listen)
        worker = ["-m", "celery", "--quiet", "-A", "config", "worker", "-c", "1"]
        self.start("worker", *worker, "-Q", "celery,jobs,indexes", "--loglevel", "WARNING")
        end = time.monotonic() + 120
        while not self._is_up():
            assert time.monotonic() < end, (self.folder / "web.log").read_text()[-3000:]
            time.sleep(0.1)

    def _is_up(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def client(self, key: str) -> httpx.Client:
        """With the key of a robot."""
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers=headers, timeout=30)

    def kill_move(self, target: str, after: float) -> bool:
        """Begin a move and kill the command after so many seconds. False if it was over by then."""
        process = self.start("move", "manage.py", "move_organisation", SLUG, "--to", target)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        assert process.returncode == 0, (self.folder / "move.log").read_text()[-3000:]
        return False

    def fetch(self, server: str, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows, past all policies."""
        with psycopg.connect(role_url(server, database=DATABASE)) as connection:
            return connection.execute(statement.encode(), values or None).fetchall()

    def count_rows(self, server: str, *, but: str) -> int:
        """Rows of all tables of organisations, but those of one organisation."""
        tables = self.fetch(
            server,
            "SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' "
            f"AND c.relnamespace = 'public'::regnamespace AND {HAS_ORGANISATION_SQL}",
        )
        counts = [
            self.fetch(server, f"SELECT count(*) FROM {table} WHERE organisation_id <> %s", but)
            for (table,) in tables
        ]
        return sum(count for ((count,),) in counts)


@contextmanager
def moving_servers(folder: Path, *, fast: bool) -> Iterator[MovingServers]:
    """Both servers migrated, with an organisation of a robot on the home server; ended and deleted
    afterwards."""
    passwords = {role: generate_secret() for role in LOGIN_ROLES}
    homes = [folder / "home", folder / "north"]
    for home in homes:
        home.mkdir(parents=True)
    servers = [Postgres(home, fast=fast) for home in homes]
    valkey = Valkey(homes[0], fast=fast)
    running: MovingServers | None = None
    try:
        admin = [server.start() for server in servers]
        near, far = (provision(url, DATABASE, passwords) for url in admin)
        given = {n: v for n, v in os.environ.items() if not n.startswith(SERVICE_VARIABLES)}
        north = {"default": far.app, "owner": far.owner, "worker": far.worker}
        environment = given | {
            "DATA_DIR": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "config.settings.local",
            "SECRET_KEY": generate_secret(),
            "ENCODER": "fake",
            "DATABASE_URL": near.app,
            "DATABASE_OWNER_URL": near.owner,
            "DATABASE_WORKER_URL": near.worker,
            "DATABASE_SUPPORT_URL": near.support,
            "DATABASE_ADMIN_URL": admin[0],
            "DATABASE_SERVERS": json.dumps({"north": north}),
            "DATABASE_SERVERS_ADMIN": json.dumps({"north": admin[1]}),
            "REDIS_URL": valkey.start(),
            **dict.fromkeys(LIMITS, "0"),
        }
        (folder / "data").mkdir()
        running = MovingServers(admin[0], admin[1], environment, folder)
        running.manage("migrate", "--database", "owner", "--noinput", "--verbosity", "0")
        yield running
    finally:
        for process in running.processes if running else ():
            process.terminate()
        for process in running.processes if running else ():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for server in (valkey, *servers):
            server.stop()
        for home in homes:
            delete_outside_folders(home)


@dataclass
class Callers:
    """Robots that remember and ask at a fixed pace. stored: text and moment of each memory that was
    acknowledged. refused: moments of answers to writers that were 503. asked: (moment, status) of
    each recall."""

    servers: MovingServers
    key: str
    stored: list[tuple[str, float]] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    asked: list[tuple[float, int]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def going_on(self, *, writers: int, pause: float) -> Iterator[None]:
        """So many who write, each once a `pause`, and one who asks as often as all of them."""
        acts: list[tuple[Callable[[httpx.Client], None], float]] = [
            (self.remember, pause)
        ] * writers
        acts.append((self.ask, pause / writers))
        threads = [threading.Thread(target=self._repeat, args=act) for act in acts]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def _repeat(self, act: Callable[[httpx.Client], None], pause: float) -> None:
        with self.servers.client(self.key) as client:
            due = time.monotonic()
            while not self.stop.is_set():
                act(client)
                due += pause
                time.sleep(max(0.0, due - time.monotonic()))

    def remember(self, client: httpx.Client) -> None:
        """One memory, sent again with its key until it is stored."""
        text = f"Fact {secrets.token_hex(8)} of the plant."
        key = {"Idempotency-Key": secrets.token_hex(16)}
        while True:
            body = {"content": text, "visibility": "organisation"}
            answer = client.post("/api/v1/memories", json=body, headers=key)
            if answer.status_code == 201:
                self.stored.append((text, time.monotonic()))
                return
            self.refused.append(time.monotonic())
            if answer.status_code != 503:
                self.faults.append(f"{answer.status_code} {answer.text[:300]}")
                return
            time.sleep(0.05)

    def ask(self, client: httpx.Client) -> None:
        answer = client.post("/api/v1/recall", json={"query": QUESTION})
        self.asked.append((time.monotonic(), answer.status_code))
        if answer.status_code != 200:
            self.faults.append(f"{answer.status_code} {answer.text[:300]}")

    def longest_without_write(self) -> float:
        """Seconds between two acknowledged memories."""
        moments = sorted(moment for _, moment in self.stored)
        return max(later - earlier for earlier, later in pairwise(moments))

    def refused_seconds(self) -> float:
        """Seconds from the first to the last refused write of one move; 0.0 for none."""
        return max(self.refused) - min(self.refused) if self.refused else 0.0


def make_plant(servers: MovingServers, memories: int) -> tuple[str, str]:
    """(id, key of a robot) of an organisation with so many memories; the site runs."""
    made = servers.manage("create_organisation", "Plant", "--slug", SLUG, "--json")
    robot = servers.manage("create_robot", "--organisation", SLUG, "--name", "rover", "--json")
    with servers.client(robot["key"]) as client:
        for first in range(0, memories, BATCH):
            items = [
                {"content": f"Reading {n} of pump {n % 97} is {n % 40} bar at forty.",
                 "visibility": "organisation"}
                for n in range(first, min(first + BATCH, memories))
            ]  # fmt: skip
            answer = client.post("/api/v1/memories/batch", json={"items": items})
            assert answer.status_code == 200, answer.text
    return made["id"], robot["key"]
