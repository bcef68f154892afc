"""Check the catalogue of a restored database: is every tenant table protected?"""

from collections.abc import Iterable

from orgs.database.backup.connection import Connection

# Every tenant table, and the table of organisations.
_TENANT_TABLES = """
SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,
    EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname = 'public'
    AND (c.relname = 'orgs_organisation' OR EXISTS (
        SELECT 1 FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'organisation_id' AND NOT a.attisdropped))
ORDER BY 1
"""
_BROKEN_INDEXES = """
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND NOT (i.indisvalid AND i.indisready AND i.indislive)
ORDER BY 1
"""
_INDEXES = """
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND i.indisvalid ORDER BY 1
"""


def list_protection_faults(connection: Connection) -> list[str]:
    """What is wrong, as clauses; empty if all is well."""
    rows = connection.execute(_TENANT_TABLES).fetchall()
    found = [] if rows else ["there is no table of an organisation"]
    for name, enabled, forced, has_policy in rows:
        wrong = (
            ("row-level security is off", not enabled),
            ("row-level security is not forced on its owner", not forced),
            ("there is no policy", not has_policy),
        )
        found += [f"{name}: {words}" for words, true in wrong if true]
    broken = connection.execute(_BROKEN_INDEXES).fetchall()
    return found + [f"{name}: the index is not valid" for (name,) in broken]


def list_indexes(connection: Connection) -> list[str]:
    """The names of every valid index."""
    return [name for (name,) in connection.execute(_INDEXES)]


def list_missing_indexes(connection: Connection, wanted: Iterable[str]) -> list[str]:
    """The names in `wanted` that this database lacks."""
    return sorted(set(wanted) - set(list_indexes(connection)))
