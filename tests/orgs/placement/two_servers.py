"""A second database server for tests: another database, with the roles of the first; and what is
asked of an organisation that moves between them."""

from typing import Any
from uuid import UUID

import psycopg
from django.conf import settings
from django.utils import timezone

from orgs.placement.moving import move_organisation as moves
from tests.databases import database_url
from tests.isolation.catalogue import tenant_tables
from tests.world import Tenant

HOME = ""
ROLES = ("default", "owner", "worker")


def admin_url(name: str) -> str:
    return database_url("admin").rsplit("/", 1)[0] + f"/{name}"


def rows_of(organisation_id: UUID, database: str) -> dict[str, int]:
    """How many rows of the organisation lie in a database, by table; without empty tables."""
    with psycopg.connect(admin_url(database)) as connection:
        found = {}
        for table in tenant_tables(connection):
            column = "id" if table == "orgs_organisation" else "organisation_id"
            rows = connection.execute(
                f"SELECT count(*) FROM {table} WHERE {column} = %s", [organisation_id]
            )
            found[table] = rows.fetchone()[0]
    return {table: count for table, count in found.items() if count}


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
