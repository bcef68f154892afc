"""`python -m config.embedded run`: start everything, watch it, stop it."""

import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

from config.embedded.errors import EmbeddedError
from config.embedded.private_files import read_json, write_json
from config.embedded.processes import leftover_processes
from config.embedded.processes.children import RUN_VARIABLE, Child, restart_delay
from config.embedded.processes.data_dir_lock import DataDirLock
from config.embedded.processes.interrupts import Interrupts
from config.embedded.processes.logs import print_line
from config.embedded.processes.system_account import service_account
from config.embedded.servers import ports
from config.embedded.servers.services import Services
from config.embedded.startup_message import is_ready, print_startup_message
from config.shared_metrics import FOLDER_VARIABLE, make_shared_folder

READY_SECONDS = 180
STOP_SECONDS = 20
MAX_FAILURES = 5
# Of each web process. TRUSTED_PROXY_COUNT decides which proxies are trusted, not the server.
PROTOCOL = ("--http", "config.transport.http_protocol:BoundedProtocol")
UVICORN_OPTIONS = (*PROTOCOL, "--no-proxy-headers", "--no-access-log", "--log-level", "warning")
# On a private machine root may start it; then Celery's warning about root helps nobody.
NO_ROOT_WARNING = "ignore:You're running the worker with superuser"
# URLs of roles that bypass row-level security; no process of the site gets them.
ADMIN_VARIABLES = (
    "DATABASE_ADMIN_URL",
    "DATABASE_BACKUP_URL",
    "DATABASE_ARCHIVE_URL",
    "DATABASE_SERVERS_ADMIN",
)
# What only the process of the archive needs.
ARCHIVE_PREFIX = "ARCHIVE_S3_"
# Steps before the first request: name of the log, words for the terminal, arguments of manage.py.
SETUP_STEPS = (
    ("migrate", "Migrating the database", ["migrate", "--database", "owner", "--noinput"]),
    ("encoder", "Preparing the embedding model", ["check_encoder", "--verbosity", "0"]),
    ("demo", "Preparing the demo organisation", ["prepare_demo"]),
)
# `make dev` serves the source files, so it does not collect them.
STATIC_STEP = ("static", "Preparing styles and scripts", ["prepare_static"])


