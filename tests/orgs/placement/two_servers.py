"""A second database server for tests: another database, with the roles of the first."""

from uuid import UUID

import psycopg

from tests.databases import database_url
from tests.isolation.catalogue import tenant_tables

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
