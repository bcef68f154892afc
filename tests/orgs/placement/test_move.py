"""An organisation moves to another server while it works, and is killed at any step (O18).

Both servers are databases of one server here; `tests/chaos/test_move.py` uses two.
"""

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from memories.browsing.change_feed.feed_position import FeedPosition
from memories.webhooks import move_positions
from memories.webhooks.endpoints import create_endpoint
from memories.webhooks.read_feeds import read_feeds
from orgs.placement.moving import fences
from orgs.placement.moving import move_organisation as moves
from orgs.placement.moving.admin_connections import MoveError
from orgs.placement.moving.organisation_rows import list_organisation_tables
from orgs.placement.placements import find_server, forget_placements
from robots.access.keys import authenticate_key
from tests.isolation.test_boundaries import fill
from tests.orgs.placement.two_servers import (
    HOME,
    admin_url,
    move,
    recalled_texts,
    remains,
    remember,
    rows_of,
)
from tests.world import Tenant, World

# In the order in which a move passes them.
STEPS = (
    "recorded", "published", "subscribed", "copied", "indexed", "sealed", "compared", "closed",
    "opened", "flipped", "refused", "unsubscribed", "removed",
)  # fmt: skip


class KilledError(BaseException):
    """The command is killed: nothing behind it runs, and its connections are gone."""


@contextmanager
def killed_at(step: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def kill(name: str) -> None:
        if name == step:
            raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(moves, "log_step", kill)
        # Nothing is mended on the way out: a killed process runs no line more.
        patch.setattr(moves, "_reopen", lambda run: None)
        with pytest.raises(KilledError):
            yield


@pytest.mark.conformance("O18")
def test_every_row_of_every_table_moves_and_nothing_else(
    admin: str, second_database: str, lasting_world: World
) -> None:
    """A filled organisation, with people who sign in."""
    here, home = lasting_world.here, settings.DATABASES["default"]["NAME"]
    fill(lasting_world)
    with psycopg.connect(admin_url(home), autocommit=True) as connection:
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

    with killed_at(step, monkeypatch):
        move(near, admin, pause=2.0)
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

    with killed_at(step, monkeypatch):
        move(near, admin)
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
    with killed_at(step, monkeypatch):
        move(near, admin)
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
