"""Move an organisation: each step is done once, or finds that it was done, so a move that was
killed goes on where it was.

Up to the seal nothing changes for anybody. Then it is read and not written for some seconds, until
the placement says the other server. From the moment in which the copy was found the same the move
can only go on.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import psycopg

from orgs.database.driver.servers import HOME
from orgs.errors import PlacementPendingError
from orgs.models.placements import MoveStep
from orgs.placement.moving import fences, replication
from orgs.placement.moving.admin_connections import (
    Connection,
    MoveError,
    admin_connection,
    fetch_value,
    label_server,
)
from orgs.placement.moving.move_accounts import copy_accounts, mark_unused_copies
from orgs.placement.moving.move_checks import (
    NOTHING_DONE,
    require_known_server,
    require_movable,
    require_same_schema,
)
from orgs.placement.moving.move_records import (
    MoveRecord,
    delete_move,
    find_move,
    flip_placement,
    insert_move,
    list_moves,
    set_step,
)
from orgs.placement.moving.organisation_rows import (
    analyse_tables,
    delete_rows,
    drop_indexes,
    find_differences,
    require_same_rows,
)
from orgs.placement.placements import find_server, forget_placement
from orgs.wired_functions import wired

log = logging.getLogger("commonmind.move")

# Seconds for which writes may be refused; of these, what is left for the last statements, and the
# share in which open transactions have to end. How often that is tried, and seconds in between.
PAUSE_SECONDS, RESERVE_SECONDS, DRAIN_SHARE = 5.0, 1.0, 0.4
MAX_SEALS, BETWEEN_SEALS_SECONDS = 5, 5.0
# Seconds for which transactions that began to read before the move may go on.
READER_SECONDS = 120.0
_LOCK = 0x6D6F7665  # "move"
Reporter = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MoveRun:
    """A move, the connections that it needs, and how long writes may be refused."""

    move: MoveRecord
    home: Connection
    source: Connection
    target: Connection
    pause: float
    say: Reporter


@dataclass(frozen=True, slots=True)
class MoveResult:
    """refused_seconds: for how long writes were refused; None if that was in an earlier run."""

    refused_seconds: float | None
    seconds: float


@wired
def build_indexes_on(organisation_id: UUID, server: str) -> list[str]:
    """Build the organisation's own indexes on the server to which it moves; returns their names."""
    raise NotImplementedError


@wired
def move_positions(source: Connection, target: Connection, organisation_id: UUID) -> None:
    """Say on the target how far everything was told that counts by transactions of the source.
    Called in the transaction of the target that opens the organisation there."""
    raise NotImplementedError


def log_step(name: str) -> None:
    """A step is done."""
    log.info("organisation move: %s", name)


def move_organisation(
    organisation_id: UUID,
    slug: str,
    target: str,
    *,
    now: datetime,
    pause: float = PAUSE_SECONDS,
    say: Reporter = lambda text: None,
) -> MoveResult:
    """Move an organisation to a server, or go on with its move. pause: seconds for which writes may
    be refused. say: called with a sentence on the progress.

    Raises MoveError.
    """
    began = time.monotonic()
    require_known_server(target)
    with _open_move_lock() as home:
        try:
            move = _begin(home, organisation_id, slug, target, now)
        except PlacementPendingError as error:
            raise MoveError(f"{error} {NOTHING_DONE}") from error
        for other in list_moves(home):
            if other.id != move.id:
                say(f"Another move is not finished: {other.slug}, of {other.started_at:%Y-%m-%d}.")
        with _open_run(home, move, pause, say) as run:
            refused = None
            if move.step != MoveStep.FLIPPED:
                refused = _move(run)
            _clean_up(run)
    return MoveResult(refused, time.monotonic() - began)


def _begin(
    home: Connection, organisation_id: UUID, slug: str, target: str, now: datetime
) -> MoveRecord:
    """The move, new or one that broke off. Raises MoveError if it cannot begin, or go on."""
    if move := find_move(home, organisation_id):
        if move.step == MoveStep.CANCELLING:
            raise MoveError("Its move is being cancelled. Say --cancel to finish that.")
        if move.target != target:
            raise MoveError(
                f"It is on its way to {label_server(move.target)}. Go on with that, or say "
                "--cancel."
            )
        if move.step != MoveStep.FLIPPED:
            require_same_schema()
        return move
    forget_placement(organisation_id)
    source = find_server(organisation_id)
    if source == target:
        raise MoveError(f"It lies on {label_server(target)} already. {NOTHING_DONE}")
    require_same_schema()
    move = MoveRecord(organisation_id, slug, source, target, MoveStep.MOVING, now)
    with _open_run(home, move, 0.0, lambda text: None) as run:
        require_movable(run.source, run.target, move)
    insert_move(home, move)
    log_step("recorded")
    return move


