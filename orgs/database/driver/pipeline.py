"""Statements in one message, straight over libpq.

psycopg's cursors and its pipeline do more than a prepared statement needs: a cursor, two generators
and a queue for each statement, in Python (docs/adr/0026-over-libpq.md). Here psycopg opens the
connection and converts values; the messages are sent by its interface to libpq (`psycopg.pq`). A
connection parses each statement once and keeps it under a name.

https://www.postgresql.org/docs/current/libpq-pipeline-mode.html
"""

import re
import select
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import Any
from uuid import UUID

from psycopg import Connection, OperationalError, ProgrammingError
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from orgs.database.driver.binary_values import encode_uuids

Rows = list[tuple[Any, ...]]
# A mapping for `%(name)s`, a sequence for `%s`.
Values = Mapping[str, Any] | Sequence[Any]

# A command and the types of its values, by number.
_Key = tuple[bytes, tuple[int, ...]]

# Named statements for each connection. The one that was not used for longest makes room.
MAX_PREPARED = 400
# A named statement keeps the plan that was right for the tables as they were. Young tables grow
# fast, and the server makes a new plan only after the next ANALYZE. So a statement is parsed again
# when it is used after a second, then after two, and so on up to every minute.
FIRST_REPARSE_SECONDS, LAST_REPARSE_SECONDS = 1.0, 64.0
_PLACEHOLDER = re.compile(r"%(?:(?P<end>%)|(?P<next>s)|\((?P<name>\w+)\)s|)")
_BEGIN: tuple[str, Values] = ("BEGIN", ())
_CACHE_ATTRIBUTE = "commonmind_statements"
# "No such name" and "the result of the plan has other columns now": it is parsed again next time.
_STALE_SQLSTATES = frozenset({b"26000", b"0A000"})
_SUCCESS_STATUSES = frozenset({ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK, ExecStatus.EMPTY_QUERY})


@dataclass(slots=True)
class _BoundStatement:
    """A statement in the server's words, and its values in the server's forms."""

    command: bytes
    values: Sequence[Any]
    types: tuple[int, ...]
    forms: Sequence[Format]


@dataclass(frozen=True, slots=True)
class _PreparedStatement:
    """A statement that has a name. age: the seconds for which it is used, until `until` of the
    monotonic clock."""

    name: bytes
    age: float
    until: float


@dataclass(frozen=True, slots=True)
class _PipelinePart:
    """One part of a message. key: of the statement that it gives a name or runs; gives: whether it
    gives the name; answers: whether the caller waits for its rows; takes: a name that it takes
    away."""

    send: Callable[[], None]
    key: _Key | None = None
    gives: bool = False
    answers: bool = False
    takes: bytes | None = None


