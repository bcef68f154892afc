"""The contract of a scope: a transaction names one organisation before it reads a tenant table.

Organisations may lie on several servers, so no transaction may need two of them, and none may look
for a row without saying whose it is. Every statement of the product is looked at while the tests
run; what breaks the contract fails the test in which it happened. The exceptions stand in one
module of the product, `orgs.placement.all_organisations`, each with its reason.
"""

import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "orgs/placement/all_organisations.py"
# What sends statements for others; who asked for them stands further up.
CARRIERS = (ROOT / "orgs/database", Path(__file__))
PRODUCT = tuple(ROOT / name for name in ("config", "personas", "memories", "robots", "orgs"))
# The owner migrates and looks after the whole server; its role sees no tenant's rows but names.
WATCHED_ALIASES = {"default", "worker", "support", "replica"}
_NAMES = re.compile(r"\b(?:orgs|robots|memories|personas)_[a-z_]+\b|\bsearch\.[a-z_]+(?=\()")
_ATTRIBUTE = "scope_contract"


@dataclass(frozen=True, slots=True)
class Breach:
    """A statement of the product that broke the contract, and where it was sent."""

    what: str
    statement: str
    where: str

    def __str__(self) -> str:
        return f"{self.what}\n{self.statement}\n{self.where}"


class ScopeWatcher:
    """Looks at each statement. tenants: tables and functions that belong to organisations."""

    def __init__(self, tenants: frozenset[str]) -> None:
        self.tenants = tenants
        self.breaches: list[Breach] = []
        self.lock = threading.Lock()
        self.seen = 0
        self.needs_organisation = lru_cache(maxsize=20_000)(self._needs_organisation)

    def _needs_organisation(self, statement: str) -> bool:
        return not self.tenants.isdisjoint(_NAMES.findall(statement.replace('"', "")))

    def look(self, connection: Any, statements: Sequence[tuple[str, Any]]) -> None:
        """The statements of one message, in their order."""
        if connection.alias.partition("@")[0] not in WATCHED_ALIASES:
            return
        organisation = _current_organisation(connection)
        named = _named_in_transaction(connection)
        for statement, values in statements:
            if isinstance(values, Mapping) and "app_organisation" in values:
                organisation = values["app_organisation"] or None
            if not self.needs_organisation(statement):
                continue
            self.seen += 1
            if organisation is None:
                self._record("No organisation was named before this statement.", statement)
                continue
            if named and organisation not in named:
                self._record(f"The transaction is about {named} already.", statement)
            named.add(organisation)

    def _record(self, what: str, statement: str) -> None:
        sender = _sender(sys._getframe(2))
        if sender is None:
            return
        where = "".join(traceback.format_stack(sender, limit=6))
        with self.lock:
            self.breaches.append(Breach(what, statement[:600], where))


def _sender(frame: FrameType | None) -> FrameType | None:
    """The frame of the product that sends a statement; None for a test, or an exception."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path == EXCEPTIONS:
            return None
        if path.is_relative_to(ROOT / "tests") and path != Path(__file__):
            return None
        if any(path.is_relative_to(app) for app in PRODUCT) and not any(
            path.is_relative_to(carrier) for carrier in CARRIERS
        ):
            return frame
        frame = frame.f_back
    return None


def _current_organisation(connection: Any) -> str | None:
    """The organisation whose scope is open on a connection."""
    scope = getattr(connection, "commonmind_scope", None)
    if scope is None or not connection.in_atomic_block or scope.organisation is None:
        return None
    return str(scope.organisation)


def _named_in_transaction(connection: Any) -> set[str]:
    """The organisations that this transaction of the product was about; of a test that is rolled
    back the transactions are those inside of its own."""
    if not _product_blocks(connection):
        return set()
    named: set[str] | None = getattr(connection, _ATTRIBUTE, None)
    if named is None:
        named = set()
        setattr(connection, _ATTRIBUTE, named)
    return named


def _product_blocks(connection: Any) -> bool:
    return any(
        not block._from_testcase and not getattr(block, "of_test", False)
        for block in connection.atomic_blocks
    )


@contextmanager
def watching(tenants: frozenset[str]) -> Iterator[ScopeWatcher]:
    """Look at every statement of this process."""
    from django.db import connections, transaction

    from orgs.database import prepared_statements
    from orgs.database.driver import base
    from orgs.database.driver.standby_reads import target_alias

    watcher = ScopeWatcher(tenants)
    run, leave = prepared_statements._run_statements, transaction.Atomic.__exit__
    enter = transaction.Atomic.__enter__
    tests = str(ROOT / "tests")

    @wraps(enter)
    def enter_watched(atomic: Any) -> None:
        # What a test opens to undo it spans as many transactions of the product as it likes.
        atomic.of_test = sys._getframe(1).f_code.co_filename.startswith(tests)
        enter(atomic)

    @wraps(run)
    def run_watched(statements: Any, using: str, how: Any) -> Any:
        watcher.look(connections[target_alias(using)], statements)
        return run(statements, using, how)

    @wraps(leave)
    def leave_watched(atomic: Any, *given: Any) -> None:
        connection = connections[atomic.using or "default"]
        try:
            leave(atomic, *given)
        finally:
            if not _product_blocks(connection):
                setattr(connection, _ATTRIBUTE, None)

    def cursor_watched(execute: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(execute)
        def watched(cursor: Any, *given: Any) -> Any:
            statement = given[0]
            if not isinstance(statement, str):
                statement = statement.as_string(cursor.db.connection)
            watcher.look(cursor.db, [(statement, None)])
            return execute(cursor, *given)

        return watched

    cursors = base._FlushingCursor
    execute, executemany = cursors._execute, cursors._executemany
    prepared_statements._run_statements = run_watched
    transaction.Atomic.__exit__ = leave_watched  # type: ignore[method-assign]
    transaction.Atomic.__enter__ = enter_watched  # type: ignore[method-assign]
    cursors._execute = cursor_watched(execute)  # type: ignore[method-assign]
    cursors._executemany = cursor_watched(executemany)  # type: ignore[method-assign]
    try:
        yield watcher
    finally:
        prepared_statements._run_statements = run
        transaction.Atomic.__exit__ = leave  # type: ignore[method-assign]
        transaction.Atomic.__enter__ = enter  # type: ignore[method-assign]
        cursors._execute = execute  # type: ignore[method-assign]
        cursors._executemany = executemany  # type: ignore[method-assign]