@contextmanager
def _open_move_lock() -> Iterator[Connection]:
    """The home server, on which one command at a time moves anything."""
    with admin_connection(HOME) as home:
        if not fetch_value(home, "SELECT pg_try_advisory_lock(%s)", _LOCK):
            raise MoveError(f"Another command moves an organisation. {NOTHING_DONE}")
        yield home


@contextmanager
def _open_run(home: Connection, move: MoveRecord, pause: float, say: Reporter) -> Iterator[MoveRun]:
    with ExitStack() as stack:
        source, target = (
            stack.enter_context(admin_connection(server)) if server else home
            for server in (move.source, move.target)
        )
        try:
            yield MoveRun(move, home, source, target, pause, say)
        except psycopg.OperationalError as error:
            words = " ".join(str(error).split())
            raise MoveError(
                f"A server broke the connection off ({words}). Run the command again."
            ) from error


def _move(run: MoveRun) -> float | None:
    """Everything up to the flip. Returns for how long writes were refused, None if they had been
    before."""
    move, source = run.move, run.source
    sealed_at = None
    if not fences.is_closed(source, move.id):
        _copy(run)
        sealed_at = _seal_and_compare(run)
        log_step("closed")
    _open_target(run)
    log_step("opened")
    flip_placement(run.home, move)
    forget_placement(move.id)
    return None if sealed_at is None else time.monotonic() - sealed_at


def _copy(run: MoveRun) -> None:
    move, source, target = run.move, run.source, run.target
    for connection in (source, target):
        replication.ensure_identities(connection)
    replication.ensure_publication(source, move)
    log_step("published")
    fences.begin_arrival(target, move.id)
    if not replication.is_subscribed(source, target, move):
        # What an earlier copy left has no slot that tells how far it was.
        if replication.copy_progress(target, move)[1] or fences.is_open(target, move.id):
            run.say("The copy begins anew.")
        _drop_copy(run)
        replication.ensure_publication(source, move)
        for connection in (source, target):
            replication.ensure_identities(connection)
        replication.subscribe(source, target, move)
    log_step("subscribed")
    run.say(f"Copying to {label_server(move.target)}.")
    replication.wait_for_copy(target, move, run.say)
    copy_accounts(run.home, source, target, move)
    log_step("copied")
    for name in build_indexes_on(move.id, move.target):
        run.say(f"Built {name}.")
    analyse_tables(target)
    log_step("indexed")


def _drop_copy(run: MoveRun) -> None:
    replication.end_replication(run.source, run.target, run.move)
    drop_indexes(run.target, run.move.id)
    delete_rows(run.target, run.move.id, run.say)


def _seal_and_compare(run: MoveRun) -> float:
    """Seal the organisation, wait for what had begun and for the target, compare, and let the seal
    stay. Returns since when writes are refused, by time.monotonic().

    Raises MoveError; then writes are taken again.
    """
    began = time.monotonic()
    find_differences(run.source, run.target, run.move.id)
    takes = time.monotonic() - began
    left = run.pause * (1 - DRAIN_SHARE) - RESERVE_SECONDS
    if takes > left:
        raise MoveError(
            f"To compare the copy takes about {takes:.0f} s, in which writes are refused. Say "
            f"--pause {(takes + RESERVE_SECONDS) / (1 - DRAIN_SHARE) + 1:.0f} if that may be; "
            "what was copied stays."
        )
    for attempt in range(1, MAX_SEALS + 1):
        sealed_at = time.monotonic()
        try:
            if _is_closed_in_time(run, sealed_at):
                return sealed_at
        except BaseException:
            _reopen(run)
            raise
        _reopen(run)
        if attempt < MAX_SEALS:
            run.say("A transaction was open for too long. Writes go on; next try in 5 s.")
            time.sleep(BETWEEN_SEALS_SECONDS)
    raise MoveError(
        f"In {MAX_SEALS} tries the transactions of this server did not end, or the other did not "
        "follow, in time. What was copied stays: run the command again when less is done, or say "
        "--pause."
    )


def _reopen(run: MoveRun) -> None:
    if not run.source.closed and not fences.is_closed(run.source, run.move.id):
        fences.reopen(run.source, run.move.id)


