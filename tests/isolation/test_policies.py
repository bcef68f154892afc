"""No policy is idle: each one, dropped or thrown open, changes what its role can do (T07).

For every policy of the database a probe is generated from its table, role and command. Reads,
inserts, updates and deletes name no row: a WHERE would bring the policy for SELECT into play.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.databases import rolled_back_connection, set_scope_settings
from tests.isolation.catalogue import TENANT, TENANT_LIST_POLICIES, tenant_tables
from tests.isolation.test_boundaries import fill
from tests.sampling import sample_slice
from tests.world import World

Connection = psycopg.Connection[tuple[Any, ...]]
Observed = dict[str, str]
# Guarded by the account, not the organisation: tests/orgs/support/test_accounts.py tries it. And by
# a setting of its own, or with no row in any organisation: tests/orgs/placement.
BY_ACCOUNT = {"orgs_supportact", "orgs_placement", "orgs_organisationfence"}


@dataclass(frozen=True)
class Policy:
    name: str
    table: str
    role: str
    command: str

    @property
    def variants(self) -> dict[str, str]:
        """SQL that breaks it, by a name."""
        alter = f"ALTER POLICY {self.name} ON {self.table}"
        found = {"dropped": f"DROP POLICY {self.name} ON {self.table}"}
        if self.name in TENANT_LIST_POLICIES:
            return found
        if self.command != "INSERT":
            found["reads all"] = f"{alter} USING (true)"
        if self.command in ("INSERT", "UPDATE"):
            found["takes all"] = f"{alter} WITH CHECK (true)"
        return found


def policies(connection: Connection) -> list[Policy]:
    rows = connection.execute(
        "SELECT policyname, tablename, unnest(roles)::text, cmd FROM pg_policies "
        "WHERE schemaname = 'public' ORDER BY 1"
    )
    return [Policy(*row) for row in rows.fetchall()]


@dataclass
class Prober:
    """Tries what a policy is about, in every context, and says what happened."""

    connection: Connection
    here: UUID
    there: UUID
    user: int
    audiences: list[UUID]
    reader: UUID

    def contexts(self) -> dict[str, dict[str, object]]:
        return {
            "nothing": {},
            "user": {"user": self.user},
            "organisation": {"organisation": self.here},
            "all": {"organisation": self.here, "audiences": self.audiences},
            "deposit": {"organisation": self.here, "deposit_audiences": self.audiences},
            "reader": {
                "organisation": self.here,
                "audiences": self.audiences,
                "reader": self.reader,
            },
        }

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        try:
            with self.connection.transaction(force_rollback=True):
                yield
        except psycopg.Error as error:
            self.error = error

    def observe(self, policy: Policy) -> Observed:
        tenant = "id" if policy.table == TENANT else "organisation_id"
        found = {}
        for context, settings in self.contexts().items():
            for label, statement in self.statements(policy, tenant).items():
                found[f"{context}: {label}"] = self.outcome(policy.role, settings, statement)
        return found

    def statements(self, policy: Policy, tenant: str) -> dict[str, str]:
        table = policy.table
        match policy.command:
            case "SELECT":
                return {"rows": f"SELECT {tenant} FROM {table}"}
            case "INSERT":
                copies = f"INSERT INTO {table} SELECT * FROM copy_of_{table} WHERE {tenant}"
                return {
                    "ours": f"{copies} = '{self.here}'",
                    "theirs": f"{copies} = '{self.there}'",
                }
            case "UPDATE":
                return {
                    "kept": f"UPDATE {table} SET {tenant} = '{self.here}'",
                    "moved": f"UPDATE {table} SET {tenant} = '{self.there}'",
                }
            case _:
                return {"rows": f"DELETE FROM {table}"}

    def outcome(self, role: str, settings: dict[str, object], statement: str) -> str:
        """How many rows, or which class of error."""
        self.error, count = None, -1
        with self.savepoint():
            set_scope_settings(self.connection, **settings)
            self.connection.execute(f"SET LOCAL ROLE {role}")
            count = self.connection.execute(statement).rowcount
        return type(self.error).__name__ if self.error else f"{count} rows"


@contextmanager
def prober(world: World) -> Iterator[Prober]:
    """A superuser's transaction in which references and triggers sleep; nothing of it stays."""
    fill(world)
    here, there = world.here, world.there
    with rolled_back_connection("admin") as admin:
        # An autovacuum that waited for the grants below, while the policies wait for it, would be
        # a deadlock. It gives way to who locks first.
        admin.execute(f"LOCK TABLE {', '.join(tenant_tables(admin))} IN ACCESS EXCLUSIVE MODE")
        admin.execute("SET LOCAL session_replication_role = replica")
        # Policies are tried here; which columns of a version a role may change is another matter.
        admin.execute("GRANT UPDATE ON memories_version TO commonmind_app, commonmind_worker")
        for table in tenant_tables(admin):
            admin.execute(f"CREATE TEMP TABLE copy_of_{table} AS SELECT * FROM {table}")
            admin.execute(f"GRANT SELECT ON copy_of_{table} TO PUBLIC")
            tenant = "id" if table == TENANT else "organisation_id"
            for side in (here, there):
                rows = admin.execute(
                    f"SELECT 1 FROM {table} WHERE {tenant} = %s LIMIT 1", [side.id]
                )
                assert rows.fetchone(), f"the world has no {table}"
        # Who may change some columns alone may change all here: this is about the policies.
        for policy in policies(admin):
            if policy.command == "UPDATE":
                admin.execute(f"GRANT UPDATE ON {policy.table} TO {policy.role}")
        ids = admin.execute("SELECT id FROM orgs_audience WHERE organisation_id = %s", [here.id])
        reader = admin.execute(
            "SELECT reader FROM memories_readeruse WHERE organisation_id = %s LIMIT 1", [here.id]
        ).fetchone()
        assert reader
        yield Prober(
            admin,
            here.id,
            there.id,
            here.members["mina"].user_id,
            [row[0] for row in ids.fetchall()],
            reader[0],
        )


