"""``python -m config.embedded`` as a person or a Makefile calls it."""

import json
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from config.embedded.processes.data_dir_lock import DataDirLock
from config.embedded.processes.leftover_processes import find_pids_in, is_alive
from tests.config.embedded.conftest import PROJECT

Run = Callable[..., subprocess.CompletedProcess[str]]

PROBE = """
import os, sys, psycopg, redis
for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_WORKER_URL", "DATABASE_SUPPORT_URL",
             "DATABASE_ADMIN_URL"):
    print(psycopg.connect(os.environ[name]).execute("SELECT current_user").fetchone()[0])
print(redis.Redis.from_url(os.environ["REDIS_URL"]).ping(), len(os.environ["SECRET_KEY"]) > 40)
sys.exit(7)
"""


@pytest.mark.slow
def test_exec_gives_the_environment_and_returns_the_code(embedded: Run, data_dir: Path) -> None:
    done = embedded("exec", "--fast", "--", sys.executable, "-c", PROBE)
    assert done.returncode == 7, done.stderr
    roles = ["commonmind_app", "commonmind_owner", "commonmind_worker", "commonmind_support"]
    assert done.stdout.split() == [*roles, "postgres", "True", "True"]
    assert done.stderr == ""
    for name in ("services.json", "roles.json", "postgres.json", "valkey.json"):
        assert stat.S_IMODE((data_dir / name).stat().st_mode) == 0o600
    services = json.loads((data_dir / "services.json").read_text())
    assert "DATABASE_ADMIN_URL" not in services
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(services["DATABASE_URL"])  # everything was stopped

    shell = embedded("env")
    assert f"export SECRET_KEY={services['SECRET_KEY']}\n" in shell.stdout


def test_exec_uses_what_is_given(embedded: Run, data_dir: Path) -> None:
    names = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_WORKER_URL", "DATABASE_SUPPORT_URL")
    given = {name: f"postgresql://{name.lower()}@nowhere/x" for name in names}
    redis_url = "redis://nowhere:1/0"
    done = embedded("exec", "--", "env", REDIS_URL=redis_url, **given)
    assert done.returncode == 0, done.stderr
    for name, url in {**given, "REDIS_URL": redis_url}.items():
        assert f"{name}={url}\n" in done.stdout
    assert not (data_dir / "postgres").exists()


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["exec", "--", "true"], {"DATABASE_URL": "postgresql://x"}, "must be set too"),
        (["exec", "--", "true"], {"POSTGRES_PORT": "99999"}, "is not a port number"),
        (["exec", "--"], {}, "exec needs a command"),
        (["run"], {"PORT": "web"}, "is not a port number"),
        (["env"], {}, "no services were started"),
        (["provision"], {}, "DATABASE_ADMIN_URL is not set"),
        (["provision"], {"DATABASE_ADMIN_URL": "postgresql://127.0.0.1:1/x"}, "cannot provision"),
        (["exec", "--", "true"], {"DATA_DIR": "/proc/nothing"}, "cannot make the folder"),
    ],
)
def test_mistakes_are_one_line(
    embedded: Run, arguments: list[str], environment: dict[str, str], words: str
) -> None:
    done = embedded(*arguments, **environment)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_busy_folder_names_its_holder(embedded: Run, data_dir: Path) -> None:
    data_dir.mkdir()
    lock = DataDirLock(data_dir, "exec something")
    lock.acquire()
    done = embedded("run")
    assert done.returncode == 1
    assert "is in use by `exec something`" in done.stderr
    lock.release()
    lock.acquire()
    lock.release()


@pytest.mark.slow
def test_services_end_with_a_killed_launcher(
    data_dir: Path, clean_environment: dict[str, str], embedded: Run
) -> None:
    arguments = ["exec", "--fast", "--", sys.executable, "-c", "import time; time.sleep(60)"]
    launcher = subprocess.Popen(
        [sys.executable, "-m", "config.embedded", *arguments],
        cwd=PROJECT,
        env={**clean_environment, "DATA_DIR": str(data_dir)},
    )
    end = time.monotonic() + 20
    while not (data_dir / "services.json").exists() and time.monotonic() < end:
        time.sleep(0.05)
    state = json.loads((data_dir / "postgres.json").read_text())
    cluster = Path(state.get("home", data_dir / "postgres")) / "cluster"
    pids = find_pids_in(cluster, "postgres")
    assert pids
    launcher.send_signal(signal.SIGKILL)
    launcher.wait()
    while any(is_alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(is_alive(pid) for pid in pids)
    assert embedded("exec", "--fast", "--", "true").returncode == 0
