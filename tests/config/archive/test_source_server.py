"""The address of the archived server: its password is on no command line and in no message."""

import subprocess
from typing import Any

import pytest

from config.archive import source_server
from config.archive.errors import ArchiveError
from config.archive.source_server import SourceServer

pytestmark = pytest.mark.conformance("O21")


def started(url: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment of a program on the server."""
    seen: dict[str, Any] = {}

    def note(command: list[str], **options: Any) -> None:
        seen.update(command=command, env=options["env"])

    monkeypatch.setattr(source_server.subprocess, "Popen", note)
    SourceServer(url).start_program("pg_receivewal", "-D", "x", stdout=subprocess.DEVNULL)
    return seen["command"], seen["env"]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://role:angel%20fish@db:5433/postgres?sslmode=require",
        "postgres://role:angel%20fish@db:5433/postgres?sslmode=require",
        "postgresql://role@db:5433/postgres?sslmode=require&password=angel%20fish",
        "postgresql:///postgres?user=role&host=db&port=5433&password=angel%20fish&sslmode=require",
        "host=db port=5433 user=role dbname=postgres sslmode=require password='angel fish'",
        "password = 'angel fish' host=db port=5433 user=role dbname=postgres sslmode=require",
        "postgresql://role:angel%20fish@one:5433,two:5433/postgres?sslmode=require",
    ],
)
def test_the_password_goes_by_the_environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    command, env = started(url, monkeypatch)
    assert env["PGPASSWORD"] == "angel fish"
    line = " ".join(command)
    assert "angel" not in line
    assert "fish" not in line
    for part in ("user=role", "port=5433", "dbname=postgres", "sslmode=require"):
        assert part in command[-1]


@pytest.mark.parametrize(
    "url",
    [
        "postgesql://role:angelfish@db/postgres",
        "postgesql://role:angelfish@db/postgres?sslmode=require",
        "https://role:angelfish@db",
        "role:angelfish@db/postgres",
        "postgresql://role:angel@fish@db/postgres",
        "postgresql://role:angel/fish@db/postgres",
        "postgresql://role:1234/angelfish@db/postgres",
        "postgresql://role:angel%zz@db/postgres",
        "host=db password=angel fish",
        "host=db password='angelfish",
        "host=db passwort=angelfish",
        "postgresql://role@db:angelfish/postgres",
        "host=db user=role sslpassword=angelfish",
        "postgresql://role@db/postgres?sslpassword=angelfish",
    ],
)
def test_an_address_that_cannot_be_used_is_not_quoted(url: str) -> None:
    with pytest.raises(ArchiveError) as raised, SourceServer(url).connection():
        pass
    said = str(raised.value)
    assert "angel" not in said
    assert "fish" not in said
    assert said.startswith("The address of the database to archive")
    cause = raised.value.__context__
    assert cause is None or raised.value.__suppress_context__, "nor in what a traceback prints"


def test_a_server_that_does_not_answer_is_told_without_the_password() -> None:
    for url in (
        "postgresql://role:angelfish@127.0.0.1:1/postgres",
        "host=127.0.0.1 port=1 user=role password=angelfish",
    ):
        with pytest.raises(ArchiveError, match="does not answer") as raised:
            SourceServer(url).identify()
        assert "angelfish" not in str(raised.value)
