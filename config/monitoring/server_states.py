"""What each server that DATABASE_URL names is: the primary, a standby, away, or another database.

Only the service's own role is needed. Each server is asked by itself, because of several libpq
gives the first that takes writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

# Seconds for each server.
ASK_SECONDS = 3
# The timeline is the first part of the name of the log that a primary writes.
_STATE_SQL = """
SELECT pg_is_in_recovery(), (pg_control_system()).system_identifier::text,
    CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
"""
_OF_ONE_SERVER = ("host", "hostaddr", "port", "target_session_attrs", "load_balance_hosts")


@dataclass(frozen=True, slots=True)
class ServerState:
    """One server. system_id: of its database, empty if it is away. timeline: of a primary, else 0;
    it rises with each failover."""

    name: str
    is_primary: bool = False
    system_id: str = ""
    timeline: int = 0

    @property
    def is_away(self) -> bool:
        """Whether it did not answer."""
        return not self.system_id


def list_servers(parameters: dict[str, Any]) -> list[tuple[str, str]]:
    """(host, port) of each server, from what psycopg would be given."""
    hosts = str(parameters.get("host") or "localhost").split(",")
    ports = str(parameters.get("port") or "5432").split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    return list(zip(hosts, ports, strict=True))


def read_server_states(parameters: dict[str, Any]) -> list[ServerState]:
    """The state of each server. parameters: those of a connection, as Django gives them."""
    rest = {
        name: value
        for name, value in parameters.items()
        if name not in (*_OF_ONE_SERVER, "context", "cursor_factory", "prepare_threshold")
    }
    return [
        _read_state(make_conninfo("", **rest | {"host": host, "port": port}), host, port)
        for host, port in list_servers(parameters)
    ]


def _read_state(address: str, host: str, port: str) -> ServerState:
    name = f"{host}:{port}"
    try:
        with psycopg.connect(address, connect_timeout=ASK_SECONDS, autocommit=True) as connection:
            row = connection.execute(_STATE_SQL).fetchone()
    except psycopg.OperationalError:
        return ServerState(name)
    assert row is not None  # noqa: S101 - a SELECT without FROM has one row
    return ServerState(name, not row[0], str(row[1]), int(row[2] or "0", 16))


def find_faults(states: Sequence[ServerState]) -> list[str]:
    """What must not be, as sentences: it loses writes, or there are none."""
    faults = []
    primaries = [one for one in states if one.is_primary]
    if len({one.system_id for one in states if one.system_id}) > 1:
        names = " and ".join(one.name for one in states if one.system_id)
        faults.append(f"{names} are not copies of one database.")
    elif len(primaries) > 1:
        told = " and ".join(f"{one.name} (timeline {one.timeline})" for one in primaries)
        faults.append(f"Several servers take writes: {told}; the service uses {primaries[0].name}.")
    if not primaries:
        faults.append("No server takes writes.")
    return faults


def find_absent(states: Sequence[ServerState]) -> list[str]:
    """The names of servers that do not answer."""
    return [one.name for one in states if one.is_away]