@pytest.mark.conformance("T07")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("one_of", [24, pytest.param(1, marks=pytest.mark.slow)])
def test_every_policy_that_is_broken_is_noticed(
    lasting_world: World, request: pytest.FixtureRequest, one_of: int
) -> None:
    """Of one in twenty-four in the quick suite."""
    with prober(lasting_world) as probe:
        every = policies(probe.connection)
        known = [policy for policy in every if policy.table not in BY_ACCOUNT]
        unnoticed = []
        for policy in known[sample_slice(request, one_of)]:
            before = probe.observe(policy)
            assert before == probe.observe(policy), "a probe says the same twice"
            for variant, statement in policy.variants.items():
                with probe.connection.transaction(force_rollback=True):
                    probe.connection.execute(statement)
                    after = probe.observe(policy)
                if after == before:
                    unnoticed.append(f"{policy.name} {variant}")
        assert unnoticed == []
        assert len(known) >= 100
        tables = {policy.table for policy in every}
        assert tables == set(tenant_tables(probe.connection)) | BY_ACCOUNT


@pytest.mark.slow
@pytest.mark.conformance("T07")
def test_a_policy_that_does_nothing_would_be_found(lasting_world: World) -> None:
    """Beside a second, equal policy the first could be dropped and nobody would notice."""
    with prober(lasting_world) as probe:
        twin = (
            "CREATE POLICY twin ON orgs_group FOR DELETE TO commonmind_app USING "
            "(organisation_id = NULLIF(current_setting('app.organisation', true), '')::uuid)"
        )
        probe.connection.execute(twin)
        policy = Policy("orgs_group_app_delete", "orgs_group", "commonmind_app", "DELETE")
        before = probe.observe(policy)
        probe.connection.execute(policy.variants["dropped"])
        assert probe.observe(policy) == before