class Supervisor:
    """One run: services, set-up commands, then web, workers and beat until a signal comes."""

    def __init__(self, data_dir: Path, environ: Mapping[str, str]) -> None:
        self.data_dir = data_dir
        self.environ = environ
        self.port = ports.parse_port(environ.get("PORT") or "8000", "PORT")
        self.url = f"http://127.0.0.1:{self.port}"
        self.run_id = secrets.token_hex(16)
        self.services = Services(data_dir, environ)
        self.children: list[Child] = []
        self.announced = False
        self._server_failures = 0
        self._server_not_before = 0.0
        self.interrupts = Interrupts(self._kill_all)

    def run(self) -> int:
        """Run until the end. Returns the exit code, 0 after an orderly end."""
        lock = DataDirLock(self.data_dir, f"run on {self.url}")
        lock.acquire()
        service_account(self.environ).passage(self.data_dir / "log")
        try:
            self._end_leftovers()
            self._check_port()
            print_line("Starting PostgreSQL and Valkey ...")
            self.services.start()
            if not self.interrupts:
                self._set_up()
                self._supervise()
        finally:
            self._stop()
            lock.release()
        return 0

    @property
    def _run_file(self) -> Path:
        return self.data_dir / "run.json"

    def _end_leftovers(self) -> None:
        """End web, worker and beat of a killed run, found by its number in their environment."""
        previous = read_json(self._run_file).get("run")
        if previous:
            leftover_processes.terminate_all(
                leftover_processes.find_pids_with(RUN_VARIABLE, str(previous))
            )
        write_json(self._run_file, {"run": self.run_id, "pid": os.getpid(), "port": self.port})

    def _check_port(self) -> None:
        if not ports.is_free(self.port):
            raise EmbeddedError(
                f"port {self.port} is taken by another program: choose another one, "
                f"for example `make run PORT={self.port % 65_535 + 1}`"
            )

    def _environment(self) -> dict[str, str]:
        own = {
            "DATA_DIR": str(self.data_dir),
            "PORT": str(self.port),
            RUN_VARIABLE: self.run_id,
        }
        # Web and workers of one machine count together, so /metrics of the site shows all.
        if shared := make_shared_folder(self.data_dir, os.getpid()):
            own[FOLDER_VARIABLE] = str(shared)
        settings = {"DJANGO_SETTINGS_MODULE": "config.settings.local"}
        given = {
            name: value
            for name, value in self.environ.items()
            if name not in ADMIN_VARIABLES and not name.startswith(ARCHIVE_PREFIX)
        }
        return settings | given | self.services.environment | own

    def _archive(self) -> list[Child]:
        """The process that keeps the archive, if there is one; it reads the whole database."""
        if not self.environ.get("ARCHIVE_DIR"):
            return []
        given = {
            name: value
            for name, value in self.environ.items()
            if name in ADMIN_VARIABLES or name.startswith(ARCHIVE_PREFIX)
        }
        environment = self._environment() | given
        arguments = ["-m", "config.archive", "run"]
        return [Child("archive", arguments, environment, self.data_dir / "log")]

    def _child(self, name: str, *arguments: str) -> Child:
        return Child(name, list(arguments), self._environment(), self.data_dir / "log")

    def _set_up(self) -> None:
        """Migrate and prepare the demo organisation; a failure ends the run."""
        for name, words, arguments in (*SETUP_STEPS, STATIC_STEP):
            print_line(f"{words} ...")
            child = self._child(name, "manage.py", *arguments)
            self.children = [child]
            child.start()
            while child.poll() is None and not self.interrupts:
                time.sleep(0.05)
            if self.interrupts:
                return
            child.wait_until(0)
            if code := child.poll():
                raise EmbeddedError(f"`manage.py {' '.join(arguments)}` failed with code {code}")
        self.children = []

    def _supervise(self) -> None:
        """Watch the children until a signal comes; the first ``mind`` of each starts it."""
        workers = self.environ.get("WEB_WORKERS") or "2"
        schedule = str(self.data_dir / "celerybeat-schedule")
        listen = ["--host", "127.0.0.1", "--port", str(self.port), "--workers", workers]
        calm = [*UVICORN_OPTIONS, "--timeout-graceful-shutdown", "5"]
        celery = ["-W", NO_ROOT_WARNING, "-m", "celery", "--quiet", "-A", "config"]
        one = ["-c", "1", "--loglevel", "WARNING"]
        if not self.interrupts:
            print_line("Starting web, workers and beat ...")
            self.children = [
                self._child("web", "-m", "uvicorn", "config.asgi:application", *listen, *calm),
                self._child("worker", *celery, "worker", "-Q", "celery", *one),
                self._child("jobs", *celery, "worker", "-Q", "jobs,indexes", "-n", "jobs@%h", *one),
                self._child("beat", *celery, "beat", "-s", schedule, "--pidfile=", "-l", "WARNING"),
                *self._archive(),
            ]
        deadline = time.monotonic() + READY_SECONDS
        while not self.interrupts:
            self._mind_servers()
            self._mind_children()
            if not self.announced and (is_ready(self.url) or time.monotonic() > deadline):
                self.announced = True
                print_startup_message(self.url, self.data_dir, ready=time.monotonic() <= deadline)
            time.sleep(0.2)

    def _mind_children(self) -> None:
        for child in self.children:
            code = child.mind()
            if code is None:
                continue
            if not self.announced and child.failures >= MAX_FAILURES:
                raise EmbeddedError(
                    f"{child.name} ended {child.failures} times with code {code}: "
                    f"see {self.data_dir / 'log' / child.name}.log"
                )
            print_line(f"{child.name} ended with code {code}; restarting it")

    def _mind_servers(self) -> None:
        for server in self.services.servers:
            if not server.has_died() or time.monotonic() < self._server_not_before:
                continue
            print_line(f"{server.title} ended by itself; restarting it")
            try:
                server.start()
                self._server_failures = 0
            except EmbeddedError as error:
                self._server_failures += 1
                if self._server_failures >= MAX_FAILURES:
                    raise
                print_line(str(error))
                self._server_not_before = time.monotonic() + restart_delay(self._server_failures)

    def _stop(self) -> None:
        """Stop the children first, then Valkey, then PostgreSQL."""
        if self.interrupts:
            print_line("\nStopping (Ctrl-C again to stop at once) ...")
        for child in self.children:
            child.terminate()
        moment = time.monotonic() + STOP_SECONDS
        for child in self.children:
            child.wait_until(moment)
        self.services.stop()
        if self.interrupts:
            print_line("Stopped.")

    def _kill_all(self) -> None:
        for child in self.children:
            child.kill()
        self.services.kill()
