"""`make dev`: the site and one worker, restarted when their code changes.

`python -m config.embedded dev` runs this module with the services around it. The site is Django's
own server, in the foreground, so that `breakpoint()` has the terminal.
"""

import os
import shlex
import signal
import subprocess
import sys
from types import FrameType

from config.embedded.processes import leftover_processes
from config.embedded.processes.children import PROJECT_ROOT
from config.embedded.processes.logs import print_line
from config.embedded.supervisor import NO_ROOT_WARNING, SETUP_STEPS

SETTINGS = "config.settings.dev"
WATCHED_FOLDERS = ("config", "memories", "orgs", "personas", "robots")
STOP_SECONDS = 10


def worker_command(data_dir: str) -> list[str]:
    """The command of one worker for all queues, with beat; watchfiles restarts it."""
    celery = [sys.executable, "-W", NO_ROOT_WARNING, "-m", "celery", "--quiet", "-A", "config"]
    queues = ["--beat", "-s", f"{data_dir}/celerybeat-schedule", "-Q", "celery,jobs,indexes"]
    worker = shlex.join([*celery, "worker", *queues, "-c", "1", "--loglevel", "WARNING"])
    watch = [sys.executable, "-m", "watchfiles", "--filter", "python", "--verbosity", "warning"]
    return [*watch, worker, *WATCHED_FOLDERS]


def site_command(port: str) -> list[str]:
    """The command of Django's server, which watches the code itself."""
    return [sys.executable, "manage.py", "runserver", f"127.0.0.1:{port}"]


def main() -> int:
    """Set up, then serve until Ctrl-C. Returns the exit code of the site."""
    for _, words, arguments in SETUP_STEPS:
        print_line(f"{words} ...")
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=PROJECT_ROOT, check=True)
    data_dir, port = os.environ["DATA_DIR"], os.environ["PORT"]
    print_line(f"The log-ins of the demo stand in {data_dir}/demo.json. Ctrl-C stops everything.")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the site ends by it, then we do
    signal.signal(signal.SIGTERM, _exit_on_signal)
    worker = _start_process(worker_command(data_dir), apart=True)
    site = _start_process(site_command(port))
    try:
        return site.wait()
    finally:
        for process in (site, worker):
            process.terminate()
        for process in (site, worker):
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _exit_on_signal(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _start_process(command: list[str], *, apart: bool = False) -> subprocess.Popen[bytes]:
    """Start a process. apart: Ctrl-C in the terminal does not reach it."""
    end_with_us = leftover_processes.die_with_parent(signal.SIGTERM)

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_with_us()

    return subprocess.Popen(command, cwd=PROJECT_ROOT, start_new_session=apart, preexec_fn=prepare)  # noqa: PLW1509


if __name__ == "__main__":
    sys.exit(main())