def _is_closed_in_time(run: MoveRun, began: float) -> bool:
    move, source = run.move, run.source
    fences.seal(source, move.id, run.pause)
    log_step("sealed")
    if not fences.wait_for_transactions(source, move.source, run.pause * DRAIN_SHARE):
        return False
    position = replication.current_position(source)
    until = began + run.pause - RESERVE_SECONDS
    while not replication.is_applied(source, move, position):
        if time.monotonic() > until:
            return False
        time.sleep(fences.POLL_SECONDS)
    # Whoever was invited since the copy.
    copy_accounts(run.home, source, run.target, move)
    require_same_rows(source, run.target, move.id)
    log_step("compared")
    return fences.close_seal(source, move.id)


def _open_target(run: MoveRun) -> None:
    """Once: then the copy is written, and counts by its own transactions."""
    with run.target.transaction():
        if not fences.is_open(run.target, run.move.id):
            run.target.execute("SET LOCAL session_replication_role = 'replica'")
            move_positions(run.source, run.target, run.move.id)
            fences.open_organisation(run.target, run.move.id)


def _clean_up(run: MoveRun) -> None:
    """What was left behind, after the flip."""
    move, source = run.move, run.source
    log_step("flipped")
    fences.mark_moved(source, move.id)
    log_step("refused")
    run.say(f"It lies on {label_server(move.target)}. Deleting what was left behind.")
    replication.end_replication(source, run.target, move)
    log_step("unsubscribed")
    if not fences.wait_for_transactions(source, move.source, READER_SECONDS):
        raise MoveError(
            "It was moved, but a transaction still reads what was left behind. Run the command "
            "again to delete that."
        )
    drop_indexes(source, move.id)
    delete_rows(source, move.id, run.say)
    mark_unused_copies(run.home, source, move.source)
    log_step("removed")
    delete_move(run.home, move)


def cancel_move(organisation_id: UUID, *, say: Reporter = lambda text: None) -> None:
    """Give a move up and delete what was copied. Raises MoveError, also for one that can only go
    on."""
    with _open_move_lock() as home:
        move = find_move(home, organisation_id)
        if move is None:
            raise MoveError(f"It is not on its way anywhere. {NOTHING_DONE}")
        if move.step == MoveStep.FLIPPED:
            raise MoveError("It was moved already. Run the command with --to to finish that.")
        with _open_run(home, move, 0.0, say) as run:
            if fences.is_closed(run.source, move.id):
                raise MoveError(
                    "The copy was compared already, so this move can only go on. Run the command "
                    "with --to."
                )
            set_step(home, move, MoveStep.CANCELLING)
            fences.reopen(run.source, move.id)
            _drop_copy(run)
            mark_unused_copies(home, run.target, move.target)
            fences.end_arrival(run.target, move.id)
            log_step("cancelled")
            delete_move(home, move)


def delete_copy(organisation_id: UUID, server: str, *, say: Reporter = lambda text: None) -> int:
    """Delete the rows of an organisation on a server where it does not lie, such as a clone leaves
    them; returns how many. Raises MoveError."""
    require_known_server(server)
    with _open_move_lock() as home:
        forget_placement(organisation_id)
        if find_server(organisation_id) == server:
            raise MoveError(f"It lies on {label_server(server)}, and is no copy. {NOTHING_DONE}")
        if find_move(home, organisation_id):
            raise MoveError(f"It is on its way. Finish that or say --cancel. {NOTHING_DONE}")
        with ExitStack() as stack:
            there = stack.enter_context(admin_connection(server)) if server else home
            fences.close_for_ever(there, organisation_id)
            drop_indexes(there, organisation_id)
            gone = delete_rows(there, organisation_id, say)
            mark_unused_copies(home, there, server)
            return gone


def describe_moves() -> list[dict[str, object]]:
    """Moves that are not finished, with how much is copied. Raises MoveError."""
    with admin_connection(HOME) as home:
        return [_describe(home, move) for move in list_moves(home)]


def _describe(home: Connection, move: MoveRecord) -> dict[str, object]:
    with _open_run(home, move, 0.0, lambda text: None) as run:
        copied, tables = replication.copy_progress(run.target, move)
        state, _ = fences.fetch_fence(run.source, move.id)
        return {
            "slug": move.slug,
            "organisation": move.id,
            "from": move.source or "home",
            "to": move.target or "home",
            "step": str(move.step),
            "started": move.started_at.isoformat(),
            "tables": f"{copied} of {tables} copied",
            "writes": "refused" if state else "taken",
        }
