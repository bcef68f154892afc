"""Refuse a database role that row-level security does not bind, or that has more rights than it
needs."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import psycopg
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004
from django.db import connections

from orgs.database.driver.servers import SEPARATOR

# The connections that are checked; not `owner`, which migrates.
CHECKED_ALIASES = ("default", "worker", "support")
UNSAFE_ROLE_HINT = (
    "Row-level security does not bind such a role, or it may more than it needs. Give {variable} "
    "the role of its own that `python -m config.embedded provision` makes (it also takes back "
    "rights and defaults); only DATABASE_OWNER_URL may own tables."
)
URL_VARIABLES = {
    "default": "DATABASE_URL",
    "worker": "DATABASE_WORKER_URL",
    "support": "DATABASE_SUPPORT_URL",
}
SERVERS_VARIABLE = "DATABASE_SERVERS"

# The role that logged in and all roles that it may become, whatever SET ROLE says at the moment.
ROLES_SQL = """
SELECT r.rolname = session_user, r.rolname, r.rolsuper, r.rolbypassrls, EXISTS (
    SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relowner = r.oid AND c.relkind IN ('r', 'p')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(temp|toast)'
)
FROM pg_roles r
WHERE r.rolname = session_user OR (
    pg_has_role(session_user, r.oid, 'MEMBER')
    AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user)
)
ORDER BY 1 DESC, 2
"""

# Defaults that an operator may give the roles. config/embedded/servers/provisioning.py has the same
# list, because it runs before Django; a test compares them.
ALLOWED_DEFAULTS = (
    "application_name", "effective_cache_size", "effective_io_concurrency",
    "idle_in_transaction_session_timeout", "idle_session_timeout", "jit", "lock_timeout",
    "log_min_duration_statement", "plan_cache_mode", "random_page_cost", "statement_timeout",
    "transaction_timeout", "work_mem",
)  # fmt: skip
# Settings for which the database itself must not have defaults either.
FORBIDDEN_DEFAULTS = ("row_security", "search_path", "role", "session_replication_role")

# Nothing can forbid a role to set defaults for its later sessions. By them, code that once ran as
# the role would affect every process that starts afterwards.
_DEFAULTS = """
SELECT s.setrole <> 0, split_part(option, '=', 1)
FROM pg_db_role_setting s, unnest(s.setconfig) AS option
WHERE s.setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
  AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
ORDER BY 1, 2
"""
# Rights that none of the roles may have; to_regclass because a new database has no tables yet.
_RIGHTS = """
SELECT 'may make temporary tables', has_database_privilege(session_user, current_database(), 'TEMP')
UNION ALL SELECT 'may make schemas',
    has_database_privilege(session_user, current_database(), 'CREATE')
UNION ALL SELECT 'may make tables', has_schema_privilege(session_user, 'public', 'CREATE')
UNION ALL SELECT 'may write django_migrations', coalesce(has_table_privilege(
    session_user, to_regclass('public.django_migrations'), 'INSERT, UPDATE, DELETE'), false)
"""
# Rights that only a superuser can revoke; some hosted servers do not allow that.
_EXCESS_RIGHTS = """
SELECT 'make large objects', bool_or(has_function_privilege(session_user, p.oid, 'EXECUTE'))
FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace
  AND (p.proname LIKE 'lo\\_%' OR p.proname IN ('loread', 'lowrite'))
UNION ALL SELECT 'read pg_stat_statements',
    coalesce(bool_or(has_table_privilege(session_user, c.oid, 'SELECT')), false)
FROM pg_class c WHERE c.relname LIKE 'pg\\_stat\\_statements%' AND c.relkind = 'v'
UNION ALL SELECT 'end sessions of its own role',
    has_function_privilege(session_user, 'pg_terminate_backend(int, bigint)', 'EXECUTE')
