"""Looking changes nothing (X11): whoever opens any address, the rows of the database stay as they
are, but for a named list."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connections
from django.test import Client
from psycopg import sql

from tests.fuzz.call_generator import SLOT_PATTERN, CallGenerator
from tests.fuzz.test_no_server_error import clients, ids_of
from tests.isolation.canaries import CanaryWorld, plant_canaries
from tests.page_client import make_signed_in_client
from tests.sampling import ALL, sample_slice
from tests.world import World

# What a look may leave, each with its reason.
MAY_CHANGE = {
    "robots_key.last_used_at": "when a key was used last",
    "robots_robot.last_active_at": "when a robot was heard last",
    "robots_robot.failed_at": "its last refused call, for its page",
    "robots_robot.failure": "why",
    "robots_robot.failed_call": "of what",
    "orgs_signin": "which browsers are signed in, and when each was seen last",
    "django_session": "the session",
}
SUPPORT = ("support", "superuser")
# Each look of theirs is audited, for the organisation to see.
SUPPORT_MAY_CHANGE = {"orgs_auditentry"}


@pytest.fixture
def stage(lasting_world: World) -> CanaryWorld:
    return plant_canaries(lasting_world)


@contextmanager
def everything() -> Iterator[psycopg.Connection[Any]]:
    """A connection past every policy, to look at all rows."""
    name = connections["default"].settings_dict["NAME"]
    with psycopg.connect(os.environ["DATABASE_ADMIN_URL"], dbname=name, autocommit=True) as open_:
        yield open_


def digest_statement(open_: psycopg.Connection[Any], organisations: list[UUID]) -> sql.Composed:
    """What gives by table a digest of its rows without the columns that may change: of these
    organisations, or of a table of none the whole."""
    tables = open_.execute(
        "SELECT c.relname, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid "
        "AND a.attname = 'organisation_id') FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY c.relname"
    ).fetchall()
    assert len(tables) > 80
    parts = []
    for table, is_tenants in tables:
        if table in MAY_CHANGE:
            continue
        left_out = [name.partition(".")[2] for name in MAY_CHANGE if name.startswith(f"{table}.")]
        parts.append(
            sql.SQL(
                "SELECT {name}, count(*), sum(hashtextextended((to_jsonb(t) - {out}::text[])::text,"
                " 0)) FROM {table} t WHERE {which}"
            ).format(
                name=sql.Literal(table),
                out=sql.Literal(left_out),
                table=sql.Identifier(table),
                which=sql.SQL("organisation_id = ANY ({}::uuid[])").format(
                    sql.Literal(organisations)
                )
                if is_tenants
                else sql.SQL("true"),
            )
        )
    return sql.SQL(" UNION ALL ").join(parts)


def look(
    world: World, everyone: dict[str, Client], ids: dict[str, list[str]], part: slice
) -> dict[str, list[str]]:
    """By address and caller the tables that changed while they looked."""
    machine = CallGenerator(1, [], ids)
    changed = {}
    with everything() as open_:
        statement = digest_statement(open_, [world.here.id, world.there.id])

        def digests() -> dict[str, tuple[int, Decimal]]:
            return {table: (count, sum_) for table, count, sum_ in open_.execute(statement)}

        before = digests()
        for address in machine.addresses[part]:
            path = SLOT_PATTERN.sub(
                lambda slot: (machine.ids.get(slot[1]) or machine.ids["any"])[0], address
            )
            for name, client in everyone.items():
                answer = client.get(path, {"q": "launch"} if name == "ada" else {})
                if answer.streaming:
                    b"".join(answer.streaming_content)
                after = digests()
                tables = {table for table in after if after[table] != before[table]}
                if tables - SUPPORT_MAY_CHANGE if name in SUPPORT else tables:
                    changed[f"{name}: {path}"] = sorted(tables)
                before = after
    return changed


def look_at_stage(stage: CanaryWorld, part: slice) -> dict[str, list[str]]:
    return look(stage.world, clients(stage), ids_of(stage.world.here), part)


@pytest.mark.conformance("X11")
@pytest.mark.timeout(300)
def test_looking_changes_nothing(stage: CanaryWorld, request: pytest.FixtureRequest) -> None:
    assert look_at_stage(stage, sample_slice(request, 16)) == {}


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.conformance("X11")
def test_looking_at_anything_changes_nothing(stage: CanaryWorld) -> None:
    assert look_at_stage(stage, ALL) == {}


# Not mended yet: who first lists the blocks of an organisation makes the row of its own block.
MADE_BY_THE_FIRST = ("/api/v1/blocks", ["personas_block"])


def look_with_nothing(world: World, part: slice) -> dict[str, list[str]]:
    """As people who have no robot, no profile, no block and no memory of their own yet."""
    here = world.here
    everyone = {name: make_signed_in_client(here, name) for name in ("ada", "mina", "vera")}
    changed = look(world, everyone, ids_of(here), part)
    return {
        who: tables
        for who, tables in changed.items()
        if (who.partition(": ")[2], tables) != MADE_BY_THE_FIRST
    }


@pytest.mark.conformance("X11")
@pytest.mark.timeout(300)
def test_who_has_nothing_yet_makes_nothing_by_looking(
    lasting_world: World, request: pytest.FixtureRequest
) -> None:
    assert look_with_nothing(lasting_world, sample_slice(request, 16)) == {}


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.conformance("X11")
def test_who_has_nothing_yet_makes_nothing_by_looking_at_anything(lasting_world: World) -> None:
    assert look_with_nothing(lasting_world, ALL) == {}
