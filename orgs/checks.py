"""Refuse a database role that row-level security does not bind."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import psycopg
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

# The connections that serve people, robots and maintenance; `owner` migrates and is left out.
BOUND = ("default", "worker", "support")
HINT = (
    "Row-level security does not bind such a role. Give {variable} the role of its own that "
    "`python -m config.embedded provision` makes; only DATABASE_OWNER_URL may own tables."
)
VARIABLES = {
    "default": "DATABASE_URL",
    "worker": "DATABASE_WORKER_URL",
    "support": "DATABASE_SUPPORT_URL",
}

# The role that logged in and all that it may become, whatever SET ROLE says just now.
_ROLES = """
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


def faults(roles: Iterable[tuple[bool, str, bool, bool, bool]]) -> list[str]:
    """What is wrong with a log-in role, in words, from the rows of `_ROLES`."""
    found = []
    for itself, name, superuser, bypasses, owns in roles:
        wrong = (
            ("is a superuser", superuser),
            ("has BYPASSRLS", bypasses),
            ("owns tables", owns),
        )
        subject = f"the role {name}" if itself else f"it may become {name}, which"
        found += [f"{subject} {words}" for words, true in wrong if true]
    return found


def unsafe_connections(aliases: Iterable[str] = BOUND) -> list[CheckMessage]:
    """One error for each connection with an unsafe role. Raises psycopg.OperationalError.

    Asks on a connection of its own: nothing of it is left in a pool or across a fork.
    """
    errors: list[CheckMessage] = []
    for alias in aliases:
        if alias not in connections.settings:
            continue
        parameters: dict[str, Any] = connections[alias].get_connection_params()
        with psycopg.connect(**{"connect_timeout": 5} | parameters) as connection:
            found = faults(connection.execute(_ROLES).fetchall())
        if found:
            errors.append(
                Error(
                    f"The database connection `{alias}` is not safe: {'; '.join(found)}.",
                    hint=HINT.format(variable=VARIABLES[alias]),
                    id="orgs.E001",
                )
            )
    return errors


@register(Tags.security)
def check_roles(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The system check of every command; `migrate` names the owner's database alone.

    A database that does not answer is the command's own affair.
    """
    aliases = BOUND if databases is None else [a for a in BOUND if a in databases]
    try:
        return unsafe_connections(aliases)
    except psycopg.OperationalError:
        return []


def refuse_unsafe_roles(**kwargs: Any) -> None:
    """End the process with one error when a connection is unsafe, or cannot be judged."""
    try:
        errors = unsafe_connections()
    except psycopg.OperationalError as error:
        _refuse(f"the database does not answer ({' '.join(str(error).split())}).")
    if errors:
        _refuse(" ".join(f"{error.msg} {error.hint}" for error in errors))


def _refuse(reason: str) -> NoReturn:
    # Not the standard error of the moment: Celery turns that into log lines of some level.
    print(f"Not started: {reason}", file=sys.__stderr__)
    raise SystemExit(1)
