"""Row-level security: the scope of a transaction, which says whose rows it may see.

The database decides row by row, by settings that hold until the end of the transaction. A setting
of the session would leak between requests that share a pooled connection. Outside a scope every
tenant table is empty and refuses inserts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

import orjson
import psycopg
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, transaction

from orgs.database.driver.servers import (
    OrganisationMovedError,
    OrganisationMovingError,
    is_switched_on,
    require_server_of,
    server_of,
)
from orgs.database.prepared_statements import fetch_all, fetch_last
from orgs.database.time_budget import LIMIT, time_left
from orgs.errors import QuotaError
from orgs.trace_spans import current_span_ids

# A statement and its values.
StatementAndValues = tuple[str, Mapping[str, Any]]
Result = TypeVar("Result")


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
# The span that a transaction belongs to, for the log of the server and for pg_stat_activity. It is
# no comment in the statement, because each would be another statement to prepare.
_NAME_SPAN = ", set_config('application_name', %(span)s, true)"
# For writes that are worth less than a flush to disk for each of them; and as the server has it.
_ASYNC_COMMIT = ", set_config('synchronous_commit', 'off', true)"
_DEFAULT_COMMIT = ", set_config('synchronous_commit', NULL, true)"

# Where there are several servers: whether the organisation lies on this one, and takes writes.
_CHECK_FENCE = ", orgs_check_fence()"


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
    until now in this transaction. Raises WrongServerError where the organisation does not lie."""
    require_server_of(scope.organisation)
    flush = _ASYNC_COMMIT if scope.relaxed else _DEFAULT_COMMIT if after.relaxed else ""
    if scope.organisation and is_switched_on():
        flush += _CHECK_FENCE
    settings = _scope_settings(scope)
    if span := current_span_ids():
        return _SET_SCOPE + flush + _NAME_SPAN, {**settings, "span": f"commonmind {span}"}
    return _SET_SCOPE + flush, settings


def fetch_in_scope(
    new: Scope, statement: str, values: Mapping[str, Any], using: str = DEFAULT_DB_ALIAS
) -> list[tuple[Any, ...]]:
    """The rows of one SELECT under a scope.

    Outside a transaction the settings and the statement travel in one message, which Postgres
    runs as one transaction: one round trip instead of four.
    """

    def fetch() -> list[tuple[Any, ...]]:
        with server_of(new.organisation):
            if connections[using].in_atomic_block:
                with scope(new, using):
                    return fetch_all(statement, values, using)
            return fetch_last([scope_statement(new), (statement, values)], using)

    return once_more_if_moved(fetch, using)


