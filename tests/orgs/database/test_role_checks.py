"""The product does not start with a role that row-level security does not bind (T02)."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connections
from psycopg import sql

from orgs.database.role_checks import check_roles, list_unsafe_connections
from tests.databases import autocommit_connection, database_url

ROOT = Path(__file__).resolve().parents[3]
STARTS = {
    "check": ["manage.py", "check"],
    "web": ["-m", "uvicorn", "config.asgi:application", "--port", "0", "--log-level", "warning"],
    "worker": ["-m", "celery", "--quiet", "-A", "config", "worker", "-c", "1", "-l", "ERROR"],
}


def start(arguments: list[str], tmp_path: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(tmp_path), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.conformance("T02")
@pytest.mark.timeout(240)
def test_every_process_refuses_the_owner_with_one_error(committed: None, tmp_path: Path) -> None:
    unsafe = {"DATABASE_URL": database_url("owner"), "DATABASE_OWNER_URL": database_url("owner")}
    running = {name: start(arguments, tmp_path, **unsafe) for name, arguments in STARTS.items()}
    migrate = start(["manage.py", "migrate", "--plan", "--database", "owner"], tmp_path, **unsafe)

    for name, process in running.items():
        output, _ = process.communicate(timeout=200)
        assert process.returncode == 1, (name, output)
        assert output.count("connection `default` is not safe") == 1, (name, output)
        assert "Traceback" not in output, (name, output)
    output, _ = migrate.communicate(timeout=200)
    assert migrate.returncode == 0, output


@pytest.fixture
def role(committed: None) -> Iterator[tuple[str, str]]:
    """A log-in role of the test's own: name and password."""
    name, password = f"commonmind_unsafe_{secrets.token_hex(4)}", secrets.token_hex(16)
    with autocommit_connection("admin") as admin:
        database = sql.Identifier(connections["default"].settings_dict["NAME"])
        quoted = sql.Identifier(name)
        admin.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(quoted, sql.Literal(password))
        )
        admin.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, quoted))
        yield name, password
        admin.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(quoted))
        admin.execute(sql.SQL("DROP ROLE {}").format(quoted))


@pytest.mark.conformance("T02")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("ALTER ROLE {role} SUPERUSER", "is a superuser"),
        ("ALTER ROLE {role} BYPASSRLS", "has BYPASSRLS"),
        ("GRANT commonmind_owner TO {role}", "it may become commonmind_owner, which owns tables"),
        (
            "GRANT commonmind_searcher TO {role} WITH INHERIT FALSE",
            "may become commonmind_searcher",
        ),
        (
            "CREATE TABLE public.own_{role} (); ALTER TABLE own_{role} OWNER TO {role}",
            "owns tables",
        ),
    ],
)
@pytest.mark.parametrize("alias", ["default", "worker", "support"])
def test_each_way_to_be_unsafe_is_refused_on_each_connection(
    role: tuple[str, str], alias: str, fault: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, password = role
    used = connections[alias].settings_dict
    monkeypatch.setitem(used, "USER", name)
    monkeypatch.setitem(used, "PASSWORD", password)
    assert list_unsafe_connections() == [], "a plain role is safe"

    with autocommit_connection("admin") as admin:
        admin.execute(fault.format(role=name))
    errors = list_unsafe_connections()

    assert [error.id for error in errors] == ["orgs.E001"]
    assert f"`{alias}`" in errors[0].msg
    assert words in errors[0].msg
    with pytest.raises(SystemCheckError, match=r"orgs\.E001"):
        call_command("check")
    assert check_roles(None, databases=["owner"]) == [], "commands that migrate are let through"


@pytest.mark.conformance("T02")
def test_the_roles_of_the_design_are_safe(committed: None) -> None:
    assert list_unsafe_connections() == []
