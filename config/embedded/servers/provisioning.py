"""Roles, database, schemas, grants and extensions, on the embedded server or any other.

Everything here is idempotent and runs as a superuser. What each role may do with a table is
set by migrations; only the application gets its rights on tables by default.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg
from psycopg import sql

from config.embedded.errors import EmbeddedError

OWNER = "commonmind_owner"
APP = "commonmind_app"
WORKER = "commonmind_worker"
SUPPORT = "commonmind_support"
SEARCHER = "commonmind_searcher"
LOGIN_ROLES = (OWNER, APP, WORKER, SUPPORT)
EXTENSIONS = ("vector", "pg_trgm", "btree_gin", "unaccent")
OPTIONAL_EXTENSIONS = ("pg_stat_statements",)
ADVISORY_LOCK = 0x636F6D6D6F6E  # "common": one provisioning of a server at a time

ROLE_OPTIONS = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION"

DATABASE_GRANTS = """
    REVOKE ALL ON DATABASE {database} FROM PUBLIC;
    GRANT CONNECT ON DATABASE {database} TO {owner}, {app}, {worker}, {support};
"""
SCHEMA_GRANTS = """
    ALTER SCHEMA public OWNER TO {owner};
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT USAGE ON SCHEMA public TO {app}, {worker}, {support}, {searcher};
    CREATE SCHEMA IF NOT EXISTS search AUTHORIZATION {owner};
    GRANT USAGE, CREATE ON SCHEMA search TO {searcher};
    GRANT USAGE ON SCHEMA search TO {app};
    ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public
        GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {app};
    ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public
        GRANT USAGE ON SEQUENCES TO {app};
"""
# Rights that PostgreSQL gives to everybody and only the owner and the searcher need: large objects
# have no row-level security, `DO` runs loops, and the rest disturbs or watches other sessions.
LANGUAGE_GRANTS = """
    REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
    GRANT USAGE ON LANGUAGE plpgsql TO {owner}, {searcher};
"""
REVOKED_FUNCTIONS = """
    SELECT p.oid::regprocedure::text FROM pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND (
        p.proname LIKE 'lo\\_%' OR p.proname IN ('loread', 'lowrite', 'pg_cancel_backend',
            'pg_terminate_backend', 'pg_export_snapshot', 'pg_logical_emit_message'))
    UNION ALL
    SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE p.proname LIKE 'pg\\_stat\\_statements%' AND n.nspname = 'public'
"""
REVOKED_VIEWS = """
    SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname LIKE 'pg\\_stat\\_statements%' AND n.nspname = 'public' AND c.relkind = 'v'
"""
# Nothing can forbid a role to set defaults for its later sessions. Those that an operator may want
# stay; all others are reset at each start. `orgs/database/role_checks.py` has the same list.
ALLOWED_DEFAULTS = (
    "application_name", "effective_cache_size", "effective_io_concurrency",
    "idle_in_transaction_session_timeout", "idle_session_timeout", "jit", "lock_timeout",
    "log_min_duration_statement", "plan_cache_mode", "random_page_cost", "statement_timeout",
    "transaction_timeout", "work_mem",
)  # fmt: skip
ROLE_DEFAULTS_SQL = """
    SELECT r.rolname, d.datname, split_part(option, '=', 1)
    FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
    LEFT JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) AS option
    WHERE r.rolname = ANY (%s) AND NOT split_part(option, '=', 1) = ANY (%s)
