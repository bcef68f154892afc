"""What PostgreSQL and Valkey share: the account, the data folder, the port, start and stop."""

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from config.embedded.errors import EmbeddedError
from config.embedded.private_files import generate_secret, open_private, read_json, write_json
from config.embedded.processes import leftover_processes
from config.embedded.processes.logs import extract_error_line, rotate_large_log
from config.embedded.processes.system_account import Account, service_account
from config.embedded.servers import ports
from config.embedded.servers.server_folders import delete_server_folder, ensure_server_folder


class Server(ABC):
    """A database server as a child of this process, its data and password in ``data_dir``.

    ``port``: a given port, which must be free; without one the port of the last run, or
    another one if that is taken. ``fast``: data for tests, which a crash of the machine may lose;
    it has no effect on data that was made without it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    program_name: ClassVar[str]
    stop_signal: ClassVar[int] = signal.SIGTERM
    hard_signal: ClassVar[int] = signal.SIGKILL
    retry_texts: ClassVar[tuple[str, ...]] = ()
    start_seconds: ClassVar[float] = 60
    stop_seconds: ClassVar[float] = 30

    def __init__(self, data_dir: Path, port: int | None = None, fast: bool = False) -> None:
        self.data_dir = data_dir.resolve()
        self.given_port = port
        self.fast = fast
        self.port = 0
        self.password = ""
        self.process: subprocess.Popen[bytes] | None = None
        self.account: Account
        self.home: Path
        self.wanted = False  # once started, others know the port, so a restart keeps it

    @property
    @abstractmethod
    def url(self) -> str:
        """The address with the superuser's password in it."""

    def check_state(self, state: dict[str, Any]) -> None:  # noqa: B027 - a hook, not a duty
        """Raise EmbeddedError when ``state`` does not fit the data in the home."""

    @abstractmethod
    def prepare(self) -> None:
        """Create or repair what must be on disk before a start."""

    @abstractmethod
    def command(self) -> list[str]:
        """The command that runs the server in the foreground."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether the server on our port lets us in."""

    @property
    def log_path(self) -> Path:
        """What the server printed, with older text in a file ending in .1."""
        return self.data_dir / "log" / f"{self.name}.log"

    def start(self) -> str:
        """Start the server (idempotent) and return its URL once it answers."""
        if self.process is None or self.process.poll() is not None:
            self._prepare_folders()
            self.end_leftovers()
            self.prepare()
            self.launch()
            self.wanted = True
        return self.url

    def stop(self) -> None:
        """End the server in an orderly way, by force when that takes too long; idempotent."""
        self.wanted = False
        self._end_process()

    def _end_process(self) -> None:
        if self.process is None:
            return
        for sign, seconds in (
            (self.stop_signal, self.stop_seconds),
            (self.hard_signal, 10.0),
            (signal.SIGKILL, 10.0),
        ):
            self.process.send_signal(sign)
            try:
                self.process.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                continue
        self.process = None

    def kill(self) -> None:
        """End the server at once; the next start recovers. Safe inside a signal handler."""
        if self.process is not None:
            self.process.send_signal(self.hard_signal)

    def has_died(self) -> bool:
        """Whether the server should run and does not."""
        return self.wanted and (self.process is None or self.process.poll() is not None)

    def is_ready(self) -> bool:
        """Whether our server process lives and lets us in."""
        return self.process is not None and self.process.poll() is None and self.answers()

    def remove(self) -> None:
        """Stop the server and delete its data."""
        self.stop()
        self._prepare_folders()
        self.end_leftovers()
        delete_server_folder(self.home)
        (self.data_dir / f"{self.name}.json").unlink(missing_ok=True)

    def end_leftovers(self) -> None:
        """End a server that a killed launcher left running on our data."""
        pids = self.running_pids()
        if pids and not leftover_processes.wait_until_gone(pids, 0.5):
            leftover_processes.send_signal(pids, self.stop_signal)
            if not leftover_processes.wait_until_gone(pids, self.stop_seconds):
                leftover_processes.send_signal(self.running_pids(), signal.SIGKILL)
                leftover_processes.wait_until_gone(pids, 10)

    def running_pids(self) -> list[int]:
        """Every process, ours or not, that serves our data."""
        return leftover_processes.find_pids_in(self.workplace, self.program_name)

    @property
    def workplace(self) -> Path:
        """The working directory of the running server."""
        return self.home

    def run_to_end(self, command: list[str]) -> None:
        """Run a command as the server's account. Raises EmbeddedError with its last output."""
        done = subprocess.run(
            command,
            cwd=self.home,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=leftover_processes.die_with_parent(signal.SIGTERM),
            check=False,
            **self.account.popen_options,
        )
        if done.returncode != 0:
            words = done.stdout.decode(errors="replace")
            raise EmbeddedError(f"{Path(command[0]).name} failed: {extract_error_line(words)}")

    def _prepare_folders(self) -> None:
        self.account = service_account()
        self.account.passage(self.data_dir)
        if not os.access(self.data_dir, os.W_OK | os.X_OK):
            raise EmbeddedError(f"{self.data_dir} is not writable: choose another DATA_DIR")
        self.account.passage(self.log_path.parent)
        state = self._state()
        self.home = ensure_server_folder(self.data_dir, self.name, self.account, state)
        self.check_state(state)
        self.password = state.setdefault("password", generate_secret())
        self._store(state)

    def _state(self) -> dict[str, Any]:
        return read_json(self.data_dir / f"{self.name}.json")

    def _store(self, state: dict[str, Any]) -> None:
        write_json(self.data_dir / f"{self.name}.json", state)

    def _settle_port(self) -> None:
        if self.wanted:
            return
        if self.given_port is not None:
            self.port = self.given_port
            if not ports.is_free(self.port):
                raise EmbeddedError(
                    f"port {self.port} for {self.title} is taken: choose another one with "
                    f"{self.name.upper()}_PORT, or leave that out"
                )
        else:
            known = self._state().get("port")
            self.port = known if known and ports.is_free(known) else ports.choose_port()
        self._store(self._state() | {"port": self.port})

    def launch(self) -> None:
        """Start the process; try again if another process took the port meanwhile."""
        end = time.monotonic() + 20
        while True:
            self._settle_port()
            words = self._try_to_start()
            if words is None:
                return
            passing = any(text in words for text in self.retry_texts)
            if not passing or time.monotonic() > end:
                raise EmbeddedError(
                    f"{self.title} did not start: {extract_error_line(words)} (log: "
                    f"{self.log_path})"
                )
            time.sleep(0.5)

    def _try_to_start(self) -> str | None:
        """None when the server answers, else what it printed before it gave up."""
        size = rotate_large_log(self.log_path)
        with open_private(self.log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as log:
            self.process = subprocess.Popen(
                self.command(),
                cwd=self.home,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C on the terminal is ours to handle
                preexec_fn=leftover_processes.die_with_parent(self.stop_signal),  # noqa: PLW1509  # it makes one system call
                umask=0o077,
                **self.account.popen_options,
            )
        end = time.monotonic() + self.start_seconds
        while self.process.poll() is None and time.monotonic() < end:
            if self.answers():
                return None
            time.sleep(0.05)
        gave_up = self.process.poll() is None
        self._end_process()
        if gave_up:
            return f"no answer within {self.start_seconds:.0f} seconds"
        return self.log_path.read_bytes()[size:].decode(errors="replace")

    @staticmethod
    def _environment() -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
