"""What stops a move: before anything is done, or with everything as it was (O18)."""

import json

import psycopg
import pytest
from django.conf import settings

from orgs.placement.moving import fences, move_checks
from orgs.placement.moving import move_organisation as moves
from orgs.placement.moving.admin_connections import MoveError
from orgs.placement.placements import find_server
from tests.databases import database_url
from tests.orgs.placement.two_servers import HOME, admin_url, move, remains, remember
from tests.world import Tenant


@pytest.mark.slow
def test_only_one_command_moves(near: Tenant, admin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def try_second(name: str) -> None:
        if name == "copied":
            with pytest.raises(MoveError, match="Another command"):
                move(near, admin)
            with pytest.raises(MoveError, match="Another command"):
                moves.cancel_move(near.id)
            seen.append(name)

    monkeypatch.setattr(moves, "log_step", try_second)
    move(near, admin)
    assert seen == ["copied"]


def test_what_cannot_be_moved_is_refused_before_anything_is_done(
    near: Tenant, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = settings.DATABASES["default"]["NAME"]
    with psycopg.connect(admin_url(home), autocommit=True) as source:
        with pytest.raises(MoveError, match="no server 'south'"):
            move(near, "south")
        with pytest.raises(MoveError, match="already"):
            move(near, HOME)
        with pytest.raises(MoveError, match="not on its way"):
            moves.cancel_move(near.id)
        with monkeypatch.context() as patch:
            patch.setenv("DATABASE_SERVERS_ADMIN", "{}")
            with pytest.raises(MoveError, match="no address"):
                move(near, admin)
            patch.setenv("DATABASE_SERVERS_ADMIN", "secret")
            with pytest.raises(MoveError, match="JSON object") as wrong:
                move(near, admin)
            assert "secret" not in str(wrong.value)
            patch.setenv("DATABASE_SERVERS_ADMIN", json.dumps({admin: database_url("owner")}))
            with pytest.raises(MoveError, match="no superuser"):
                move(near, admin)
            away = database_url("admin").replace("@127.0.0.1:", "@127.0.0.1:1")
            away = away.rsplit("@", 1)[0] + "@127.0.0.1:9/x"
            patch.setenv("DATABASE_SERVERS_ADMIN", json.dumps({admin: away}))
            with pytest.raises(MoveError, match="does not let"):
                move(near, admin)
        with psycopg.connect(admin_url(second_database), autocommit=True) as target:
            target.execute(
                "INSERT INTO django_migrations (app, name, applied) "
                "VALUES ('orgs', '9999_later', now())"
            )
            try:
                with pytest.raises(MoveError, match="another schema"):
                    move(near, admin)
            finally:
                target.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
        with monkeypatch.context() as patch:
            patch.setattr(move_checks, "SLOTS", 10_000)
            with pytest.raises(MoveError, match="free replication slots"):
                move(near, admin)
        assert source.execute("SELECT count(*) FROM orgs_organisationmove").fetchone() == (0,)
        assert fences.fetch_fence(source, near.id) == ("", None)
    assert remains(near.id, second_database) == []


def test_a_server_without_a_logical_log_is_refused(
    near: Tenant, admin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch = move_checks.fetch_value
    monkeypatch.setattr(
        move_checks,
        "fetch_value",
        lambda connection, statement, *values: (
            "replica" if "wal_level" in statement else fetch(connection, statement, *values)
        ),
    )
    with pytest.raises(MoveError, match="wal_level of the home server is replica"):
        move(near, admin)
    assert moves.describe_moves() == []


@pytest.mark.slow
def test_a_difference_stops_it_and_writes_go_on(
    near: Tenant, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(name: str) -> None:
        if name == "sealed":
            with psycopg.connect(admin_url(second_database), autocommit=True) as connection:
                connection.execute("SET session_replication_role = 'replica'")
                connection.execute(
                    "UPDATE memories_memory SET content = 'Spoilt.' WHERE organisation_id = %s",
                    [near.id],
                )

    monkeypatch.setattr(moves, "log_step", spoil)
    with pytest.raises(MoveError, match="memories_memory has other rows there"):
        move(near, admin)
    remember(near, "Nothing was moved.")
    assert find_server(near.id) == HOME
    moves.cancel_move(near.id)


@pytest.mark.slow
def test_a_long_transaction_is_waited_for_and_then_it_gives_up(
    near: Tenant, admin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have opened its scope before the seal, and write behind it."""
    monkeypatch.setattr(moves, "MAX_SEALS", 1)
    with psycopg.connect(database_url("default")) as long_one:
        long_one.execute("SELECT 1")
        with pytest.raises(MoveError, match="did not end"):
            move(near, admin, pause=2.5)
        remember(near, "Writes go on.")
    move(near, admin)
