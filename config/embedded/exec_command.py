"""`python -m config.embedded exec -- CMD`: a command with the services around it."""

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from config.embedded.errors import EmbeddedError
from config.embedded.private_files import read_json
from config.embedded.processes import leftover_processes
from config.embedded.processes.data_dir_lock import AlreadyLockedError, DataDirLock
from config.embedded.processes.interrupts import Interrupts
from config.embedded.processes.system_account import service_account
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.services import Services


class ServiceCommand:
    """Start the services, run the command, stop the services. The result is its exit code."""

    def __init__(self, data_dir: Path, environ: Mapping[str, str], fast: bool) -> None:
        self.data_dir = data_dir
        self.environ = environ
        self.services = Services(data_dir, environ, fast)
        self.process: subprocess.Popen[bytes] | None = None
        self.interrupts = Interrupts(self._kill_all, insist=False)

    def run(self, command: list[str]) -> int:
        """Run the command. If `run` is active on this DATA_DIR, its services are used."""
        lock = DataDirLock(self.data_dir, f"exec {command[0]}")
        try:
            lock.acquire()
        except AlreadyLockedError as busy:
            if not str(busy.holder.get("command", "")).startswith("run "):
                raise
            return self._run_command(command, self._borrowed_environment(busy))
        try:
            self.services.start()
            if self.interrupts:
                return 128 + self.interrupts.last
            return self._run_command(command, self.services.full_environment)
        finally:
            self.services.stop()
            lock.release()

    def _borrowed_environment(self, busy: AlreadyLockedError) -> dict[str, str]:
        environment = {key: str(value) for key, value in read_json(self.services.file).items()}
        if not environment:
            raise busy
        kept = read_json(self.data_dir / "postgres.json")
        if kept and not self.environ.get("DATABASE_URL"):
            database = Postgres(self.data_dir)
            database.port, database.password = int(kept["port"]), str(kept["password"])
            environment["DATABASE_ADMIN_URL"] = database.url
        return environment | {"DATA_DIR": str(self.data_dir)}

    def _run_command(self, command: list[str], environment: Mapping[str, str]) -> int:
        """Run it in our process group, so that the command gets the terminal and Ctrl-C."""
        try:
            self.process = subprocess.Popen(
                command,
                env={**self.environ, **environment},
                preexec_fn=leftover_processes.die_with_parent(signal.SIGTERM),  # noqa: PLW1509  # it makes one system call
            )
        except OSError as error:
            raise EmbeddedError(f"cannot run {command[0]}: {error.strerror}") from None
        code: int | None = None
        told = False
        while code is None:
            try:
                code = self.process.wait(0.2)
            except subprocess.TimeoutExpired:
                if not told and self.interrupts.last in {signal.SIGTERM, signal.SIGHUP}:
                    told = True
                    self.process.send_signal(signal.SIGTERM)
        return code if code >= 0 else 128 - code

    def _kill_all(self) -> None:
        if self.process is not None:
            self.process.kill()
        self.services.kill()


def ensure_data_dir(data_dir: Path) -> Path:
    """DATA_DIR as an absolute path, made if missing, with no access for others."""
    folder = data_dir.resolve()
    service_account().passage(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise EmbeddedError(f"{folder} is not writable for you: choose another DATA_DIR")
    return folder