UNION ALL SELECT 'run blocks of plpgsql', has_language_privilege(session_user, 'plpgsql', 'USAGE')
"""


def role_faults(roles: Iterable[tuple[bool, str, bool, bool, bool]]) -> list[str]:
    """What is wrong with a log-in role, as clauses, from the rows of `ROLES_SQL`."""
    found = []
    for itself, name, superuser, bypasses, owns in roles:
        wrong = (
            ("is a superuser", superuser),
            ("has BYPASSRLS", bypasses),
            ("owns tables", owns),
            ("belongs to the server", not itself and name.startswith("pg_")),
        )
        subject = f"the role {name}" if itself else f"it may become {name}, which"
        found += [f"{subject} {words}" for words, true in wrong if true]
    return found


def default_faults(defaults: Iterable[tuple[bool, str]]) -> list[str]:
    """Forbidden defaults of a role or its database, as clauses, from the rows of `_DEFAULTS`."""
    return [
        f"the {'role' if of_role else 'database'} brings a default for {name}"
        for of_role, name in defaults
        if (
            name not in ALLOWED_DEFAULTS
            if of_role
            else name in FORBIDDEN_DEFAULTS or name.startswith("app.")
        )
    ]


def right_faults(rights: Iterable[tuple[str, bool]]) -> list[str]:
    """Forbidden rights of a role, as clauses, from the rows of `_RIGHTS`."""
    return [f"the role {words}" for words, true in rights if true]


def list_checked_aliases() -> list[str]:
    """The connections of all servers that row-level security has to bind."""
    return [one for one in connections.settings if one.partition(SEPARATOR)[0] in CHECKED_ALIASES]


def list_unsafe_connections(aliases: Iterable[str] | None = None) -> list[CheckMessage]:
    """One error for each connection with an unsafe role.

    It uses new connections, so that nothing is left in a pool or across a fork. Raises
    psycopg.OperationalError if the database does not answer.
    """
    errors: list[CheckMessage] = []
    for alias in list_checked_aliases() if aliases is None else aliases:
        if alias not in connections.settings:
            continue
        parameters: dict[str, Any] = connections[alias].get_connection_params()
        with psycopg.connect(**{"connect_timeout": 5} | parameters) as connection:
            found = role_faults(connection.execute(ROLES_SQL).fetchall())
            found += default_faults(connection.execute(_DEFAULTS).fetchall())
            found += right_faults(connection.execute(_RIGHTS).fetchall()) if not found else []
        if found:
            variable = URL_VARIABLES.get(alias, SERVERS_VARIABLE)
            errors.append(
                Error(
                    f"The database connection `{alias}` is not safe: {'; '.join(found)}.",
                    hint=UNSAFE_ROLE_HINT.format(variable=variable),
                    id="orgs.E001",
                )
            )
    return errors


def list_excess_rights(aliases: Iterable[str] | None = None) -> list[CheckMessage]:
    """One warning for each connection whose role has rights that it does not need."""
    warnings: list[CheckMessage] = []
    for alias in list_checked_aliases() if aliases is None else aliases:
        if alias not in connections.settings:
            continue
        parameters: dict[str, Any] = connections[alias].get_connection_params()
        with psycopg.connect(**{"connect_timeout": 5} | parameters) as connection:
            found = [words for words, true in connection.execute(_EXCESS_RIGHTS).fetchall() if true]
        if found:
            words = f"The role of the database connection `{alias}` may {', '.join(found)}."
            hint = "`python -m config.embedded provision`, as a superuser, takes that away."
            warnings.append(Warning(words, hint=hint, id="orgs.W001"))
    return warnings


def check_roles(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The system check of commands. `migrate` names only the owner's database, so nothing is
    checked.

    If the database does not answer, there are no messages: the command itself reports it.
    """
    checked = list_checked_aliases()
    aliases = checked if databases is None else [one for one in checked if one in databases]
    try:
        return list_unsafe_connections(aliases) or list_excess_rights(aliases)
    except psycopg.OperationalError:
        return []


def abort_if_roles_unsafe(**kwargs: Any) -> None:
    """End the process with one sentence if a connection is unsafe or cannot be checked."""
    try:
        errors = list_unsafe_connections()
    except psycopg.OperationalError as error:
        abort_start(f"the database does not answer ({' '.join(str(error).split())}).")
    if errors:
        abort_start(" ".join(f"{error.msg} {error.hint}" for error in errors))


def abort_start(reason: str) -> NoReturn:
    """End the process with one sentence."""
    # Not `sys.stderr`, which Celery turns into log lines.
    print(f"Not started: {reason}", file=sys.__stderr__)
    raise SystemExit(1)