class _StatementCache:
    """What this module keeps of a connection: its named statements, and how values are converted.

    The commands are the server's text of a statement with the types of its values.
    """

    def __init__(self, connection: Connection[Any]) -> None:
        self.convert = Transformer.from_context(connection)
        self.named: OrderedDict[_Key, _PreparedStatement] = OrderedDict()
        # Names that nobody uses any more, and that the server still has.
        self.gone: list[bytes] = []
        self.numbers = count()
        # A pooler that gives each transaction to another backend cannot keep names.
        self.keeps = connection.prepare_threshold is not None

    def converted(self, statement: str, values: Values) -> _BoundStatement:
        command, names = _translate_placeholders(statement)
        ordered = [_adapt_value(value) for value in _order_values(names, values)]
        dumped = self.convert.dump_sequence(ordered, [PyFormat.AUTO] * len(ordered))
        return _BoundStatement(
            command, dumped, self.convert.types or (), self.convert.formats or ()
        )

    def parts(self, pgconn: PGconn, one: _BoundStatement, how: Format) -> Iterator[_PipelinePart]:
        """The parts of the message for one statement."""
        if not self.keeps:
            whole = (one.command, one.values, one.types, one.forms, how)
            yield _PipelinePart(partial(pgconn.send_query_params, *whole), answers=True)
            return
        key = (one.command, one.types)
        known, now = self.named.get(key), time.monotonic()
        if known is None or now >= known.until:
            age = (
                FIRST_REPARSE_SECONDS if known is None else min(2 * known.age, LAST_REPARSE_SECONDS)
            )
            self._forget(key)
            known = self.named[key] = _PreparedStatement(
                b"cm_%d" % next(self.numbers), age, now + age
            )
            prepare = partial(pgconn.send_prepare, known.name, one.command, one.types)
            yield _PipelinePart(prepare, key=key, gives=True)
            if len(self.named) > MAX_PREPARED:
                self._forget(next(iter(self.named)))
        else:
            self.named.move_to_end(key)
        run = partial(pgconn.send_query_prepared, known.name, one.values, one.forms, how)
        yield _PipelinePart(run, key=key, answers=True)

    def _forget(self, key: _Key) -> None:
        if known := self.named.pop(key, None):
            self.gone.append(known.name)

    def farewells(self, pgconn: PGconn) -> list[_PipelinePart]:
        """The parts that take names away. They come last, and those that did not run come again."""
        return [
            _PipelinePart(
                partial(pgconn.send_query_params, b"DEALLOCATE " + name, None), takes=name
            )
            for name in self.gone
        ]

    def read(self, sent: Sequence[_PipelinePart], results: Sequence[PGresult]) -> list[Rows]:
        """The rows of what answers. Raises the error of the first part that failed."""
        failed: PGresult | None = None
        for part, result in zip(sent, results, strict=True):
            ran = result.status in _SUCCESS_STATUSES
            failed = failed if ran or failed else result
            if part.takes and (ran or _sqlstate(result) in _STALE_SQLSTATES):
                self.gone.remove(part.takes)
            elif part.key and not ran and (part.gives or _sqlstate(result) in _STALE_SQLSTATES):
                self.named.pop(part.key, None)
        if failed is not None:
            raise error_from_result(failed)
        answers = [result for part, result in zip(sent, results, strict=True) if part.answers]
        try:
            return [self._rows(result) for result in answers]
        finally:
            # An answer may be megabytes.
            self.convert.set_pgresult(None)

    def _rows(self, result: PGresult) -> Rows:
        if not result.nfields:
            return []
        self.convert.set_pgresult(result)
        return self.convert.load_rows(0, result.ntuples, tuple)


def _sqlstate(result: PGresult) -> bytes | None:
    return result.error_field(DiagnosticField.SQLSTATE)


def _unprepared_part(pgconn: PGconn, statement: str) -> _PipelinePart:
    """A statement without values and answer, which comes once."""
    return _PipelinePart(partial(pgconn.send_query_params, statement.encode(), None))


def run_pipeline(
    connection: Connection[Any],
    statements: Sequence[tuple[str, Values]],
    how: Format,
    *,
    before: MutableSequence[str] | None = None,
    until: float | None = None,
) -> list[Rows]:
    """The rows of each of these statements, which travel in one message; none for one that returns
    none. how: the form of the answers. before: statements that go before them and get no name; the
    list is empty as soon as they are sent. until: by time.monotonic(); then a server that has not
    answered is given up.

    Outside a transaction the message is one transaction, unless it contains BEGIN and COMMIT.
    Raises what psycopg raises, for the first statement that fails; those behind it do not run. If
    it is interrupted in between, it closes the connection.
    """
    kept: _StatementCache | None = getattr(connection, _CACHE_ATTRIBUTE, None)
    if kept is None:
        kept = _StatementCache(connection)
        setattr(connection, _CACHE_ATTRIBUTE, kept)
    pgconn = connection.pgconn
    if pgconn.status != ConnStatus.OK:
        raise OperationalError("the connection is closed")
    # As psycopg does: without autocommit the first statement begins a transaction.
    begins = not connection.autocommit and pgconn.transaction_status == TransactionStatus.IDLE
    first = [_BEGIN] if begins else []
    # All values are converted before a name is given: a value that cannot be leaves nothing behind.
    converted = [kept.converted(statement, values) for statement, values in [*first, *statements]]
    try:
        sent = [part for one in converted[: len(first)] for part in kept.parts(pgconn, one, how)]
        sent += [_unprepared_part(pgconn, statement) for statement in before or ()]
        sent += [part for one in converted[len(first) :] for part in kept.parts(pgconn, one, how)]
        sent += kept.farewells(pgconn)
        if before:
            before.clear()
        results = _send_and_receive(pgconn, [part.send for part in sent], until)
    except BaseException:
        # What was sent is still on its way, so nobody can use this connection again.
        connection.close()
        raise
    return kept.read(sent, results)[len(first) :]