def once_more_if_moved(work: Callable[[], Result], using: str = DEFAULT_DB_ALIAS) -> Result:
    """What `work` returns. If the organisation has moved, which its server says before anything is
    done there, it is done again on the server where it lies now; not inside a transaction."""
    try:
        return work()
    except OrganisationMovedError:
        if connections[using].in_atomic_block:
            raise
    return work()


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
    statements than `scope` for each, because no part can be rolled back on its own. If the
    organisation has moved, the first is opened where it lies now.
    """
    if is_switched_on() and first.organisation:
        with ExitStack() as stack:
            yield _begin_sequence(stack, first, using)
        return
    with pipelined_scope(using, organisation=first.organisation) as opening:
        turn_to = _turns(opening, using)
        turn_to(first)
        yield turn_to


def _turns(opening: "PipelinedScope", using: str) -> Callable[[Scope], None]:
    def turn_to(new: Scope) -> None:
        _set_scope(new, using, after=current_scope(using))
        opening.note(new)

    return turn_to


def _begin_sequence(stack: ExitStack, first: Scope, using: str) -> Callable[[Scope], None]:
    """Open the first scope; the stack ends it."""

    def begin() -> Callable[[Scope], None]:
        with ExitStack() as begun:
            entered = pipelined_scope(using, organisation=first.organisation)
            turn_to = _turns(begun.enter_context(entered), using)
            turn_to(first)
            stack.push(begun.pop_all())
        return turn_to

    return once_more_if_moved(begin, using)


class PipelinedScope:
    """The scope of a transaction whose caller sends the statements that open it with its own.

    commit: what to send after the caller's last statement, so that it ends the transaction in the
    same message. Empty inside another transaction.
    """

    def __init__(self, connection: Any, *, inside: bool) -> None:
        self._connection = connection
        self.commit: list[StatementAndValues] = [] if inside else [("COMMIT", {})]

    def note(self, scope: Scope) -> None:
        """The statement that opens this scope was sent: it holds from now on."""
        self._connection.commonmind_scope = scope
        if (seen := _observed.get()) is not None:
            seen.append(scope)


_observed: ContextVar[list[Scope] | None] = ContextVar("observed_scopes", default=None)


@contextmanager
def observed_scopes() -> Iterator[list[Scope]]:
    """Yields a list that each scope is added to that is opened meanwhile."""
    seen: list[Scope] = []
    token = _observed.set(seen)
    try:
        yield seen
    finally:
        _observed.reset(token)


@contextmanager
def pipelined_scope(
    using: str = DEFAULT_DB_ALIAS, *, organisation: UUID | None
) -> Iterator[PipelinedScope]:
    """A transaction whose scope the caller opens. BEGIN goes with the first statement.

    organisation: that of the scope, on whose server the transaction runs. An exception rolls back.
    Inside a transaction a savepoint is used, and the scope of before holds again afterwards.
    """
    with server_of(organisation), _open_transaction(using) as opening:
        yield opening


@contextmanager
def _open_transaction(using: str) -> Iterator[PipelinedScope]:
    connection: Any = connections[using]
    outer, inside = current_scope(using), connection.in_atomic_block
    with transaction.atomic(using=using):
        opening = PipelinedScope(connection, inside=inside)
        opening.note(outer)
        try:
            yield opening
        except BaseException as error:
            # The roll-back restores the settings in the database.
            opening.note(outer)
            if beyond := _quota_error(error):
                raise beyond from error
            raise
        inner = current_scope(using)
        opening.note(outer)
        if inside:
            _set_scope(outer, using, after=inner)


def is_disk_full(error: BaseException) -> bool:
    """Whether the database found no room on its disk; the transaction is undone."""
    return isinstance(error.__cause__, psycopg.errors.DiskFull)


def is_row_gone(error: BaseException) -> bool:
    """Whether a row named a row that somebody has deleted, or moved to other readers, since it was
    read; the transaction is undone."""
    return isinstance(error.__cause__, psycopg.errors.ForeignKeyViolation)


@contextmanager
def unless_unwritable() -> Iterator[None]:
    """Leave out a record that has no room on the disk, or that is refused for the last seconds of a
    move: an answer is worth more. Nothing else may follow in the transaction, which is undone."""
    try:
        yield
    except OperationalError as error:
        if not is_unwritable(error):
            raise


def is_unwritable(error: BaseException) -> bool:
    """Whether the database can be read, and not written."""
    return isinstance(error, OrganisationMovingError) or is_disk_full(error)


# The SQLSTATE with which the database refuses what goes beyond a quota (`orgs/sql/quotas_v1.sql`).
_QUOTA_SQLSTATE = "CM001"


def _quota_error(error: BaseException) -> QuotaError | None:
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error) or cause.sqlstate != _QUOTA_SQLSTATE:
        return None
    return QuotaError(**orjson.loads(cause.diag.message_detail or "{}"))


@contextmanager
def organisation_scope(organisation: UUID, using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """A scope of the organisation without audiences: its registry is open, no memory is
    readable."""
    with scope(Scope(organisation=organisation), using):
        yield


@contextmanager
def any_scope_of(organisation: UUID, using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """The scope that is open, if it is one of the organisation; else one without audiences. For
    rows that every scope of the organisation shows."""
    if current_scope(using).organisation == organisation:
        yield
        return
    with organisation_scope(organisation, using):
        yield


@contextmanager
def insert_scope(audiences: Iterable[UUID], using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """The current scope, in which rows may also be inserted into these audiences, unread."""
    with scope(replace(current_scope(using), deposit=tuple(audiences)), using):
        yield
