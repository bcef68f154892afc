"""The product's own processes in a DATA_DIR of their own, and what ends them."""

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
from django.conf import settings

from config.embedded.private_files import read_json
from config.embedded.processes import leftover_processes
from config.embedded.servers.ports import choose_port
from config.embedded.servers.provisioning import role_url
from tests.chaos.dump import dump_database
from tests.config.embedded.conftest import PROJECT, SERVICE_VARIABLES, delete_outside_folders
from tests.world_copies import delete_left_rows

# So often a state is asked for, in seconds.
PAUSE = 0.05
# None of these holds here.
LIMITS = (
    "KEY_READS_PER_MINUTE", "KEY_WRITES_PER_MINUTE", "ORGANISATION_READS_PER_MINUTE",
    "ORGANISATION_WRITES_PER_MINUTE", "PAGES_PER_MINUTE", "ADDRESS_CALLS_PER_MINUTE",
)  # fmt: skip

SUPERVISOR_LOG = "supervisor.log"


@dataclass
class ChaosSite:
    """The running processes. port: of the site. broken: what ended a thread of the load. admin_url:
    of a database server that is not the site's own."""

    data_dir: Path
    port: int
    process: "subprocess.Popen[bytes]"
    broken: list[BaseException] = field(default_factory=list)
    admin_url: str = ""

    def client(self, key: str = "", session: str = "") -> httpx.Client:
        """A client with the key of a robot or the session of a member."""
        headers, cookies = {}, {}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        if session:
            headers["X-CSRFToken"] = cookies["csrftoken"] = "c" * 32
            cookies[settings.SESSION_COOKIE_NAME] = session
        address = f"http://127.0.0.1:{self.port}"
        return httpx.Client(base_url=address, headers=headers, cookies=cookies, timeout=40)

    def check(self) -> None:
        """Fail if the supervisor or the load has ended: nothing is worth waiting for then."""
        assert self.process.poll() is None, f"the supervisor has ended\n{self.last_words()}"
        assert not self.broken, traceback.format_exception(self.broken[0])

    def last_words(self) -> str:
        """The end of what the supervisor itself has written."""
        path = self.data_dir.parent / SUPERVISOR_LOG
        return path.read_text(errors="replace")[-4_000:]

    def is_up(self) -> bool:
        """Whether it is ready for requests."""
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def wait(self, holds: Callable[[], Any]) -> None:
        """Wait for a state, however long it takes: the limit is that of the test."""
        while not holds():
            self.check()
            time.sleep(PAUSE)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the database, past all policies; waits while it is down."""
        state = read_json(self.data_dir / "postgres.json")
        own = "postgresql://postgres:{password}@127.0.0.1:{port}/commonmind"
        given = role_url(self.admin_url, database="commonmind") if self.admin_url else ""
        while True:
            self.check()
            try:
                with psycopg.connect(given or own.format(**state)) as connection:
                    return connection.execute(statement, values).fetchall()
            except psycopg.OperationalError:
                time.sleep(PAUSE)

    def pids(self, name: str) -> list[int]:
        """Of `postgres` or `valkey-server`: the processes of this site's server."""
        state = read_json(self.data_dir / f"{name.partition('-')[0]}.json")
        home = Path(str(state.get("home") or self.data_dir / name.partition("-")[0]))
        return sorted(
            pid
            for folder in (home, home / "cluster")
            if folder.exists()
            for pid in leftover_processes.find_pids_in(folder, name)
        )

    def postmaster(self) -> int | None:
        """The process to which all of the database server belong; None while there is none."""
        state = read_json(self.data_dir / "postgres.json")
        home = Path(str(state.get("home") or self.data_dir / "postgres"))
        for folder in (home, home / "cluster"):
            with suppress(FileNotFoundError, IndexError):
                return int((folder / "postmaster.pid").read_text().splitlines()[0])
        return None

    def log(self) -> str:
        """What all processes have written."""
        return "\n".join(
            path.read_text(errors="replace") for path in (self.data_dir / "log").glob("*.log")
        )


@contextmanager
def running_site(folder: Path, **environment: str) -> Iterator[ChaosSite]:
    """The site with the rows of the test database as it is now; ended and deleted afterwards."""
    dump, data_dir, port = folder / "dump", folder / "data", choose_port()
    delete_left_rows()
    dump_database(dump)
    given = {n: v for n, v in os.environ.items() if not n.startswith(SERVICE_VARIABLES)}
    given |= {
        "DATA_DIR": str(data_dir),
        "PORT": str(port),
        "DJANGO_SETTINGS_MODULE": "tests.chaos.settings",
        "SECRET_KEY": settings.SECRET_KEY,
        "ENCODER": "fake",
        "WEB_WORKERS": "1",
        "WORK_LEASE_SECONDS": "3",
        **environment,
    }
    given |= dict.fromkeys(LIMITS, "0")
    with (folder / SUPERVISOR_LOG).open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.supervise", str(dump)],
            cwd=PROJECT,
            env=given,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    admin_url = environment.get("DATABASE_ADMIN_URL", "")
    site = ChaosSite(data_dir, port, process, admin_url=admin_url)
    try:
        site.wait(site.is_up)
        yield site
    finally:
        # A stopped server could not be ended in order.
        for name in ("postgres", "valkey-server"):
            leftover_processes.send_signal(site.pids(name), signal.SIGCONT)
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        delete_outside_folders(data_dir)