def _wait(waiting: select.poll, until: float | None) -> list[tuple[int, int]]:
    """What has happened on the connection. Raises OperationalError past the deadline."""
    if until is None:
        return waiting.poll()
    if happened := waiting.poll(max(0.0, until - time.monotonic()) * 1000):
        return happened
    raise OperationalError("the server did not answer in time")


def _send_and_receive(
    pgconn: PGconn, sends: Sequence[Callable[[], None]], until: float | None = None
) -> list[PGresult]:
    """Send the parts; one result of each, in their order."""
    pgconn.enter_pipeline_mode()
    for send in sends:
        send()
    pgconn.pipeline_sync()
    waiting = select.poll()
    waiting.register(pgconn.socket, select.POLLIN | select.POLLOUT)
    # The server may want to send before it has read everything.
    while pgconn.flush():
        if any(event & ~select.POLLOUT for _, event in _wait(waiting, until)):
            pgconn.consume_input()
    waiting.modify(pgconn.socket, select.POLLIN)
    results: list[PGresult] = []
    ended = False
    while True:
        while pgconn.is_busy():
            _wait(waiting, until)
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is not None and result.status == ExecStatus.PIPELINE_SYNC:
            break
        if result is None and ended:
            raise OperationalError("the server's answers ended too early")
        # Nothing comes once behind each result.
        ended = result is None
        if result is not None:
            results.append(result)
    pgconn.exit_pipeline_mode()
    return results


def _adapt_value(value: Any) -> Any:
    """The value in a form that costs less to convert, of the same type for the server."""
    # A list may hold ids in its first place and something else behind it; one without any id has
    # no type of its own.
    if type(value) is list and value and _UUID_TYPES >= {*map(type, value)} != _NONE_TYPE:
        return encode_uuids(value)
    return value


_UUID_TYPES, _NONE_TYPE = {UUID, type(None)}, {type(None)}


@lru_cache(maxsize=2 * MAX_PREPARED)
def _translate_placeholders(statement: str) -> tuple[bytes, tuple[str, ...] | int]:
    """(the statement with the server's placeholders, the names of its values in their order, or
    their number)."""
    names: dict[str, int] = {}
    plain = 0

    def place(found: re.Match[str]) -> str:
        nonlocal plain
        if found["end"]:
            return "%"
        if found["next"]:
            plain += 1
            return f"${plain}"
        if not found["name"]:
            raise ProgrammingError("only '%s', '%(name)s' and '%%' are allowed as placeholders")
        return f"${names.setdefault(found['name'], len(names) + 1)}"

    command = _PLACEHOLDER.sub(place, statement).encode()
    if plain and names:
        raise ProgrammingError("positional and named placeholders cannot be mixed")
    return command, plain or tuple(names)


def _order_values(names: tuple[str, ...] | int, values: Values) -> Sequence[Any]:
    """The values as the statement numbers them."""
    if isinstance(values, Mapping):
        if not isinstance(names, tuple):
            raise TypeError("positional placeholders take a sequence")
        if missing := [name for name in names if name not in values]:
            raise ProgrammingError(f"values are missing: {', '.join(missing)}")
        return [values[name] for name in names]
    number = names if isinstance(names, int) else 0
    if isinstance(names, tuple) and names:
        raise TypeError("named placeholders take a mapping")
    if len(values) != number:
        raise ProgrammingError(f"the statement has {number} placeholders for {len(values)} values")
    return values
