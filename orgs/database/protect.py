"""What a migration puts on a tenant table: row-level security, policies, grants, references."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

OWNER, APP, WORKER, SUPPORT, SEARCHER = (
    "commonmind_owner",
    "commonmind_app",
    "commonmind_worker",
    "commonmind_support",
    "commonmind_searcher",
)
COMMANDS = ("SELECT", "INSERT", "UPDATE", "DELETE")

# uuid equality is leakproof, so the planner may use an index under these. The array is wrapped
# in a SELECT: unwrapped it would be parsed again for every row.
BY_ORGANISATION = "{column} = NULLIF(current_setting('app.organisation', true), '')::uuid"
BY_AUDIENCE = (
    "audience_id = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')"
    "::uuid[])::uuid[])"
)
BY_DEPOSIT = (
    "audience_id = ANY ((SELECT NULLIF(current_setting('app.deposit_audiences', true), '')"
    "::uuid[])::uuid[])"
)
BY_USER = "user_id = NULLIF(current_setting('app.user', true), '')::bigint"


@dataclass(frozen=True, slots=True)
class Reads:
    """How the app role's policies tell which rows are its own.

    by: "organisation", "audience" (needs audience_id), "self" (the organisation table) or
    "member" (the organisation, or the signed-in user's own memberships).
    also: further columns that name audiences; the reader must be in each of them.
    """

    by: str = "organisation"
    also: tuple[str, ...] = ()

    def expression(self, command: str) -> str:
        organisation = BY_ORGANISATION.format(
            column="id" if self.by == "self" else "organisation_id"
        )
        if self.by == "audience":
            audience = f"({BY_AUDIENCE} OR {BY_DEPOSIT})" if command == "INSERT" else BY_AUDIENCE
            others = [BY_AUDIENCE.replace("audience_id", column, 1) for column in self.also]
            return " AND ".join([organisation, audience, *others])
        if self.by == "member" and command == "SELECT":
            return f"{organisation} OR {BY_USER}"
        if self.by == "self" and command == "SELECT":
            mine = f"SELECT organisation_id FROM orgs_member WHERE {BY_USER}"
            return f"{organisation} OR id IN ({mine})"
        return organisation


def policy_sql(table: str, role: str, command: str, expression: str) -> str:
    """CREATE POLICY for one role and one command, under a name made of the three."""
    using = f" USING ({expression})" if command != "INSERT" else ""
    check = f" WITH CHECK ({expression})" if command in ("INSERT", "UPDATE") else ""
    name = f"{table}_{role.removeprefix('commonmind_')}_{command.lower()}"
    return f"CREATE POLICY {name} ON {table} FOR {command} TO {role}{using}{check}"


def back(table: str, column: str) -> str:
    """The index by which a deletion finds who names the row that goes; empty columns cost none.

    Postgres makes none for a foreign key. Without it each member, audience or group that goes is
    looked up in the whole of every table that might name it.
    """
    return (
        f"CREATE INDEX {table}_{column}_back ON {table} (organisation_id, {column}) "
        f"WHERE {column} IS NOT NULL"
    )


class Protect(Operation):
    """Put RLS, FORCE, policies, grants and composite constraints on a tenant table.

    table: the table's name.
    by, also: see `Reads`.
    references: column -> (table, what ON DELETE does); the constraint is on
        (organisation_id, column), so that no row can point into another organisation.
    append_only: rows are inserted and read; UPDATE and DELETE are refused to every role.
    worker: whether the maintenance role works on the table.
    support: the columns that support staff may read; never a text or a vector of a memory.
    searcher: the columns that the owner of the definer functions may read.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(
        self,
        table: str,
        by: str = "organisation",
        references: Mapping[str, tuple[str, str]] | None = None,
        append_only: bool = False,
        worker: bool = False,
        support: tuple[str, ...] = (),
        searcher: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
    ) -> None:
        self.table, self.by, self.append_only = table, by, append_only
        self.also = also
        self.references = dict(references or {})
        self.worker, self.support, self.searcher = worker, support, searcher

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Nothing that Django's model state knows of changes."""

    def statements(self) -> list[str]:
        """The SQL, in order."""
        table, commands = self.table, COMMANDS[:2] if self.append_only else COMMANDS
        sql = [
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        ]
        if self.append_only:
            sql.append(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {APP}")
        if self.by != "self":
            sql.append(
                f"ALTER TABLE {table} ADD CONSTRAINT {table}_tenant UNIQUE (organisation_id, id)"
            )
        reads = Reads(self.by, self.also)
        sql += [policy_sql(table, APP, c, reads.expression(c)) for c in commands]
        if self.worker:
            sql.append(f"GRANT {', '.join(commands)} ON {table} TO {WORKER}")
            sql += [
                policy_sql(table, WORKER, c, BY_ORGANISATION.format(column=self._tenant))
                for c in commands
            ]
        if self.support:
            sql.append(f"GRANT SELECT ({', '.join(self.support)}) ON {table} TO {SUPPORT}")
            sql.append(
                policy_sql(table, SUPPORT, "SELECT", BY_ORGANISATION.format(column=self._tenant))
            )
        if self.searcher:
            sql.append(f"GRANT SELECT ({', '.join(self.searcher)}) ON {table} TO {SEARCHER}")
        return sql + [self._reference(column, *to) for column, to in self.references.items()]

    @property
    def _tenant(self) -> str:
        return "id" if self.by == "self" else "organisation_id"

    def _reference(self, column: str, table: str, on_delete: str) -> str:
        # SET NULL names its column: the organisation must stay.
        action = f"SET NULL ({column})" if on_delete == "SET NULL" else on_delete
        if table == "orgs_organisation":
            return (
                f"ALTER TABLE {self.table} ADD CONSTRAINT {self.table}_{column}_fk "
                f"FOREIGN KEY ({column}) REFERENCES {table} (id) ON DELETE {action}"
            )
        return (
            f"ALTER TABLE {self.table} ADD CONSTRAINT {self.table}_{column}_fk "
            f"FOREIGN KEY (organisation_id, {column}) REFERENCES {table} (organisation_id, id) "
            f"ON DELETE {action}"
        )

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for statement in self.statements():
            schema_editor.execute(statement)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """The table goes with its CreateModel, and all of this with the table."""

    def describe(self) -> str:
        return f"Protect {self.table}"