"""


@dataclass(frozen=True)
class DatabaseUrls:
    """The URLs of one database, for each log-in role."""

    app: str
    owner: str
    worker: str
    support: str


def provision(admin_url: str, database: str, passwords: Mapping[str, str]) -> DatabaseUrls:
    """Make roles, database, grants and extensions as they must be. Returns the roles' URLs.

    ``passwords``: one for each of LOGIN_ROLES. Roles belong to the whole server, so every
    database of one server is provisioned with the same passwords.
    """
    with _admin_connection(admin_url) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [ADVISORY_LOCK])
        _check_server(connection)
        _check_data_version(connection, admin_url, database)
        _ensure_roles(connection, passwords)
        _ensure_database(connection, database)
        with _admin_connection(role_url(admin_url, database=database)) as inside:
            _run_template(inside, SCHEMA_GRANTS)
            _ensure_extensions(inside)
            _revoke_public_rights(inside)
    app, owner, worker, support = (
        role_url(admin_url, role, passwords[role], database)
        for role in (APP, OWNER, WORKER, SUPPORT)
    )
    return DatabaseUrls(app, owner, worker, support)


def _check_data_version(connection: psycopg.Connection, admin_url: str, database: str) -> None:
    """Raises EmbeddedError, before any change, if the tables are of a version before 0.1.0."""
    exists = "SELECT 1 FROM pg_database WHERE datname = %s"
    if connection.execute(exists, [database]).fetchone() is None:
        return
    with _admin_connection(role_url(admin_url, database=database)) as inside:
        if inside.execute("SELECT to_regclass('public.django_migrations')").fetchone() == (None,):
            return
        names = inside.execute("SELECT name FROM django_migrations WHERE app = 'orgs'").fetchall()
    if names and ("0001_tables",) not in names:
        raise EmbeddedError(
            f"the database {database} was made by a version before 0.1.0 and cannot be carried "
            "over: take out what you need with that version, then start with a new DATA_DIR or an "
            "empty database; nothing was changed"
        )


def role_url(
    admin_url: str, role: str | None = None, password: str = "", database: str = ""
) -> str:
    """``admin_url`` for another role (None: the same) and database, its other options kept."""
    parts = urlsplit(admin_url)
    credentials, _, hosts = parts.netloc.rpartition("@")
    if role is not None:
        credentials = f"{quote(role, safe='')}:{quote(password, safe='')}"
    replaced = {"dbname"} | ({"user", "password"} if role is not None else set())
    options = [item for item in parse_qsl(parts.query) if item[0] not in replaced]
    netloc = f"{credentials}@{hosts}" if credentials else hosts
    query = f"?{urlencode(options, safe='/')}" if options else ""
    return f"{parts.scheme}://{netloc}/{quote(database, safe='')}{query}"


@contextmanager
def _admin_connection(url: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection; errors on it become EmbeddedError."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
            yield connection
    except psycopg.Error as error:
        message = " ".join(str(error).split()) or type(error).__name__
        raise EmbeddedError(f"cannot provision the database: {message}") from None


def _check_server(connection: psycopg.Connection) -> None:
    if connection.info.server_version < 170000:
        raise EmbeddedError("the database server is older than PostgreSQL 17")
    row = connection.execute(
        "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    if row is None or not row[0]:
        raise EmbeddedError("DATABASE_ADMIN_URL must be that of a superuser")


def _run_template(connection: psycopg.Connection, template: str, **names: str) -> None:
    """Run the statements with every name quoted as an identifier."""
    roles = {"owner": OWNER, "app": APP, "worker": WORKER, "support": SUPPORT, "searcher": SEARCHER}
    identifiers = {key: sql.Identifier(name) for key, name in (roles | names).items()}
    connection.execute(sql.SQL(template).format(**identifiers))


def _ensure_roles(connection: psycopg.Connection, passwords: Mapping[str, str]) -> None:
    rows = connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'commonmind_%'")
    known = {name for (name,) in rows}
    for role in (*LOGIN_ROLES, SEARCHER):
        if role not in known:
            _run_template(connection, "CREATE ROLE {role}", role=role)
    for role in LOGIN_ROLES:
        # Hashed here, so that the server's log and pg_stat_statements never hold the password.
        hashed = connection.pgconn.encrypt_password(
            passwords[role].encode(), role.encode(), b"scram-sha-256"
        )
        command = sql.SQL(f"ALTER ROLE {{}} LOGIN NOBYPASSRLS {ROLE_OPTIONS} PASSWORD {{}}")
        connection.execute(command.format(sql.Identifier(role), sql.Literal(hashed.decode())))
    _reset_defaults(connection)
    for role in (APP, WORKER, SUPPORT):
        _run_template(
            connection, "ALTER ROLE {role} SET plan_cache_mode = force_custom_plan", role=role
        )
    _run_template(connection, f"ALTER ROLE {{searcher}} NOLOGIN BYPASSRLS {ROLE_OPTIONS}")
    _run_template(connection, "GRANT {searcher} TO {owner} WITH INHERIT FALSE, SET TRUE")


def _ensure_database(connection: psycopg.Connection, database: str) -> None:
    query = "SELECT 1 FROM pg_database WHERE datname = %s"
    if connection.execute(query, [database]).fetchone() is None:
        _run_template(
            connection,
            "CREATE DATABASE {database} OWNER {owner} TEMPLATE template0 ENCODING 'UTF8' "
            "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C.UTF-8'",
            database=database,
        )
    _run_template(connection, "ALTER DATABASE {database} OWNER TO {owner}", database=database)
    _run_template(connection, DATABASE_GRANTS, database=database)


def _ensure_extensions(connection: psycopg.Connection) -> None:
    rows = connection.execute("SELECT name FROM pg_available_extensions")
    available = {name for (name,) in rows}
    if missing := [name for name in EXTENSIONS if name not in available]:
        raise EmbeddedError(f"the database server lacks the extension {', '.join(missing)}")
    for name in (*EXTENSIONS, *OPTIONAL_EXTENSIONS):
        if name in available:
            template = "CREATE EXTENSION IF NOT EXISTS {name} SCHEMA public"
            _run_template(connection, template, name=name)


def _reset_defaults(connection: psycopg.Connection) -> None:
    """Reset defaults that a role has set for its own later sessions."""
    roles = [*LOGIN_ROLES, SEARCHER]
    found = connection.execute(ROLE_DEFAULTS_SQL, [roles, list(ALLOWED_DEFAULTS)]).fetchall()
    for role, database, name in found:
        where = "IN DATABASE {database} " if database else ""
        command = f"ALTER ROLE {{role}} {where}RESET {{name}}"
        _run_template(connection, command, role=role, database=database or "", name=name)


def _revoke_public_rights(connection: psycopg.Connection) -> None:
    """Revoke what PostgreSQL gives to PUBLIC; in this database alone, and again at each start."""
    _run_template(connection, LANGUAGE_GRANTS)
    for kind, query in (("FUNCTION", REVOKED_FUNCTIONS), ("TABLE", REVOKED_VIEWS)):
        for (name,) in connection.execute(query).fetchall():
            # The signature comes from the catalogue, because it cannot be quoted as an identifier.
            connection.execute(f"REVOKE ALL ON {kind} {name} FROM PUBLIC")  # type: ignore[arg-type]
