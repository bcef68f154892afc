"""Whether a server is a standby of our database, and how far it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orgs.database.role_checks import ROLES_SQL, role_faults

# LSNs are compared as numbers: bytes of log since the beginning of the cluster.
_REPLAYED_SQL = "pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint"
_SYSTEM_SQL = "(SELECT system_identifier FROM pg_control_system())"
# One row, which each search reads along: the connection may lead to another server by now.
STATE_SQL = f"SELECT pg_is_in_recovery(), {_REPLAYED_SQL}, {_SYSTEM_SQL}"
# Behind everything that has committed on the primary, also what is not on its disk yet.
WRITTEN_SQL = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
# What is on the primary's disk: a standby gets no more. Readers alone may leave something behind it
# that nobody flushes for long.
FLUSHED_SQL = "SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint"
IDENTITY_SQL = f"""
SELECT {_SYSTEM_SQL}, (SELECT oid::bigint FROM pg_database WHERE datname = current_database()),
    session_user::text,
    (SELECT md5(coalesce(string_agg(app || '.' || name, ' ' ORDER BY app, name), ''))
        FROM django_migrations)
"""
# Fixed sentences, for the log, doctor and readyz.
ANOTHER_DATABASE = "it leads to another database, not to a standby of the one of DATABASE_URL"
NO_STANDBY = "it leads to a server that is no standby (pg_is_in_recovery() is false)"
ANOTHER_ROLE = "it logs in as another role than DATABASE_URL"
ANOTHER_SCHEMA = "the schema there is of another version (its migrations differ)"
NOT_LET_IN = "the server does not let its role in: it has to be the role of DATABASE_URL"
# What a server says to a role that it does not know, or to a database that it does not have.
_REFUSALS = (
    "authentication failed", "does not exist", "no pg_hba.conf entry", "permission denied",
    "is not permitted to log in",
)  # fmt: skip

Run = Callable[[str], list[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """system: what initdb drew, which a standby shares with its primary. database: its number in
    the cluster. role: who logged in. schema: a digest of the migrations."""

    system: int
    database: int
    role: str
    schema: str


@dataclass(frozen=True, slots=True)
class ServerState:
    """is_standby: whether it replays the log of another one. replayed: up to where, None if it has
    replayed nothing yet."""

    is_standby: bool
    replayed: int | None
    system: int


def read_identity(run: Run) -> ServerIdentity:
    """Which database it is, and as whom we ask. run: gives the rows of a statement."""
    return ServerIdentity(*run(IDENTITY_SQL)[0])


def parse_state(rows: list[tuple[Any, ...]]) -> ServerState:
    """The state from the row of STATE_SQL."""
    return ServerState(*rows[0])


def find_fault(primary: ServerIdentity, standby: ServerIdentity, state: ServerState) -> str:
    """Why a server is not taken for a standby of ours, as a clause; empty if it is one. Pure."""
    if (standby.system, standby.database) != (primary.system, primary.database):
        return ANOTHER_DATABASE
    if not state.is_standby:
        return NO_STANDBY
    if standby.role != primary.role:
        return ANOTHER_ROLE
    return "" if standby.schema == primary.schema else ANOTHER_SCHEMA


def find_role_fault(run: Run) -> str:
    """Why row-level security would not bind the role there, as a clause; empty if it does."""
    rows = [(bool(a), str(b), bool(c), bool(d), bool(e)) for a, b, c, d, e in run(ROLES_SQL)]
    return "; ".join(role_faults(rows))


def is_refusal(error: Exception) -> bool:
    """Whether a server answered and did not let us in."""
    return any(words in str(error) for words in _REFUSALS)
