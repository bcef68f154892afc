"""Copying the rows of one organisation to another server, and following what changes, by
PostgreSQL's logical replication.

A publication on the source names every table with the organisation as a condition. The slot is made
before the subscription, because making it inside waits for ever where both databases are on one
server. A role of its own, with a password that nobody else has, reads the source; it ends with the
move. Names: `MoveRecord.name`.
"""

import secrets
import time
from collections.abc import Callable
from contextlib import suppress

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from orgs.placement.moving.admin_connections import (
    Connection,
    MoveError,
    admin_address,
    fetch_value,
)
from orgs.placement.moving.move_records import MoveRecord
from orgs.placement.moving.organisation_rows import OrganisationTable, list_organisation_tables

# How often a lock is tried, and how many failures of the copy are taken for lasting ones.
MAX_LOCK_ATTEMPTS, MAX_COPY_FAILURES = 20, 5
POLL_SECONDS = 0.05
_IDENTITY_SQL = """
SELECT c.relreplident::text || coalesce((SELECT ':' || k.relname FROM pg_index i
    JOIN pg_class k ON k.oid = i.indexrelid WHERE i.indrelid = c.oid AND i.indisreplident), '')
FROM pg_class c WHERE c.relname = %s AND c.relnamespace = 'public'::regnamespace
"""
_HAS_PUBLICATION = "SELECT EXISTS (SELECT 1 FROM pg_publication WHERE pubname = %s)"
_HAS_SLOT = "SELECT EXISTS (SELECT 1 FROM pg_replication_slots WHERE slot_name = %s)"
_SUBSCRIPTION_SQL = """SELECT oid FROM pg_subscription WHERE subname = %s
AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())"""
_HAS_ROLE = "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s)"
_STATES_SQL = """
SELECT count(*) FILTER (WHERE r.srsubstate = 'r'), count(*)
FROM pg_subscription_rel r WHERE r.srsubid = %s
"""
_FAILURES_SQL = """
SELECT apply_error_count + sync_error_count FROM pg_stat_subscription_stats WHERE subid = %s
"""
_REACHED_SQL = """
SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s
"""
# Of the subscription and of the copies of single tables that it had begun; those name the cluster.
_SLOTS_SQL = """
SELECT slot_name FROM pg_replication_slots
WHERE database = current_database() AND (slot_name = %s OR slot_name ~ %s)
"""


