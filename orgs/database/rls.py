"""Row-level security: the scope of a transaction, which says whose rows it may see.

The database decides row by row, by settings that hold until the end of the transaction. A setting
of the session would leak between requests that share a pooled connection. Outside a scope every
tenant table is empty and refuses inserts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from psycopg import Error

from orgs.database.prepared_statements import fetch_all, fetch_last
from orgs.database.time_budget import LIMIT, time_left

# A statement and its values.
StatementAndValues = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Scope:
    """The settings of a transaction.

    organisation: whose rows. audiences: ids of those whose rows are shown and may be written.
    deposit: ids of audiences into which rows may also be inserted. user: the account whose own rows
    are shown. reader: whose uses of memories are shown and counted (`Principal.reader`). relaxed: a
    crash of the server may lose the transaction.
    """

    organisation: UUID | None = None
    audiences: tuple[UUID, ...] = ()
    deposit: tuple[UUID, ...] = ()
    user: UUID | None = None
    reader: UUID | None = None
    relaxed: bool = False


_EMPTY_SCOPE = Scope()
_SET_SCOPE = (
    "SELECT set_config('app.organisation', %(app_organisation)s, true), "
    "set_config('app.audiences', %(app_audiences)s, true), "
    "set_config('app.deposit_audiences', %(app_deposit)s, true), "
    "set_config('app.user', %(app_user)s, true), "
    "set_config('app.reader', %(app_reader)s, true), "
    "set_config('plan_cache_mode', 'force_generic_plan', true), " + LIMIT
)
# For writes that are worth less than a flush to disk for each of them; and as the server has it.
_ASYNC_COMMIT = ", set_config('synchronous_commit', 'off', true)"
_DEFAULT_COMMIT = ", set_config('synchronous_commit', NULL, true)"


def _array_literal(ids: Iterable[UUID]) -> str:
    return "{" + ",".join(map(str, ids)) + "}"


def _scope_settings(scope: Scope) -> dict[str, str | None]:
    return {
        "app_organisation": str(scope.organisation or ""),
        "app_audiences": _array_literal(scope.audiences) if scope.organisation else "",
        "app_deposit": _array_literal(scope.deposit) if scope.organisation else "",
        "app_user": "" if scope.user is None else str(scope.user),
        "app_reader": str(scope.reader or "") if scope.organisation else "",
        "time_left": time_left(),
    }


def _set_scope(scope: Scope, using: str, *, after: Scope = _EMPTY_SCOPE) -> None:
    """Open a scope. after: the one that held until now."""
    statement, values = scope_statement(scope, after=after)
    fetch_all(statement, values, using)


def scope_statement(
    scope: Scope, *, after: Scope = _EMPTY_SCOPE
) -> tuple[str, dict[str, str | None]]:
    """(the statement that opens a scope, its values), for `together`. after: the scope that held
    until now in this transaction."""
    flush = _ASYNC_COMMIT if scope.relaxed else _DEFAULT_COMMIT if after.relaxed else ""
    return _SET_SCOPE + flush, _scope_settings(scope)


def fetch_in_scope(
    new: Scope, statement: str, values: Mapping[str, Any], using: str = DEFAULT_DB_ALIAS
) -> list[tuple[Any, ...]]:
    """The rows of one SELECT under a scope.

    Outside a transaction the settings and the statement travel in one message, which Postgres
    runs as one transaction: one round trip instead of four.
    """
    if connections[using].in_atomic_block:
        with scope(new, using):
            return fetch_all(statement, values, using)
    return fetch_last([scope_statement(new), (statement, values)], using)


def current_scope(using: str = DEFAULT_DB_ALIAS) -> Scope:
    """The scope that is open on this connection, or an empty one."""
    connection = connections[using]
    return (
        getattr(connection, "commonmind_scope", _EMPTY_SCOPE)
        if connection.in_atomic_block
        else _EMPTY_SCOPE
    )


@contextmanager
def scope(new: Scope, using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Run a transaction in which the database shows and accepts what `new` allows.

    Scopes nest: afterwards the outer one holds again. If `new` is open already, nothing changes.
    Evaluate querysets inside.
    """
    if new == current_scope(using):
        yield
        return
    with scope_sequence(new, using):
        yield


@contextmanager
def scope_sequence(
    first: Scope, using: str = DEFAULT_DB_ALIAS
) -> Iterator[Callable[[Scope], None]]:
    """A transaction with several scopes, one after the other. Yields a function that opens the
    next.

    Each scope holds until the next; at the end the outer scope holds again. This takes fewer
    statements than `scope` for each, because no part can be rolled back on its own.
    """
    connection: Any = connections[using]
    outer = current_scope(using)

    def turn_to(new: Scope) -> None:
        _set_scope(new, using, after=current_scope(using))
        connection.commonmind_scope = new

    with transaction.atomic(using=using):
        turn_to(first)
        try:
            yield turn_to
        except BaseException:
            # The roll-back restores the settings in the database.
            connection.commonmind_scope = outer
            raise
        inner, connection.commonmind_scope = current_scope(using), outer
        if len(connection.savepoint_ids) or outer is not _EMPTY_SCOPE:
            _set_scope(outer, using, after=inner)


@contextmanager
def pipelined_scope(
    using: str = DEFAULT_DB_ALIAS,
) -> Iterator[tuple[list[StatementAndValues], list[StatementAndValues]]]:
    """A transaction whose BEGIN, COMMIT and scope the caller sends with its own statements.

    Yields (what to send before the first statement, what to send after the last). An exception
    rolls back. Inside a transaction both are empty, a savepoint is used, and the scope of before
    holds again afterwards.
    """
    connection: Any = connections[using]
    connection.ensure_connection()
    if connection.in_atomic_block:
        with transaction.atomic(using=using):
            yield [], []
            _set_scope(current_scope(using), using, after=Scope(relaxed=True))
        return
    try:
        yield [("BEGIN", {})], [("COMMIT", {})]
    except BaseException:
        try:
            connection.connection.rollback()
        except Error:
            # The next use opens a new connection.
            connection.close()
        raise


@contextmanager
def organisation_scope(organisation: UUID, using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """A scope of the organisation without audiences: its registry is open, no memory is
    readable."""
    with scope(Scope(organisation=organisation), using):
        yield


@contextmanager
def insert_scope(audiences: Iterable[UUID], using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """The current scope, in which rows may also be inserted into these audiences, unread."""
    with scope(replace(current_scope(using), deposit=tuple(audiences)), using):
        yield
