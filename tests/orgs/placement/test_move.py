"""An organisation moves to another server while it works, and is killed at any step (O18).

Both servers are databases of one server here; `tests/chaos/test_move.py` uses two.
"""

import json
import secrets
import threading
import time
from collections.abc import Iterator
from io import StringIO
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from memories import tasks
from memories.browsing.change_feed.feed_position import FeedPosition
from memories.webhooks import move_positions
from memories.webhooks.endpoints import create_endpoint
from memories.webhooks.read_feeds import read_feeds
from orgs.members.invitations import create_member
from orgs.organisations.organisation_removal import remove_organisation
from orgs.organisations.organisations import create_organisation
from orgs.placement.moving import fences, move_checks
from orgs.placement.moving import move_organisation as moves
from orgs.placement.moving.admin_connections import MoveError
from orgs.placement.moving.organisation_rows import list_organisation_tables
from orgs.placement.placements import find_server, forget_placements
from robots.access.keys import authenticate_key
from tests.databases import database_url
from tests.isolation.test_boundaries import fill
from tests.orgs.placement.two_servers import admin_url, rows_of
from tests.world import Tenant, World

HOME = ""
# In the order in which a move passes them.
STEPS = (
    "recorded", "published", "subscribed", "copied", "indexed", "sealed", "compared", "closed",
    "opened", "flipped", "refused", "unsubscribed", "removed",
)  # fmt: skip


class KilledError(BaseException):
    """The command is killed: nothing behind it runs, and its connections are gone."""


