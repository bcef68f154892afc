"""What both servers say of an organisation while it moves (`orgs/sql/organisation_move_v1.sql`)."""

import time
from datetime import datetime
from uuid import UUID

from django.conf import settings

from orgs.database.driver.servers import SEPARATOR
from orgs.models.placements import FenceState
from orgs.placement.moving.admin_connections import Connection, fetch_value

POLL_SECONDS = 0.01
# Roles by which anything of an organisation is written.
_ROLES = {"commonmind_app", "commonmind_worker", "commonmind_owner", "commonmind_support"}
_STATE_SQL = "SELECT state, until FROM orgs_organisationfence WHERE id = %s"
# Not a move that is over, or one that goes the other way, whose fence of before stays.
_ARRIVE_SQL = """INSERT INTO orgs_organisationfence (id, state) VALUES (%s, 'arriving')
ON CONFLICT (id) DO NOTHING"""
_SEAL_SQL = """INSERT INTO orgs_organisationfence (id, state, until)
VALUES (%s, 'sealed', clock_timestamp() + %s * interval '1 second')
ON CONFLICT (id) DO UPDATE SET state = excluded.state, until = excluded.until, since = NULL
WHERE orgs_organisationfence.state = 'sealed' AND orgs_organisationfence.until IS NOT NULL"""
# It is committed behind this look at the clock, so there is room, and a second look behind that.
_CLOSE_SQL = """UPDATE orgs_organisationfence SET until = NULL
WHERE id = %s AND state = 'sealed' AND until > clock_timestamp() + interval '0.5 seconds'"""
_REOPEN_SQL = """DELETE FROM orgs_organisationfence WHERE id = %s AND state = 'sealed'"""
_MOVED_SQL = """UPDATE orgs_organisationfence
SET state = 'moved', until = NULL, since = clock_timestamp() WHERE id = %s AND state = 'sealed'"""
_OPEN_TRANSACTIONS_SQL = """
SELECT l.virtualxid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND a.datname = current_database()
    AND a.usename = ANY (%s) AND a.pid <> pg_backend_pid()
"""


def fetch_fence(connection: Connection, organisation_id: UUID) -> tuple[str, datetime | None]:
    """(state, until); an empty state for one that is open."""
    row = connection.execute(_STATE_SQL, [organisation_id]).fetchone()
    return row or ("", None)


def is_closed(connection: Connection, organisation_id: UUID) -> bool:
    """Whether the seal does not end by itself: the copy was found the same, and the move can only
    go on."""
    return fetch_fence(connection, organisation_id) == (FenceState.SEALED, None)


def begin_arrival(target: Connection, organisation_id: UUID) -> None:
    """Nobody opens the copy. One that has lain there before is closed there already."""
    target.execute(_ARRIVE_SQL, [organisation_id])


def end_arrival(target: Connection, organisation_id: UUID) -> None:
    """The copy is gone; where it has lain before, that is still said."""
    target.execute(
        "DELETE FROM orgs_organisationfence WHERE id = %s AND state = 'arriving'",
        [organisation_id],
    )


def is_open(target: Connection, organisation_id: UUID) -> bool:
    """Whether the server says nothing of the organisation."""
    return fetch_fence(target, organisation_id) == ("", None)


def open_organisation(target: Connection, organisation_id: UUID) -> None:
    """From now on it is written here."""
    target.execute("DELETE FROM orgs_organisationfence WHERE id = %s", [organisation_id])


def seal(source: Connection, organisation_id: UUID, seconds: float) -> None:
    """It is read, and nothing is written, for at most so long."""
    source.execute(_SEAL_SQL, [organisation_id, seconds])


def close_seal(source: Connection, organisation_id: UUID) -> bool:
    """Let the seal stay until the move is over. False if it had ended, and something may have been
    written."""
    _, until = fetch_fence(source, organisation_id)
    if until is None or not source.execute(_CLOSE_SQL, [organisation_id]).rowcount:
        return False
    if fetch_value(source, "SELECT clock_timestamp() < %s", until):
        return True
    reopen(source, organisation_id)
    return False


def reopen(source: Connection, organisation_id: UUID) -> None:
    """Take the seal away."""
    source.execute(_REOPEN_SQL, [organisation_id])


def mark_moved(source: Connection, organisation_id: UUID) -> None:
    """Whoever opens it here is told that it lies elsewhere, from now on and for ever."""
    source.execute(_MOVED_SQL, [organisation_id])


def close_for_ever(connection: Connection, organisation_id: UUID) -> None:
    """What lies here is a copy: whoever opens it is told that it lies elsewhere."""
    connection.execute(
        "INSERT INTO orgs_organisationfence (id, state, since) "
        "VALUES (%s, 'moved', clock_timestamp()) ON CONFLICT (id) DO UPDATE "
        "SET state = excluded.state, until = NULL, since = excluded.since",
        [organisation_id],
    )


def wait_for_transactions(connection: Connection, server: str, seconds: float) -> bool:
    """Wait until each transaction of the service that is open now on this server has ended: it may
    have opened a scope before the fence stood. False if the time is up before."""
    aliases = [alias for alias in settings.DATABASES if alias.partition(SEPARATOR)[2] == server]
    roles = _ROLES | {settings.DATABASES[alias].get("USER") or "" for alias in aliases}
    until = time.monotonic() + seconds
    waited_for = _open_transactions(connection, roles)
    while waited_for := waited_for & _open_transactions(connection, roles):
        if time.monotonic() > until:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _open_transactions(connection: Connection, roles: set[str]) -> set[str]:
    rows = connection.execute(_OPEN_TRANSACTIONS_SQL, [sorted(roles)]).fetchall()
    return {transaction for (transaction,) in rows}