def with_lock_retries(run: Callable[[], object]) -> None:
    """Run a statement that waits for a lock at most LOCK_TIMEOUT, again while it is not free, so
    that nobody else waits behind it for long."""
    for _ in range(MAX_LOCK_ATTEMPTS):
        with suppress(psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            run()
            return
        time.sleep(POLL_SECONDS)
    raise MoveError(
        "A table is locked all the time, for example by a long transaction. Run the command again "
        "later."
    )


def ensure_identities(connection: Connection) -> None:
    """Let each table say by a unique index with the organisation which row a change is about; it
    costs the log a few bytes for each change and is left behind. A table without such an index
    logs its old row whole, until `reset_identities`."""
    for table in list_organisation_tables(connection):
        wanted = f"i:{table.key}" if table.key else "f"
        if table.column == "id" or fetch_value(connection, _IDENTITY_SQL, table.name) == wanted:
            continue
        identity = (
            sql.SQL("USING INDEX {}").format(sql.Identifier(table.key))
            if table.key
            else sql.SQL("FULL")
        )
        _set_identity(connection, table, identity)


def reset_identities(connection: Connection) -> None:
    """Log no old row whole any more."""
    for table in list_organisation_tables(connection):
        if not table.key and fetch_value(connection, _IDENTITY_SQL, table.name) == "f":
            _set_identity(connection, table, sql.SQL("DEFAULT"))


def _set_identity(
    connection: Connection, table: OrganisationTable, identity: sql.Composable
) -> None:
    statement = sql.SQL("ALTER TABLE {} REPLICA IDENTITY {}").format(
        sql.Identifier("public", table.name), identity
    )
    with_lock_retries(lambda: connection.execute(statement))


def ensure_publication(source: Connection, move: MoveRecord) -> None:
    """Publish the rows of the organisation."""
    if fetch_value(source, _HAS_PUBLICATION, move.name):
        return
    parts = [
        sql.SQL("{} WHERE ({})").format(sql.Identifier("public", table.name), table.where(move.id))
        for table in list_organisation_tables(source)
    ]
    statement = sql.SQL(
        "CREATE PUBLICATION {} FOR TABLE {} WITH (publish = 'insert, update, delete')"
    ).format(sql.Identifier(move.name), sql.SQL(", ").join(parts))
    with_lock_retries(lambda: source.execute(statement))


def is_subscribed(source: Connection, target: Connection, move: MoveRecord) -> bool:
    """Whether the copy was begun and its slot is there. A slot may be gone after a failover."""
    subscribed = fetch_value(target, _SUBSCRIPTION_SQL, move.name) is not None
    return subscribed and bool(fetch_value(source, _HAS_SLOT, move.name))


def subscribe(source: Connection, target: Connection, move: MoveRecord) -> None:
    """Begin the copy; the target has no row of the organisation."""
    password = secrets.token_urlsafe(32)
    _ensure_reader(source, move, password)
    if not fetch_value(source, _HAS_SLOT, move.name):
        source.execute("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", [move.name])
    address = make_conninfo(admin_address(move.source), user=move.name, password=password)
    # The role of the tables is bound by row-level security, so the superuser applies the changes.
    target.execute(
        sql.SQL(
            "CREATE SUBSCRIPTION {} CONNECTION {} PUBLICATION {} WITH (create_slot = false, "
            "slot_name = {}, copy_data = true, run_as_owner = true)"
        ).format(
            sql.Identifier(move.name),
            sql.Literal(address),
            sql.Identifier(move.name),
            sql.Literal(move.name),
        )
    )


def _ensure_reader(source: Connection, move: MoveRecord, password: str) -> None:
    role = sql.Identifier(move.name)
    # Hashed here, so that the server's log never holds the password.
    hashed = source.pgconn.encrypt_password(
        password.encode(), move.name.encode(), b"scram-sha-256"
    ).decode()
    if not fetch_value(source, _HAS_ROLE, move.name):
        source.execute(sql.SQL("CREATE ROLE {}").format(role))
    source.execute(
        sql.SQL("ALTER ROLE {} LOGIN REPLICATION BYPASSRLS PASSWORD {}").format(
            role, sql.Literal(hashed)
        )
    )
    source.execute(sql.SQL("GRANT pg_read_all_data TO {}").format(role))
    source.execute(
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(
            sql.Identifier(source.info.dbname), role
        )
    )


def copy_progress(target: Connection, move: MoveRecord) -> tuple[int, int]:
    """(tables that are copied and follow, tables)."""
    subscription = fetch_value(target, _SUBSCRIPTION_SQL, move.name)
    row = target.execute(_STATES_SQL, [subscription]).fetchone()
    return row or (0, 0)


def wait_for_copy(target: Connection, move: MoveRecord, say: Callable[[str], None]) -> None:
    """Wait until each table is copied and follows. Raises MoveError if that fails again and
    again."""
    subscription = fetch_value(target, _SUBSCRIPTION_SQL, move.name)
    failures = int(fetch_value(target, _FAILURES_SQL, subscription) or 0)
    told = time.monotonic()
    while True:
        done, tables = copy_progress(target, move)
        if tables and done == tables:
            return
        failed = int(fetch_value(target, _FAILURES_SQL, subscription) or 0) - failures
        if failed >= MAX_COPY_FAILURES:
            raise MoveError(
                f"The copy broke off {failed} times; the log of the server that it goes to says "
                "why. Mend that and run the command again, or say --cancel."
            )
        if time.monotonic() - told > 5:
            told = time.monotonic()
            say(f"{done} of {tables} tables are copied")
        time.sleep(POLL_SECONDS)


def current_position(source: Connection) -> str:
    """The end of the source's log, all of it on its disk."""
    source.execute("SELECT pg_logical_emit_message(true, 'commonmind', '')")
    return str(fetch_value(source, "SELECT pg_current_wal_insert_lsn()::text"))


def is_applied(source: Connection, move: MoveRecord, position: str) -> bool:
    """Whether the target has all changes up to there, on its disk."""
    return fetch_value(source, _REACHED_SQL, position, move.name) is True


def end_replication(source: Connection, target: Connection, move: MoveRecord) -> None:
    """Drop subscription, slots, publication and role; what is not there is passed over."""
    subscription = fetch_value(target, _SUBSCRIPTION_SQL, move.name)
    name = sql.Identifier(move.name)
    if subscription is not None:
        # Without a slot it is dropped without asking the source, which may know it no more.
        target.execute(sql.SQL("ALTER SUBSCRIPTION {} DISABLE").format(name))
        target.execute(sql.SQL("ALTER SUBSCRIPTION {} SET (slot_name = NONE)").format(name))
    _drop_slots(source, target, move, subscription)
    if subscription is not None:
        target.execute(sql.SQL("DROP SUBSCRIPTION {}").format(name))
    with_lock_retries(lambda: source.execute(sql.SQL("DROP PUBLICATION IF EXISTS {}").format(name)))
    if fetch_value(source, _HAS_ROLE, move.name):
        source.execute(sql.SQL("DROP OWNED BY {}").format(name))
        source.execute(sql.SQL("DROP ROLE {}").format(name))
    for connection in (source, target):
        if not fetch_value(connection, "SELECT EXISTS (SELECT 1 FROM pg_publication)"):
            reset_identities(connection)


def _drop_slots(
    source: Connection, target: Connection, move: MoveRecord, subscription: int | None
) -> None:
    system = fetch_value(target, "SELECT system_identifier::text FROM pg_control_system()")
    of_tables = f"^pg_{subscription or 0}_sync_[0-9]+_{system}$"
    until = time.monotonic() + 30
    while slots := source.execute(_SLOTS_SQL, [move.name, of_tables]).fetchall():
        for (slot,) in slots:
            # Its reader ends within a moment of being told to.
            with suppress(psycopg.errors.ObjectInUse, psycopg.errors.UndefinedObject):
                source.execute("SELECT pg_drop_replication_slot(%s)", [slot])
        if time.monotonic() > until:
            raise MoveError(f"A slot of the source is still in use: {slots[0][0]}.")
        time.sleep(POLL_SECONDS)
