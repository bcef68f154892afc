"""What the commands of an operator print, and how they end where nobody can be asked."""

import io
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

import manage
from orgs.models.users import User
from tests.databases import database_url
from tests.world import World

ROOT = Path(__file__).resolve().parents[2]


def said(*words: str) -> dict[str, str]:
    printed = io.StringIO()
    call_command(*words, json=True, stdout=printed)
    found = json.loads(printed.getvalue())
    assert isinstance(found, dict)
    return found


def test_they_print_where_the_site_is(lasting_world: World, settings: Any) -> None:
    settings.PUBLIC_URL = "http://127.0.0.1:8123"
    here = ("--organisation", lasting_world.here.organisation.slug)
    made = said("create_member", *here, "--email", f"{secrets.token_hex(6)}@x.example")
    assert made["url"] == "http://127.0.0.1:8123"
    assert made["invite_url"].startswith("http://127.0.0.1:8123/invite/")
    assert said("create_admin", f"{secrets.token_hex(6)}@x.example", "--generate")["url"] == (
        "http://127.0.0.1:8123/admin/"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (None, "There is no terminal"),
        (["one", "other"], "differ or are empty"),
        (["", ""], "differ or are empty"),
        ([], "No password was typed"),
    ],
)
def test_without_a_password_nothing_is_made(
    world: World, monkeypatch: pytest.MonkeyPatch, typed: list[str] | None, words: str
) -> None:
    waiting = list(typed or [])

    def ask(prompt: str = "") -> str:
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    monkeypatch.setattr("getpass.getpass", ask)
    monkeypatch.setattr(sys, "stdin", io.StringIO() if typed is None else Terminal())
    with pytest.raises(CommandError, match=words):
        call_command("create_admin", "op@x.example")


def test_a_typed_password_opens(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "correct horse battery")
    monkeypatch.setattr(sys, "stdin", Terminal())
    call_command("create_admin", "op@x.example", stdout=io.StringIO())
    assert User.objects.get(email="op@x.example").check_password("correct horse battery")


@pytest.mark.slow
def test_beside_a_running_server_they_know_its_port(committed: None, tmp_path: Path) -> None:
    """And end with one line, without a traceback, where there is no terminal."""
    (tmp_path / "run.json").write_text(json.dumps({"run": "x", "pid": 1, "port": 8765}))
    environment = {n: v for n, v in os.environ.items() if n not in ("PORT", "PUBLIC_URL")} | {
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATABASE_SUPPORT_URL": database_url("support"),
    }
    code = (
        "from django.conf import settings; print(settings.PUBLIC_URL)\n"
        "from django.core.management import execute_from_command_line as run\n"
        "run(['manage.py', 'create_admin', 'op@x.example'])"
    )
    for port, address in (({}, "8765"), ({"PORT": "9000"}, "9000")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment | port,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        assert done.stdout.strip() == f"http://127.0.0.1:{address}"
        assert done.returncode == 1
        assert done.stderr.startswith("CommandError: There is no terminal"), done.stderr


NOBODY = "postgresql://a:b@127.0.0.1:1/none"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (
            {"DATABASE_URL": NOBODY, "DATABASE_OWNER_URL": NOBODY},
            "manage.py: The database does not answer (connection failed: ",
        ),
        ({}, "manage.py: No database: DATABASE_URL is not set and "),
    ],
)
def test_without_a_database_they_end_with_one_sentence(
    tmp_path: Path, environment: dict[str, str], words: str
) -> None:
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("DATABASE_", "DJANGO_"))}
    done = subprocess.run(
        [sys.executable, "manage.py", "create_organisation", "Acme"],
        cwd=ROOT,
        env=kept | {"DATA_DIR": str(tmp_path)} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(words), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_an_error_that_the_database_sent_is_shown_whole(
    committed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def command(words: list[str]) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 1")
            cursor.execute("SELECT pg_sleep(1)")

    monkeypatch.setenv("DATABASE_POOL_SIZE", "0")
    monkeypatch.setattr("django.core.management.execute_from_command_line", command)
    with pytest.raises(OperationalError, match="statement timeout"):
        manage.main()


def test_the_whole_error_is_shown_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    def command(words: list[str]) -> None:
        raise OperationalError("nobody there")

    monkeypatch.setenv("DATABASE_POOL_SIZE", "0")
    monkeypatch.setattr("django.core.management.execute_from_command_line", command)
    monkeypatch.setattr(sys, "argv", ["manage.py", "migrate"])
    with pytest.raises(SystemExit, match="nobody there"):
        manage.main()
    monkeypatch.setattr(sys, "argv", ["manage.py", "migrate", "--traceback"])
    with pytest.raises(OperationalError, match="nobody there"):
        manage.main()
