"""The PostgreSQL launcher against real servers."""

import os
import signal
import socket
import stat
from pathlib import Path

import psycopg
import pytest

from config.embedded.errors import EmbeddedError
from config.embedded.servers.postgres import Postgres

# They start a server each; the server of the tests themselves was started by the same code.
pytestmark = pytest.mark.slow


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_restart_keeps_data_port_and_password(postgres: Postgres) -> None:
    before = postgres.url
    query(before, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS n")
    postgres.stop()
    assert not postgres.is_ready()

    again = Postgres(postgres.data_dir)
    try:
        assert again.start() == before
        assert again.is_ready()
        assert query(again.url, "SELECT n FROM kept") == [(42,)]
    finally:
        again.stop()


def test_killed_server_is_seen_and_recovers(postgres: Postgres) -> None:
    query(postgres.url, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS n")
    assert postgres.process is not None
    os.kill(postgres.process.pid, signal.SIGKILL)
    postgres.process.wait(10)

    assert postgres.has_died()
    assert not postgres.is_ready()
    before = postgres.url
    assert postgres.start() == before
    assert query(postgres.url, "SELECT n FROM kept") == [(42,)]


def test_leftover_of_a_killed_launcher_is_replaced(postgres: Postgres) -> None:
    query(postgres.url, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS n")
    assert postgres.process is not None
    second = Postgres(postgres.data_dir)
    try:
        second.start()
        assert postgres.process.wait(10) == 0  # it had an orderly shutdown
        assert query(second.url, "SELECT n FROM kept") == [(42,)]
    finally:
        second.stop()


def test_pid_file_that_names_another_process_is_no_obstacle(postgres: Postgres) -> None:
    postgres.stop()
    pid_file = postgres.cluster / "postmaster.pid"
    pid_file.write_text(f"{os.getpid()}\n{postgres.cluster}\n")
    postgres.start()
    assert postgres.is_ready()


def test_wrong_password_is_refused_and_only_this_machine_is_served(postgres: Postgres) -> None:
    wrong = postgres.url.replace(postgres.password, "wrong-password")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong)
    rows = query(
        postgres.url,
        "SELECT name, setting FROM pg_settings WHERE name IN ('listen_addresses', "
        "'password_encryption', 'jit', 'data_checksums', 'unix_socket_directories', 'fsync', "
        "'shared_preload_libraries', 'join_collapse_limit') ORDER BY name",
    )
    assert dict(rows) == {
        "data_checksums": "on",
        "fsync": "on",
        "jit": "off",
        "join_collapse_limit": "4",
        "listen_addresses": "127.0.0.1",
        "password_encryption": "scram-sha-256",
        "shared_preload_libraries": "pg_stat_statements",
        "unix_socket_directories": "",
    }


def test_secrets_are_for_their_owner_alone(postgres: Postgres) -> None:
    state = postgres.data_dir / "postgres.json"
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    assert stat.S_IMODE(postgres.home.stat().st_mode) == 0o700
    assert stat.S_IMODE(postgres.data_dir.stat().st_mode) & 0o007 == 0
    assert postgres.home.stat().st_uid != 0


def test_taken_port_is_avoided_or_named(postgres: Postgres) -> None:
    postgres.stop()
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", postgres.port))
        other.listen()
        with pytest.raises(EmbeddedError, match=f"port {postgres.port} .*is taken"):
            Postgres(postgres.data_dir, port=postgres.port).start()
        moved = Postgres(postgres.data_dir)
        try:
            moved.start()
            assert moved.port != postgres.port
        finally:
            moved.stop()


def test_data_without_its_password_file_is_not_overwritten(postgres: Postgres) -> None:
    if postgres.home.parent != postgres.data_dir:
        pytest.skip("the data is outside DATA_DIR")
    postgres.stop()
    state = postgres.data_dir / "postgres.json"
    aside = state.rename(state.with_suffix(".aside"))
    try:
        with pytest.raises(EmbeddedError, match="is missing"):
            Postgres(postgres.data_dir).start()
    finally:
        aside.rename(state)


def test_fast_does_not_weaken_data_made_without_it(postgres: Postgres) -> None:
    postgres.stop()
    careless = Postgres(postgres.data_dir, fast=True)
    try:
        careless.start()
        assert query(careless.url, "SHOW fsync") == [("on",)]
    finally:
        careless.stop()


@pytest.mark.slow
def test_broken_test_data_is_made_anew(data_dir: Path) -> None:
    server = Postgres(data_dir, fast=True)
    try:
        assert query(server.start(), "SHOW fsync") == [("off",)]
        server.stop()
        (server.cluster / "global" / "pg_control").write_bytes(b"broken")
        assert query(server.start(), "SHOW fsync") == [("off",)]
    finally:
        server.stop()
