"""What has to hold before anything is done: each fault is one sentence."""

import psycopg

from orgs.database.driver.servers import has_role, list_servers
from orgs.placement.moving.admin_connections import (
    Connection,
    MoveError,
    fetch_value,
    label_server,
)
from orgs.placement.moving.move_records import MoveRecord
from orgs.placement.moving.organisation_rows import has_rows
from orgs.placement.server_checks import list_server_faults

OWNER = "owner"
# Slots: one for the move, two for tables that are copied at the same time.
SLOTS = 3
_FREE_SLOTS = """SELECT current_setting('max_replication_slots')::int
- (SELECT count(*)::int FROM pg_replication_slots)"""
_CAN_SUBSCRIBE = """SELECT current_setting('max_logical_replication_workers')::int > 1
AND current_setting('max_active_replication_origins', true) IS DISTINCT FROM '0'"""
NOTHING_DONE = "Nothing was changed."


def require_known_server(target: str) -> None:
    """Raises MoveError for a name that DATABASE_SERVERS has not, or that lacks the owner."""
    if len(list_servers()) == 1:
        raise MoveError(f"DATABASE_SERVERS names no other server. {NOTHING_DONE}")
    if target not in list_servers():
        raise MoveError(f"DATABASE_SERVERS names no server {target!r}. {NOTHING_DONE}")
    for server in list_servers():
        if not has_role(OWNER, server):
            raise MoveError(
                f"DATABASE_SERVERS names no owner of {label_server(server)}, who builds indexes. "
                f"{NOTHING_DONE}"
            )


def require_same_schema() -> None:
    """Raises MoveError if a server is away, or is not as the home server."""
    try:
        faults = list_server_faults()
    except psycopg.OperationalError as error:
        words = " ".join(str(error).split())
        raise MoveError(f"A database server does not answer ({words}). {NOTHING_DONE}") from None
    if faults:
        raise MoveError(f"{faults[0].msg} {NOTHING_DONE}")


def require_movable(source: Connection, target: Connection, move: MoveRecord) -> None:
    """What a move that begins needs. Raises MoveError."""
    level = fetch_value(source, "SHOW wal_level")
    here, there = label_server(move.source), label_server(move.target)
    if level != "logical":
        raise MoveError(
            f"The setting wal_level of {here} is {level} and has to be logical: set it and restart "
            f"that server. {NOTHING_DONE}"
        )
    if fetch_value(source, _FREE_SLOTS) < SLOTS:
        raise MoveError(
            f"{here.capitalize()} has fewer than {SLOTS} free replication slots "
            f"(max_replication_slots). {NOTHING_DONE}"
        )
    if not fetch_value(target, _CAN_SUBSCRIBE):
        raise MoveError(
            f"{there.capitalize()} runs no workers of logical replication "
            f"(max_logical_replication_workers). {NOTHING_DONE}"
        )
    if has_rows(target, move.id):
        raise MoveError(
            f"{there.capitalize()} has rows of this organisation already, such as a clone leaves "
            f"them. {NOTHING_DONE}"
        )