@pytest.fixture
def admin(north: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The second server, and the superuser's address of each."""
    monkeypatch.setenv("DATABASE_ADMIN_URL", database_url("admin"))
    monkeypatch.setenv("DATABASE_SERVERS_ADMIN", json.dumps({north: database_url("admin")}))
    return north


@pytest.fixture
def near(admin: str) -> Iterator[Tenant]:
    """An organisation of robots on the home server, with a memory."""
    made = create_organisation(name=f"Near {secrets.token_hex(4)}", now=timezone.now())
    tenant = Tenant(made)
    tenant.add_robot("rover", scopes=("read", "write", "manage"))
    remember(tenant, "The pump in hall four runs at 40 bar.")
    tasks.sweep_embeddings()
    tenant.embed()
    yield tenant
    for found in moves.describe_moves():
        assert found["organisation"] != tenant.id, "a test left a move"
    remove_organisation(tenant.id, now=timezone.now())


def remember(tenant: Tenant, text: str, status: int = 201) -> None:
    body = {"content": text, "visibility": "organisation"}
    stored = tenant.api("rover").post("/api/v1/memories", body, format="json")
    assert stored.status_code == status, stored.content


def recalled_texts(tenant: Tenant, question: str) -> list[str]:
    answer = tenant.api("rover").post("/api/v1/recall", {"query": question}, format="json")
    assert answer.status_code == 200, answer.content
    return [hit["content"] for hit in answer.json()["results"]]


def move(tenant: Tenant, target: str, **options: Any) -> moves.MoveResult:
    return moves.move_organisation(
        tenant.id, tenant.organisation.slug, target, now=timezone.now(), **options
    )


def databases(second_database: str) -> tuple[str, str]:
    return settings.DATABASES["default"]["NAME"], second_database


def remains(organisation_id: UUID, second_database: str) -> list[str]:
    """What a move leaves on the servers beside rows, and must not."""
    found: list[str] = []
    with psycopg.connect(admin_url(second_database)) as connection:
        for statement in (
            "SELECT slot_name FROM pg_replication_slots WHERE database IN ('{}', '{}')".format(
                *databases(second_database)
            ),
            "SELECT subname FROM pg_subscription",
            "SELECT rolname FROM pg_roles",
        ):
            found += [name for (name,) in connection.execute(statement)]
    for database in databases(second_database):
        with psycopg.connect(admin_url(database)) as connection:
            found += [name for (name,) in connection.execute("SELECT pubname FROM pg_publication")]
            found += [
                f"{name} logs whole rows"
                for (name,) in connection.execute(
                    "SELECT relname FROM pg_class WHERE relreplident = 'f'"
                )
            ]
    of_tables = [name for name in found if name.startswith("pg_") and "_sync_" in name]
    return [name for name in found if organisation_id.hex in name or "whole" in name] + of_tables


@pytest.mark.conformance(
    "O18", open="organisations with people who sign in, whose accounts the home server keeps"
)
def test_every_row_of_every_table_moves_and_nothing_else(
    admin: str, second_database: str, lasting_world: World
) -> None:
    """A filled organisation whose members cannot sign in."""
    here, home = lasting_world.here, settings.DATABASES["default"]["NAME"]
    fill(lasting_world)
    with psycopg.connect(admin_url(home), autocommit=True) as connection:
        connection.execute("SET session_replication_role = 'replica'")
        connection.execute(
            "UPDATE orgs_member SET user_id = NULL WHERE organisation_id = %s", [here.id]
        )
        tables = {table.name for table in list_organisation_tables(connection)}
    before, there = rows_of(here.id, home), rows_of(lasting_world.there.id, home)
    assert tables - before.keys() == set()
    result = move(here, admin)
    assert result.refused_seconds is not None
    assert result.refused_seconds < 5.0
    assert rows_of(here.id, second_database) == before
    assert rows_of(here.id, home) == {}
    assert rows_of(lasting_world.there.id, home) == there
    assert rows_of(lasting_world.there.id, second_database) == {}
    assert remains(here.id, second_database) == []
    assert find_server(here.id) == admin


@pytest.mark.slow
def test_it_moves_and_comes_back(near: Tenant, admin: str, second_database: str) -> None:
    home = settings.DATABASES["default"]["NAME"]
    for target, database, other in (
        (admin, second_database, home),
        (HOME, home, second_database),
        (admin, second_database, home),
    ):
        before = rows_of(near.id, other)
        assert before["memories_memory"] >= 1
        move(near, target)
        assert rows_of(near.id, database) == before
        assert rows_of(near.id, other) == {}
        assert find_server(near.id) == target
        assert recalled_texts(near, "pump hall four")[0] == "The pump in hall four runs at 40 bar."
        remember(near, f"It came to {target or 'home'} {secrets.token_hex(4)}.")
        assert remains(near.id, second_database) == []


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_it_goes_on(
    step: str, near: Tenant, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = settings.DATABASES["default"]["NAME"]

    def kill(name: str) -> None:
        if name == step:
            raise KilledError

    monkeypatch.setattr(moves, "log_step", kill)
    # Nothing is mended on the way out: a killed process runs no line more.
    monkeypatch.setattr(moves, "_reopen", lambda run: None)
    with pytest.raises(KilledError):
        move(near, admin, pause=2.0)
    monkeypatch.setattr(moves, "log_step", lambda name: None)
    forget_placements()
    assert recalled_texts(near, "pump hall four") == ["The pump in hall four runs at 40 bar."]
    if STEPS.index(step) < STEPS.index("closed"):
        # A seal that nobody ends ends by itself.
        write_until_taken(near, "Written after the kill.")
    moves.move_organisation(near.id, near.organisation.slug, admin, now=timezone.now())
    assert rows_of(near.id, home) == {}
    assert rows_of(near.id, second_database)["memories_memory"] >= 1
    assert find_server(near.id) == admin
    write_until_taken(near, "Written after the move.")
    assert remains(near.id, second_database) == []


def write_until_taken(tenant: Tenant, text: str) -> None:
    end = time.monotonic() + 20
    body = {"content": text, "visibility": "organisation"}
    while True:
        answer = tenant.api("rover").post("/api/v1/memories", body, format="json")
        if answer.status_code == 201:
            return
        assert answer.status_code == 503, answer.content
        assert time.monotonic() < end
        time.sleep(0.1)


CANCELLED = STEPS[: STEPS.index("closed")]


@pytest.mark.slow
@pytest.mark.parametrize("step", CANCELLED)
def test_cancelled_before_the_flip_it_leaves_nothing(
    step: str, near: Tenant, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = settings.DATABASES["default"]["NAME"]
    before = rows_of(near.id, home)

    def kill(name: str) -> None:
        if name == step:
            raise KilledError

    monkeypatch.setattr(moves, "log_step", kill)
    monkeypatch.setattr(moves, "_reopen", lambda run: None)
    with pytest.raises(KilledError):
        move(near, admin)
    monkeypatch.setattr(moves, "log_step", lambda name: None)
    moves.cancel_move(near.id)
    assert rows_of(near.id, second_database) == {}
    assert rows_of(near.id, home) == before
    assert remains(near.id, second_database) == []
    for database in (home, second_database):
        with psycopg.connect(admin_url(database)) as connection:
            assert fences.fetch_fence(connection, near.id) == ("", None)
    remember(near, "It stayed.")


@pytest.mark.slow
@pytest.mark.parametrize("step", ["closed", "opened", "flipped"])
def test_behind_the_comparison_it_is_not_cancelled(
    step: str, near: Tenant, admin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(name: str) -> None:
        if name == step:
            raise KilledError

    monkeypatch.setattr(moves, "log_step", kill)
    with pytest.raises(KilledError):
        move(near, admin)
    monkeypatch.setattr(moves, "log_step", lambda name: None)
    with pytest.raises(MoveError, match="--to"):
        moves.cancel_move(near.id)
    move(near, admin)


@pytest.mark.slow
def test_nothing_is_lost_doubled_or_refused_for_long(
    near: Tenant, admin: str, second_database: str
) -> None:
    """Two that write and retry, and two that ask, while it moves there and back."""
    stop, stored, refused = threading.Event(), [], []
    asked: list[int] = []
    failures: list[BaseException] = []

    def work(act: Any) -> None:
        try:
            while not stop.is_set():
                act()
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    def write() -> None:
        text = f"Fact {secrets.token_hex(8)}."
        began = time.monotonic()
        key = secrets.token_hex(16)
        while True:
            answer = near.api("rover").post(
                "/api/v1/memories",
                {"content": text, "visibility": "organisation"},
                format="json",
                HTTP_IDEMPOTENCY_KEY=key,
            )
            if answer.status_code == 201:
                stored.append(text)
                refused.append(time.monotonic() - began)
                return
            assert answer.status_code == 503, answer.content
            time.sleep(0.02)

    def ask() -> None:
        answer = near.api("rover").post(
            "/api/v1/recall", {"query": "pump hall four"}, format="json"
        )
        asked.append(answer.status_code)
        assert answer.status_code == 200, answer.content

    threads = [threading.Thread(target=work, args=[act]) for act in (write, write, ask, ask)]
    for thread in threads:
        thread.start()
    try:
        for target in (admin, HOME, admin):
            move(near, target)
            count = len(stored)
            end = time.monotonic() + 20
            while len(stored) < count + 3 and not failures:
                assert time.monotonic() < end
                time.sleep(0.05)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert set(asked) == {200}
    assert max(refused) < 5.0
    with psycopg.connect(admin_url(second_database)) as connection:
        rows = connection.execute(
            "SELECT content FROM memories_memory WHERE organisation_id = %s AND content LIKE "
            "'Fact %%'",
            [near.id],
        )
        assert sorted(text for (text,) in rows) == sorted(stored)
    assert rows_of(near.id, settings.DATABASES["default"]["NAME"]) == {}


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


def test_people_who_sign_in_are_refused(
    lasting_world: World, admin: str, second_database: str
) -> None:
    here = lasting_world.here
    with pytest.raises(MoveError, match="people who sign in"):
        move(here, admin)
    assert rows_of(here.id, second_database) == {}
    assert moves.describe_moves() == []


@pytest.mark.slow
def test_who_joins_during_the_copy_stops_it(
    near: Tenant, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    email = f"{secrets.token_hex(6)}@example.org"

    def join(name: str) -> None:
        if name == "indexed":
            create_member(organisation_id=near.id, email=email, name="Mina", now=timezone.now())

    monkeypatch.setattr(moves, "log_step", join)
    with pytest.raises(MoveError, match="people who sign in"):
        move(near, admin)
    assert find_server(near.id) == HOME
    remember(near, "Nothing was moved.")
    moves.cancel_move(near.id)
    assert rows_of(near.id, second_database) == {}


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


@pytest.mark.parametrize("ahead", [0, 100_000])
def test_webhooks_are_told_what_they_were_not_and_nothing_twice(
    ahead: int, near: Tenant, admin: str, second_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ahead: by how many transactions the source has run more than the target."""
    caller = authenticate_key(near.keys["rover"], timezone.now())
    assert caller is not None
    url, now = "https://hooks.example.org/", timezone.now()
    create_endpoint(caller.actor(), url=url, events=["memory.created"], with_text=False, now=now)
    remember(near, "Told before the move.")
    assert read_feeds(near.id, now=timezone.now()) == 1
    remember(near, "Not told before the move.")
    fetch, numbers = move_positions._fetch_next, []

    def fetch_next(connection: Any) -> int:
        numbers.append(fetch(connection))
        return numbers[-1] + (ahead if len(numbers) == 1 else 0)

    monkeypatch.setattr(move_positions, "_fetch_next", fetch_next)
    move(near, admin)
    remember(near, "Told after the move.")
    # Another transaction of the server may hold the end of the feed back for a moment.
    found, end = 0, time.monotonic() + 20
    while found < 2 and time.monotonic() < end:
        found += read_feeds(near.id, now=timezone.now())
    assert found == 2
    assert read_feeds(near.id, now=timezone.now()) == 0
    with psycopg.connect(admin_url(second_database)) as connection:
        (highest,) = connection.execute(
            "SELECT max(at) FROM memories_change WHERE organisation_id = %s AND at <= %s",
            [near.id, numbers[0] - ahead],
        ).fetchone()  # type: ignore[misc]
    assert highest is not None


def test_a_position_is_of_the_server_that_it_was_read_on() -> None:
    here, there, other = b"h" * 8, b"t" * 8, b"o" * 8
    kept = FeedPosition(here, 500, timezone.now())
    moved = move_positions._move_position(kept.to_bytes(), -600, here, there)
    assert moved is not None
    found = FeedPosition.from_bytes(moved)
    assert (found.epoch, found.position, found.is_open) == (there, -100, False)
    assert move_positions._move_position(kept.to_bytes(), -600, other, there) is None
    assert move_positions._move_position(b"broken", 0, here, there) is None


def test_a_copy_is_deleted_where_it_does_not_lie_and_nowhere_else(
    near: Tenant, admin: str, second_database: str
) -> None:
    home = settings.DATABASES["default"]["NAME"]
    before = rows_of(near.id, home)
    with psycopg.connect(admin_url(second_database), autocommit=True) as target:
        target.execute("SET session_replication_role = 'replica'")
        target.execute(
            "INSERT INTO orgs_audience (id, organisation_id, kind, key, created_at) "
            "VALUES (%s, %s, 'organisation', %s, now())",
            [near.id] * 3,
        )
    with pytest.raises(CommandError, match="is no copy"):
        call_command("move_organisation", near.organisation.slug, "--delete-copy-on", "home")
    with pytest.raises(MoveError, match="has rows of this organisation already"):
        move(near, admin)
    out = StringIO()
    call_command(
        "move_organisation", near.organisation.slug, "--delete-copy-on", admin, "--json", stdout=out
    )
    assert json.loads(out.getvalue())["deleted_rows"] == 1
    assert rows_of(near.id, second_database) == {}
    assert rows_of(near.id, home) == before
    remember(near, "It lives on.")


@pytest.mark.slow
def test_the_command_says_what_it_does(near: Tenant, admin: str) -> None:
    slug, out = near.organisation.slug, StringIO()
    call_command("move_organisation", "--status", stdout=out)
    assert "No organisation is on its way." in out.getvalue()
    for wrong in (["--to", admin], [slug], [slug, "--to", admin, "--cancel"]):
        with pytest.raises(CommandError):
            call_command("move_organisation", *wrong)
    with pytest.raises(CommandError, match="south"):
        call_command("move_organisation", slug, "--to", "south")
    out = StringIO()
    call_command("move_organisation", slug, "--to", admin, "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["moved"] == slug
    assert told["writes_refused_seconds"] < 5
    call_command("move_organisation", slug, "--to", "home", stdout=StringIO())
    assert find_server(near.id) == HOME
