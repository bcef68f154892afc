"""The database of a restore: who is connected to it, what it holds, and how it is emptied."""

import time
from typing import Any

from django.conf import settings
from django.db import connections
from psycopg import sql

from orgs.database.backup.connection import Connection
from orgs.database.backup.errors import BackupError
from orgs.database.backup.folder import backup_folders
from orgs.database.backup.tables import MARKER_SCHEMA, count_rows_by_table, list_tables

# Tables in which a new database has rows, because migrations write them.
MIGRATION_FILLED_TABLES = {
    "public.django_migrations",
    "public.django_content_type",
    "public.auth_permission",
}
MAX_LISTED = 5
WAIT_SECONDS = 2
_OTHER_CONNECTIONS = """
SELECT coalesce(usename, '?') || CASE WHEN application_name = '' THEN ''
    ELSE ' (' || application_name || ')' END, count(*)
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
GROUP BY 1 ORDER BY 1
"""
# Everything that migrations have made, but nothing that an extension made.
_RELATIONS = """
SELECT c.relkind::text, n.nspname, c.relname, pg_get_userbyid(c.relowner)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', %(marker)s)
    AND n.nspname !~ '^pg_(temp|toast)'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
                    AND d.objid = c.oid AND d.objsubid = 0 AND d.deptype IN ('e', 'i'))
    AND NOT EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = c.oid)
ORDER BY 2, 3
"""
_FUNCTIONS = """
SELECT n.nspname, p.proname, pg_get_function_identity_arguments(p.oid), p.prokind::text
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass
                    AND d.objid = p.oid AND d.deptype = 'e')
ORDER BY 1, 2
"""
_TYPES = """
SELECT n.nspname, t.typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND (t.typtype IN ('e', 'd', 'r') OR c.relkind = 'c')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_type'::regclass
                    AND d.objid = t.oid AND d.deptype = 'e')
"""
_DROP_KEYWORDS = {
    "r": sql.SQL("TABLE"),
    "p": sql.SQL("TABLE"),
    "v": sql.SQL("VIEW"),
    "m": sql.SQL("MATERIALIZED VIEW"),
    "S": sql.SQL("SEQUENCE"),
    "f": sql.SQL("FOREIGN TABLE"),
}


def close_own_connections() -> None:
    """Close the connections of this process: a cached plan would name dropped tables."""
    for alias in connections:
        connection: Any = connections[alias]
        connection.close()
        if getattr(connection, "_connection_pools", None):
            connection.close_pool()


def check_no_other_connections(connection: Connection) -> None:
    """Raises BackupError while anybody else is connected to the database."""
    until = time.monotonic() + WAIT_SECONDS
    while found := connection.execute(_OTHER_CONNECTIONS).fetchall():
        # The server takes a moment to end closed connections.
        if time.monotonic() < until:
            time.sleep(0.1)
            continue
        who = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in found)
        raise BackupError(
            f"Somebody is connected to the database: {who}. Stop web, workers and beat "
            "(`make run`: Ctrl-C), then type the command again."
        )


def check_no_foreign_tables(connection: Connection) -> None:
    """Raises BackupError if the database holds tables or views that are not Commonmind's."""
    ours = {connections["owner"].settings_dict["USER"], "commonmind_owner", "commonmind_searcher"}
    found = connection.execute(_RELATIONS, {"marker": MARKER_SCHEMA}).fetchall()
    foreign = [f"{schema}.{name}" for _, schema, name, owner in found if owner not in ours]
    if foreign:
        raise BackupError(
            f"The database holds what is not Commonmind's ({', '.join(foreign[:MAX_LISTED])}): "
            f"take "
            "another database. Nothing was changed."
        )


def count_existing_data(connection: Connection) -> dict[str, int]:
    """Rows by table and files by folder that a new installation would not have."""
    found = count_rows_by_table(connection, list_tables(connection))
    found = {name: rows for name, rows in found.items() if name not in MIGRATION_FILLED_TABLES}
    for name in backup_folders():
        files = sum(path.is_file() for path in (settings.DATA_DIR / name).rglob("*"))
        found |= {f"files in {name}": files} if files else {}
    return found


def format_existing_data(there: dict[str, int]) -> str:
    """What would be lost: how much in all, and where most of it is."""
    most = sorted(there.items(), key=lambda item: (-item[1], item[0]))[:MAX_LISTED]
    listed = ", ".join(f"{count:,} {name.removeprefix('public.')}" for name, count in most)
    organisations = there.get("public.orgs_organisation", 0)
    return (
        f"{organisations:,} organisations, {sum(there.values()):,} rows and files in all "
        f"({listed}{', ...' if len(there) > len(most) else ''})"
    )


def drop_schema_objects(connection: Connection) -> None:
    """Drop all tables, functions and types that migrations have made, in one transaction."""
    with connection.transaction():
        for kind, schema, name, _ in connection.execute(_RELATIONS, {"marker": MARKER_SCHEMA}):
            statement = sql.SQL("DROP {} IF EXISTS {} CASCADE")
            connection.execute(statement.format(_DROP_KEYWORDS[kind], sql.Identifier(schema, name)))
        for schema, name, arguments, kind in connection.execute(_FUNCTIONS).fetchall():
            if kind == "a":
                raise BackupError(f"The aggregate {schema}.{name} cannot be dropped.")
            statement = sql.SQL("DROP ROUTINE IF EXISTS {}({}) CASCADE")
            # The catalogue's text of the arguments can be used in a statement.
            words = sql.SQL(arguments)
            connection.execute(statement.format(sql.Identifier(schema, name), words))
        for schema, name in connection.execute(_TYPES).fetchall():
            statement = sql.SQL("DROP TYPE IF EXISTS {} CASCADE")
            connection.execute(statement.format(sql.Identifier(schema, name)))
