"""`make dev`: what it starts exists, its settings cache nothing, it ends with all it started."""

import importlib
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import get_commands

from config.celery import app
from config.embedded import development
from config.embedded.processes import leftover_processes
from config.embedded.servers.ports import choose_port
from config.embedded.startup_message import is_ready
from config.embedded.supervisor import SETUP_STEPS, STATIC_STEP
from tests.config.embedded.conftest import PROJECT


def test_the_set_up_runs_commands_that_exist() -> None:
    assert {arguments[0] for _, _, arguments in (*SETUP_STEPS, STATIC_STEP)} <= set(get_commands())


def test_one_worker_takes_from_every_queue() -> None:
    *watch, command = development.worker_command("/x y")[: -len(development.WATCHED_FOLDERS)]
    assert "watchfiles" in watch
    words = shlex.split(command)
    taken = words[words.index("-Q") + 1].split(",")
    assert {queue.name for queue in app.conf.task_queues} == set(taken)
    assert "/x y/celerybeat-schedule" in words
    packages = {path.parent.name for path in PROJECT.glob("*/__init__.py")}
    assert set(development.WATCHED_FOLDERS) == packages - {"tests", "tools"}


def test_nothing_is_cached_that_a_developer_changes() -> None:
    settings = importlib.import_module(development.SETTINGS)
    assert "Cached" not in str(settings.TEMPLATES)
    assert "TranslatedLoader" in str(settings.TEMPLATES)
    assert settings.WHITENOISE_AUTOREFRESH
    assert "Hashed" not in str(settings.STORAGES)
    assert settings.STATIC_ROOT is None
    kept = importlib.import_module("config.settings.local")
    assert "Cached" in str(kept.TEMPLATES), "those of `make run` stay as they are"


@pytest.mark.slow
def test_it_serves_and_ends_with_all_that_it_started(
    data_dir: Path, clean_environment: dict[str, str]
) -> None:
    port = choose_port()
    mark = {"DATA_DIR": str(data_dir), "PORT": str(port), "COMMONMIND_TEST": str(data_dir)}
    process = subprocess.Popen(
        [sys.executable, "-m", "config.embedded", "dev"],
        cwd=PROJECT,
        env={**clean_environment, **mark},
    )
    try:
        until = time.monotonic() + 300
        while not is_ready(f"http://127.0.0.1:{port}") and time.monotonic() < until:
            assert process.poll() is None
            time.sleep(0.3)
        assert is_ready(f"http://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(40)
    until = time.monotonic() + 10
    while (
        left := leftover_processes.find_pids_with("COMMONMIND_TEST", str(data_dir))
    ) and time.monotonic() < until:
        time.sleep(0.2)
    assert left == []
