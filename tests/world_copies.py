"""Organisations that are copied, row by row, from one that the product has made.

Making one takes 96 statements and a tenth of a second, and three hundred tests want one that is
committed. A copy has ids, names, addresses and keys of its own. tests/test_world_copies.py compares
it with one that was made.
"""

import copy
import hashlib
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any
from uuid import UUID

import psycopg
from django.db.models import Model
from psycopg import sql

from orgs.models.base import new_id
from tests.databases import autocommit_connection, database_url
from tests.isolation.catalogue import TENANT, tenant_tables
from tests.world import Tenant

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Rows = dict[str, str]


class WorldTemplate:
    """A committed organisation whose rows are kept as text, table by table."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        with autocommit_connection("admin") as connection:
            self.rows = tenant_rows(connection, tenant)
        self.ids = sorted(set(ID.findall(" ".join(self.rows.values()))))

    def copy(self) -> Tenant:
        """The same once more, committed: every id and everything that has to be unique is new."""
        old = self.tenant
        new = {
            before: str(after)
            for before, after in zip(self.ids, new_ids(len(self.ids)), strict=True)
        }
        mark = old.organisation.slug.rpartition("-")[2]
        words = {mark: secrets.token_hex(len(mark) // 2)}
        keys = {}
        for name, key in old.keys.items():
            start, organisation, prefix, secret = key.split("_", 3)
            own, its_prefix = secrets.token_urlsafe(32), secrets.token_hex(6)
            words[prefix], words[_digest(secret)] = its_prefix, _digest(own)
            keys[name] = "_".join((start, UUID(new[str(UUID(organisation))]).hex, its_prefix, own))
        found = re.compile("|".join([ID.pattern, *words]))

        def renewed(value: str) -> str:
            return found.sub(lambda m: new.get(m[0]) or words.get(m[0]) or m[0], value)

        insert_rows(
            shared_admin_connection(), {table: renewed(rows) for table, rows in self.rows.items()}
        )
        made = copy.deepcopy(old)
        made.keys = keys
        made.sessions = {}
        every = (*made.members.values(), *made.groups.values(), *made.robots.values())
        for instance in (made.organisation, *every):
            apply_new_values(instance, renewed)
        return made


@cache
def shared_admin_connection() -> psycopg.Connection[Any]:
    """One connection for all copies of this process: a new one would cost more than the copy."""
    return psycopg.connect(database_url("admin"), autocommit=True)


def new_ids(count: int) -> list[UUID]:
    """New ids in the order of time."""
    return sorted(new_id() for _ in range(count))


def apply_new_values(instance: Model, renewed: Any) -> None:
    """Give a row that is in memory the values of its copy; what it refers to is not loaded."""
    for field in instance._meta.concrete_fields:
        value = getattr(instance, field.attname)
        if isinstance(value, UUID):
            setattr(instance, field.attname, UUID(renewed(str(value))))
        elif isinstance(value, str):
            setattr(instance, field.attname, renewed(value))


def tenant_rows(connection: psycopg.Connection[Any], tenant: Tenant) -> Rows:
    """By table, a JSON list of the organisation's rows; of its accounts first. No empty tables."""
    accounts = [member.user_id for member in tenant.members.values()]
    wanted: dict[str, tuple[str, Any]] = {"orgs_user": ("id", accounts)}
    for table in tenant_tables(connection):
        wanted[table] = ("id" if table == TENANT else "organisation_id", [tenant.id])
    found = {}
    for table, (column, ids) in wanted.items():
        query = sql.SQL("SELECT json_agg(t)::text FROM {} t WHERE {} = ANY(%s)").format(
            sql.Identifier(table), sql.Identifier(column)
        )
        row = connection.execute(query, [ids]).fetchone()
        if row and row[0]:
            found[table] = row[0]
    return found


def insert_rows(connection: psycopg.Connection[Any], rows: Rows) -> None:
    """Insert what `rows_of` has read, past triggers and references: all was valid when made."""
    insert = sql.SQL("INSERT INTO {0} SELECT * FROM json_populate_recordset(NULL::{0}, %s)")
    with connection.pipeline(), connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        for table, listed in rows.items():
            connection.execute(insert.format(sql.Identifier(table)), [listed])


def delete_organisations(tenants: Sequence[Tenant]) -> None:
    """Delete the organisations' own rows, which every list of organisations starts from.

    The rest stays and is in nobody's scope. A lock that a test left somewhere is not waited for.
    """
    delete = sql.SQL("DELETE FROM {} WHERE id = ANY(%s)").format(sql.Identifier(TENANT))
    connection = shared_admin_connection()
    with suppress(psycopg.errors.LockNotAvailable), connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("SET LOCAL lock_timeout = '2s'")
        connection.execute(delete, [[tenant.id for tenant in tenants]])


def delete_left_rows() -> None:
    """Delete what `delete_organisations` has left of organisations: a dump with it could not be
    restored."""
    delete = sql.SQL(
        "DELETE FROM {} t WHERE NOT EXISTS (SELECT 1 FROM {} o WHERE o.id = t.organisation_id)"
    )
    connection = shared_admin_connection()
    with connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        for table in set(tenant_tables(connection)) - {TENANT}:
            connection.execute(delete.format(sql.Identifier(table), sql.Identifier(TENANT)))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
